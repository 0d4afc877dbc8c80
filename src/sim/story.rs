//! A request's story, told in order: what a worker asks for, from the first step to the last.
//!
//! Knows the order of things. Must not know how long they take or whether they are to be had.

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

/// All that a lane's requests ask for, in order.
struct Story {
    opening: Vec<Ask>,
    /// Along the legs, once for each part of a request.
    legs: Vec<Ask>,
    closing: Vec<Ask>,
    in_parts: bool,
}

impl Story {
    fn of(lane: &Lane) -> Story {
        Story {
            opening: lane.holds.iter().map(|&hold| Ask::Hold(hold)).collect(),
            legs: (0..lane.legs.len()).flat_map(|leg| along(lane, leg)).chain(leave(lane, lane.legs.len())).collect(),
            closing: lane.holds.iter().rev().map(|&hold| Ask::GiveBack(hold)).collect(),
            in_parts: lane.cut.part.is_some(),
        }
    }
}

/// All that one trip along the legs asks for, as if the whole request were in it.
pub fn trip(lane: &Lane) -> Vec<Ask> {
    let Story { opening, legs, closing, .. } = Story::of(lane);
    [opening, legs, closing].concat()
}

/// Along one leg: room for what it fills, what it holds, its steps, its servers, the motion, and all that is given back.
fn along(lane: &Lane, number: usize) -> Vec<Ask> {
    let (leg, here) = (&lane.legs[number], number as u32);
    let mut asks: Vec<Ask> = leg.buffers.iter().chain(&leg.holds).map(|&hold| Ask::Hold(hold)).collect();
    asks.extend((!leg.before.is_empty()).then_some(Ask::Before(here)));
    for (server, served) in leg.served.iter().enumerate() {
        asks.extend([Ask::Hold(served.hold), Ask::Serve(here, server as u32)]);
        asks.extend((!served.keeps).then_some(Ask::GiveBack(served.hold)));
    }
    asks.extend((!leg.hops.is_empty()).then_some(Ask::Move(here)));
    let kept = leg.served.iter().filter(|served| served.keeps).map(|served| &served.hold);
    let (to_the_end, until_arrival): (Vec<&Hold>, Vec<&Hold>) =
        leg.holds.iter().chain(kept).rev().partition(|hold| hold.to_the_end);
    asks.extend(until_arrival.into_iter().map(|&hold| Ask::GiveBack(hold)));
    if !leg.hops.is_empty() {
        asks.extend(leave(lane, number));
    }
    asks.extend((!leg.after.is_empty()).then_some(Ask::After(here)));
    asks.extend(to_the_end.into_iter().map(|&hold| Ask::GiveBack(hold)));
    asks
}

/// The buffers that the last leg before this one which moved bytes filled are empty now, or nobody's concern any more.
fn leave(lane: &Lane, number: usize) -> impl Iterator<Item = Ask> + '_ {
    let filled = lane.legs[..number].iter().rfind(|leg| !leg.hops.is_empty());
    filled.into_iter().flat_map(|leg| &leg.buffers).map(|&hold| Ask::GiveBack(hold))
}

/// A worker's process. It is resumed for the first time with its first request in hand.
///
/// Loops go by index, since nothing borrowed may live across a yield.
pub fn worker(lane: &Lane) -> Process {
    let story = Story::of(lane);
    Box::new(
        #[coroutine]
        move |_: Wake| {
            loop {
                for step in 0..story.opening.len() {
                    yield story.opening[step];
                }
                loop {
                    for step in 0..story.legs.len() {
                        yield story.legs[step];
                    }
                    if !story.in_parts || *(yield Ask::Part).state() != Ask::Part {
                        break;
                    }
                }
                for step in 0..story.closing.len() {
                    yield story.closing[step];
                }
                yield Ask::Next;
            }
        },
    )
}
