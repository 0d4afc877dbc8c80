//! Whole blocks: what a request moves that does not begin and end at their boundaries.
//!
//! Knows sizes and offsets. Must not know what moves them.

use crate::format::{Moves, Size, Work};
use engine::units::{Bytes, Factor};

use super::sizes;

/// Offsets and sizes of direct transfers are multiples of this (NVIDIA GPUDirect Storage configuration guide).
pub(super) const BLOCK: u64 = 4096;

/// Bytes that a leg moves for a byte of a work's requests.
pub(super) fn share(work: &Work, moves: Moves) -> Factor {
    let offset = work.offset.as_ref().map_or(0, |offset| offset.value.0);
    let one = |size: Bytes| (mean(offset, size.0.max(1), moves), size.0.max(1) as f64);
    let listed: Vec<(f64, f64)> = match &work.size.value {
        Size::Listed(list) => list.iter().map(|figure| one(figure.value)).collect(),
        other => vec![one(sizes::mean(other))],
    };
    let (moved, asked) = listed.iter().fold((0.0, 0.0), |sum, (moved, asked)| (sum.0 + moved, sum.1 + asked));
    Factor::from_f64(moved / asked.max(1.0))
}

/// Mean bytes moved of requests of a size that follow each other from an offset on: their beginnings recur after so many.
fn mean(offset: u64, size: u64, moves: Moves) -> f64 {
    let recur = BLOCK / gcd(size % BLOCK, BLOCK);
    let begins = (0..recur).map(|turn| (offset % BLOCK + turn * (size % BLOCK)) % BLOCK);
    let moved: u64 = begins.map(|begin| one(begin, size, moves)).sum();
    moved as f64 / recur as f64
}

/// Bytes moved of a request that begins so far into a block.
fn one(begin: u64, size: u64, moves: Moves) -> u64 {
    let end = begin + size;
    let touched = end.div_ceil(BLOCK);
    match moves {
        Moves::Blocks => touched * BLOCK,
        Moves::Edges => {
            let edges = u64::from(begin != 0) + u64::from(!end.is_multiple_of(BLOCK));
            edges.min(touched) * BLOCK
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aligned_request_moves_itself_and_has_no_edges() {
        assert_eq!([mean(0, 8192, Moves::Blocks), mean(4096, 8192, Moves::Edges)], [8192.0, 0.0]);
    }

    #[test]
    fn a_request_that_begins_within_a_block_touches_one_block_more() {
        assert_eq!([mean(512, 4096, Moves::Blocks), mean(512, 4096, Moves::Edges)], [8192.0, 8192.0]);
        assert_eq!([mean(512, 1 << 20, Moves::Blocks), mean(512, 1 << 20, Moves::Edges)], [1052672.0, 8192.0]);
    }

    #[test]
    fn small_requests_one_after_another_touch_one_block_or_two() {
        // They begin at multiples of 8: of 512 such places the first 138 leave room for 3000 bytes, the others need a block more.
        assert_eq!(mean(0, 3000, Moves::Blocks), 4096.0 * (1.0 + 374.0 / 512.0));
    }
}
