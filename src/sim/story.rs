//! A request's story, told in order: what a worker asks for, from the first step to the last.
//!
//! Knows the order of things. Must not know how long they take or whether they are to be had.

use std::rc::Rc;

use super::kernel::{Process, Wake};
use crate::platform::{Hold, Lane};

/// What a worker asks for. It is resumed when it has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Nothing: the answer to an ask.
    Go,
    /// The next part of this request; the answer is the same if there is one.
    Part,
    /// This request is done; another one.
    Next,
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

/// A worker's process. It is resumed for the first time with its first request in hand.
///
/// Loops go by index, since nothing borrowed may live across a yield.
pub fn worker(lane: Rc<Lane>) -> Process {
    Box::new(
        #[coroutine]
        move |_: Wake| {
            loop {
                for hold in 0..lane.holds.len() {
                    yield Ask::Hold(lane.holds[hold]);
                }
                loop {
                    for leg in 0..lane.legs.len() {
                        for hold in 0..lane.legs[leg].buffers.len() {
                            yield Ask::Hold(lane.legs[leg].buffers[hold]);
                        }
                        for hold in 0..lane.legs[leg].holds.len() {
                            yield Ask::Hold(lane.legs[leg].holds[hold]);
                        }
                        if !lane.legs[leg].before.is_empty() {
                            yield Ask::Before(leg as u32);
                        }
                        for server in 0..lane.legs[leg].served.len() {
                            yield Ask::Hold(lane.legs[leg].served[server].hold);
                            yield Ask::Serve(leg as u32, server as u32);
                            if !lane.legs[leg].served[server].keeps {
                                yield Ask::GiveBack(lane.legs[leg].served[server].hold);
                            }
                        }
                        if !lane.legs[leg].hops.is_empty() {
                            yield Ask::Move(leg as u32);
                        }
                        for server in (0..lane.legs[leg].served.len()).rev() {
                            if lane.legs[leg].served[server].keeps {
                                yield Ask::GiveBack(lane.legs[leg].served[server].hold);
                            }
                        }
                        for hold in (0..lane.legs[leg].holds.len()).rev() {
                            yield Ask::GiveBack(lane.legs[leg].holds[hold]);
                        }
                        // What the leg before filled is empty now.
                        let emptied = source(&lane, leg);
                        for hold in 0..filled(&lane, emptied) {
                            yield Ask::GiveBack(lane.legs[emptied].buffers[hold]);
                        }
                        if !lane.legs[leg].after.is_empty() {
                            yield Ask::After(leg as u32);
                        }
                    }
                    // What the last leg filled is nobody's concern any more.
                    let last = last_filled(&lane, lane.legs.len());
                    for hold in 0..filled(&lane, last) {
                        yield Ask::GiveBack(lane.legs[last].buffers[hold]);
                    }
                    if lane.cut.part.is_none() || *(yield Ask::Part).state() != Ask::Part {
                        break;
                    }
                }
                for hold in (0..lane.holds.len()).rev() {
                    yield Ask::GiveBack(lane.holds[hold]);
                }
                yield Ask::Next;
            }
        },
    )
}

/// The leg whose buffers a leg empties: the last before it that moved bytes, if this one moves any.
fn source(lane: &Lane, leg: usize) -> usize {
    if lane.legs[leg].hops.is_empty() { usize::MAX } else { last_filled(lane, leg) }
}

/// The last leg before `leg` that moved bytes.
fn last_filled(lane: &Lane, leg: usize) -> usize {
    lane.legs[..leg].iter().rposition(|leg| !leg.hops.is_empty()).unwrap_or(usize::MAX)
}

/// Buffers that a leg fills; none for a leg that is not there.
fn filled(lane: &Lane, leg: usize) -> usize {
    lane.legs.get(leg).map_or(0, |leg| leg.buffers.len())
}
