//! Saturation: throughput against one key, a curve a work, the ceiling above, what binds written along the curves.
//!
//! Knows reports and the varied key. Must not know pixels.

use super::Question;
use super::chart::{Axis, Chart, Curve, Limit, Point};
use super::picture::Picture;
use crate::error::Fault;
use crate::platform::{Edit, Loaded, load};
use crate::readable::gb_s;
use crate::report::{Report, WorkReport};
use crate::study::grid::Grid;
use crate::study::vary::{Scale, Value, Vary};
use crate::study::{Progress, run_all};
use engine::units::{Factor, PS_PER_S};

/// Runs the scenario once for each point of the grid and makes the chart: the first key along the axis, a curve for each
/// work and each combination of the other keys' values.
pub fn saturation(question: &Question<'_>, progress: Option<&Progress>) -> Result<Picture, Fault> {
    let Some((along, others)) = question.vary.split_first() else {
        return Err(
            Fault::new("the plot saturation needs a key to vary").help("add --vary works.*.size=4KiB..16MiB:x2")
        );
    };
    check(along)?;
    let lines = Grid::crossed(others.to_vec());
    if lines.points() > MOST_LINES {
        let message = format!("{} lines are too many for one picture", lines.points());
        return Err(Fault::new(message).help(format!("let the further --vary keys make {MOST_LINES} or fewer")));
    }
    let lines: Vec<Vec<Edit>> = (0..lines.points()).map(|line| lines.point(line).edits).collect();
    let points = lines.iter().flat_map(|line| along.values.iter().map(move |value| (line, value)));
    let loaded: Result<Vec<Loaded>, Fault> =
        points.map(|(line, value)| at_value(question, line, &value.text)).collect();
    let reports = run_all(&loaded?, &question.options, progress)?;
    let lines: Vec<Line<'_>> =
        lines.iter().zip(reports.chunks(along.values.len())).map(|(edits, reports)| Line { edits, reports }).collect();
    Ok(Picture::Curves(chart(along, &lines)))
}

/// The chart of a finished grid: its reports in the order of points, one a point. `None` where the first axis has no order or
/// the others make too many lines.
pub fn of_grid(grid: &Grid, reports: &[Report]) -> Option<Picture> {
    let (along, others) = grid.axes().split_first()?;
    let others: Vec<Vary> = others.iter().flatten().cloned().collect();
    let lines = reports.len() / along.first()?.values.len();
    let zipped = grid.axes().iter().any(|axis| axis.len() > 1);
    if zipped || check(&along[0]).is_err() || lines == 0 || lines as u64 > MOST_LINES {
        return None;
    }
    let edits: Vec<Vec<Edit>> = (0..lines as u64).map(|line| Grid::crossed(others.clone()).point(line).edits).collect();
    // The first axis runs slowest.
    let sorted: Vec<Vec<Report>> =
        (0..lines).map(|line| reports.iter().skip(line).step_by(lines).cloned().collect()).collect();
    let lines: Vec<Line<'_>> = edits.iter().zip(&sorted).map(|(edits, reports)| Line { edits, reports }).collect();
    Some(Picture::Curves(chart(&along[0], &lines)))
}

/// The most combinations of further keys.
const MOST_LINES: u64 = 6;

/// The reports along the axis at one combination of the other keys' values.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The combination.
    pub edits: &'a [Edit],
    /// The reports in the order of the values.
    pub reports: &'a [Report],
}

fn check(vary: &Vary) -> Result<(), Fault> {
    let problem = match (vary.scale, vary.values.len()) {
        (Scale::Word, _) => "its values are words, which have no place on an axis",
        (_, 0 | 1) => "one value makes no curve",
        _ => return Ok(()),
    };
    Err(Fault::new(format!("--vary {}: {problem}", vary.key)).help("vary a size, a depth, a rate or a count"))
}

fn at_value(question: &Question<'_>, line: &[Edit], value: &str) -> Result<Loaded, Fault> {
    let mut edits = [question.edits, line].concat();
    edits.push(Edit { key: question.vary[0].key.clone(), value: value.to_string() });
    load(question.scenario, question.library, &edits)
}

/// The chart of lines of reports.
pub(super) fn chart(vary: &Vary, lines: &[Line<'_>]) -> Chart {
    let lines: Vec<(String, Vec<Row<'_>>)> =
        lines.iter().map(|line| (told(line.edits), rows(vary, line.reports))).collect();
    let first = lines.first().map_or(&[][..], |line| &line.1);
    let xs: Vec<f64> = first.iter().map(|row| row.x).collect();
    let scenario = first.first().map_or("", |row| &row.report.scenario);
    let curves =
        lines.iter().flat_map(|(told, rows)| works(rows).map(move |(index, work)| curve(rows, index, work, told)));
    Chart {
        title: format!("{scenario}: throughput against {}", vary.key),
        subtitle: "ring: the knee, no step beyond it gains 5 %   shaded: the ceiling and 5 % below it".to_string(),
        x: Axis { title: axis_title(vary), scale: vary.scale, doubling: doubles(&xs) },
        y: "throughput (GB/s, 10^9 bytes a second)".to_string(),
        whole: None,
        curves: curves.collect(),
        limits: limits(&lines),
        measured: Vec::new(),
    }
}

/// The other keys' values, as the legend tells them.
fn told(edits: &[Edit]) -> String {
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_string();
    edits.iter().map(|edit| format!(", {} {}", last(&edit.key), edit.value)).collect()
}

fn rows<'a>(vary: &'a Vary, reports: &'a [Report]) -> Vec<Row<'a>> {
    let row = |(value, report): (&'a Value, &'a Report)| Row {
        x: on_axis(vary.scale, value.amount),
        text: &value.text,
        report,
    };
    let mut rows: Vec<Row<'_>> = vary.values.iter().zip(reports).map(row).collect();
    rows.sort_by(|a, b| a.x.total_cmp(&b.x));
    rows
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

fn curve(rows: &[Row<'_>], index: usize, first: &WorkReport, told: &str) -> Curve {
    let mut points: Vec<Point> = Vec::new();
    for row in rows {
        let Some(work) = row.report.works.get(index) else { continue };
        let binds = work.binding.first().map(|b| b.name.clone()).unwrap_or_default();
        let changed = points.last().is_none_or(|last| last.binds != binds);
        let note = (changed && !binds.is_empty()).then(|| binds.clone());
        points.push(Point { x: row.x, x_text: row.text.to_string(), y: work.throughput_gb_s, binds, note });
    }
    let path = if first.path_taken == first.name { String::new() } else { format!(" ({})", first.path_taken) };
    let knee = Curve::find_knee(&points);
    Curve { name: format!("{}{path}{told}", first.name), points, knee }
}

/// The ceilings; curves that share one share its line.
fn limits(lines: &[(String, Vec<Row<'_>>)]) -> Vec<Limit> {
    let mut limits: Vec<Limit> = Vec::new();
    for (told, rows) in lines {
        for (index, work) in works(rows) {
            let works: Vec<(f64, &WorkReport)> =
                rows.iter().filter_map(|row| Some((row.x, row.report.works.get(index)?))).collect();
            let points: Vec<(f64, f64)> = works.iter().map(|(x, work)| (*x, work.ceiling_gb_s)).collect();
            let curve = format!("{}{told}", work.name);
            match limits.iter_mut().find(|limit| limit.points == points) {
                Some(limit) => limit.curves.push(curve),
                None => limits.push(Limit { name: limit_name(&works), curves: vec![curve], points }),
            }
        }
    }
    if limits.len() > 1 {
        let of = |limit: &Limit| match limit.curves.as_slice() {
            [one, _, _, ..] => format!("ceiling of {one} and others"),
            few => format!("ceiling of {}", few.join("; ")),
        };
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
pub(super) fn on_axis(scale: Scale, amount: u64) -> f64 {
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
        let reports = [report.clone(), report];
        let line = Line { edits: &[], reports: &reports };
        assert_eq!(super::chart(&vary, &[line]).limits.len(), 1);
    }

    #[test]
    fn words_and_single_values_are_refused() {
        assert!(check(&parse("works.a.path=x,y").unwrap()).is_err());
        assert!(check(&parse("works.a.depth=4").unwrap()).is_err());
    }
}
