//! What to know before trusting a report.
//!
//! Knows a plan and the report made of it. Must not know how warnings are printed.

use engine;
use engine::units::Time;
use engine::{Leg, Note, Plan, Work};

use super::shape::{Report, Warning, WorkReport};

/// All warnings, work by work.
pub fn warnings(plan: &Plan, report: &Report) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for out in &report.works {
        if let Some(work) = plan.works.iter().find(|work| work.name == out.name) {
            let march = if report.mode == "stream" { smooth(plan, work, out) } else { convoy(work, out) };
            warnings.extend([march, short(work, out), unbalanced(out)].into_iter().flatten());
        }
    }
    warnings.extend(plan.notes.iter().map(note));
    warnings.extend(same_links(report));
    warnings.extend(assumed(report));
    warnings
}

/// Two legs, one of them without a mover, that fill different parts: equal requests may march in step over them, all in
/// one while the other lies idle, which a stream does not see.
fn smooth(plan: &Plan, work: &Work, out: &WorkReport) -> Option<Warning> {
    let legs: Vec<&Leg> = work.lanes.first()?.legs.iter().collect();
    let filled: Vec<Vec<usize>> = legs.iter().map(|leg| filled(plan, leg, out)).collect();
    let differ = |a: usize, b: usize| !filled[a].is_empty() && !filled[b].is_empty() && filled[a] != filled[b];
    let marches = (0..legs.len()).any(|a| without_mover(legs[a]) && (0..legs.len()).any(|b| differ(a, b)));
    let many = work.threads * work.depth > 1 && work.arrivals.is_none();
    (marches && many).then(|| Warning {
        kind: "smooth".into(),
        text: format!(
            "{}: requests may march in step over legs that fill different parts; a stream does not",
            work.name
        ),
        advice: "hold it against `--mode request` with fewer bytes".into(),
    })
}

/// The capacities of a leg that are nearly full.
fn filled(plan: &Plan, leg: &Leg, out: &WorkReport) -> Vec<usize> {
    let is_full = |capacity: &usize| {
        let name = &plan.capacities[*capacity].name;
        out.resources.iter().any(|resource| resource.name == *name && resource.utilisation > NEARLY)
    };
    engine::charges(leg).into_keys().filter(is_full).collect()
}

/// What is used to more than this is nearly full.
const NEARLY: f64 = 0.85;

/// Whether a leg moves bytes and nothing spreads out its requests.
fn without_mover(leg: &Leg) -> bool {
    !leg.hops.is_empty() && leg.own_cap.is_none() && leg.held().next().is_none()
}

/// Equal requests that bunch together: all wait for their delays at one time and for each other at another.
fn convoy(work: &Work, out: &WorkReport) -> Option<Warning> {
    let free_legs = work.lanes.first()?.legs.iter().filter(|leg| without_mover(leg)).count();
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

/// A stream whose limits found no balance, or whose requests meet by chance in a way that it does not see.
fn unbalanced(out: &WorkReport) -> Option<Warning> {
    out.unbalanced.map(|off| Warning {
        kind: "unbalanced".into(),
        text: format!(
            "{}: times of stream mode may be off by {:.0} %: requests that meet by chance, or limits without a balance",
            out.name,
            (off * 100.0).ceil()
        ),
        advice: "hold it against `--mode request` with fewer bytes".into(),
    })
}

/// So few requests that starting and ending weigh.
fn short(work: &Work, out: &WorkReport) -> Option<Warning> {
    let outstanding = work.threads * work.depth * work.lane_count();
    (work.arrivals.is_none() && outstanding > 1 && out.requests < 10 * outstanding).then(|| Warning {
        kind: "short".into(),
        text: format!(
            "{}: {} requests with {outstanding} outstanding: the start and the end weigh in the throughput",
            work.name, out.requests
        ),
        advice: "move more bytes, or take fewer outstanding requests, to see the steady rate".into(),
    })
}

fn note(note: &Note) -> Warning {
    Warning { kind: note.kind.clone(), text: note.text.clone(), advice: note.advice.clone() }
}

/// Two works whose bytes load the links alike, though one crosses PCIe once and the other twice: that surprises.
fn same_links(report: &Report) -> Option<Warning> {
    let per_byte = |work: &WorkReport| work.pcie_bytes as f64 / work.bytes.max(1) as f64;
    let alike = |once: &WorkReport, twice: &WorkReport| {
        let crossings = (once.pcie_crossings, twice.pcie_crossings) == (1, 2) && once.direction == twice.direction;
        crossings && once.pcie_bytes > 0 && (per_byte(once) - per_byte(twice)).abs() < 1e-6
    };
    let pairs = report.works.iter().flat_map(|once| report.works.iter().map(move |twice| (once, twice)));
    let (once, twice) = pairs.into_iter().find(|(once, twice)| alike(once, twice))?;
    Some(Warning {
        kind: "pcie".into(),
        text: format!(
            "{} and {} put the same bytes on PCIe links ({:.0} a byte), in 1 crossing and in 2: NIC and GPU hang on different \
             root ports, so a byte goes over both links either way",
            once.name,
            twice.name,
            per_byte(once)
        ),
        advice: "GDS spares system memory and the CPU here, not PCIe; a NIC below the GPU's own switch would spare its uplink \
                 too"
        .into(),
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
