//! Bytes of system memory that a byte moves: by who moves it, which way, and whether it still lies in the cache.
//!
//! Knows the memory's figures and a work's buffers. Must not know where a hop leads.

use crate::format::{Cache, Dram, Figure, HelpersPer, Work};
use engine::Traffic;
use engine::units::Factor;

use super::route::Lane;
use super::{Site, sizes};

/// What touches system memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// A device writes.
    DmaWrite,
    /// A device reads.
    DmaRead,
    /// A thread copies from kernel to user buffer.
    CopyIn,
    /// A thread copies from user to kernel buffer.
    CopyOut,
}

impl Touch {
    /// Its class of traffic.
    pub(super) fn traffic(self) -> Traffic {
        match self {
            Touch::DmaWrite => Traffic::DmaWrite,
            Touch::DmaRead => Traffic::DmaRead,
            Touch::CopyIn | Touch::CopyOut => Traffic::Cpu,
        }
    }

    fn of(self, dram: &Dram) -> &Figure<Factor> {
        match self {
            Touch::DmaWrite => &dram.dma_write,
            Touch::DmaRead => &dram.dma_read,
            Touch::CopyIn => dram.cpu_copy_in.as_ref().unwrap_or(&dram.cpu_copy),
            Touch::CopyOut => dram.cpu_copy_out.as_ref().unwrap_or(&dram.cpu_copy),
        }
    }

    fn resident(self, cache: &Cache) -> &Figure<Factor> {
        match self {
            Touch::DmaWrite => &cache.dma_write,
            Touch::DmaRead => &cache.dma_read,
            Touch::CopyIn => &cache.cpu_copy_in,
            Touch::CopyOut => &cache.cpu_copy_out,
        }
    }
}

/// What a byte of a work is charged.
pub(super) fn charge(lane: &Lane<'_>, touch: Touch) -> Factor {
    let site = lane.site;
    let dram = &site.scenario.node.dram;
    let whole = site.ends.less_is_faster(touch.of(dram));
    let Some(cache) = &dram.cache else { return whole };
    let share = share(lane, cache);
    let cached = site.ends.less_is_faster(touch.resident(cache));
    Factor::from_f64(share * cached.as_f64() + (1.0 - share) * whole.as_f64())
}

/// What of its rate a copy keeps whose bytes are partly resident: the others take longer by the given pace.
pub(super) fn pace(lane: &Lane<'_>, of: impl Fn(&Cache) -> Option<&Figure<Factor>>) -> f64 {
    let cache = lane.site.scenario.node.dram.cache.as_ref();
    let Some((cache, pace)) = cache.and_then(|cache| Some((cache, of(cache)?))) else { return 1.0 };
    kept(share(lane, cache), lane.site.ends.more_is_faster(pace).as_f64())
}

/// What is left of a rate when all but a share of the bytes go at a slower pace.
fn kept(share: f64, pace: f64) -> f64 {
    1.0 / (share + (1.0 - share) / pace)
}

/// The share of a leg's bytes that is in the cache.
fn share(lane: &Lane<'_>, cache: &Cache) -> f64 {
    if lane.resident == Some(false) {
        return 0.0;
    }
    resident(working_set(lane.site, lane.work), lane.site.ends.more_is_faster(&cache.size).0 as f64)
}

/// The share of buffers of so many bytes that stays in a cache of so many.
fn resident(buffers: f64, cache: f64) -> f64 {
    let times = buffers / cache;
    1.0 / (1.0 + times * times)
}

/// Bytes of the buffers that a work's requests use at a time.
fn working_set(site: &Site<'_>, work: &Work) -> f64 {
    let gpus = site.gpu_count(work);
    let outstanding = gpus as f64 * work.threads.value as f64 * work.depth.value as f64;
    let Ok(path) = site.path(work) else { return outstanding * sizes::mean(&work.size.value).0 as f64 };
    let helpers = path.cut.as_ref().and_then(|cut| Some((cut.helpers.as_ref()?.value, cut.helpers_per)));
    let helpers = helpers.map(|(count, per)| if per == HelpersPer::Gpu { count * gpus } else { count });
    sizes::buffers(work, path, outstanding, helpers)
}

/// Whether any charge of system memory was assumed.
pub(super) fn are_assumed(dram: &Dram) -> bool {
    let stated = [&dram.dma_write, &dram.dma_read, &dram.cpu_copy].into_iter();
    let directed = [&dram.cpu_copy_in, &dram.cpu_copy_out].into_iter().flatten();
    let cached = dram.cache.iter().flat_map(|cache| {
        [&cache.dma_write, &cache.dma_read, &cache.cpu_copy_in, &cache.cpu_copy_out].map(Figure::is_assumed)
    });
    stated.chain(directed).any(Figure::is_assumed)
        || cached.into_iter().any(|is| is)
        || dram.cache.as_ref().is_some_and(|cache| cache.size.is_assumed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_half_of_whose_bytes_take_twice_as_long_keeps_two_thirds_of_its_rate() {
        assert_eq!([1.0, 0.5, 0.0].map(|share| kept(share, 0.5)), [1.0, 1.0 / 1.5, 0.5]);
    }

    #[test]
    fn half_of_what_fills_the_cache_stays_in_it() {
        assert_eq!([0.0, 40e6, 80e6].map(|buffers| resident(buffers, 40e6)), [1.0, 0.5, 0.2]);
    }
}
