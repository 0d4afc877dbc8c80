//! What is written down when a work closes, and when the run is over.
//!
//! Knows what was counted and charged. Must not know how it came about.

use std::collections::BTreeMap;

use crate::causes::Cause;
use crate::classes::charges;
use crate::outcome::{Outcome, Spent, Stuck, Why, WorkOutcome, last_lane, since};
use crate::plan::{Lane, Leg, OwnCap};
use crate::units::{Bytes, Time};

use super::attribution::Met;
use super::steps::{Activity, Doing};
use super::world::World;

impl World {
    /// Writes down what came out of a work that is closed now.
    pub(super) fn write_down(&mut self, index: usize) {
        self.settle_workers(index);
        self.attribution.ledger(index, self.now);
        let course = &self.courses[index];
        let skipped = self.skipped - course.skipped_before;
        let outcome = WorkOutcome {
            start: Time(course.measured_from + course.skipped_before),
            duration: Time(self.now - course.measured_from + skipped),
            bytes: Bytes(course.bytes()),
            requests: course.requests,
            simulated_requests: course.requests - course.left_out,
            lane_bytes: course.lane_bytes.clone(),
            lane_ends: since(course.measured_from + course.skipped_before, &course.lane_ends, &course.lane_bytes),
            charges: self.charges_of(index),
            doing: self.doing_of(index),
            spent: self.spent_of(index),
            peak_resting: Bytes(course.peak_resting),
            half_width: course.half_width,
            off_rest: 0.0,
        };
        self.outcomes[index] = Some(outcome);
    }

    /// How the requests of all lanes spent their own time, by leg.
    fn spent_of(&self, work: usize) -> Vec<Spent> {
        let plan = &self.plan.works[work];
        let legs = plan.lanes.iter().map(|lane| lane.legs.len()).max().unwrap_or(0);
        let mut spent = vec![Spent::default(); legs];
        for (number, lane) in plan.lanes.iter().enumerate() {
            let size = lane.cut.part_bytes(self.courses[work].mean_size());
            for (Activity { leg, kind }, time) in self.attribution.doing(work, number) {
                match kind {
                    Doing::Queued(_) => spent[leg].line += time,
                    Doing::Moving(..) => spent[leg].moving += time,
                    Doing::Delayed(delays) => {
                        let ps: Vec<u64> = delays.iter().map(|one| self.plan.delays[one.1 as usize].ps(size)).collect();
                        let parts = split(time, &ps).into_iter().zip(&delays);
                        parts.for_each(|(part, &(leg, _))| spent[leg as usize].setup += part);
                    }
                }
            }
        }
        spent
    }

    /// What the time of the lane that ended last belongs to.
    fn charges_of(&self, work: usize) -> Vec<(usize, Cause, f64)> {
        let course = &self.courses[work];
        let last = last_lane(&course.lane_ends, &course.lane_bytes);
        let lanes = last.into_iter().flat_map(|last| self.attribution.charges(work, last).map(move |met| (last, met)));
        self.by_cause(work, lanes)
    }

    /// What the requests of all lanes did with their own time.
    fn doing_of(&self, work: usize) -> Vec<(usize, Cause, f64)> {
        let lanes = 0..self.plan.works[work].lanes.len();
        self.by_cause(
            work,
            lanes.flat_map(|lane| {
                let doing = self.attribution.doing(work, lane);
                doing.map(move |(activity, ps)| (lane, (Met::Doing(activity), ps as f64)))
            }),
        )
    }

    /// Picoseconds of lanes added up by leg and cause, in seconds.
    fn by_cause(&self, work: usize, met: impl Iterator<Item = (usize, (Met, f64))>) -> Vec<(usize, Cause, f64)> {
        let size = self.courses[work].mean_size();
        let mut sums = BTreeMap::new();
        for (lane, (met, ps)) in met {
            let lane = &self.plan.works[work].lanes[lane];
            for (leg, cause, part) in self.causes_of(lane, lane.cut.part_bytes(size), met) {
                *sums.entry((leg, cause)).or_insert(0.0) += ps / 1e12 * part;
            }
        }
        sums.into_iter().filter(|one| one.1 > 0.0).map(|((leg, cause), seconds)| (leg, cause, seconds)).collect()
    }

    /// The causes of what time belongs to, with their parts of it: delays by their lengths at this size.
    fn causes_of(&self, lane: &Lane, size: u64, met: Met) -> Vec<(usize, Cause, f64)> {
        let Activity { leg, kind } = match met {
            Met::Thing(cause) => return vec![(leg_of(lane, cause), cause, 1.0)],
            Met::Doing(activity) => activity,
        };
        match kind {
            Doing::Queued(pool) => vec![(leg, Cause::Pool(pool), 1.0)],
            Doing::Moving(cause, class) => match self.flows.softened(class) {
                None => vec![(leg, cause, 1.0)],
                Some((soft, part)) => vec![(leg, Cause::Capacity(soft), part), (leg, cause, 1.0 - part)],
            },
            Doing::Delayed(delays) => {
                let length = |delay: u32| self.plan.delays[delay as usize].mean_s(size);
                let all: f64 = delays.iter().map(|one| length(one.1)).sum();
                let part = |delay| if all > 0.0 { length(delay) / all } else { 1.0 / delays.len() as f64 };
                let cause = |&(leg, delay): &(u32, u32)| (leg as usize, Cause::Delay(delay as usize), part(delay));
                delays.iter().map(cause).collect()
            }
        }
    }

    /// The outcome, or why the run could not go on.
    pub(super) fn finish(mut self, own_caps: Vec<OwnCap>) -> Result<Outcome, Stuck> {
        if self.courses.iter().any(|course| !course.ended) {
            let why = match self.queues() {
                _ if self.is_stopped() => Why::Stopped,
                lines if lines.is_empty() => Why::ClockRanOut,
                lines => Why::Ring(lines),
            };
            return Err(Stuck { at: Time(self.now), why });
        }
        let works: Vec<WorkOutcome> = std::mem::take(&mut self.outcomes).into_iter().flatten().collect();
        let end = works.iter().map(|work| work.start.0 + work.duration.0).max().unwrap_or(0);
        Ok(Outcome { end: Time(end), works, own_caps })
    }
}

/// The leg where a lane first meets a full capacity or pool.
fn leg_of(lane: &Lane, cause: Cause) -> usize {
    let meets = |leg: &Leg| match cause {
        Cause::Capacity(capacity) => charges(leg).contains_key(&capacity),
        Cause::Pool(pool) => leg.holds.iter().chain(&leg.buffers).any(|hold| hold.pool == pool) || leg.serves(pool),
        _ => false,
    };
    lane.legs.iter().position(meets).unwrap_or(0)
}

/// Splits a time in proportion to some lengths; the last takes what rounding leaves.
fn split(time: u128, lengths: &[u64]) -> Vec<u128> {
    let all: u128 = lengths.iter().map(|&length| u128::from(length)).sum();
    let mut left = time;
    let part = |(place, &length): (usize, &u64)| {
        let part = match place + 1 < lengths.len() {
            true if all > 0 => time / all * u128::from(length) + time % all * u128::from(length) / all,
            true => 0,
            false => left,
        };
        left -= part;
        part
    };
    lengths.iter().enumerate().map(part).collect()
}
