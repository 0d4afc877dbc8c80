//! Compare: the works side by side, figure by figure, each figure on a scale of its own.
//!
//! Knows reports. Must not know pixels.

use super::picture::{Bar, Bars, Group, Picture};
use super::{Question, whole_run};
use crate::error::Fault;
use crate::readable::{bytes, gb_s, seconds};
use crate::report::{Report, WorkReport};
use crate::study::Progress;

/// What is compared: its name, its value, the text of a value.
type Figure = (&'static str, fn(&WorkReport) -> Option<f64>, fn(f64) -> String);

const FIGURES: &[Figure] = &[
    ("time", |w| Some(w.duration_s), seconds),
    ("throughput", |w| Some(w.throughput_gb_s), gb_s),
    ("latency of a request, 99th percentile", |w| Some(w.latency_us?.p99 / 1e6), seconds),
    ("bytes through system memory", |w| Some(w.dram_bytes as f64), |value| bytes(value as u64)),
    ("CPU time", |w| Some(w.cpu_s), seconds),
];

/// Runs the scenario and sets its works side by side.
pub fn compare(question: &Question<'_>, progress: Option<&Progress>) -> Result<Picture, Fault> {
    Ok(Picture::Bars(bars(&whole_run(question, progress)?)))
}

/// The picture of a report.
pub fn bars(report: &Report) -> Bars {
    let legend = report.works.iter().map(|work| match work.binding.first() {
        Some(first) => format!("{} ({}), bound by {}", work.name, work.path_taken, first.name),
        None => format!("{} ({})", work.name, work.path_taken),
    });
    Bars {
        title: format!("{}: works side by side", report.scenario),
        subtitle: "each figure on a scale of its own".to_string(),
        axis: None,
        legend: legend.collect(),
        groups: FIGURES.iter().filter_map(|figure| group(report, figure)).collect(),
    }
}

fn group(report: &Report, (title, value, text): &Figure) -> Option<Group> {
    let bar = |work: &WorkReport| {
        let value = value(work)?;
        Some(Bar { name: String::new(), parts: vec![value], text: text(value) })
    };
    let bars: Vec<Bar> = report.works.iter().filter_map(bar).collect();
    (!bars.is_empty()).then(|| Group { title: title.to_string(), bars })
}
