//! The run fits the clock, the counters and the memory.
//!
//! Knows sealed numbers. Must not know how a run goes: the times here are floors, below which no run can stay.

use std::collections::BTreeMap;

use crate::error::Fault;
use crate::platform::lower::Site;
use engine::units::{Bytes, Factor, PS_PER_S, Time};
use engine::{Amount, Lane, Leg, Plan, Sizes, Work};

/// Checks all works: each by itself, and with what it waits for against the clock.
pub(super) fn all(plan: &Plan, site: &Site<'_>) -> Result<(), Fault> {
    for work in &plan.works {
        fits_memory(plan, work, site)?;
        fits_counters(plan, work, site)?;
    }
    for work in &plan.works {
        let end = earliest_end(plan, work);
        if end > u128::from(u64::MAX) {
            return Err(beyond_clock(work, end, site));
        }
    }
    Ok(())
}

fn fault(work: &Work, site: &Site<'_>, message: String, label: &str) -> Fault {
    let spec = site.scenario.works.get_index(work.position).map(|(_, work)| &work.value);
    let span = spec.map_or(0..0, |work| match work.bytes.as_ref() {
        Some(bytes) => bytes.span.clone(),
        None => work.size.span.clone(),
    });
    Fault::at(site.sources, &span, message, label)
}

fn beyond_clock(work: &Work, picoseconds: u128, site: &Site<'_>) -> Fault {
    let days = picoseconds / (u128::from(PS_PER_S) * 86_400);
    let message = format!("works.{} cannot end before day {days} of simulated time", work.name);
    fault(work, site, message, "more than the clock can count")
        .help("the clock counts 213 days: move fewer bytes, or mend a rate that is too low")
}

fn fits_memory(plan: &Plan, work: &Work, site: &Site<'_>) -> Result<(), Fault> {
    let largest = largest(&work.size);
    let mut buffers = work.lanes.iter().flat_map(|lane| &lane.legs).flat_map(|leg| &leg.buffers);
    let pool = buffers.find_map(|hold| plan.pools.get(hold.pool).filter(|pool| pool.places < largest.0));
    let Some(pool) = pool else { return Ok(()) };
    let message =
        format!("works.{}: a request of {largest} never fits system memory of {}", work.name, Bytes(pool.places));
    let spec = site.scenario.works.get_index(work.position).map_or(0..0, |(_, work)| work.value.size.span.clone());
    Err(Fault::at(site.sources, &spec, message, "larger than system memory").help("ask for smaller requests"))
}

/// Drawn sizes have no largest; sixteen means are passed once in ten million draws.
fn largest(size: &Sizes) -> Bytes {
    match size {
        Sizes::Listed(list) => list.iter().max().copied().unwrap_or_default(),
        Sizes::Uniform(_, high) => *high,
        Sizes::Exponential(mean) => Bytes(mean.0.saturating_mul(16)),
    }
}

fn mean_size(work: &Work) -> u128 {
    u128::from(work.size.mean().0)
}

/// Payload of a work whose amount is known; of one that runs for a time, what is in flight.
fn payload(work: &Work) -> u128 {
    match work.amount {
        Amount::Bytes(bytes) => u128::from(bytes.0),
        Amount::Requests(count) => u128::from(count).saturating_mul(mean_size(work)),
        Amount::RunTime { .. } => outstanding(work) * mean_size(work),
    }
}

fn outstanding(work: &Work) -> u128 {
    u128::from(work.threads) * u128::from(work.depth) * u128::from(work.lane_count())
}

/// What each capacity is charged in all, by its number.
fn charges(plan: &Plan, work: &Work) -> BTreeMap<usize, u128> {
    let mut charges = BTreeMap::new();
    for (number, lane) in work.lanes.iter().enumerate() {
        let part = lane_payload(work, number);
        for crossing in lane.legs.iter().flat_map(|leg| &leg.hops).flat_map(|hop| &hop.crosses) {
            let lanes = plan.capacity_copies(crossing.capacity).crossed_by(work.lane_copies(number)) as u128;
            *charges.entry(crossing.capacity).or_default() +=
                part.saturating_mul(u128::from(crossing.charge.0) * lanes) / u128::from(Factor::ONE.0);
        }
    }
    charges
}

/// Payload of one lane.
fn lane_payload(work: &Work, lane: usize) -> u128 {
    match work.amount {
        Amount::Bytes(_) => u128::from(work.part(lane)),
        Amount::Requests(_) => u128::from(work.part(lane)).saturating_mul(mean_size(work)),
        Amount::RunTime { .. } => payload(work) / u128::from(work.lane_count().max(1)),
    }
}

fn fits_counters(plan: &Plan, work: &Work, site: &Site<'_>) -> Result<(), Fault> {
    let most = charges(plan, work).into_values().max().unwrap_or(0).max(payload(work));
    if most <= u128::from(u64::MAX) {
        return Ok(());
    }
    let message = format!("works.{} moves more bytes than can be counted", work.name);
    Err(fault(work, site, message, "too many bytes").help("counters hold 18 EB, charges included: move fewer bytes"))
}

/// When a work can end at the earliest, in picoseconds from the beginning.
fn earliest_end(plan: &Plan, work: &Work) -> u128 {
    let waits_for = work.after.and_then(|after| plan.works.get(after));
    let session = u128::from(work.session_ps(plan));
    let begin = waits_for.map_or(0, |before| earliest_end(plan, before)) + u128::from(work.start.0) + session;
    let of_node = work.lanes.iter().take_while(|lane| lane.node == work.lanes[0].node).count().max(1);
    let nodes = u128::from(work.lane_count()).div_ceil(of_node as u128).max(1);
    let last_of_loop = (outstanding(work).min(requests(work)) / nodes).saturating_sub(1);
    let staggered = work.stagger.map_or(0, |stagger| u128::from(stagger.0)).saturating_mul(last_of_loop);
    let takes = moving(plan, work).max(run_time(work)).max(serial(plan, work)).max(staggered);
    begin.saturating_add(takes)
}

/// The time that the busiest capacity needs for what it is charged.
fn moving(plan: &Plan, work: &Work) -> u128 {
    let busy = charges(plan, work).into_iter().filter_map(|(capacity, bytes)| {
        let rate = u128::from(plan.capacities.get(capacity)?.rate.0);
        bytes.saturating_mul(u128::from(PS_PER_S)).checked_div(rate)
    });
    busy.max().unwrap_or(0)
}

fn requests(work: &Work) -> u128 {
    payload(work).div_ceil(mean_size(work).max(1))
}

fn run_time(work: &Work) -> u128 {
    let arrivals = work.arrivals.map_or(0, |arrivals| match work.amount {
        Amount::Requests(count) => u128::from(arrivals.gap.0) * u128::from(count),
        Amount::Bytes(bytes) => u128::from(arrivals.gap.0) * (u128::from(bytes.0) / mean_size(work).max(1)),
        Amount::RunTime { .. } => 0,
    });
    match work.amount {
        Amount::RunTime { run: Time(run), .. } => u128::from(run),
        Amount::Bytes(_) | Amount::Requests(_) => arrivals,
    }
}

/// A closed loop waits out a request's delays and copies once for each request that a thread makes after another.
fn serial(plan: &Plan, work: &Work) -> u128 {
    let one = work.lanes.iter().map(|lane| request(plan, work, lane)).max().unwrap_or(0);
    if work.arrivals.is_some() {
        return one;
    }
    one.saturating_mul(requests(work) / outstanding(work).max(1))
}

fn request(plan: &Plan, work: &Work, lane: &Lane) -> u128 {
    let delays = lane.legs.iter().flat_map(Leg::delays);
    // What small requests do without is no part of a floor.
    let delays = delays.filter_map(|delay| plan.delays.get(delay)).filter(|delay| delay.above.0 == 0);
    let delays: u128 = delays.map(|delay| u128::from(delay.time.0)).sum();
    let mean = mean_size(work);
    let piece = mean / u128::from(lane.cut.pieces(u64::try_from(mean).unwrap_or(u64::MAX)));
    let caps = lane.legs.iter().filter_map(|leg| leg.own_cap.as_ref());
    let copies = caps.filter_map(|cap| (piece * u128::from(PS_PER_S)).checked_div(u128::from(cap.rate.0)));
    delays + copies.sum::<u128>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_listed_sizes_rounds_up() {
        assert_eq!(Sizes::Listed(vec![Bytes(1), Bytes(2)]).mean(), Bytes(2));
    }
}
