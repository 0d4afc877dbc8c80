//! One lane's route as a row of stations: lines, delays and motions, in the order of a request's story.
//!
//! Knows stories and mean lengths. Must not know what other lanes do.
//!
//! A *cycle* is what goes along the legs at a time: a request, or a part of a piece of it. Pieces go side by side, so that a
//! lane has as many cycles under route as it has requests outstanding times pieces.

use crate::plan::{Amount, Each, Lane, Leg, OwnCap, Plan, Sizes, Traffic, Work};
use crate::units::Bytes;

use crate::causes::{Cause, Stage};
use crate::classes;
use crate::program::{self, Op};

/// Cycles under way of an open loop at most, where nothing says how many will be offered.
const OPEN: f64 = 1e6;

/// A lane's route.
#[derive(Clone, Debug)]
pub struct Route {
    /// The work (an index of the plan's works).
    pub work: usize,
    /// How many lanes go this way.
    pub copies: u64,
    /// Bytes that the lane moves in all; endless where the work goes on for a time.
    pub bytes: f64,
    /// Bytes of a cycle, in the mean.
    pub size: f64,
    /// cycles of a request.
    pub cycles: f64,
    /// cycles under route at most.
    pub under_way: f64,
    /// cycles a second that are offered; endless in a closed loop.
    pub offered: f64,
    /// The stations in order.
    pub stations: Vec<Station>,
    /// What is held from one station on until another.
    pub holds: Vec<Held>,
}

/// What a cycle comes to.
#[derive(Clone, Debug)]
pub struct Station {
    /// The leg.
    pub leg: usize,
    /// What happens.
    pub does: Does,
}

/// What happens at a station.
#[derive(Clone, Debug)]
pub enum Does {
    /// It stands in line for a pool; a part of all cycles does.
    Waits(usize, f64),
    /// Delays pass: each with its seconds.
    Delays(Vec<(usize, f64)>),
    /// Bytes move.
    Moves(Motion),
}

/// A motion of bytes over a leg.
#[derive(Clone, Debug)]
pub struct Motion {
    /// Its number among the route's motions.
    pub number: usize,
    /// Bytes a second that a flow gets at most, whatever the others do, and what holds it there.
    pub most: (f64, Cause),
    /// Capacities with a hard rate: index, bytes charged for a byte.
    pub crosses: Vec<(usize, f64)>,
    /// Capacities with a soft law.
    pub soft: Vec<(usize, f64, Traffic)>,
}

/// Places of a pool held while some stations pass.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The pool.
    pub pool: usize,
    /// Places of it, in the mean.
    pub places: f64,
    /// The first station of those.
    pub from: usize,
    /// The station after the last.
    pub until: usize,
    /// Whether the places are bytes.
    pub is_memory: bool,
}

impl Route {
    /// The most bytes of one cycle that rest in buffers at one time: in two while they are copied from one to the other.
    pub fn most_resting(&self) -> f64 {
        let at = |station: usize| {
            let there = self.holds.iter().filter(|held| held.is_memory && held.from <= station && station < held.until);
            there.map(|held| held.places).sum::<f64>()
        };
        (0..self.stations.len()).map(at).fold(0.0, f64::max)
    }
}

/// The routes of all lanes of a plan, work by work.
pub fn all(plan: &Plan) -> Vec<Route> {
    let plan = Known { plan, own_caps: classes::own_caps(plan) };
    let works = plan.plan.works.iter().enumerate();
    let of_work = |(index, work)| {
        let bytes = lane_bytes(work).into_iter().enumerate();
        bytes.map(|(lane, bytes)| route(&plan, index, work, lane, bytes)).collect::<Vec<_>>()
    };
    works.flat_map(of_work).collect()
}

/// A plan, and the own caps that differ, in order.
struct Known<'a> {
    plan: &'a Plan,
    own_caps: Vec<OwnCap>,
}

fn route(plan: &Known<'_>, index: usize, work: &Work, number: usize, bytes: f64) -> Route {
    let lane = &work.lanes[number];
    // A lane that moves less than a request makes a smaller one.
    let request = mean_size(&work.size).min(bytes.max(1.0));
    let (pieces, cycles) = (lane.cut.pieces(request as u64) as f64, lane.cut.cycles(request as u64) as f64);
    let outstanding = ((work.threads * work.depth) as f64).min((bytes / request).ceil());
    let lanes = work.lane_count() as f64;
    let offered = work.arrivals.map(|arrivals| 1e12 / (arrivals.gap.0.max(1) as f64 * lanes) * cycles);
    let all = match work.amount {
        Amount::RunTime { run, .. } => run.seconds() * offered.unwrap_or(0.0),
        _ => bytes / request * cycles,
    };
    let (stations, holds) = stations(plan, work, lane, request);
    Route {
        work: index,
        copies: work.lane_copies(number),
        bytes,
        size: request / cycles,
        cycles,
        under_way: offered.map_or(outstanding * pieces, |_| all.clamp(1.0, OPEN)),
        offered: offered.unwrap_or(f64::INFINITY),
        stations,
        holds,
    }
}

/// Bytes of each lane of a work. What is left over by the byte is given to all, so that lanes stay alike.
fn lane_bytes(work: &Work) -> Vec<f64> {
    let lanes = work.lanes.len();
    match work.amount {
        Amount::Bytes(bytes) if work.parts.is_empty() => vec![bytes.0.div_ceil(lanes as u64) as f64; lanes],
        Amount::Bytes(_) => almost_alike(&work.parts).into_iter().map(|bytes| bytes as f64).collect(),
        Amount::Requests(_) => {
            let size = mean_size(&work.size);
            (0..lanes).map(|lane| work.part(lane) as f64 * size).collect()
        }
        Amount::RunTime { .. } => vec![f64::INFINITY; lanes],
    }
}

/// Lanes whose parts differ by less than this part of them have the largest of theirs.
const ALIKE: f64 = 1e-6;

/// Parts of lanes, those that are almost alike made so.
fn almost_alike(parts: &[u64]) -> Vec<u64> {
    let mut largest: Vec<u64> = parts.to_vec();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    // One of each kind is left: the largest of all, and each that is well below the one before.
    largest.dedup_by(|next, kept| (*kept - *next) as f64 <= *kept as f64 * ALIKE);
    let kind = |part: &u64| largest[largest.partition_point(|kept| kept >= part).saturating_sub(1)];
    parts.iter().map(kind).collect()
}

/// The mean size of a request, in bytes.
pub fn mean_size(sizes: &Sizes) -> f64 {
    match sizes {
        Sizes::Listed(list) => list.iter().map(|size| size.0 as f64).sum::<f64>() / list.len().max(1) as f64,
        Sizes::Uniform(low, high) => (low.0 as f64 + high.0 as f64) / 2.0,
        Sizes::Exponential(mean) => mean.0 as f64,
    }
}

/// The story of a cycle as stations, and what is held while they pass.
fn stations(plan: &Known<'_>, work: &Work, lane: &Lane, request: f64) -> (Vec<Station>, Vec<Held>) {
    let (mut stations, mut holds): (Vec<Station>, Vec<Held>) = (Vec::new(), Vec::new());
    let mut motions = 0;
    let pieces = lane.cut.pieces(request as u64) as f64;
    let size = request / lane.cut.cycles(request as u64) as f64;
    let helped = (pieces - 1.0) / pieces;
    let helpers = lane.cut.helpers.iter().map(|&hold| (Op::Hold(hold), helped));
    let program = program::cycle(lane).into_iter().map(|op| (op, 1.0));
    for (op, part) in helpers.chain(program) {
        match op {
            Op::Hold(hold) => {
                let places = hold.places(size as u64, plan.plan.pools[hold.pool].places) as f64;
                if places == 0.0 {
                    continue;
                }
                stations.push(Station { leg: usize::MAX, does: Does::Waits(hold.pool, part) });
                let (pool, from) = (hold.pool, stations.len());
                holds.push(Held {
                    pool,
                    places: places * part,
                    from,
                    until: usize::MAX,
                    is_memory: hold.each == Each::Bytes,
                });
            }
            Op::GiveBack(hold) => {
                let open = holds.iter_mut().find(|held| held.pool == hold.pool && held.until == usize::MAX);
                open.into_iter().for_each(|held| held.until = stations.len());
            }
            Op::Before(leg) => stations.push(delays(plan, work, lane, leg as usize, Stage::Before, request)),
            Op::Serve(leg, server) => {
                stations.push(delays(plan, work, lane, leg as usize, Stage::Served(server as usize), request));
            }
            Op::After(leg) => stations.push(delays(plan, work, lane, leg as usize, Stage::After, request)),
            Op::Move(leg) => {
                let does = Does::Moves(motion(plan, &lane.legs[leg as usize], motions));
                motions += 1;
                stations.push(Station { leg: leg as usize, does });
            }
        }
    }
    let count = stations.len();
    holds.iter_mut().for_each(|held| held.until = held.until.min(count));
    name_legs_of_lines(&mut stations);
    (stations, holds)
}

/// A line belongs to the leg that comes next.
fn name_legs_of_lines(stations: &mut [Station]) {
    let mut next = 0;
    for station in stations.iter_mut().rev() {
        if station.leg == usize::MAX {
            station.leg = next;
        }
        next = station.leg;
    }
}

fn delays(plan: &Known<'_>, work: &Work, lane: &Lane, leg: usize, stage: Stage, request: f64) -> Station {
    let all = stage.delays(&lane.legs[leg]).iter();
    let seconds = all.map(|&delay| (delay, mean_delay(plan, work, lane, delay, request))).collect();
    Station { leg, does: Does::Delays(seconds) }
}

/// A delay's mean over the sizes that go along the legs, of requests of at most the largest that there is.
fn mean_delay(plan: &Known<'_>, work: &Work, lane: &Lane, delay: usize, most: f64) -> f64 {
    let at = |size: u64| plan.plan.delays[delay].mean_s(lane.cut.part_bytes(size));
    let whole = |size: &Bytes| mean_size(&work.size) <= most || size.0 as f64 <= most;
    match &work.size {
        Sizes::Listed(list) if list.iter().all(whole) => {
            list.iter().map(|size| at(size.0)).sum::<f64>() / list.len().max(1) as f64
        }
        _ => at(most as u64),
    }
}

fn motion(plan: &Known<'_>, leg: &Leg, number: usize) -> Motion {
    let is_soft = |capacity: usize| plan.plan.capacities[capacity].soft.is_some();
    let charges = classes::charges(leg).into_iter().filter(|(capacity, _)| !is_soft(*capacity));
    let crosses: Vec<(usize, f64)> = charges.map(|(capacity, charge)| (capacity, charge as f64 / 1e9)).collect();
    let soft = leg.hops.iter().flat_map(|hop| &hop.crosses);
    let soft = soft.filter(|crossing| is_soft(crossing.capacity) && crossing.charge.0 > 0);
    let soft = soft.map(|crossing| (crossing.capacity, crossing.charge.as_f64(), crossing.traffic)).collect();
    Motion { number, most: most(plan, leg, &crosses), crosses, soft }
}

/// The pace of a flow that has a leg to itself, and what sets it.
fn most(plan: &Known<'_>, leg: &Leg, crosses: &[(usize, f64)]) -> (f64, Cause) {
    let caps = &plan.own_caps;
    let own =
        leg.own_cap.as_ref().and_then(|cap| Some((cap.rate.0 as f64, Cause::OwnCap(caps.binary_search(cap).ok()?))));
    let alone = crosses
        .iter()
        .map(|&(capacity, charge)| (plan.plan.capacities[capacity].rate.0 as f64 / charge, Cause::Capacity(capacity)));
    let least = own.into_iter().chain(alone).reduce(|a, b| if b.0 < a.0 { b } else { a });
    least.unwrap_or((f64::INFINITY, Cause::NoWork))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_differ_by_a_byte_are_made_alike_and_others_are_left() {
        assert_eq!(almost_alike(&[9_999_999, 10_000_000, 5, 4, 0]), [10_000_000, 10_000_000, 5, 4, 0]);
    }
}
