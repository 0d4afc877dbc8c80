//! A run as a trace that Perfetto opens (the Chrome trace event format, JSON): a track for every resource and every
//! outstanding request, arrows from hop to hop, counters, and a mark where what binds changes.
//!
//! Knows the trace format. Must not know how journeys and tracks were noted.

mod event;
mod rows;

use serde_json::{Value, json};

use crate::readable::{bytes, count};
use crate::report::Report;
use crate::trace::{Change, Journey, Journeys, Stage, Track, Tracks, What};
use engine::Plan;

use event::{Event, Flow, ns};
use rows::{Rows, Slice};

/// What a trace is made of.
#[derive(Clone, Copy, Debug)]
pub struct Traced<'a> {
    /// The plan that ran.
    pub plan: &'a Plan,
    /// What came out.
    pub report: &'a Report,
    /// What the first requests did.
    pub journeys: &'a Journeys,
    /// How busy resources were, and how long lines.
    pub tracks: &'a Tracks,
    /// When what binds changed.
    pub changes: &'a [Change],
}

/// The trace as JSON.
pub fn trace(traced: &Traced<'_>) -> String {
    let mut rows = Rows::default();
    let mut events = marks(traced, &mut rows);
    events.extend(requests(traced, &mut rows));
    events.extend(resources(traced, &mut rows));
    events.extend(counters(traced, &mut rows));
    events.sort_by_key(|event| event.ts);
    let head = rows.names(&left_out(traced)).into_iter();
    let events: Vec<String> = head.chain(events.iter().map(Event::json)).map(|event| event.to_string()).collect();
    let other = json!({
        "scenario": traced.report.scenario,
        "fingerprint": traced.report.fingerprint,
        "mode": traced.report.mode,
        "made_by": concat!("hopsim ", env!("CARGO_PKG_VERSION")),
        "left_out": left_out(traced),
    });
    format!("{{\"displayTimeUnit\":\"ns\",\"otherData\":{other},\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
}

/// What the trace does not show, in words.
fn left_out(traced: &Traced<'_>) -> String {
    let works = traced.plan.works.iter().enumerate().map(|(index, work)| {
        let shown = traced.journeys.noted().iter().filter(|journey| journey.who.work == index).count();
        let all = traced.journeys.begun().get(index).copied().unwrap_or(0);
        format!("{}: the first {} of {} requests", work.name, count(shown as u64), count(all))
    });
    let works = works.collect::<Vec<_>>().join("; ");
    let bin = crate::readable::seconds(traced.tracks.bin_s);
    let pieces = match traced.plan.works.iter().flat_map(|work| &work.lanes).any(|lane| !lane.cut.helpers.is_empty()) {
        true => "; of requests in pieces, the caller's own",
        false => "",
    };
    format!(
        "slices and arrows show {works}{pieces}; counters and marks cover the whole simulated time in bins of {bin}"
    )
}

/// The process of what binds.
const BINDS: &str = "what binds";

fn marks(traced: &Traced<'_>, rows: &mut Rows) -> Vec<Event> {
    let row = rows.row(BINDS, BINDS, 0);
    let end = traced.tracks.busy.first().map_or(0.0, |track| track.values.len() as f64 * traced.tracks.bin_s);
    let ps = |s: f64| (s * 1e12) as u64;
    let mut events = Vec::new();
    for (index, change) in traced.changes.iter().enumerate() {
        let until = traced.changes.get(index + 1).map_or(end, |next| next.at_s);
        events.extend(Event::slice(row, &change.to, "binds", ns(ps(change.at_s)), ns(ps(until)), json!({})));
        events.push(Event::mark(row, &format!("binds: {}", change.to), ns(ps(change.at_s))));
    }
    events
}

fn title(traced: &Traced<'_>, journey: &Journey) -> String {
    let work = &traced.plan.works[journey.who.work];
    format!("{} {}", work.name, journey.number)
}

/// A track for each place of an outstanding request: the request, and in it what it does.
fn requests(traced: &Traced<'_>, rows: &mut Rows) -> Vec<Event> {
    let mut events = Vec::new();
    for journey in traced.journeys.noted() {
        let work = &traced.plan.works[journey.who.work];
        let lane = &work.lanes[journey.who.lane];
        let thread = format!("{} request place {:>3}", lane.gpu_name(), journey.who.worker);
        let row = rows.row(&format!("{}: requests", work.name), &thread, 0);
        let about = json!({ "bytes": journey.bytes, "size": bytes(journey.bytes), "gpu": lane.gpu });
        events.extend(Event::slice(row, &title(traced, journey), "request", ns(journey.from), ns(journey.to), about));
        for stage in &journey.stages {
            if let Some((name, about)) = doing(traced, journey, stage) {
                events.extend(Event::slice(row, &name, "stage", ns(stage.from), ns(stage.to), about));
            }
        }
    }
    events
}

/// What a request does in a stage, in words; holding something goes on beside it.
fn doing(traced: &Traced<'_>, journey: &Journey, stage: &Stage) -> Option<(String, Value)> {
    let legs = &traced.plan.works[journey.who.work].lanes[journey.who.lane].legs;
    match stage.what {
        What::InLine(pool) => Some((format!("in line for {}", traced.plan.pools[pool].name), json!({}))),
        What::Steps { leg, before } => {
            let when = if before { "before" } else { "after" };
            let leg = &legs[leg];
            let own = if before { &leg.before } else { &leg.after };
            let costs: Vec<&str> = own.iter().map(|delay| traced.plan.delays[*delay].name.as_str()).collect();
            Some((format!("steps {when} {}", leg.name), json!({ "costs": costs.join(", ") })))
        }
        What::Moves(leg) => Some((format!("{} moves", legs[leg].name), json!({}))),
        What::Holds(_) => None,
    }
}

/// A track for each capacity that bytes cross and each pool that is held, and arrows from hop to hop.
fn resources(traced: &Traced<'_>, rows: &mut Rows) -> Vec<Event> {
    let mut slices: Vec<Slice> = Vec::new();
    for (journey_at, journey) in traced.journeys.noted().iter().enumerate() {
        for stage in &journey.stages {
            match stage.what {
                What::Moves(leg) => slices.extend(crossed(traced, journey_at, journey, leg, stage)),
                What::Holds(pool) => slices.extend(held(traced, journey_at, journey, pool, stage)),
                What::InLine(_) | What::Steps { .. } => {}
            }
        }
    }
    let placed = rows.place(slices);
    let mut events: Vec<Event> = placed.iter().filter_map(|(row, slice)| slice.event(*row)).collect();
    events.extend(arrows(&placed));
    events
}

fn crossed(traced: &Traced<'_>, at: usize, journey: &Journey, leg: usize, stage: &Stage) -> Vec<Slice> {
    let legs = &traced.plan.works[journey.who.work].lanes[journey.who.lane].legs;
    let before: usize = legs[..leg].iter().map(|leg| leg.hops.len()).sum();
    let mut slices = Vec::new();
    for (index, hop) in legs[leg].hops.iter().enumerate() {
        let mut crossed: Vec<usize> = hop.crosses.iter().map(|crossing| crossing.capacity).collect();
        crossed.dedup();
        for (place, capacity) in crossed.into_iter().enumerate() {
            let capacity = &traced.plan.capacities[capacity];
            slices.push(Slice {
                process: capacity.group.clone(),
                thread: capacity.name.clone(),
                name: format!("{} hop {}", title(traced, journey), before + index + 1),
                from: ns(stage.from),
                to: ns(stage.to),
                journey: at,
                // The arrow goes through the first capacity of each hop.
                hop: (place == 0).then_some(before + index + 1),
            });
        }
    }
    slices
}

/// A pool's place in somebody's hands; memory is no place.
fn held(traced: &Traced<'_>, at: usize, journey: &Journey, pool: usize, stage: &Stage) -> Option<Slice> {
    let pool = &traced.plan.pools[pool];
    (!pool.is_memory).then(|| Slice {
        process: pool.group.clone(),
        thread: pool.name.clone(),
        name: title(traced, journey),
        from: ns(stage.from),
        to: ns(stage.to),
        journey: at,
        hop: None,
    })
}

/// Arrows along each journey's hops.
fn arrows(placed: &[(rows::Row, Slice)]) -> Vec<Event> {
    let mut stops: Vec<(usize, u64, usize, rows::Row)> = placed
        .iter()
        .filter(|(_, slice)| slice.to > slice.from)
        .filter_map(|(row, slice)| Some((slice.journey, slice.from, slice.hop?, *row)))
        .collect();
    stops.sort_unstable();
    let mut events = Vec::new();
    for journey in stops.chunk_by(|a, b| a.0 == b.0).filter(|journey| journey.len() > 1) {
        let last = journey.len() - 1;
        for (index, (id, at, _, row)) in journey.iter().enumerate() {
            let flow = if index == 0 {
                Flow::Start
            } else if index == last {
                Flow::Finish
            } else {
                Flow::Step
            };
            events.push(Event::arrow(*row, *id + 1, flow, *at));
        }
    }
    events
}

fn counters(traced: &Traced<'_>, rows: &mut Rows) -> Vec<Event> {
    let bin = traced.tracks.bin_s;
    let mut events = Vec::new();
    for track in &traced.tracks.busy {
        events.extend(counter(rows.process(&track.name), "utilisation", "%", track, bin, 100.0));
    }
    for track in &traced.tracks.in_line {
        events.extend(counter(rows.process(&track.name), "in line", "requests", track, bin, 1.0));
    }
    for track in &traced.tracks.outstanding {
        let process = rows.process(&format!("{}: requests", track.name));
        events.extend(counter(process, "outstanding", "requests", track, bin, 1.0));
    }
    events
}

/// A counter's values where they change, and nothing at the end. One that is always nothing is left out.
fn counter(process: u64, name: &str, unit: &str, track: &Track, bin_s: f64, scale: f64) -> Vec<Event> {
    let rounded = |value: f64| (value * scale * 100.0).round() / 100.0;
    let values = track.values.iter().map(|value| rounded(*value)).chain([0.0]);
    if track.values.iter().all(|value| rounded(*value) == 0.0) {
        return Vec::new();
    }
    let mut before = None;
    let mut events = Vec::new();
    for (at, value) in values.enumerate() {
        if before != Some(value) {
            let when = ns((at as f64 * bin_s * 1e12) as u64);
            events.push(Event::counter(process, name, unit, when, value));
        }
        before = Some(value);
    }
    events
}
