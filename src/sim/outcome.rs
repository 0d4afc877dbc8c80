//! What came out of a run, in plain numbers.
//!
//! Knows what was counted and charged. Must not know how a report says it.

use crate::platform::OwnCap;
use crate::readable::seconds;
use crate::units::{Bytes, Time};

use super::blame::Spent;
use super::causes::Cause;
use super::observer::Observer;
use super::world::World;

/// What came out of all works.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// When the last work ended, with what was extrapolated.
    pub end: Time,
    /// The works, in the order of the plan.
    pub works: Vec<WorkOutcome>,
    /// The own caps that [`Cause::OwnCap`] names.
    pub own_caps: Vec<OwnCap>,
}

/// What came out of a work.
#[derive(Clone, Debug)]
pub struct WorkOutcome {
    /// When it began (or its warm-up ended).
    pub start: Time,
    /// From then until its last request was done, or until its run time was over.
    pub duration: Time,
    /// Payload moved.
    pub bytes: Bytes,
    /// Requests done.
    pub requests: u64,
    /// Requests that were simulated: fewer than `requests` only where the work was taken ahead.
    pub simulated_requests: u64,
    /// Payload moved, by lane.
    pub lane_bytes: Vec<u64>,
    /// When each lane's last request was done, counted from `start`; nothing for a lane that moved nothing.
    pub lane_ends: Vec<Option<Time>>,
    /// What the requests' time was charged to: leg, cause, seconds of all requests together.
    pub charges: Vec<(usize, Cause, f64)>,
    /// How the requests spent their own time, by leg.
    pub spent: Vec<Spent>,
    /// The most bytes that rested in host buffers.
    pub peak_resting: Bytes,
    /// Half-width of the 95 % interval of the time per byte over its mean, where the work was taken ahead at that pace.
    pub half_width: Option<f64>,
    /// Stream mode: how far the balance was from rest, in the mean over the time.
    pub off_rest: f64,
}

/// A run that could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The simulated time at which nothing could happen any more.
    pub at: Time,
    /// Why.
    pub why: Why,
}

/// Why a run could not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The observer stopped it.
    Stopped,
    /// The simulated clock ran out.
    ClockRanOut,
    /// Requests wait for each other: the pools in whose line somebody waits, by name, who waits and who holds.
    Ring(Vec<(String, Vec<String>, Vec<String>)>),
}

impl std::fmt::Display for Stuck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = seconds(self.at.seconds());
        let lines = match &self.why {
            Why::Stopped => return write!(f, "the run was stopped after {at} of simulated time"),
            Why::ClockRanOut => {
                return write!(f, "the simulated clock ran out at {}: the works take longer than 200 days", self.at);
            }
            Why::Ring(lines) => lines,
        };
        write!(f, "a ring of waiting: nothing can go on after {at}")?;
        for (pool, waiters, holders) in lines {
            write!(f, "\n  {} for {pool}, held by {}", some_of(waiters, "waits", "wait"), some_of(holders, "", ""))?;
        }
        Ok(())
    }
}

fn some_of(names: &[String], one: &str, many: &str) -> String {
    let verb = if names.len() == 1 { one } else { many };
    let shown = names.iter().take(2).cloned().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 2 { format!(" and {} more", names.len() - 2) } else { String::new() };
    let shown = if names.is_empty() { "nobody".to_string() } else { shown };
    format!("{shown}{more} {verb}").trim_end().to_string()
}

impl std::error::Error for Stuck {}

impl<O: Observer> World<O> {
    /// Writes down what came out of a work that is closed now.
    pub(super) fn write_down(&mut self, index: usize) {
        self.blame.settle_all(self.now);
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
            spent: self.causes.accounts_of(index).map(|account| self.blame.spent(account)).collect(),
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
                let seconds = self.blame.charged_s(account, number);
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

/// When each lane was done, counted from a start; nothing for one that moved nothing.
pub(super) fn since(start: u64, ends: &[u64], lane_bytes: &[u64]) -> Vec<Option<Time>> {
    let end = |(end, bytes): (&u64, &u64)| (*bytes > 0).then_some(Time(end.saturating_sub(start)));
    ends.iter().zip(lane_bytes).map(end).collect()
}
