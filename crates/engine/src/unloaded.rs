//! A request that has everything to itself, by formula, and how far apart the requests of a loop start.
//!
//! Knows a sealed plan. Must not know what happens where flows meet.

use crate::plan::{Amount, Lane, Leg, Plan, Work};

use crate::classes::charges;
use crate::share::kept;

/// A loop that goes round at least so often starts its requests evenly over one round; one of fewer rounds does so over as
/// much less, so that starting never takes more than one part in so many of its time.
const ROUNDS: f64 = 100.0;

/// Picoseconds between the starts of two outstanding requests of a closed loop: what the work says, else spread evenly over
/// the time that one request takes alone. Equal requests that start together would share, wait and share again in step for
/// ever; those of real threads do not.
pub fn stagger_ps(plan: &Plan, work: &Work) -> u64 {
    work.stagger.map_or_else(|| even_ps(plan, work), |stagger| stagger.0)
}

fn even_ps(plan: &Plan, work: &Work) -> u64 {
    let size = work.size.mean().0;
    let alone = work.lanes.iter().map(|lane| alone_s(plan, lane, size)).fold(0.0, f64::max);
    let places = (work.threads * work.depth) as f64 * work.lane_count() as f64;
    let rounds = match work.amount {
        Amount::Bytes(bytes) => bytes.0 as f64 / size.max(1) as f64 / places,
        Amount::Requests(count) => count as f64 / places,
        Amount::RunTime { run, .. } => run.0 as f64 / 1e12 / alone,
    };
    (alone * 1e12 / places * f64::min(rounds / ROUNDS, 1.0)) as u64
}

/// How many lanes take their turns to start: of a stated stagger those of one node, since nodes know nothing of each other;
/// else all, so that they are spread over the time of one request.
pub fn starting_together(work: &Work) -> u64 {
    let of_node = |lanes: &[Lane]| lanes.iter().take_while(|lane| lane.node == lanes[0].node).count();
    (if work.stagger.is_some() { of_node(&work.lanes) as u64 } else { work.lane_count() }).max(1)
}

/// How long after the work a lane's first request starts: in turn, and where nodes start by themselves, spread over one such
/// turn, so that no two start at one instant.
pub fn first_start(lanes: usize, lane: usize, together: u64, stagger: u64) -> u64 {
    let (node, turn) = (lane as u64 / together, lane as u64 % together);
    turn * stagger + stagger * node / (lanes as u64).div_ceil(together)
}

/// Seconds of one request of a lane that has everything to itself: its first piece, part after part.
pub fn alone_s(plan: &Plan, lane: &Lane, size: u64) -> f64 {
    let (piece, part) = (lane.cut.piece_bytes(size), lane.cut.part_bytes(size));
    let rest = if piece.is_multiple_of(part) { 0.0 } else { part_s(plan, lane, piece % part) };
    (piece / part) as f64 * part_s(plan, lane, part) + rest
}

fn part_s(plan: &Plan, lane: &Lane, size: u64) -> f64 {
    lane.legs.iter().map(|leg| delays_s(plan, leg, size) + size as f64 / pace_alone(plan, leg)).sum()
}

fn delays_s(plan: &Plan, leg: &Leg, size: u64) -> f64 {
    leg.delays().map(|delay| plan.delays[delay].mean_s(size)).sum()
}

/// Payload bytes per second of a flow that has a leg to itself.
fn pace_alone(plan: &Plan, leg: &Leg) -> f64 {
    let charges = charges(leg);
    let hard = charges.iter().filter(|(capacity, _)| plan.capacities[**capacity].soft.is_none());
    let rates = hard.map(|(&capacity, &charge)| plan.capacities[capacity].rate.0 as f64 * 1e9 / charge as f64);
    let pace = rates.chain(leg.own_cap.iter().map(|cap| cap.rate.0 as f64)).fold(f64::INFINITY, f64::min);
    let softened = leg.hops.iter().flat_map(|hop| &hop.crosses).filter_map(|crossing| {
        let law = plan.capacities[crossing.capacity].soft.as_ref()?;
        let traffic = pace * *charges.get(&crossing.capacity)? as f64 / 1e9;
        Some(kept(law, traffic, crossing.traffic))
    });
    pace * softened.fold(1.0, f64::min)
}
