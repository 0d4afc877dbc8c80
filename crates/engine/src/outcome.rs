//! What came out of a run, in plain numbers.
//!
//! Knows what was counted and charged. Must not know how a report says it.

use crate::plan::{OwnCap, Unsound};
use crate::units::seconds;
use crate::units::{Bytes, Time};

use crate::causes::Cause;

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
    /// What the time of the lane that ended last belongs to: the leg where it is met, the cause, seconds.
    pub charges: Vec<(usize, Cause, f64)>,
    /// What the requests did with their own time, those of all lanes together: leg, cause, seconds.
    pub doing: Vec<(usize, Cause, f64)>,
    /// How the requests spent their own time, by leg.
    pub spent: Vec<Spent>,
    /// The most bytes that rested in host buffers.
    pub peak_resting: Bytes,
    /// Half-width of the 95 % interval of the time per byte over its mean, where the work was taken ahead at that pace.
    pub half_width: Option<f64>,
    /// Stream mode: how far the balance was from rest, in the mean over the time.
    pub off_rest: f64,
}

/// How the requests of a leg spent their own time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Queued.
    pub line: u128,
    /// In delays.
    pub setup: u128,
    /// In motion.
    pub moving: u128,
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
    /// The plan is none that can run.
    Unsound(Unsound),
    /// The observer stopped it.
    Stopped,
    /// The simulated clock ran out.
    ClockRanOut,
    /// Requests wait for each other: the pools for which somebody is queued.
    Ring(Vec<Queued>),
}

/// A pool for which somebody is queued, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The pool.
    pub pool: String,
    /// Who waits.
    pub waiters: Vec<String>,
    /// Who holds places.
    pub holders: Vec<String>,
}

impl std::fmt::Display for Stuck {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = seconds(self.at.seconds());
        let lines = match &self.why {
            Why::Unsound(unsound) => return unsound.fmt(f),
            Why::Stopped => return write!(f, "the run was stopped after {at} of simulated time"),
            Why::ClockRanOut => {
                return write!(f, "the simulated clock ran out at {}: the works take longer than 200 days", self.at);
            }
            Why::Ring(lines) => lines,
        };
        write!(f, "a ring of waiting: nothing can go on after {at}")?;
        for Queued { pool, waiters, holders } in lines {
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

/// When each lane was done, counted from a start; nothing for one that moved nothing.
pub(crate) fn since(start: u64, ends: &[u64], lane_bytes: &[u64]) -> Vec<Option<Time>> {
    let end = |(end, bytes): (&u64, &u64)| (*bytes > 0).then_some(Time(end.saturating_sub(start)));
    ends.iter().zip(lane_bytes).map(end).collect()
}

/// The lane whose last request was done last; of several the first.
pub(crate) fn last_lane(ends: &[u64], lane_bytes: &[u64]) -> Option<usize> {
    let lanes = (0..ends.len()).filter(|&lane| lane_bytes[lane] > 0);
    lanes.max_by_key(|&lane| (ends[lane], std::cmp::Reverse(lane)))
}
