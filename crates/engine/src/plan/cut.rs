//! How software cuts a request before it goes along the legs: pieces side by side, parts one after another.
//!
//! Knows sizes. Must not know what a part goes through.

use super::hold::Hold;
use crate::units::Bytes;

/// How software cuts a request before it goes along the legs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    /// At most so many bytes go along the legs at a time, one part after the other.
    pub part: Option<Bytes>,
    /// Pieces that go side by side: as many as the request has times this size, at least one.
    pub piece: Option<Bytes>,
    /// Pieces at most.
    pub most: u64,
    /// What every piece but the first holds while it is under way: a pool of threads.
    pub helpers: Vec<Hold>,
}

impl Cut {
    /// Into how many pieces a request of so many bytes is cut.
    pub fn pieces(&self, bytes: u64) -> u64 {
        self.piece.map_or(1, |piece| (bytes / piece.0.max(1)).clamp(1, self.most.max(1)))
    }

    /// Bytes of the piece that the caller carries itself: the largest.
    pub fn piece_bytes(&self, bytes: u64) -> u64 {
        let pieces = self.pieces(bytes);
        bytes - bytes / pieces * (pieces - 1)
    }

    /// Bytes that go along the legs at a time, at most.
    pub fn part_bytes(&self, bytes: u64) -> u64 {
        let piece = self.piece_bytes(bytes);
        self.part.map_or(piece, |part| part.0.min(piece)).max(1)
    }

    /// How often a request of so many bytes goes along the legs, all its pieces together.
    pub fn cycles(&self, bytes: u64) -> u64 {
        let (pieces, part) = (self.pieces(bytes), self.part_bytes(bytes));
        self.piece_bytes(bytes).div_ceil(part) + (pieces - 1) * (bytes / pieces).div_ceil(part)
    }
}
