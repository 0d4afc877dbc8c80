//! How many bytes move at a time, and what a table by size says at that size.
//!
//! Knows sizes and tables. Must not know what the figures are of.

use crate::format::{At, BySize, Path, Size, Table, Work};
use engine::units::{Bytes, Rate, Time};

use super::ends::Ends;

/// The mean size of a work's requests.
pub(super) fn mean(size: &Size) -> Bytes {
    match size {
        Size::Fixed(one) => one.value,
        Size::Listed(list) => {
            let sum: u128 = list.iter().map(|figure| u128::from(figure.value.0)).sum();
            Bytes((sum / list.len().max(1) as u128) as u64)
        }
        Size::Uniform { low, high } => Bytes(low.value.0 / 2 + high.value.0 / 2),
        Size::Exponential { mean } => mean.value,
    }
}

/// The bytes that a work moves in all; `None` where it goes on for a time.
pub(super) fn amount(work: &Work) -> Option<f64> {
    let requests = work.requests.as_ref().map(|count| count.value as f64 * mean(&work.size.value).0 as f64);
    work.bytes.as_ref().map(|bytes| bytes.value.0 as f64).or(requests)
}

/// What goes along a path's legs at a time: a piece of a mean request, or a part of it.
pub(super) fn moved(work: &Work, path: &Path) -> Bytes {
    let part = path.cut.as_ref().and_then(|cut| cut.part.as_ref()).map_or(u64::MAX, |part| part.value.0);
    Bytes((mean(&work.size.value).0 / pieces(work, path)).min(part).max(1))
}

/// Into how many pieces a mean request is cut.
fn pieces(work: &Work, path: &Path) -> u64 {
    let Some((cut, piece)) = path.cut.as_ref().and_then(|cut| Some((cut, cut.piece.as_ref()?))) else { return 1 };
    let most = cut.most.as_ref().map_or(u64::MAX, |most| most.value);
    (mean(&work.size.value).0 / piece.value.0.max(1)).clamp(1, most.max(1))
}

/// Bytes of the buffers that so many outstanding requests of a work use at a time. A caller that is through with its own piece
/// waits for the helpers with the others: where these are few, only as many pieces are under way as keep all helpers busy.
pub(super) fn buffers(work: &Work, path: &Path, outstanding: f64, helpers: Option<u64>) -> f64 {
    let pieces = pieces(work, path) as f64;
    let busy =
        helpers.filter(|_| pieces > 1.0).map_or(f64::INFINITY, |helpers| helpers as f64 * pieces / (pieces - 1.0));
    (outstanding * pieces).min(busy) * moved(work, path).0 as f64
}

/// The size up to which a path does without what is marked `unless_inline`; none for what is not marked.
pub(super) fn inline(path: &Path, unless: &Option<At<bool>>) -> Bytes {
    let marked = unless.as_ref().is_some_and(|unless| unless.value);
    path.inline.as_ref().filter(|_| marked).map_or(Bytes(0), |inline| inline.value)
}

/// The rate at a size: on straight lines over the logarithm of the size, outside the points that of the nearest.
pub(super) fn rate(ends: Ends, by_size: &BySize<Rate>, size: Bytes) -> Rate {
    match by_size {
        BySize::One(figure) => ends.more_is_faster(figure),
        BySize::Table(table) => {
            let points: Vec<_> = table.figures().map(|(size, figure)| (size, ends.more_is_faster(&figure))).collect();
            between(&points, size)
        }
    }
}

fn between(points: &[(Bytes, Rate)], size: Bytes) -> Rate {
    let right = points.partition_point(|point| point.0 < size);
    match (right.checked_sub(1).and_then(|left| points.get(left)), points.get(right)) {
        (Some(&(left, low)), Some(&(right, high))) => {
            let log = |bytes: Bytes| libm::log2(bytes.0.max(1) as f64);
            let along = (log(size) - log(left)) / (log(right) - log(left));
            Rate((low.0 as f64 + along * (high.0 as f64 - low.0 as f64)) as u64)
        }
        (Some(nearest), None) | (None, Some(nearest)) => nearest.1,
        (None, None) => Rate(0),
    }
}

/// The points of a table of delays.
pub(super) fn times(ends: Ends, table: &Table<Time>) -> Vec<(Bytes, Time)> {
    table.figures().map(|(size, figure)| (size, ends.less_is_faster(&figure))).collect()
}

/// The part of so many bytes that is beyond what a cache holds: what must have left it by their end.
pub(super) fn beyond(bytes: f64, held: f64) -> f64 {
    (1.0 - held / bytes.max(1.0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_by_size_goes_straight_over_the_logarithm_of_the_size() {
        let points = [(Bytes(4_096), Rate(3_000)), (Bytes(65_536), Rate(7_000))];
        let rates = [1_024, 4_096, 16_384, 65_536, 1 << 30].map(|size| between(&points, Bytes(size)).0);
        assert_eq!(rates, [3_000, 3_000, 5_000, 7_000, 7_000]);
    }

    #[test]
    fn what_a_cache_holds_at_the_end_need_not_have_left_it() {
        assert_eq!([0.0, 25.0, 100.0, 200.0].map(|held| beyond(100.0, held)), [1.0, 0.75, 0.0, 0.0]);
    }
}
