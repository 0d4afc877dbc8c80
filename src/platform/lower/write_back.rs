//! Write-back: what of a buffered write must get to storage while its work is under way, and what that crosses.
//!
//! Knows the page cache's limits and the amounts of works. Must not know how a leg is built.
//!
//! Linux lets writers run free until what is dirty has reached the middle between the two ratios of the memory; from there on they
//! go at the pace of the write-back (`mm/page-writeback.c`). With `L` that middle, `N` bytes written and `W` the rate of the
//! write-back, the last of them is in memory after `(N - L) / W`, or at memory speed if that takes longer: the same as if every
//! byte had sent `1 - L / N` of itself. The write-back begins with the first byte here, a little sooner than the kernel's.

use crate::format::{PageCache, Path, Work};
use engine::units::{Bytes, Factor};
use engine::{Crossing, Note};

use super::capacities::Capacities;
use super::cluster::Member;
use super::route::{self, Lane};
use super::{Site, sizes};

/// What a byte of a path's requests crosses behind them, on its way from the page cache to storage.
pub(super) fn crosses(lane: &Lane<'_>, path: &Path, capacities: &Capacities) -> Vec<Crossing> {
    let Some(leg) = path.legs.iter().find(|leg| leg.write_back) else { return Vec::new() };
    let part = part(lane.site, lane.member);
    let crossed = (0..leg.hops.len()).flat_map(|position| {
        let local = route::is_local(&leg.hops[position]);
        route::crossed(lane, &leg.hops, position).into_iter().flatten().map(move |crossed| (crossed, local))
    });
    let crosses = crossed.filter_map(|((segment, charge, traffic), local)| {
        let capacity = capacities.index(&segment, lane.member, local)?;
        Some(Crossing { capacity, charge: charge.times(part), traffic })
    });
    crosses.collect()
}

/// What to know where a work ends before its bytes are on storage.
pub(super) fn note(site: &Site<'_>) -> Option<Note> {
    let mut left =
        site.members().map(|member| written(site, member).map_or(limit(site), |bytes| bytes.min(limit(site))));
    let most = left.next().map(|first| left.fold(first, f64::max)).filter(|&bytes| bytes > 0.0)?;
    Some(Note {
        kind: "page_cache".to_string(),
        text: format!(
            "up to {} of what was written is still in the page cache of a node at the end",
            Bytes(most as u64)
        ),
        advice: "a path that waits for the drives, such as bounce-local-write, counts the time until it is on them"
            .to_string(),
    })
}

/// The part of a byte that must be written back while the works of a node that write into its page cache are under way.
fn part(site: &Site<'_>, member: Member) -> Factor {
    Factor::from_f64(written(site, member).map_or(1.0, |bytes| sizes::beyond(bytes, limit(site))))
}

/// Bytes that works write into a node's page cache; `None` where one goes on for a time.
fn written(site: &Site<'_>, member: Member) -> Option<f64> {
    let works = site.scenario.works.values().map(|work| &work.value);
    let buffered = works.filter(|work| site.path(work).is_ok_and(|path| path.legs.iter().any(|leg| leg.write_back)));
    let of_work = |work: &Work| {
        let here = site.gpus(work).filter(|(of, _)| of.number == member.number).count();
        Some(sizes::amount(work)? * here as f64 / site.gpu_count(work).max(1) as f64)
    };
    buffered.map(of_work).sum()
}

/// Dirty bytes at which writers no longer run free.
fn limit(site: &Site<'_>) -> f64 {
    let dram = &site.scenario.node.dram;
    let PageCache { dirty_ratio, dirty_background_ratio, available } = &dram.page_cache;
    let ratios = [dirty_ratio, dirty_background_ratio].map(|ratio| site.ends.more_is_faster(ratio).as_f64());
    let memory = available.as_ref().or(dram.memory.as_ref());
    ratios.iter().sum::<f64>() / 2.0 * memory.map_or(0.0, |memory| site.ends.more_is_faster(memory).0 as f64)
}
