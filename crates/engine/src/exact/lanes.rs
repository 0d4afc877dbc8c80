//! Lanes and workers: one GPU's requests of one work, and the places for its outstanding ones.
//!
//! Knows what a lane goes through and what it has left. Must not know what happens when.

use crate::plan::{Lane, Plan};

use super::attribution::Since;
use super::process::Call;
use super::steps::{Maker, Steps};
use super::supply::Supply;

/// A place for one outstanding request.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) lane: u32,
    /// What its process called for, and the answer to it.
    pub(super) call: Call,
    /// Its next step, and the one before which the call is done.
    pub(super) step: u32,
    pub(super) until: u32,
    /// Whether its next step has its turn.
    pub(super) has_turn: bool,
    /// What it does now.
    pub(super) since: Since,
    /// The number of the request in hand in its lane.
    pub(super) number: u32,
    /// The request in hand: its bytes (0 for none) and when it began.
    pub(super) whole: u64,
    pub(super) began: u64,
    /// The bytes that go along the legs now, and those of its own piece that will go after them.
    pub(super) size: u64,
    pub(super) left: u64,
    /// Whom it helps with a piece, if it is a helper.
    pub(super) helps: Option<u32>,
    /// Helpers that are still under way with other pieces, and whether only they are waited for.
    pub(super) helpers: u32,
    pub(super) waits: bool,
    /// The class in which its bytes move, and the leg.
    pub(super) moves: Option<(u32, u32)>,
    /// Legs of the request over which its bytes have moved.
    pub(super) legs_behind: u32,
}

impl Worker {
    /// One that has nothing in hand.
    pub(super) fn idle(lane: usize) -> Worker {
        Worker {
            lane: lane as u32,
            call: Call::Next,
            step: 0,
            until: 0,
            has_turn: false,
            since: Since::default(),
            number: 0,
            whole: 0,
            began: 0,
            size: 0,
            left: 0,
            helps: None,
            helpers: 0,
            waits: false,
            moves: None,
            legs_behind: 0,
        }
    }
}

/// One GPU's requests of one work.
#[derive(Debug)]
pub(super) struct LaneState {
    pub(super) work: usize,
    /// Its number within the work.
    pub(super) number: usize,
    pub(super) steps: Steps,
    /// How many steps at both ends are the helpers' alone.
    pub(super) helpers_own: u32,
    pub(super) supply: Supply,
    /// Requests that it has begun.
    pub(super) begun: u32,
    /// Whether it is known that nothing of that is left.
    pub(super) ran_out: bool,
    /// Workers of an open loop that have nothing to do.
    pub(super) idle: Vec<u32>,
    /// Helpers that have nothing to do.
    pub(super) idle_helpers: Vec<u32>,
}

impl LaneState {
    /// The steps that a call goes through, from one number to another.
    pub(super) fn range(&self, call: Call, helps: bool) -> (u32, u32) {
        let own = if helps { 0 } else { self.helpers_own };
        let (begin, end) = self.steps.along;
        match call {
            Call::Open => (own, begin),
            Call::Along => (begin, end),
            Call::Part => (0, 0),
            Call::Next => (end, self.steps.all.len() as u32 - own),
        }
    }
}

/// The way of a helper: it holds a place among the helpers besides what every request holds.
fn helper_way(lane: &Lane) -> Lane {
    let holds = lane.cut.helpers.iter().chain(&lane.holds).copied().collect();
    Lane { holds, ..lane.clone() }
}

pub(super) fn lane_states(plan: &Plan, maker: &Maker<'_>, seed: u64) -> Vec<LaneState> {
    let works = plan.works.iter().enumerate();
    let lanes = works.flat_map(|(index, work)| work.lanes.iter().enumerate().map(move |lane| (index, work, lane)));
    let state = |(work, of, (number, lane)): (usize, &crate::plan::Work, (usize, &Lane))| {
        let (all, own) = (maker.steps(work, number, &helper_way(lane)), maker.steps(work, number, lane));
        LaneState {
            work,
            number,
            helpers_own: all.along.0 - own.along.0,
            steps: all,
            supply: Supply::new(of, number, seed),
            begun: 0,
            ran_out: false,
            idle: Vec::new(),
            idle_helpers: Vec::new(),
        }
    };
    lanes.map(state).collect()
}
