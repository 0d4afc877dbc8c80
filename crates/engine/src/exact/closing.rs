//! What is written down when a work closes, and when the run is over.
//!
//! Knows what was counted and charged. Must not know how it came about.

use crate::causes::Cause;
use crate::observer::Observer;
use crate::outcome::{Outcome, Stuck, Why, WorkOutcome, since};
use crate::plan::OwnCap;
use crate::units::{Bytes, Time};

use super::world::World;

impl<O: Observer> World<O> {
    /// Writes down what came out of a work that is closed now.
    pub(super) fn write_down(&mut self, index: usize) {
        self.attribution.settle_all(self.now);
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
            spent: self.causes.accounts_of(index).map(|account| self.attribution.spent(account)).collect(),
            peak_resting: Bytes(course.peak_resting),
            half_width: course.half_width,
            off_rest: 0.0,
        };
        self.outcomes[index] = Some(outcome);
    }

    fn charges_of(&self, work: usize) -> Vec<(usize, Cause, f64)> {
        let course = &self.courses[work];
        let size = course.bytes() / course.requests.max(1);
        let cut = self.plan.works[work].lanes.first().map(|lane| &lane.cut);
        let size = cut.map_or(size, |cut| cut.part_bytes(size));
        let mut charges = Vec::new();
        for (leg, account) in self.causes.accounts_of(work).enumerate() {
            for number in 0..self.causes.count() {
                let seconds = self.attribution.charged_s(account, number);
                if seconds > 0.0 {
                    // What does not pass at this size is no cause.
                    let parts = self.causes.resolve(&self.plan, number, size).into_iter().filter(|part| part.1 > 0.0);
                    charges.extend(parts.map(|(cause, part)| (leg, cause, seconds * part)));
                }
            }
        }
        charges
    }

    /// The outcome, and the observer; or why the run could not go on.
    pub(super) fn finish(mut self, own_caps: Vec<OwnCap>) -> Result<(Outcome, O), Stuck> {
        if self.courses.iter().any(|course| !course.ended) {
            let why = match self.named_lines() {
                _ if self.observer.is_stopped() => Why::Stopped,
                lines if lines.is_empty() => Why::ClockRanOut,
                lines => Why::Ring(lines),
            };
            return Err(Stuck { at: Time(self.now), why });
        }
        let works: Vec<WorkOutcome> = std::mem::take(&mut self.outcomes).into_iter().flatten().collect();
        let end = works.iter().map(|work| work.start.0 + work.duration.0).max().unwrap_or(0);
        Ok((Outcome { end: Time(end), works, own_caps }, self.observer))
    }

    fn named_lines(&self) -> Vec<(String, Vec<String>, Vec<String>)> {
        let named = |who: Vec<u32>| who.into_iter().map(|who| self.name_of(who)).collect();
        let lines = self.lines().into_iter();
        lines
            .map(|(pool, waiters, holders)| (self.plan.pools[pool].name.clone(), named(waiters), named(holders)))
            .collect()
    }

    fn name_of(&self, who: u32) -> String {
        let lane = &self.lanes[self.workers[who as usize].lane];
        format!("{} on {} (request {who})", self.plan.works[lane.work].name, lane.way.gpu_name())
    }
}
