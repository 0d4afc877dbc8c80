//! From an outcome to a report's works.
//!
//! Knows a plan and what came out of it. Must not know files or how a report is printed.

use std::collections::BTreeMap;

use engine::{Kind, Outcome, Plan, Work, WorkOutcome};

use super::binding::Causes;
use super::cores;
use super::recorder::Recorder;
use super::shape::{Done, Floor, LegReport, ResourceReport, Settled, WorkReport};
use engine::bounds::{ceiling, charged_bytes, closed_form, floors, line_rate};

/// The name of a kind in a report.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Target => "target",
        Kind::Fabric => "fabric",
        Kind::Nic => "nic",
        Kind::Pcie => "pcie",
        Kind::RootComplex => "root_complex",
        Kind::SocketLink => "socket_link",
        Kind::Dram => "dram",
        Kind::Hbm => "hbm",
        Kind::CopyEngine => "copy_engine",
        Kind::Cpu => "cpu",
        Kind::Other => "other",
    }
}

/// How far from rest the balance of a stream may be without a word.
const BALANCED: f64 = 0.01;

/// The works in the order of the file.
pub fn works(plan: &Plan, outcome: &Outcome, recorder: &Recorder) -> Vec<WorkReport> {
    let mut works: Vec<(usize, WorkReport)> =
        (0..plan.works.len()).map(|index| (plan.works[index].position, work(plan, outcome, recorder, index))).collect();
    works.sort_by_key(|(position, _)| *position);
    works.into_iter().map(|(_, work)| work).collect()
}

/// The share of all works' charged time that rests on assumed figures.
pub fn assumed_share(plan: &Plan, outcome: &Outcome) -> f64 {
    let causes = Causes { plan, own_caps: &outcome.own_caps };
    let sums = outcome.works.iter().map(|work| causes.charged_s(work));
    let (all, assumed) = sums.fold((0.0, 0.0), |sum, work| (sum.0 + work.0, sum.1 + work.1));
    if all > 0.0 { assumed / all } else { 0.0 }
}

fn work(plan: &Plan, outcome: &Outcome, recorder: &Recorder, index: usize) -> WorkReport {
    let (work, out) = (&plan.works[index], &outcome.works[index]);
    let causes = Causes { plan, own_caps: &outcome.own_caps };
    let seconds = out.duration.seconds();
    let throughput = out.bytes.0 as f64 / seconds;
    let line = line_rate(plan, work, out);
    let top = ceiling(plan, work, out);
    let cores = cores::seconds(plan, work, out);
    let ceiling_rate = top.as_ref().map_or(f64::INFINITY, |limit| limit.bytes_per_s);
    WorkReport {
        name: work.name.clone(),
        direction: work.direction,
        path_asked: work.path_asked.clone(),
        path_taken: work.path_taken.clone(),
        why: work.why.clone(),
        bytes: out.bytes.0,
        requests: out.requests,
        start_s: out.start.seconds(),
        duration_s: seconds,
        throughput_gb_s: throughput / 1e9,
        throughput_gib_s: throughput / (1u64 << 30) as f64,
        line_rate_gb_s: line.as_ref().map(|limit| limit.bytes_per_s / 1e9),
        line_rate_by: line.map(|limit| limit.by),
        ceiling_gb_s: ceiling_rate / 1e9,
        ceiling_by: top.map(|limit| limit.by).unwrap_or_default(),
        closed_form_s: closed_form(plan, work, ceiling_rate).map(|rate| out.bytes.0 as f64 / rate),
        low_s: None,
        high_s: None,
        binding: causes.binding(out),
        latency_us: recorder.latency(index),
        legs: legs(work, out),
        hops: causes.hops(work, out),
        resources: resources(plan, work, out),
        floors: by_group(floors(plan, work, out)),
        dram_bytes: bytes_over(plan, work, out, Kind::Dram),
        pcie_bytes: bytes_over(plan, work, out, Kind::Pcie),
        pcie_crossings: work.pcie_crossings,
        cpu_copies: work.cpu_copies,
        cpu_s: cores.control_s + cores.data_s,
        cpu_control_s: cores.control_s,
        cpu_data_s: cores.data_s,
        session_s: work.session_ps(plan) as f64 / 1e12,
        session_cpu_s: work.session_cpu_s(plan),
        peak_host_bytes: out.peak_resting.0,
        gpus_done_s: done(work, out),
        settled: settled(out),
        unbalanced: Some(out.off_rest).filter(|&off| off > BALANCED),
    }
}

fn settled(out: &WorkOutcome) -> Option<Settled> {
    Some(Settled { simulated_requests: out.simulated_requests, half_width: out.half_width? })
}

fn done(work: &Work, out: &WorkOutcome) -> Option<Done> {
    let ends = out.lane_ends.iter().enumerate();
    let ends: Vec<(f64, f64)> =
        ends.filter_map(|(lane, end)| Some(((*end)?.seconds(), work.lane_copies(lane) as f64))).collect();
    let seconds = || ends.iter().map(|end| end.0);
    let [first, last] = [seconds().reduce(f64::min)?, seconds().reduce(f64::max)?];
    let (sum, lanes) = ends.iter().fold((0.0, 0.0), |(sum, all), (end, lanes)| (sum + end * lanes, all + lanes));
    Some(Done { first, mean: sum / lanes, last })
}

/// Where a request's time goes, in means.
fn legs(work: &Work, out: &WorkOutcome) -> Vec<LegReport> {
    let Some(lane) = work.lanes.first() else { return Vec::new() };
    let mean = |ps: u128| ps as f64 / 1e12 / out.requests.max(1) as f64;
    let leg = |(leg, spent): (&engine::Leg, &engine::Spent)| LegReport {
        name: leg.name.clone(),
        line_s: mean(spent.line),
        setup_s: mean(spent.setup),
        moving_s: mean(spent.moving),
    };
    lane.legs.iter().zip(&out.spent).map(leg).collect()
}

/// The longest floor of each group, longest first; equals by name.
fn by_group(floors: impl Iterator<Item = (f64, String)>) -> Vec<Floor> {
    let mut groups: BTreeMap<String, f64> = BTreeMap::new();
    for (floor_s, group) in floors {
        let longest = groups.entry(group).or_insert(0.0);
        *longest = longest.max(floor_s);
    }
    let mut floors: Vec<Floor> = groups.into_iter().map(|(group, floor_s)| Floor { group, floor_s }).collect();
    floors.sort_by(|a, b| b.floor_s.total_cmp(&a.floor_s));
    floors
}

fn resources(plan: &Plan, work: &Work, out: &WorkOutcome) -> Vec<ResourceReport> {
    let resource = |(capacity, bytes): (usize, f64)| {
        let count = plan.capacity_copies(capacity).count();
        let capacity = &plan.capacities[capacity];
        let floor_s = bytes / capacity.rate.0 as f64;
        ResourceReport {
            name: capacity.name.clone(),
            kind: kind_name(capacity.kind).to_string(),
            bytes: bytes.round() as u64,
            rate_gb_s: capacity.rate.gb_s(),
            utilisation: floor_s / out.duration.seconds(),
            floor_s,
            count,
        }
    };
    // Cores are counted in cores, not in bytes: `cpu_s` tells of them.
    let moves = |(capacity, _): &(usize, f64)| plan.capacities[*capacity].kind != Kind::Cpu;
    charged_bytes(plan, work, &out.lane_bytes).into_iter().filter(moves).map(resource).collect()
}

fn bytes_over(plan: &Plan, work: &Work, out: &WorkOutcome, kind: Kind) -> u64 {
    let charged = charged_bytes(plan, work, &out.lane_bytes).into_iter();
    let bytes: f64 = charged
        .filter(|(capacity, _)| plan.capacities[*capacity].kind == kind)
        .map(|(capacity, bytes)| bytes * plan.capacity_copies(capacity).count() as f64)
        .sum();
    bytes.round() as u64
}
