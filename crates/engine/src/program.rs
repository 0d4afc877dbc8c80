//! A request's program: what it goes through, in order, from the first step to the last.
//!
//! Knows the order of things. Must not know how long they take or whether they are to be had.

use crate::plan::{Hold, Lane};

/// One operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Places of a pool.
    Hold(Hold),
    /// Places of a pool given back.
    GiveBack(Hold),
    /// The delays before a leg's motion.
    Before(u32),
    /// The service of a leg's server: leg and server.
    Serve(u32, u32),
    /// Bytes moved over a leg.
    Move(u32),
    /// The delays after a leg's motion.
    After(u32),
}

/// All that a lane's requests go through, in order.
#[derive(Debug)]
pub struct Program {
    /// Held for the whole request.
    pub opening: Vec<Op>,
    /// Along the legs, once for each part of a request.
    pub legs: Vec<Op>,
    /// What was held for the whole request, given back.
    pub closing: Vec<Op>,
}

impl Program {
    /// The program of a lane.
    pub fn of(lane: &Lane) -> Program {
        Program {
            opening: lane.holds.iter().map(|&hold| Op::Hold(hold)).collect(),
            legs: (0..lane.legs.len()).flat_map(|leg| along(lane, leg)).chain(leave(lane, lane.legs.len())).collect(),
            closing: lane.holds.iter().rev().map(|&hold| Op::GiveBack(hold)).collect(),
        }
    }
}

/// All that one cycle along the legs goes through, as if the whole request were in it.
pub fn cycle(lane: &Lane) -> Vec<Op> {
    let Program { opening, legs, closing, .. } = Program::of(lane);
    [opening, legs, closing].concat()
}

/// Along one leg: room for what it fills, what it holds, its steps, its servers, the motion, and all that is given back.
fn along(lane: &Lane, number: usize) -> Vec<Op> {
    let (leg, here) = (&lane.legs[number], number as u32);
    let mut ops: Vec<Op> = leg.buffers.iter().chain(&leg.holds).map(|&hold| Op::Hold(hold)).collect();
    ops.extend((!leg.before.is_empty()).then_some(Op::Before(here)));
    for (server, served) in leg.served.iter().enumerate() {
        ops.extend([Op::Hold(served.hold), Op::Serve(here, server as u32)]);
        ops.extend((!served.keeps).then_some(Op::GiveBack(served.hold)));
    }
    ops.extend((!leg.hops.is_empty()).then_some(Op::Move(here)));
    let kept = leg.served.iter().filter(|served| served.keeps).map(|served| &served.hold);
    let (to_the_end, until_arrival): (Vec<&Hold>, Vec<&Hold>) =
        leg.holds.iter().chain(kept).rev().partition(|hold| hold.to_the_end);
    ops.extend(until_arrival.into_iter().map(|&hold| Op::GiveBack(hold)));
    if !leg.hops.is_empty() {
        ops.extend(leave(lane, number));
    }
    ops.extend((!leg.after.is_empty()).then_some(Op::After(here)));
    ops.extend(to_the_end.into_iter().map(|&hold| Op::GiveBack(hold)));
    ops
}

/// The buffers that the last leg before this one which moved bytes filled are empty now, or nobody's concern any more.
fn leave(lane: &Lane, number: usize) -> impl Iterator<Item = Op> + '_ {
    let filled = lane.legs[..number].iter().rfind(|leg| !leg.hops.is_empty());
    filled.into_iter().flat_map(|leg| &leg.buffers).map(|&hold| Op::GiveBack(hold))
}
