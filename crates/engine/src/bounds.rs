//! The three figures beside the simulated one: line rate, ceiling and closed form.
//!
//! Knows a work's plan and how many bytes each lane moved. Must not know how they moved.
//!
//! - A resource that carries `b` bytes at rate `r` needs at least `b / r` seconds, whatever the schedule: its floor.
//! - The **ceiling** is the payload over the largest floor of all capacities (with charges) and movers (with overheads).
//! - The **line rate** is the same over hardware links alone, at their nominal rate and without charges.
//! - The **closed form** of a loop of equal requests: `min(ceiling, outstanding x size / (sum of delays and services))`.

use std::collections::BTreeMap;

use crate::classes::charges;
use crate::outcome::WorkOutcome;
use crate::plan::{Each, Lane, Leg, Plan, Sizes, Work};
use crate::units::Factor;
use crate::unloaded::alone_s;

/// A limit in bytes per second and the name of what sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Payload bytes per second.
    pub bytes_per_s: f64,
    /// The group of what sets it.
    pub by: String,
}

/// Bytes charged to each capacity by a work; of a compact plan, to each of those that it stands for.
pub fn charged_bytes(plan: &Plan, work: &Work, lane_bytes: &[u64]) -> BTreeMap<usize, f64> {
    let mut bytes = BTreeMap::new();
    for (number, (lane, &moved)) in work.lanes.iter().zip(lane_bytes).enumerate() {
        for (capacity, charge) in lane.legs.iter().flat_map(charges) {
            let lanes = plan.capacity_copies(capacity).crossed_by(work.lane_copies(number));
            *bytes.entry(capacity).or_insert(0.0) += moved as f64 * (charge as f64 / 1e9) * lanes;
        }
    }
    bytes
}

/// Picoseconds below which no capacity carries what it was charged, whatever rounding did.
pub(crate) fn floor_ps(plan: &Plan, work: &Work, lane_bytes: &[u64]) -> u64 {
    let hard = charged_bytes(plan, work, lane_bytes)
        .into_iter()
        .filter(|(capacity, _)| plan.capacities[*capacity].soft.is_none());
    let floors = hard.map(|(capacity, bytes)| bytes / plan.capacities[capacity].rate.0 as f64);
    (floors.fold(0.0, f64::max) * 1e12).ceil() as u64
}

/// The least seconds that each capacity and each mover allows, with the group of what sets it.
pub fn floors(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> impl Iterator<Item = (f64, String)> {
    let charged = charged_bytes(plan, work, &outcome.lane_bytes);
    let of_capacity = move |(capacity, bytes): (usize, f64)| {
        (bytes / most(plan, work, outcome, capacity), plan.capacities[capacity].group.clone())
    };
    charged.into_iter().map(of_capacity).chain(mover_floors(plan, work, outcome))
}

/// What no schedule can pass.
pub fn ceiling(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> Option<Limit> {
    limit(floors(plan, work, outcome), outcome)
}

/// The most bytes per second that a capacity can carry: its rate, or for a soft law the mean of its `B` weighted by the
/// work's classes of traffic, which its traffic approaches and never reaches.
fn most(plan: &Plan, work: &Work, outcome: &WorkOutcome, capacity: usize) -> f64 {
    let Some(law) = &plan.capacities[capacity].soft else { return plan.capacities[capacity].rate.0 as f64 };
    let (mut bytes, mut weighted) = (0.0, 0.0);
    for (lane, &moved) in work.lanes.iter().zip(&outcome.lane_bytes) {
        let hops = lane.legs.iter().flat_map(|leg| &leg.hops).flat_map(|hop| &hop.crosses);
        for crossing in hops.filter(|crossing| crossing.capacity == capacity) {
            let traffic = moved as f64 * crossing.charge.as_f64();
            bytes += traffic;
            weighted += traffic * law.base(crossing.traffic).0 as f64;
        }
    }
    weighted / f64::max(bytes, 1.0)
}

/// What the slowest hardware link carries.
pub fn line_rate(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> Option<Limit> {
    let mut bytes: BTreeMap<usize, u64> = BTreeMap::new();
    for (number, (lane, &moved)) in work.lanes.iter().zip(&outcome.lane_bytes).enumerate() {
        let crossed = lane.legs.iter().flat_map(charges);
        let lanes = |capacity: usize| plan.capacity_copies(capacity).crossed_by(work.lane_copies(number));
        // A stripe's part of a byte is all that there is of it; what is charged beyond a byte is no payload.
        let part = |charge: u64| (moved as u128 * charge.min(Factor::ONE.0) as u128 / Factor::ONE.0 as u128) as u64;
        crossed.for_each(|(capacity, charge)| {
            *bytes.entry(capacity).or_insert(0) += (part(charge) as f64 * lanes(capacity)) as u64;
        });
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
    let size = sizes.first()?.0;
    let outstanding = (work.threads * work.depth) as f64;
    let lanes = work.lanes.iter().enumerate();
    let lanes = lanes
        .map(|(number, lane)| work.lane_copies(number) as f64 * outstanding * size as f64 / alone_s(plan, lane, size));
    Some(lanes.sum::<f64>().min(ceiling))
}

/// Floors of movers and slots: the seconds that their places are busy with this work, by place.
fn mover_floors(plan: &Plan, work: &Work, outcome: &WorkOutcome) -> Vec<(f64, String)> {
    let mut pools: BTreeMap<usize, f64> = BTreeMap::new();
    let mut alone = Vec::new();
    for (number, (lane, &moved)) in work.lanes.iter().zip(&outcome.lane_bytes).enumerate() {
        let trips = trips(work, lane, outcome, moved);
        let lanes = |pool: usize| plan.pool_copies(pool).crossed_by(work.lane_copies(number));
        for leg in &lane.legs {
            let moving = leg.own_cap.as_ref().map_or(0.0, |cap| moved as f64 / cap.rate.0 as f64);
            for (pool, taken, service) in services(plan, leg, trips.size) {
                let moves = leg.held().any(|held| held == pool);
                let busy = taken as f64 * (trips.count * service + if moves { moving } else { 0.0 });
                *pools.entry(pool).or_insert(0.0) += busy * lanes(pool) / plan.pools[pool].places as f64;
            }
            if let (None, None, Some(cap)) = (leg.held().next(), work.arrivals, &leg.own_cap) {
                alone.push((moving / ((work.threads * work.depth) as f64 * trips.abreast), cap.group.clone()));
            }
        }
    }
    alone.extend(pools.into_iter().map(|(pool, floor)| (floor, plan.pools[pool].group.clone())));
    alone
}

/// How often a lane's legs are gone along.
struct Trips {
    count: f64,
    /// What moves each time; 0 where that differs, so that tables by size count with what they add at least.
    size: u64,
    /// Pieces of a request side by side.
    abreast: f64,
}

fn trips(work: &Work, lane: &Lane, outcome: &WorkOutcome, moved: u64) -> Trips {
    let bytes = outcome.bytes.0;
    let requests = outcome.requests as f64 * moved as f64 / bytes.max(1) as f64;
    let mean = (moved as f64 / requests.max(1.0)).round() as u64;
    let (pieces, part) = (lane.cut.pieces(mean), lane.cut.part_bytes(mean));
    let equal = matches!(&work.size, Sizes::Listed(sizes) if sizes.windows(2).all(|pair| pair[0] == pair[1]));
    let size = if equal && lane.cut.cycles(mean) * part == mean { part } else { 0 };
    // Of unequal sizes only so many trips are certain: one for each request.
    let count = if equal { requests * lane.cut.cycles(mean) as f64 } else { requests };
    Trips { count, size, abreast: pieces as f64 }
}

/// The pools of a leg, how many places it holds of each, and the seconds of its delays during which it does: those of its
/// motion come on top.
fn services(plan: &Plan, leg: &Leg, size: u64) -> Vec<(usize, u64, f64)> {
    let seconds = |delay: usize| plan.delays[delay].ps(size) as f64 / 1e12;
    let served = |from: usize| leg.served[from..].iter().map(|served| seconds(served.delay)).sum::<f64>();
    let before: f64 = leg.before.iter().map(|&delay| seconds(delay)).sum();
    let after: f64 = leg.after.iter().map(|&delay| seconds(delay)).sum();
    let holds = leg.holds.iter().filter(|hold| hold.each != Each::Bytes).map(|hold| {
        let service = before + served(0) + if hold.to_the_end { after } else { 0.0 };
        (hold.pool, hold.places(size, plan.pools[hold.pool].places), service)
    });
    let servers = leg
        .served
        .iter()
        .enumerate()
        .map(|(number, one)| (one.hold.pool, 1, if one.keeps { served(number) } else { seconds(one.delay) }));
    holds.chain(servers).collect()
}

fn limit(floors: impl Iterator<Item = (f64, String)>, outcome: &WorkOutcome) -> Option<Limit> {
    let bytes = outcome.bytes.0;
    // The first of equals, so that the order of names decides.
    let largest = floors.reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    Some(Limit { bytes_per_s: bytes as f64 / largest.0, by: largest.1 })
}
