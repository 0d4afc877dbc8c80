//! From a path's legs to the plan's: holds, own caps, buffers, delays and crossings.
//!
//! Knows who moves bytes and what that occupies. Must not know how much there is to move.

use crate::error::{Fault, Sources};
use crate::format::{self, Path};
use engine::units::Factor;
use engine::{Crossing, Hold, Hop, Leg, Mover, OwnCap, Served, Station, Traffic};

use super::capacities::Capacities;
use super::delays::{self, Delays};
use super::pools::{self, Pools};
use super::route::{self, Lane};
use super::segment::Segment;
use super::{blocks, caps, services, sizes, slots, write_back};

/// Where a leg's numbers are looked up.
#[derive(Clone, Copy)]
pub(super) struct Lists<'a> {
    pub(super) capacities: &'a Capacities,
    pub(super) pools: &'a Pools,
    pub(super) delays: &'a Delays,
}

/// A leg in its path.
#[derive(Clone, Copy)]
pub(super) struct Turn<'a> {
    pub(super) path: &'a Path,
    number: usize,
}

impl<'a> Turn<'a> {
    /// The legs that a path's requests wait for.
    pub(super) fn all(path: &'a Path) -> impl Iterator<Item = Turn<'a>> {
        Turn::with_write_back(path).filter(|turn| !turn.leg().write_back)
    }

    /// All legs of a path, those too that nobody waits for.
    pub(super) fn with_write_back(path: &'a Path) -> impl Iterator<Item = Turn<'a>> {
        (0..path.legs.len()).map(move |number| Turn { path, number })
    }

    /// Whether the kernel writes back behind it what it leaves in a kernel buffer.
    fn is_written_back(self) -> bool {
        self.path.legs.get(self.number + 1).is_some_and(|next| next.write_back)
    }

    /// The leg.
    pub(super) fn leg(self) -> &'a format::Leg {
        &self.path.legs[self.number]
    }

    /// Whether its bytes end in the GPU's memory.
    pub(super) fn to_gpu(self) -> bool {
        self.leg().hops.last().is_some_and(|hop| in_hbm(hop.to.value))
    }

    /// Whether its bytes begin or end in the GPU's memory.
    pub(super) fn reaches_gpu(self) -> bool {
        self.to_gpu() || self.leg().hops.first().is_some_and(|hop| in_hbm(hop.from.value))
    }

    /// Whether a copy engine moves it, and if so whether towards the GPU.
    pub(super) fn engine(self) -> Option<bool> {
        (self.leg().mover.value == Mover::CopyEngine).then_some(self.to_gpu())
    }

    /// Whether the lines that it meets in system memory lie in a core's cache: as stated, or by who touches them next to it.
    pub(super) fn is_hot(self) -> bool {
        let moves = |leg: &&format::Leg| !leg.hops.is_empty();
        let neighbour = match self.to_gpu() {
            true => self.path.legs[..self.number].iter().rev().find(moves),
            false => self.path.legs[self.number + 1..].iter().find(moves),
        };
        self.leg().hot.unwrap_or(neighbour.is_some_and(|leg| leg.mover.value == Mover::Cpu))
    }
}

/// A leg of a lane.
pub(super) fn leg(lane: &Lane<'_>, turn: Turn<'_>, lists: Lists<'_>) -> Result<Leg, Fault> {
    let leg = turn.leg();
    let lane = &Lane { resident: leg.resident, ..*lane };
    let hops = (0..leg.hops.len()).map(|position| hop(lane, leg, position, lists.capacities));
    let mut hops = hops.collect::<Result<Vec<Hop>, Fault>>()?;
    if leg.moves.is_some_and(|moves| blocks::share(lane.work, moves) == Factor::ZERO) {
        // No byte of such a request goes this way.
        hops.clear();
    }
    if let Some(last) = hops.last_mut().filter(|_| turn.is_written_back()) {
        last.crosses.extend(write_back::crosses(lane, turn.path, lists.capacities));
    }
    let own_cap = caps::own_cap(lane, turn);
    if let Some(last) = hops.last_mut() {
        last.crosses.extend(core(lane, leg, own_cap.as_ref(), lists.capacities));
    }
    Ok(Leg {
        name: leg.name.value.clone(),
        mover: leg.mover.value,
        holds: holds(lane, turn, lists.pools),
        buffers: buffers(lane, leg, lists.pools),
        before: lists.delays.numbers(&delays::before(lane, turn, lists.pools)?),
        served: served(lane, turn, lists),
        hops,
        own_cap,
        after: lists.delays.numbers(&delays::after(lane, turn)?),
    })
}

/// What a leg that a CPU moves takes of the cores: one, at the pace of one.
fn core(lane: &Lane<'_>, leg: &format::Leg, cap: Option<&OwnCap>, capacities: &Capacities) -> Option<Crossing> {
    let capacity = capacities.index(&Segment::Cores, lane.member, false)?;
    let rate = cap.filter(|_| matches!(leg.mover.value, Mover::Cpu | Mover::Staging))?.rate;
    let a_core = u128::from(Factor::ONE.0) * u128::from(Factor::ONE.0);
    let charge = u64::try_from(a_core / u128::from(rate.0.max(1))).unwrap_or(u64::MAX);
    Some(Crossing { capacity, charge: Factor(charge), traffic: Traffic::Cpu })
}

fn served(lane: &Lane<'_>, turn: Turn<'_>, lists: Lists<'_>) -> Vec<Served> {
    let services = services::services(lane, turn, lists.pools).into_iter();
    let served = services.filter_map(|service| {
        let (pool, delay) = (service.delay.service_of?, lists.delays.index(&service.delay)?);
        Some(Served { hold: Hold::one(pool), delay, keeps: service.keeps })
    });
    served.collect()
}

fn hop(lane: &Lane<'_>, leg: &format::Leg, position: usize, capacities: &Capacities) -> Result<Hop, Fault> {
    let hop = &leg.hops[position];
    let crossed = route::crossed(lane, &leg.hops, position).ok_or_else(|| no_way(leg, hop, lane.site.sources))?;
    let crossed = crossed.into_iter().chain(route::staged(lane, leg.mover.value, hop));
    let moves = leg.moves.map_or(Factor::ONE, |moves| blocks::share(lane.work, moves));
    let crosses = crossed.filter_map(|(segment, charge, traffic)| {
        let capacity = capacities.index(&segment, lane.member, route::is_local(hop))?;
        Some(Crossing { capacity, charge: charge.times(moves), traffic })
    });
    Ok(Hop { from: hop.from.value, to: hop.to.value, crosses: crosses.collect() })
}

/// Says that no way leads from a hop's one end to the other.
pub(super) fn no_way(leg: &format::Leg, hop: &format::Hop, sources: &Sources) -> Fault {
    let (here, there) = (word(hop.from.value), word(hop.to.value));
    let message = format!("leg \"{}\": no way leads from {here} to {there}", leg.name.value);
    Fault::at(sources, &hop.to.span, message, "cannot be reached like this").help(
        "ways lead from storage to nic and back (or to pcie, where it is local), from device to device or to a buffer \
         through pcie, \
         and from buffer to buffer of the other kind",
    )
}

/// A station as it is spelled in files.
pub(super) fn word(station: Station) -> &'static str {
    match station {
        Station::Storage => "storage",
        Station::Nic => "nic",
        Station::Pcie => "pcie",
        Station::SocketBuffer => "socket buffer",
        Station::KernelBuffer => "kernel buffer",
        Station::UserBuffer => "user buffer",
        Station::BounceBuffer => "bounce buffer",
        Station::Hbm => "hbm",
    }
}

/// Named slots first, then the mover's own.
fn holds(lane: &Lane<'_>, turn: Turn<'_>, pools: &Pools) -> Vec<Hold> {
    let named = turn.leg().holds.iter().filter_map(|slot| {
        let pool = slots::pool(lane.site, slot, lane.name, lane.work, (lane.member, lane.gpu.0))?;
        Some(slots::hold(turn.path, slot, pools.index(&pool)?))
    });
    let movers = mover_pools(lane, turn).into_iter().filter_map(|name| pools.index(&name)).map(Hold::one);
    named.chain(movers).collect()
}

/// Movers with slots are copy engines, and the driver where it stages one copy at a time.
fn mover_pools(lane: &Lane<'_>, turn: Turn<'_>) -> Vec<String> {
    let (gpu, to_gpu) = ((lane.member, lane.gpu.0), turn.to_gpu());
    match turn.leg().mover.value {
        Mover::CopyEngine => vec![pools::engine(gpu, to_gpu)],
        Mover::Staging if stages_alone(lane, turn) => vec![pools::staging(gpu, to_gpu)],
        Mover::Cpu | Mover::Staging | Mover::Nic | Mover::Drive | Mover::Gpu | Mover::None => Vec::new(),
    }
}

/// Whether what moves is large enough that the driver stages one at a time.
fn stages_alone(lane: &Lane<'_>, turn: Turn<'_>) -> bool {
    let Some(pageable) = &lane.site.scenario.node.gpu.copies.pageable else { return false };
    let above = if turn.to_gpu() { &pageable.serial_above_to_gpu } else { &pageable.serial_above_from_gpu };
    above.as_ref().is_none_or(|above| sizes::moved(lane.work, turn.path) > above.value)
}

fn buffers(lane: &Lane<'_>, leg: &format::Leg, pools: &Pools) -> Vec<Hold> {
    let rests = leg.hops.last().is_some_and(|hop| in_memory(hop.to.value));
    let pool = pools.index(&pools::buffers_of(lane.member)).filter(|_| rests);
    pool.into_iter().map(Hold::bytes).collect()
}

/// Whether a station is in the GPU's memory.
pub(super) fn in_hbm(station: Station) -> bool {
    matches!(station, Station::BounceBuffer | Station::Hbm)
}

/// Whether a station is a buffer in system memory.
pub(super) fn in_memory(station: Station) -> bool {
    matches!(station, Station::SocketBuffer | Station::KernelBuffer | Station::UserBuffer)
}
