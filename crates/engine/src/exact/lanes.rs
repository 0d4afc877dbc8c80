//! Workers, and the lanes that they work on.
//!
//! Knows whose requests go which way, and the numbers of that way. Must not know what happens when.

use std::rc::Rc;

use crate::plan::{Lane, Plan};

use super::supply::Supply;
use crate::causes::{Causes, Stage};
use crate::classes::Classes;
use crate::program::{Op, Program};

/// A place for one outstanding request.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) lane: usize,
    pub(super) op: Op,
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
    /// Legs of the request over which its bytes have moved.
    pub(super) legs_behind: u32,
}

/// One GPU's requests of one work.
#[derive(Debug)]
pub(super) struct LaneState {
    pub(super) work: usize,
    /// Its number within the work.
    pub(super) number: usize,
    pub(super) way: Rc<Lane>,
    pub(super) program: Rc<Program>,
    pub(super) supply: Supply,
    /// Whether it is known that nothing of that is left.
    pub(super) ran_out: bool,
    /// Workers of an open loop that have nothing to do.
    pub(super) idle: Vec<u32>,
    /// The program of helpers, and helpers that have nothing to do.
    pub(super) helper_program: Rc<Program>,
    pub(super) idle_helpers: Vec<u32>,
    /// The numbers of each leg.
    pub(super) legs: Vec<LegNumbers>,
}

/// What a leg is called where it is counted and charged.
#[derive(Clone, Copy, Debug)]
pub(super) struct LegNumbers {
    pub(super) class: usize,
    pub(super) account: usize,
    /// The causes of its delays before and after the motion.
    pub(super) before: usize,
    pub(super) after: usize,
}

/// The way of a helper: it holds a place among the helpers besides what every request holds.
fn helper_route(lane: &Lane) -> Lane {
    let holds = lane.cut.helpers.iter().chain(&lane.holds).copied().collect();
    Lane { holds, ..lane.clone() }
}

pub(super) fn lane_states(plan: &Plan, classes: &Classes, causes: &Causes, seed: u64) -> Vec<LaneState> {
    let mut lanes = Vec::new();
    for (work_index, work) in plan.works.iter().enumerate() {
        for (number, lane) in work.lanes.iter().enumerate() {
            let numbers = |leg| LegNumbers {
                class: classes.of(work_index, number, leg),
                account: causes.account(work_index, leg),
                before: causes.of_delays(work_index, number, leg, Stage::Before),
                after: causes.of_delays(work_index, number, leg, Stage::After),
            };
            lanes.push(LaneState {
                work: work_index,
                number,
                way: Rc::new(lane.clone()),
                program: Rc::new(Program::of(lane)),
                supply: Supply::new(work, number, seed),
                ran_out: false,
                idle: Vec::new(),
                helper_program: Rc::new(Program::of(&helper_route(lane))),
                idle_helpers: Vec::new(),
                legs: (0..lane.legs.len()).map(numbers).collect(),
            });
        }
    }
    lanes
}
