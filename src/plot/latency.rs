//! Latency: which share of requests is done within which time, on a logarithmic axis, percentiles marked.
//!
//! Knows spreads of latencies. Must not know pixels.

use super::chart::{Axis, Chart, Curve, Point};
use super::picture::Picture;
use super::{Question, loaded};
use crate::error::Fault;
use crate::readable::seconds;
use crate::study::vary::Scale;
use crate::study::{Progress, watch};
use crate::trace::Latencies;

/// What is marked along a curve.
const MARKS: [(f64, &str); 3] = [(0.5, "p50"), (0.9, "p90"), (0.99, "p99")];
/// The share of requests that the curve begins at.
const LEAST: f64 = 0.002;
/// The most points of a curve; more are not seen.
const MOST_POINTS: usize = 300;

/// Runs the scenario and draws how its latencies are spread.
pub fn latency(question: &Question<'_>, _: Option<&Progress>) -> Result<Picture, Fault> {
    let loaded = loaded(question)?;
    let (report, latencies) = watch(&loaded, &question.options, Latencies::new)?;
    let curves = report.works.iter().filter_map(|work| curve(&latencies, &work.name, &work.path_taken)).collect();
    Ok(Picture::Curves(Chart {
        title: format!("{}: latency of requests", report.scenario),
        subtitle: "marked: median, 90th and 99th percentile".to_string(),
        x: Axis {
            title: "time from the beginning to the end of a request".to_string(),
            scale: Scale::Time,
            doubling: true,
        },
        y: "requests done within that time (%)".to_string(),
        whole: Some(100.0),
        curves,
        limits: Vec::new(),
        measured: Vec::new(),
    }))
}

fn curve(latencies: &Latencies, work: &str, path: &str) -> Option<Curve> {
    let spread = latencies.spread(work)?;
    // The first few requests of a run find everything idle: they would stretch the axis and say little.
    let begin = spread.points.iter().rposition(|(_, share)| *share < LEAST).unwrap_or(0);
    let spread = &spread.points[begin..];
    let stride = spread.len().div_ceil(MOST_POINTS).max(1);
    let last = spread.len() - 1;
    let kept = spread.iter().enumerate().filter(|(index, _)| index % stride == 0 || *index == last);
    let mut points: Vec<Point> = kept.map(|(_, (time, share))| point(*time, *share, None)).collect();
    for (share, name) in MARKS {
        let time = latencies.quantile(work, share)?;
        points.push(point(time, share, Some(format!("{name} {}", seconds(time)))));
    }
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let name = if path == work { work.to_string() } else { format!("{work} ({path})") };
    Some(Curve { name, points, knee: None })
}

fn point(time: f64, share: f64, note: Option<String>) -> Point {
    Point { x: time, x_text: seconds(time), y: share * 100.0, binds: String::new(), note }
}
