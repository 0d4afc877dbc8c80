//! The calendar: what happens next, in an order that is total.
//!
//! Knows times, ranks and entities. Must not know what any of them does.
//!
//! Events are ordered by time, then rank (ends, releases, starts, clocks), then the entity's number. Entities are numbered
//! in the order of their names, and one has at most one event in the calendar, so that no two events are equal and the
//! order of insertion decides nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What kind of event comes first at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// A flow or a delay ends.
    End,
    /// Somebody gives places back.
    Release,
    /// Somebody asks for places, sets bytes in motion or begins a request.
    Start,
    /// A window of measurement opens or closes, requests arrive, a work begins.
    Clock,
}

const RANKS: [Rank; 4] = [Rank::End, Rank::Release, Rank::Start, Rank::Clock];

/// An event's place in the order: time (64 bits), rank (8), entity (32), in one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// The key of an entity's event.
    pub fn new(time: u64, rank: Rank, entity: u32) -> Key {
        Key((time as u128) << 64 | (rank as u128) << 32 | entity as u128)
    }

    /// When it happens, in picoseconds.
    pub fn time(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// Its rank.
    pub fn rank(self) -> Rank {
        RANKS[(self.0 >> 32) as usize & 3]
    }

    /// Whose event it is.
    pub fn entity(self) -> u32 {
        self.0 as u32
    }
}

/// Events to come.
///
/// An event that is taken leaves a hole at the top of the heap, which the next one to come fills: most events bring about one
/// other, and to replace the top is half the work of taking it away and adding another.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: BinaryHeap<Reverse<Key>>,
    hole: bool,
}

impl Calendar {
    /// Adds an event.
    pub fn push(&mut self, key: Key) {
        if !std::mem::take(&mut self.hole) {
            self.heap.push(Reverse(key));
        } else if let Some(mut top) = self.heap.peek_mut() {
            *top = Reverse(key);
        }
    }

    /// The first event.
    pub fn peek(&self) -> Option<Key> {
        match self.heap.as_slice() {
            [_, a, b, ..] if self.hole => Some(a.0.min(b.0)),
            [_, a] if self.hole => Some(a.0),
            [_] if self.hole => None,
            all => all.first().map(|key| key.0),
        }
    }

    /// Takes the first event.
    pub fn pop(&mut self) -> Option<Key> {
        if std::mem::take(&mut self.hole) {
            self.heap.pop();
        }
        let first = self.heap.peek().map(|key| key.0);
        self.hole = first.is_some();
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_come_before_releases_before_starts_whatever_the_order_of_insertion() {
        let mut calendar = Calendar::default();
        let keys = [
            Key::new(5, Rank::Start, 0),
            Key::new(5, Rank::End, 9),
            Key::new(4, Rank::Clock, 7),
            Key::new(5, Rank::Release, 3),
            Key::new(5, Rank::End, 2),
        ];
        keys.iter().for_each(|&key| calendar.push(key));
        let order: Vec<_> = std::iter::from_fn(|| calendar.pop()).map(|k| (k.time(), k.rank(), k.entity())).collect();
        let expected =
            [(4, Rank::Clock, 7), (5, Rank::End, 2), (5, Rank::End, 9), (5, Rank::Release, 3), (5, Rank::Start, 0)];
        assert_eq!(order, expected);
    }
}
