//! From a path's legs to the plan's: holds, own caps, buffers, delays and crossings.
//!
//! Knows who moves bytes and what that occupies. Must not know how much there is to move.

use crate::error::Fault;
use crate::platform::plan::{Crossing, Hold, Hop, Kind, Leg, OwnCap};
use crate::spec::{self, Mover, Station};

use super::capacities::Capacities;
use super::delays::{Delays, engine_direction};
use super::pools::{self, Pools};
use super::route::{self, Lane};

/// Where a leg's numbers are looked up.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) capacities: &'a Capacities,
    pub(super) pools: &'a Pools,
    pub(super) delays: &'a Delays,
}

/// A leg of a lane.
pub(super) fn leg(lane: &Lane<'_>, path: &spec::Path, leg: &spec::Leg, lists: Lists<'_>) -> Result<Leg, Fault> {
    let hops = (0..leg.hops.len()).map(|position| hop(lane, leg, position, lists.capacities));
    Ok(Leg {
        name: leg.name.value.clone(),
        mover: leg.mover.value,
        holds: holds(lane, path, leg, lists.pools),
        buffers: buffers(leg, lists.pools),
        before: lists.delays.before(lane.site, lane.work, leg, lane.gpu.0, lists.pools)?,
        hops: hops.collect::<Result<Vec<Hop>, Fault>>()?,
        own_cap: own_cap(lane, leg),
        after: lists.delays.numbers(lane.site, lane.work, &leg.after)?,
    })
}

fn hop(lane: &Lane<'_>, leg: &spec::Leg, position: usize, capacities: &Capacities) -> Result<Hop, Fault> {
    let spec::Hop { from, to } = &leg.hops[position];
    let crossed = route::crossed(lane, &leg.hops, position).ok_or_else(|| no_way(lane, leg, from, to))?;
    let crosses = crossed.iter().filter_map(|(segment, charge)| {
        let capacity = capacities.index(segment)?;
        Some(Crossing { capacity, charge: *charge })
    });
    Ok(Hop { from: from.value, to: to.value, crosses: crosses.collect() })
}

fn no_way(lane: &Lane<'_>, leg: &spec::Leg, from: &spec::At<Station>, to: &spec::At<Station>) -> Fault {
    let (here, there) = (word(from.value), word(to.value));
    let message = match here == there {
        true => format!("leg \"{}\": a hop from {here} to {there} touches nothing", leg.name.value),
        false => format!("leg \"{}\": no way leads from {here} to {there}", leg.name.value),
    };
    Fault::at(lane.site.sources, &to.span, message, "cannot be reached like this").help(
        "ways lead from storage to nic and back, from device to device or to a buffer through pcie, \
         and from buffer to buffer of the other kind",
    )
}

/// A station as it is spelled in files.
pub(super) fn word(station: Station) -> &'static str {
    match station {
        Station::Storage => "storage",
        Station::Nic => "nic",
        Station::Pcie => "pcie",
        Station::KernelBuffer => "kernel buffer",
        Station::UserBuffer => "user buffer",
        Station::Hbm => "hbm",
    }
}

/// Movers with slots are copy engines and CPU threads; a thread that the whole request holds is not taken again.
fn holds(lane: &Lane<'_>, path: &spec::Path, leg: &spec::Leg, pools: &Pools) -> Vec<Hold> {
    let pool = match leg.mover.value {
        Mover::CopyEngine => engine_direction(leg).and_then(|to_gpu| pools.index(&pools::engine(lane.gpu.0, to_gpu))),
        Mover::Cpu if !path.holds_thread => pools.index(pools::THREADS),
        Mover::Cpu | Mover::Nic => None,
    };
    pool.into_iter().map(|pool| Hold { pool, by_bytes: false }).collect()
}

fn buffers(leg: &spec::Leg, pools: &Pools) -> Vec<Hold> {
    let rests = leg.hops.last().is_some_and(|hop| in_memory(hop.to.value));
    let pool = pools.index(pools::BUFFERS).filter(|_| rests);
    pool.into_iter().map(|pool| Hold { pool, by_bytes: true }).collect()
}

/// Whether a station is a buffer in system memory.
pub(super) fn in_memory(station: Station) -> bool {
    matches!(station, Station::KernelBuffer | Station::UserBuffer)
}

fn own_cap(lane: &Lane<'_>, leg: &spec::Leg) -> Option<OwnCap> {
    let node = &lane.site.scenario.node;
    let (figure, group, kind) = match (leg.mover.value, engine_direction(leg)) {
        (Mover::Cpu, _) => (&node.cpu.copy_rate, "cpu_copy", Kind::Cpu),
        (_, Some(true)) => (&node.gpu.copies.rate_to_gpu, "copy_engine", Kind::CopyEngine),
        (_, Some(false)) => (&node.gpu.copies.rate_from_gpu, "copy_engine", Kind::CopyEngine),
        _ => return None,
    };
    let rate = lane.site.ends.more_is_faster(figure);
    Some(OwnCap { rate, group: group.to_string(), kind, assumed: figure.is_assumed() })
}
