//! Hops: where the time of a request goes, a stacked bar a leg, the works one under the other on one scale.
//!
//! Knows reports. Must not know pixels.

use super::picture::{Bar, Bars, Group, Picture};
use super::{Question, whole_run};
use crate::error::Fault;
use crate::readable::seconds;
use crate::report::{LegReport, Report, WorkReport};
use crate::study::Progress;

/// Runs the scenario and draws where the time goes.
pub fn hops(question: &Question<'_>, progress: Option<&Progress>) -> Result<Picture, Fault> {
    Ok(Picture::Bars(bars(&whole_run(question, progress)?)))
}

/// The picture of a report.
pub fn bars(report: &Report) -> Bars {
    Bars {
        title: format!("{}: where the time of a request goes", report.scenario),
        subtitle: "mean of all requests; a bar a leg, the path from top to bottom".to_string(),
        axis: Some("time of a request".to_string()),
        legend: ["in line", "set-up and delays", "in motion"].map(str::to_string).to_vec(),
        groups: report.works.iter().map(group).collect(),
    }
}

fn group(work: &WorkReport) -> Group {
    let all: f64 = work.legs.iter().map(length).sum();
    Group {
        title: format!("{} ({}): {} a request", work.name, work.path_taken, seconds(all)),
        bars: work.legs.iter().map(bar).collect(),
    }
}

fn length(leg: &LegReport) -> f64 {
    leg.line_s + leg.setup_s + leg.moving_s
}

fn bar(leg: &LegReport) -> Bar {
    Bar { name: leg.name.clone(), parts: vec![leg.line_s, leg.setup_s, leg.moving_s], text: seconds(length(leg)) }
}
