//! The most that a mover gives to one flow.
//!
//! Knows movers and their rates. Must not know what a leg crosses.

use crate::platform::plan::{Kind, OwnCap};
use crate::spec::{BySize, Figure, Mover, Station};
use crate::units::Rate;

use super::legs::Turn;
use super::route::Lane;
use super::sizes;

/// The own cap of a leg's flows: the lowest of all that apply.
pub(super) fn own_cap(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    mover(lane, turn)
}

fn mover(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let copies = &lane.site.scenario.node.gpu.copies;
    let by_size = |rate: &BySize<Rate>, group: &str, kind| {
        let size = sizes::moved(lane.work, turn.path);
        cap(sizes::rate(lane.site.ends, rate, size), rate.is_assumed(), group, kind)
    };
    let one = |figure: &Figure<Rate>, group: &str, kind| {
        cap(lane.site.ends.more_is_faster(figure), figure.is_assumed(), group, kind)
    };
    match (turn.leg().mover.value, turn.to_gpu()) {
        (Mover::Cpu, _) => Some(by_size(copy_rate(lane, turn), "cpu_copy", Kind::Cpu)),
        (Mover::CopyEngine, true) => Some(one(&copies.rate_to_gpu, "copy_engine", Kind::CopyEngine)),
        (Mover::CopyEngine, false) => Some(one(&copies.rate_from_gpu, "copy_engine", Kind::CopyEngine)),
        (Mover::Staging, to_gpu) => {
            let pageable = copies.pageable.as_ref()?;
            Some(by_size(if to_gpu { &pageable.to_gpu } else { &pageable.from_gpu }, "staging", Kind::Cpu))
        }
        (Mover::Nic | Mover::None, _) => None,
    }
}

fn cap(rate: Rate, assumed: bool, group: &str, kind: Kind) -> OwnCap {
    OwnCap { rate, group: group.to_string(), kind, assumed }
}

/// What a thread copies, by the way that it copies.
fn copy_rate<'a>(lane: &Lane<'a>, turn: Turn<'_>) -> &'a BySize<Rate> {
    let cpu = &lane.site.scenario.node.cpu;
    let inward = turn.leg().hops.last().is_some_and(|hop| hop.to.value == Station::UserBuffer);
    let directed = if inward { &cpu.copy_rate_in } else { &cpu.copy_rate_out };
    directed.as_ref().unwrap_or(&cpu.copy_rate)
}
