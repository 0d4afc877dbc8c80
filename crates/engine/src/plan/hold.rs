//! Holding places of a pool: how many, for what, how long.
//!
//! Knows counts. Must not know who is in line.

use crate::units::Bytes;

/// For what a place is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Each {
    /// One for the request.
    One,
    /// One for each of its bytes: memory.
    Bytes,
    /// One for each of its commands of so many bytes.
    Command(Bytes),
}

/// Holding places of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The pool (an index of [`Plan::pools`](super::Plan::pools)).
    pub pool: usize,
    /// For what a place is taken.
    pub each: Each,
    /// They are taken only for more bytes than this.
    pub above: Bytes,
    /// Whether a leg holds them until its last step is over, instead of until the bytes have arrived.
    pub to_the_end: bool,
}

impl Hold {
    /// One place, for any request.
    pub fn one(pool: usize) -> Hold {
        Hold { pool, each: Each::One, above: Bytes(0), to_the_end: false }
    }

    /// A place for each byte.
    pub fn bytes(pool: usize) -> Hold {
        Hold { each: Each::Bytes, ..Hold::one(pool) }
    }

    /// How many places of a pool of `most` so many bytes take. Who has more commands than there are places sends as many as
    /// there are, and the others as these are done: it holds all.
    pub fn places(&self, bytes: u64, most: u64) -> u64 {
        match self.each {
            _ if bytes <= self.above.0 && self.above.0 > 0 => 0,
            Each::One => 1,
            Each::Bytes => bytes,
            Each::Command(command) => bytes.div_ceil(command.0.max(1)).clamp(1, most.max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_take_a_place_each_and_never_more_than_there_are() {
        let hold = Hold { each: Each::Command(Bytes(1 << 20)), ..Hold::one(0) };
        assert_eq!([1, 1 << 20, (1 << 20) + 1, 16 << 20].map(|bytes| hold.places(bytes, 8)), [1, 1, 2, 8]);
    }

    #[test]
    fn what_goes_in_the_capsule_takes_no_place() {
        let hold = Hold { above: Bytes(4096), ..Hold::one(0) };
        assert_eq!([4096, 4097].map(|bytes| hold.places(bytes, 1)), [0, 1]);
    }
}
