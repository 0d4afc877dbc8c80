//! A worker's process: the course of a request, one call of the world after the other.
//!
//! Knows what follows what. Must not know how long it takes or whether it is to be had.

use super::kernel::{Process, Wake};

/// What a worker calls for. It is resumed when that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// What the whole request holds is taken.
    Open,
    /// Along all legs, with a request or a part of one.
    Along,
    /// The next part of the request; the answer is the same if there is one, else `Next`.
    Part,
    /// What the request held is given back, and the next request taken in hand.
    Next,
}

/// A worker's process. It is resumed for the first time with its first request in hand.
pub fn worker(in_parts: bool) -> Process {
    Box::new(
        #[coroutine]
        move |_: Wake| {
            loop {
                yield Call::Open;
                loop {
                    yield Call::Along;
                    if !in_parts || *(yield Call::Part).state() != Call::Part {
                        break;
                    }
                }
                yield Call::Next;
            }
        },
    )
}
