//! Whether a plan can run: what the engine relies on, checked before time starts.
//!
//! Knows the plan's lists. Must not know files: who made the plan says where the fault lies.

use std::collections::BTreeSet;
use std::fmt;

use super::{Amount, Arrivals, Hold, Lane, Leg, Plan, Work};
use crate::units::Bytes;

/// Why a plan cannot run: where in it, what is wrong, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsound {
    /// Where: a work, and a leg of it.
    pub place: String,
    /// What is wrong.
    pub problem: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; expected {}", self.place, self.problem, self.expected)
    }
}

impl std::error::Error for Unsound {}

fn unsound(place: &str, problem: impl Into<String>, expected: impl Into<String>) -> Unsound {
    Unsound { place: place.into(), problem: problem.into(), expected: expected.into() }
}

impl Plan {
    /// Whether it can run.
    ///
    /// # Errors
    /// The first thing that the engine could not go on with: an index beyond its list, a rate of zero, a leg whose flows nothing
    /// limits, more places wanted by one request than there are, works that wait for each other.
    pub fn check(&self) -> Result<(), Unsound> {
        if let Some(capacity) = self.capacities.iter().find(|capacity| capacity.rate.0 == 0) {
            return Err(unsound(&capacity.name, "a rate of 0 B/s", "a rate above zero"));
        }
        if let Some(pool) = self.pools.iter().find(|pool| pool.places == 0) {
            return Err(unsound(&pool.name, "no places", "at least one"));
        }
        for delay in &self.delays {
            if delay.service_of.is_some_and(|pool| pool >= self.pools.len()) {
                return Err(unsound(&delay.name, "the service of a pool that is not there", "a pool of the plan"));
            }
        }
        self.check_order()?;
        self.works.iter().try_for_each(|work| self.check_work(work))
    }

    /// No work comes after itself, directly or through others.
    fn check_order(&self) -> Result<(), Unsound> {
        for (index, work) in self.works.iter().enumerate() {
            let (mut seen, mut next) = (BTreeSet::from([index]), work.after);
            while let Some(before) = next {
                if before >= self.works.len() || !seen.insert(before) {
                    return Err(unsound(&work.name, "it comes after itself, or after no work", "another work"));
                }
                next = self.works[before].after;
            }
        }
        Ok(())
    }

    fn check_work(&self, work: &Work) -> Result<(), Unsound> {
        let wrong = |problem: &str, expected: &str| Err(unsound(&work.name, problem, expected));
        if work.lanes.is_empty() {
            return wrong("no lane", "a lane for each GPU in use");
        }
        if !work.parts.is_empty() && work.parts.len() != work.lanes.len() {
            return wrong("parts for other lanes than it has", "a part for each lane, or none");
        }
        if work.arrivals.is_none() && work.threads.saturating_mul(work.depth) == 0 {
            return wrong("a closed loop with nothing outstanding", "at least one thread and a depth of one");
        }
        if work.arrivals.is_some_and(|Arrivals { gap, .. }| gap.0 == 0) {
            return wrong("requests that arrive all at once", "a time above zero between two");
        }
        if work.size.mean().0 == 0 || matches!(&work.size, super::Sizes::Listed(list) if list.contains(&Bytes(0))) {
            return wrong("requests of no bytes", "sizes above zero");
        }
        if matches!(work.amount, Amount::RunTime { run, warm_up } if warm_up >= run) {
            return wrong("a warm-up as long as the run", "a shorter warm-up");
        }
        work.lanes.iter().try_for_each(|lane| self.check_lane(work, lane))
    }

    fn check_lane(&self, work: &Work, lane: &Lane) -> Result<(), Unsound> {
        let place = format!("{} on {}", work.name, lane.gpu_name());
        let delays = lane.legs.iter().flat_map(Leg::delays).chain(lane.session.iter().map(|step| step.delay));
        if delays.into_iter().any(|delay| delay >= self.delays.len()) {
            return Err(unsound(&place, "a delay that is not there", "a delay of the plan"));
        }
        if lane.legs.iter().all(|leg| leg.hops.is_empty() && leg.delays().next().is_none()) {
            return Err(unsound(&place, "requests that take no time", "a leg with hops or with delays"));
        }
        let held = lane.legs.iter().flat_map(|leg| leg.holds.iter().chain(&leg.buffers));
        let served = lane.legs.iter().flat_map(|leg| leg.served.iter().map(|served| &served.hold));
        for hold in held.chain(served).chain(&lane.holds).chain(&lane.cut.helpers) {
            self.check_hold(&place, work, lane, hold)?;
        }
        lane.legs.iter().try_for_each(|leg| self.check_leg(&place, leg))
    }

    fn check_hold(&self, place: &str, work: &Work, lane: &Lane, hold: &Hold) -> Result<(), Unsound> {
        let Some(pool) = self.pools.get(hold.pool) else {
            return Err(unsound(place, "a pool that is not there", "a pool of the plan"));
        };
        let largest = work.size.largest().map_or(0, |size| lane.cut.part_bytes(size.0));
        let wanted = hold.places(largest, pool.places);
        if wanted > pool.places {
            let problem = format!("one request wants {wanted} places of {}, which has {}", pool.name, pool.places);
            return Err(unsound(place, problem, "a request that can be served"));
        }
        Ok(())
    }

    /// The flows of a leg that moves bytes must be limited: by a capacity that is charged for them, or by their mover.
    fn check_leg(&self, place: &str, leg: &Leg) -> Result<(), Unsound> {
        let place = format!("{place}, leg {}", leg.name);
        let crossings = || leg.hops.iter().flat_map(|hop| &hop.crosses);
        if crossings().any(|crossing| crossing.capacity >= self.capacities.len()) {
            return Err(unsound(&place, "a capacity that is not there", "a capacity of the plan"));
        }
        let hard = |capacity: usize| self.capacities[capacity].soft.is_none();
        let charged = crossings().any(|crossing| crossing.charge.0 > 0 && hard(crossing.capacity));
        let capped = leg.own_cap.as_ref().is_some_and(|cap| cap.rate.0 > 0);
        if leg.own_cap.is_some() && !capped {
            return Err(unsound(&place, "a mover that moves nothing (0 B/s)", "a rate above zero"));
        }
        if !leg.hops.is_empty() && !charged && !capped {
            let problem = "nothing limits its flows: no capacity that it crosses is charged for a byte of it";
            return Err(unsound(&place, problem, "a charge above zero, or a mover with a rate of its own"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Crossing, Hop};
    use crate::units::Factor;

    /// What is wrong with the plan of the crate's first example, once it is changed.
    fn wrong(change: impl FnOnce(&mut Plan)) -> Option<String> {
        let mut plan = crate::plan::sample::two_flows();
        change(&mut plan);
        plan.check().err().map(|unsound| unsound.to_string())
    }

    fn crossing(plan: &mut Plan) -> &mut Crossing {
        let Hop { crosses, .. } = &mut plan.works[0].lanes[0].legs[0].hops[0];
        &mut crosses[0]
    }

    #[test]
    fn a_sound_plan_is_let_through() {
        assert_eq!(wrong(|_| ()), None);
    }

    #[test]
    fn flows_that_nothing_limits_are_refused() {
        let wrong = wrong(|plan| crossing(plan).charge = Factor::ZERO).unwrap();
        assert!(wrong.starts_with("read on gpu0, leg fetch: nothing limits its flows"), "{wrong}");
    }

    #[test]
    fn an_index_beyond_its_list_is_refused() {
        assert!(wrong(|plan| crossing(plan).capacity = 9).is_some());
        assert!(wrong(|plan| plan.works[0].lanes[0].legs[0].before = vec![9]).is_some());
        assert!(wrong(|plan| plan.works[0].lanes[0].holds = vec![Hold::one(9)]).is_some());
    }

    #[test]
    fn works_that_wait_for_each_other_are_refused() {
        assert!(wrong(|plan| plan.works[0].after = Some(0)).is_some());
    }

    #[test]
    fn a_request_larger_than_the_memory_that_it_rests_in_is_refused() {
        let change = |plan: &mut Plan| {
            let pool = plan.pools.len();
            plan.pools.push(crate::plan::Pool {
                name: "buffer".into(),
                group: "buffer".into(),
                kind: crate::plan::Kind::Dram,
                places: 10,
                is_memory: true,
                assumed: false,
            });
            plan.works[0].lanes[0].legs[0].buffers = vec![Hold::bytes(pool)];
        };
        assert!(wrong(change).unwrap().contains("wants 1000000 places of buffer, which has 10"));
    }
}
