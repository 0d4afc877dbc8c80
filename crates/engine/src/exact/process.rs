//! A worker's process: it asks for one operation of its program after the other.
//!
//! Knows the order of operations. Must not know how long they take or whether they are to be had.

use std::rc::Rc;

use super::kernel::{Process, Wake};
use crate::program::{Op, Program};

/// A worker's process. It is resumed for the first time with its first request in hand.
///
/// Loops go by index, since nothing borrowed may live across a yield.
pub fn worker(program: Rc<Program>) -> Process {
    Box::new(
        #[coroutine]
        move |_: Wake| {
            loop {
                for step in 0..program.opening.len() {
                    yield program.opening[step];
                }
                loop {
                    for step in 0..program.legs.len() {
                        yield program.legs[step];
                    }
                    if !program.in_parts || *(yield Op::Part).state() != Op::Part {
                        break;
                    }
                }
                for step in 0..program.closing.len() {
                    yield program.closing[step];
                }
                yield Op::Next;
            }
        },
    )
}
