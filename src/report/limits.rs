//! The three figures beside the simulated one: line rate, ceiling and closed form.
//!
//! Knows a work's plan and how many bytes each lane moved. Must not know how they moved.
//!
//! - A resource that carries `b` bytes at rate `r` needs at least `b / r` seconds, whatever the schedule: its floor.
//! - The **ceiling** is the payload over the largest floor of all capacities (with charges) and movers (with overheads).
//! - The **line rate** is the same over hardware links alone, at their nominal rate and without charges.
//! - The **closed form** of a loop of equal requests: `min(ceiling, outstanding x size / (sum of delays and services))`.

use std::collections::BTreeMap;

use crate::platform::{Lane, Leg, Plan, Sizes, Work};
use crate::sim::{self, WorkOutcome};

/// A limit in bytes per second and the name of what sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Payload bytes per second.
    pub bytes_per_s: f64,
    /// The group of what sets it.
    pub by: String,
}

/// Bytes charged to each capacity by a work.
pub fn charged_bytes(work: &Work, lane_bytes: &[u64]) -> BTreeMap<usize, f64> {
    let mut bytes = BTreeMap::new();
    for (lane, &moved) in work.lanes.iter().zip(lane_bytes) {
        for (capacity, charge) in lane.legs.iter().flat_map(sim::charges) {
            *bytes.entry(capacity).or_insert(0.0) += moved as f64 * (charge as f64 / 1e9);
        }
    }
    bytes
}

/// What no schedule can pass.
pub fn ceiling(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> Option<Limit> {
    let charged = charged_bytes(work, &outcome.lane_bytes);
    let of_capacity = |(capacity, bytes): (usize, f64)| {
        let capacity = &plan.capacities[capacity];
        (bytes / capacity.rate.0 as f64, capacity.group.clone())
    };
    let floors = charged.into_iter().map(of_capacity).chain(mover_floors(plan, work, outcome));
    limit(floors, outcome)
}

/// What the slowest hardware link carries.
pub fn line_rate(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> Option<Limit> {
    let mut bytes: BTreeMap<usize, u64> = BTreeMap::new();
    for (lane, &moved) in work.lanes.iter().zip(&outcome.lane_bytes) {
        let crossed = lane.legs.iter().flat_map(sim::charges);
        crossed.for_each(|(capacity, _)| *bytes.entry(capacity).or_insert(0) += moved);
    }
    let floors = bytes.into_iter().filter_map(|(capacity, bytes)| {
        let capacity = &plan.capacities[capacity];
        capacity.line_rate.map(|rate| (bytes as f64 / rate.0 as f64, capacity.group.clone()))
    });
    limit(floors, outcome)
}

/// The closed form's throughput in bytes per second; `None` for open loops and mixed sizes.
pub fn closed_form(plan: &Plan, work: &Work, ceiling: f64) -> Option<f64> {
    let Sizes::Listed(sizes) = &work.size else { return None };
    if work.arrivals.is_some() || sizes.windows(2).any(|pair| pair[0] != pair[1]) {
        return None;
    }
    let size = sizes.first()?.0 as f64;
    let outstanding = (work.threads * work.depth) as f64;
    let lanes = work.lanes.iter().map(|lane| outstanding * size / alone_s(plan, lane, size));
    Some(lanes.sum::<f64>().min(ceiling))
}

/// Seconds of one request of a lane that has everything to itself.
fn alone_s(plan: &Plan, lane: &Lane, size: f64) -> f64 {
    lane.legs.iter().map(|leg| delays_s(plan, leg) + size / pace_alone(plan, leg)).sum()
}

fn delays_s(plan: &Plan, leg: &Leg) -> f64 {
    let mean_ps = |&delay: &usize| plan.delays[delay].time.0 as f64 + plan.delays[delay].jitter.0 as f64 / 2.0;
    leg.before.iter().chain(&leg.after).map(mean_ps).sum::<f64>() / 1e12
}

/// Payload bytes per second of a flow that has a leg to itself.
pub fn pace_alone(plan: &Plan, leg: &Leg) -> f64 {
    let rates = sim::charges(leg).into_iter();
    let rates = rates.map(|(capacity, charge)| plan.capacities[capacity].rate.0 as f64 * 1e9 / charge as f64);
    rates.chain(leg.own_cap.iter().map(|cap| cap.rate.0 as f64)).fold(f64::INFINITY, f64::min)
}

/// Floors of movers: the seconds that their places are busy with this work, by place.
fn mover_floors(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> Vec<(f64, String)> {
    let mut pools: BTreeMap<usize, f64> = BTreeMap::new();
    let mut alone = Vec::new();
    let bytes: u64 = outcome.lane_bytes.iter().sum();
    for (lane, &moved) in work.lanes.iter().zip(&outcome.lane_bytes) {
        let requests = outcome.simulated_requests as f64 * moved as f64 / bytes.max(1) as f64;
        for leg in &lane.legs {
            let Some(cap) = &leg.own_cap else { continue };
            let moving = moved as f64 / cap.rate.0 as f64;
            match leg.holds.iter().find(|hold| !hold.by_bytes) {
                Some(hold) => {
                    let busy = moving + requests * service_s(plan, leg, hold.pool);
                    *pools.entry(hold.pool).or_insert(0.0) += busy / plan.pools[hold.pool].places as f64;
                }
                None if work.arrivals.is_none() => {
                    alone.push((moving / (work.threads * work.depth) as f64, cap.group.clone()));
                }
                None => {}
            }
        }
    }
    alone.extend(pools.into_iter().map(|(pool, floor)| (floor, plan.pools[pool].group.clone())));
    alone
}

/// A pool's fixed service in a leg, in seconds.
fn service_s(plan: &Plan, leg: &Leg, pool: usize) -> f64 {
    let delays = leg.before.iter().map(|&delay| &plan.delays[delay]);
    delays.filter(|delay| delay.service_of == Some(pool)).map(|delay| delay.time.seconds()).sum()
}

fn limit(floors: impl Iterator<Item = (f64, String)>, outcome: &WorkOutcome) -> Option<Limit> {
    let bytes: u64 = outcome.lane_bytes.iter().sum();
    // The first of equals, so that the order of names decides.
    let largest = floors.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    Some(Limit { bytes_per_s: bytes as f64 / largest.0, by: largest.1 })
}
