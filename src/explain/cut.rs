//! How software cuts a request: pieces side by side, each in parts one after another.
//!
//! Knows sizes. Must not know what a part goes through.

use serde::Serialize;

use engine::{Lane, Plan};

/// A request in pieces and parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pieces {
    /// Pieces side by side: the caller carries the first, helpers the others.
    pub pieces: u64,
    /// Bytes of the caller's piece.
    pub piece_bytes: u64,
    /// Parts of that piece, one after another.
    pub parts: u64,
    /// Bytes of a part; the last may be shorter.
    pub part_bytes: u64,
    /// The threads for which the other pieces wait in line, and how many there are.
    pub helpers: Option<(String, u64)>,
}

/// How a request is cut; `None` where it goes along the legs as a whole.
pub(super) fn pieces(plan: &Plan, lane: &Lane, bytes: u64) -> Option<Pieces> {
    let pieces = lane.cut.pieces(bytes);
    let (piece_bytes, part_bytes) = (lane.cut.piece_bytes(bytes), lane.cut.part_bytes(bytes));
    let parts = piece_bytes.div_ceil(part_bytes);
    let helpers = lane.cut.helpers.first().map(|hold| &plan.pools[hold.pool]);
    let helpers = helpers.filter(|_| pieces > 1).map(|pool| (pool.name.clone(), pool.places));
    (pieces > 1 || parts > 1).then_some(Pieces { pieces, piece_bytes, parts, part_bytes, helpers })
}

impl Pieces {
    /// The time of all parts in turn, in picoseconds, from that of a part of so many bytes; `None` where the clock would
    /// overflow.
    pub(super) fn in_turn(&self, part_ps: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        let last = self.piece_bytes - (self.parts - 1) * self.part_bytes;
        (self.parts - 1).checked_mul(part_ps(self.part_bytes)?)?.checked_add(part_ps(last)?)
    }
}
