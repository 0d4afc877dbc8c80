//! What to know before trusting a report.
//!
//! Knows a plan and the report made of it. Must not know how warnings are printed.

use crate::platform::{Leg, Plan, Work};
use crate::units::Time;

use super::shape::{Report, Warning, WorkReport};

/// All warnings, work by work.
pub fn warnings(plan: &Plan, report: &Report) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for out in &report.works {
        if let Some(work) = plan.works.iter().find(|work| work.name == out.name) {
            warnings.extend([convoy(work, out), short(work, out)].into_iter().flatten());
        }
    }
    warnings.extend(assumed(report));
    warnings
}

/// Equal requests that bunch together: all wait for their delays at one time and for each other at another.
fn convoy(work: &Work, out: &WorkReport) -> Option<Warning> {
    let without_mover = |leg: &&Leg| !leg.hops.is_empty() && leg.own_cap.is_none() && leg.held().next().is_none();
    let free_legs = work.lanes.first()?.legs.iter().filter(without_mover).count();
    let slower = out.duration_s / out.closed_form_s? - 1.0;
    let many = work.threads * work.depth > 1;
    let advice = match work.stagger {
        Some(Time(0)) => "real threads do not start at one instant: leave out `stagger`, or draw its sizes",
        _ => "real requests and delays differ a little: draw the work's sizes, or give a step of its path a `jitter`",
    };
    (free_legs > 0 && many && slower > 0.03).then(|| Warning {
        kind: "convoy".into(),
        text: format!(
            "{}: equal requests march in step and take {:.0} % longer than the closed form",
            work.name,
            slower * 100.0
        ),
        advice: advice.into(),
    })
}

/// So few requests that starting and ending weigh.
fn short(work: &Work, out: &WorkReport) -> Option<Warning> {
    let outstanding = work.threads * work.depth * work.lanes.len() as u64;
    (work.arrivals.is_none() && outstanding > 1 && out.requests < 10 * outstanding).then(|| Warning {
        kind: "short".into(),
        text: format!(
            "{}: {} requests with {outstanding} outstanding: the start and the end weigh in the throughput",
            work.name, out.requests
        ),
        advice: "move more bytes, or take fewer outstanding requests, to see the steady rate".into(),
    })
}

fn assumed(report: &Report) -> Option<Warning> {
    (report.assumed_share > 0.2).then(|| Warning {
        kind: "assumed".into(),
        text: format!("{:.0} % of the requests' time rests on assumed figures", report.assumed_share * 100.0),
        advice: "see the range from low to high; `hopsim show` names the assumed figures: measure the one that binds"
            .into(),
    })
}
