//! What came of each work so far: bytes, cycles, and what their time went to.
//!
//! Knows spells and cycles. Must not know how a balance is found.

use std::collections::BTreeMap;

use crate::plan::{Amount, Plan, Work};
use crate::units::{Bytes, Time};

use super::route::mean_size;
use super::spells::{Spell, SpellKind};
use crate::bounds::floor_ps;
use crate::causes::Cause;
use crate::outcome::{Spent, WorkOutcome, since};

/// Seconds by leg and cause.
type Seconds = BTreeMap<(usize, Cause), f64>;

/// The account of one work.
#[derive(Clone, Debug)]
pub struct Account {
    /// Bytes moved, by lane of the work.
    lane_bytes: Vec<f64>,
    /// What requests did with their own time, in seconds.
    doing: Seconds,
    /// Whose time the lanes of each group had, in seconds.
    time: BTreeMap<usize, Seconds>,
    /// Seconds in line, in delays, in motion, by leg.
    spent: Vec<[f64; 3]>,
    /// The most bytes that rested in buffers at one time, in the mean over that time.
    peak_resting: f64,
    /// How far from rest the balance was, times picoseconds.
    off_rest: f64,
}

impl Account {
    /// Of a work in which nothing has happened.
    pub fn new(work: &Work) -> Account {
        let legs = work.lanes.iter().map(|lane| lane.legs.len()).max().unwrap_or(0);
        Account {
            lane_bytes: vec![0.0; work.lanes.len()],
            doing: Seconds::new(),
            time: BTreeMap::new(),
            spent: vec![[0.0; 3]; legs],
            peak_resting: 0.0,
            off_rest: 0.0,
        }
    }

    /// A lane moved so many bytes.
    pub fn moved(&mut self, lane: usize, bytes: f64) {
        self.lane_bytes[lane] += bytes;
    }

    /// So many cycles were made, of all lanes that go one way.
    pub fn add(&mut self, cycles: f64, spells: &[Spell]) {
        for spell in spells {
            let kind = match spell.kind {
                SpellKind::Line => 0,
                SpellKind::Setup => 1,
                SpellKind::Moving(_) => 2,
            };
            self.spent[spell.leg][kind] += cycles * spell.seconds;
            for (&cause, seconds) in &spell.shares {
                *self.doing.entry((spell.leg, cause)).or_insert(0.0) += cycles * seconds;
            }
        }
    }

    /// So many seconds passed for the lanes of a group, of which in `busy` parts something was under way.
    pub fn pass(&mut self, group: usize, seconds: f64, busy: f64, time: &[(usize, Cause, f64)]) {
        let sums = self.time.entry(group).or_default();
        for &(leg, cause, part) in time {
            *sums.entry((leg, cause)).or_insert(0.0) += seconds * busy * part;
        }
        if busy < 1.0 {
            *sums.entry((0, Cause::NoWork)).or_insert(0.0) += seconds * (1.0 - busy);
        }
    }

    /// The balance was so far from rest for so many picoseconds.
    pub fn is_off(&mut self, off: f64, elapsed: u64) {
        self.off_rest += off * elapsed as f64;
    }

    /// So many bytes rest in buffers.
    pub fn rests(&mut self, bytes: f64) {
        self.peak_resting = self.peak_resting.max(bytes);
    }

    /// What came out of the work, which was measured from `start` to `end`, in picoseconds; `ends` are its lanes', and `last` is the
    /// group of the one that was done last.
    pub fn close(
        mut self,
        plan: &Plan,
        work: &Work,
        (start, end): (u64, u64),
        ends: &[u64],
        last: Option<usize>,
    ) -> WorkOutcome {
        let lane_bytes = whole_bytes(work, &self.lane_bytes);
        let bytes = match work.amount {
            Amount::Bytes(bytes) => bytes.0,
            _ => work.of_all_lanes(&lane_bytes),
        };
        let requests = requests(work, &lane_bytes);
        let ps = |seconds: f64| (seconds * 1e12) as u128;
        let spent = self.spent.iter().map(|s| Spent { line: ps(s[0]), setup: ps(s[1]), moving: ps(s[2]) });
        let time = last.and_then(|last| self.time.remove(&last)).unwrap_or_default();
        WorkOutcome {
            start: Time(start),
            duration: Time((end - start).max(floor_ps(plan, work, &lane_bytes))),
            lane_ends: since(start, ends, &lane_bytes),
            bytes: Bytes(bytes),
            requests,
            simulated_requests: requests,
            charges: listed(time),
            doing: listed(self.doing),
            spent: spent.collect(),
            lane_bytes,
            peak_resting: Bytes(self.peak_resting.round() as u64),
            half_width: None,
            off_rest: self.off_rest / (end - start).max(1) as f64,
        }
    }
}

fn listed(seconds: Seconds) -> Vec<(usize, Cause, f64)> {
    let some = seconds.into_iter().filter(|one| one.1 > 0.0);
    some.map(|((leg, cause), seconds)| (leg, cause, seconds)).collect()
}

/// Bytes of each lane: its part of what was asked for, or what it moved.
fn whole_bytes(work: &Work, moved: &[f64]) -> Vec<u64> {
    match work.amount {
        Amount::Bytes(_) => (0..moved.len()).map(|lane| work.part(lane)).collect(),
        Amount::Requests(_) | Amount::RunTime { .. } => {
            let size = mean_size(&work.size);
            moved.iter().map(|bytes| ((bytes / size + 1e-6).floor() * size).round() as u64).collect()
        }
    }
}

/// Requests done: the last of each lane may be short.
fn requests(work: &Work, lane_bytes: &[u64]) -> u64 {
    let size = mean_size(&work.size);
    match work.amount {
        Amount::Requests(requests) => requests,
        _ => {
            let of_lanes: Vec<u64> =
                lane_bytes.iter().map(|&bytes| (bytes as f64 / size - 1e-9).ceil() as u64).collect();
            work.of_all_lanes(&of_lanes)
        }
    }
}
