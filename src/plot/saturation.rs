//! Saturation: throughput against one key, a curve a work, the ceiling above, what binds written along the curves.
//!
//! Knows reports and the varied key. Must not know pixels.

use super::Question;
use super::chart::{Axis, Chart, Curve, Limit, Point};
use crate::error::Fault;
use crate::platform::{Edit, Loaded, load};
use crate::readable::gb_s;
use crate::report::{Report, WorkReport};
use crate::study::vary::{Scale, Vary};
use crate::study::{Options, Progress, run_all};
use crate::units::{Factor, PS_PER_S};

/// Runs the scenario once for each value of the key and makes the chart.
pub fn saturation(question: &Question<'_>, progress: Option<&Progress>) -> Result<Chart, Fault> {
    check(question.vary)?;
    let loaded: Result<Vec<Loaded>, Fault> =
        question.vary.values.iter().map(|value| at_value(question, &value.text)).collect();
    let options = Options { mode: Some(question.mode), seed: None, skip_ends: true };
    let reports = run_all(&loaded?, &options, progress)?;
    Ok(chart(question.vary, &reports))
}

fn check(vary: &Vary) -> Result<(), Fault> {
    let problem = match (vary.scale, vary.values.len()) {
        (Scale::Word, _) => "its values are words, which have no place on an axis",
        (_, 0 | 1) => "one value makes no curve",
        _ => return Ok(()),
    };
    Err(Fault::new(format!("--vary {}: {problem}", vary.key)).help("vary a size, a depth, a rate or a count"))
}

fn at_value(question: &Question<'_>, value: &str) -> Result<Loaded, Fault> {
    let mut edits = question.edits.to_vec();
    edits.push(Edit { key: question.vary.key.clone(), value: value.to_string() });
    load(question.scenario, question.library, &edits)
}

/// The chart of reports that came in the order of the values.
pub(super) fn chart(vary: &Vary, reports: &[Report]) -> Chart {
    let mut rows: Vec<Row<'_>> = vary
        .values
        .iter()
        .zip(reports)
        .map(|(value, report)| Row { x: on_axis(vary.scale, value.amount), text: &value.text, report })
        .collect();
    rows.sort_by(|a, b| a.x.total_cmp(&b.x));
    let xs: Vec<f64> = rows.iter().map(|row| row.x).collect();
    let scenario = reports.first().map_or("", |r| &r.scenario);
    Chart {
        title: format!("{scenario}: throughput against {}", vary.key),
        subtitle: "written along each curve: what binds, where it changes".to_string(),
        x: Axis { title: axis_title(vary), scale: vary.scale, doubling: doubles(&xs) },
        y: "throughput (GB/s, 10^9 bytes a second)".to_string(),
        curves: works(&rows).map(|(index, work)| curve(&rows, index, work)).collect(),
        limits: limits(&rows),
    }
}

/// One value and its report.
struct Row<'a> {
    x: f64,
    text: &'a str,
    report: &'a Report,
}

/// The works of the first report with their places.
fn works<'a>(rows: &'a [Row<'_>]) -> impl Iterator<Item = (usize, &'a WorkReport)> {
    rows.first().into_iter().flat_map(|row| row.report.works.iter().enumerate())
}

fn curve(rows: &[Row<'_>], index: usize, first: &WorkReport) -> Curve {
    let mut points: Vec<Point> = Vec::new();
    for row in rows {
        let Some(work) = row.report.works.get(index) else { continue };
        let binds = work.binding.first().map(|b| b.name.clone()).unwrap_or_default();
        let changed = points.last().is_none_or(|last| last.binds != binds);
        let note = (changed && !binds.is_empty()).then(|| binds.clone());
        points.push(Point { x: row.x, x_text: row.text.to_string(), y: work.throughput_gb_s, binds, note });
    }
    let path = if first.path_taken == first.name { String::new() } else { format!(" ({})", first.path_taken) };
    Curve { name: format!("{}{path}", first.name), points }
}

/// The ceilings; works that share one share its line.
fn limits(rows: &[Row<'_>]) -> Vec<Limit> {
    let mut limits: Vec<Limit> = Vec::new();
    for (index, work) in works(rows) {
        let works: Vec<(f64, &WorkReport)> =
            rows.iter().filter_map(|row| Some((row.x, row.report.works.get(index)?))).collect();
        let points: Vec<(f64, f64)> = works.iter().map(|(x, work)| (*x, work.ceiling_gb_s)).collect();
        match limits.iter_mut().find(|limit| limit.points == points) {
            Some(limit) => limit.curves.push(work.name.clone()),
            None => limits.push(Limit { name: limit_name(&works), curves: vec![work.name.clone()], points }),
        }
    }
    if limits.len() > 1 {
        let of = |limit: &Limit| format!("ceiling of {}", limit.curves.join(", "));
        limits.iter_mut().for_each(|limit| limit.name = limit.name.replacen("ceiling", &of(limit), 1));
    }
    limits
}

/// Ceilings that differ by less are the same to the eye.
const LEVEL: f64 = 0.01;

fn limit_name(works: &[(f64, &WorkReport)]) -> String {
    let highest = works.iter().map(|(_, work)| *work).max_by(|a, b| a.ceiling_gb_s.total_cmp(&b.ceiling_gb_s));
    let Some(highest) = highest else { return String::new() };
    let level = works.iter().all(|(_, w)| w.ceiling_gb_s >= highest.ceiling_gb_s * (1.0 - LEVEL));
    let up_to = if level { "" } else { "up to " };
    format!("ceiling: {up_to}{} by {}", gb_s(highest.ceiling_gb_s), highest.ceiling_by)
}

/// An amount in the unit that the axis counts in.
fn on_axis(scale: Scale, amount: u64) -> f64 {
    match scale {
        Scale::Number => Factor(amount).as_f64(),
        Scale::Rate => amount as f64 / 1e9,
        Scale::Time => amount as f64 / PS_PER_S as f64,
        Scale::Bytes | Scale::Word => amount as f64,
    }
}

fn axis_title(vary: &Vary) -> String {
    let last = vary.key.rsplit('.').next().unwrap_or(&vary.key);
    let noun = match last {
        "size" => "request size",
        "depth" => "outstanding requests a thread",
        "threads" => "threads a GPU",
        "gpus" => "GPUs in use",
        "nics" => "storage NICs in use",
        other => other,
    };
    if noun == vary.key { noun.to_string() } else { format!("{noun}  ({})", vary.key) }
}

/// Whether values grow by factors rather than by steps, so that a doubling axis shows them evenly.
fn doubles(xs: &[f64]) -> bool {
    let (Some(&first), Some(&last)) = (xs.first(), xs.last()) else { return false };
    let growing = xs.windows(3).all(|w| w[2] / w[1] > 1.0 && (w[2] - w[1]) >= 1.4 * (w[1] - w[0]));
    first > 0.0 && last / first >= 4.0 && ((xs.len() >= 3 && growing) || last / first >= 64.0)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::study::vary::parse;

    #[test]
    fn the_chart_says_what_its_golden_file_says() {
        let chart = sample::chart();
        insta::assert_snapshot!("saturation-chart", serde_json::to_string_pretty(&chart).unwrap());
    }

    #[test]
    fn sizes_that_double_lie_on_a_doubling_axis_and_counts_do_not() {
        assert!(doubles(&[4096.0, 8192.0, 16384.0]));
        assert!(doubles(&[1.0, 4.0, 16.0]));
        assert!(!doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
        assert!(!doubles(&[0.0, 5.0, 10.0]));
    }

    #[test]
    fn works_with_one_ceiling_share_its_line() {
        let chart = sample::chart();
        assert_eq!(chart.limits.len(), 2);
        let vary = parse("works.*.depth=1,2").unwrap();
        let mut report = crate::report::sample::report();
        report.works[1].ceiling_gb_s = report.works[0].ceiling_gb_s;
        assert_eq!(super::chart(&vary, &[report.clone(), report]).limits.len(), 1);
    }

    #[test]
    fn words_and_single_values_are_refused() {
        assert!(check(&parse("works.a.path=x,y").unwrap()).is_err());
        assert!(check(&parse("works.a.depth=4").unwrap()).is_err());
    }
}
