//! From a hop to the pieces of hardware that it crosses, and how many bytes each is charged for a byte.
//!
//! A node is a tree: sockets at the root, switches, devices. A way goes up from one device to the top and down to the other;
//! where a path names the top (`pcie`), the way up belongs to the hop that ends there and the way down to the hop that
//! begins there. Knows topology. Must not know rates.

use crate::platform::plan::Traffic;
use crate::spec::{Direction, Hop, Mover, Station, Work};
use crate::units::Factor;

use super::Site;
use super::capacities::target_of;
use super::charges::{Touch, charge};
use super::segment::{Segment, Way};
use super::topology::Place;

/// A segment, the bytes that it is charged for a byte of payload, and who moves them.
pub(super) type Crossed = (Segment, Factor, Traffic);

/// One GPU's requests: whose they are, and the devices that they use.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) name: &'a str,
    pub(super) work: &'a Work,
    pub(super) gpu: (u64, Place),
    pub(super) nic: (u64, Place),
}

impl<'a> Lane<'a> {
    /// The way of a GPU's requests of a work; `None` where the work's choice leaves it no NIC.
    pub(super) fn of(site: &'a Site<'a>, name: &'a str, work: &'a Work, gpu: u64) -> Option<Lane<'a>> {
        let nic = site.topology.nic_of(gpu, work.nic.value)?;
        let (gpu, nic) = ((gpu, *site.topology.gpus.get(&gpu)?), (nic, *site.topology.nics.get(&nic)?));
        Some(Lane { site, name, work, gpu, nic })
    }
}

/// An end of a way through the PCIe tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Nic(u64, Place),
    Gpu(u64, Place),
    /// Buffers lie in the memory of the GPU's socket.
    Memory(u64),
}

/// What the hop at `position` of a row crosses; `None` where no way leads from its one end to the other.
pub(super) fn crossed(lane: &Lane<'_>, hops: &[Hop], position: usize) -> Option<Vec<Crossed>> {
    let hop = hops.get(position)?;
    let before = position.checked_sub(1).and_then(|i| hops.get(i)).map(|hop| hop.from.value);
    let beyond = hops.get(position + 1).map(|hop| hop.to.value);
    match (hop.from.value, hop.to.value) {
        (Station::Storage, Station::Nic) => Some(from_storage(lane)),
        (Station::Nic, Station::Storage) => Some(to_storage(lane)),
        (Station::KernelBuffer, Station::UserBuffer) | (Station::UserBuffer, Station::KernelBuffer) => {
            Some(vec![memory(lane, copy_towards(hop.to.value))])
        }
        (from, Station::Pcie) => {
            let (from, to) = ends(lane, from, beyond?)?;
            Some([up(lane, from, to), top(from, to)].concat())
        }
        (Station::Pcie, to) => {
            let (from, to) = ends(lane, before?, to)?;
            Some(down(lane, from, to))
        }
        (from, to) => {
            let (from, to) = ends(lane, from, to)?;
            Some([up(lane, from, to), top(from, to), down(lane, from, to)].concat())
        }
    }
}

fn from_storage(lane: &Lane<'_>) -> Vec<Crossed> {
    let target = target_of(lane.site, lane.name, lane.work, Direction::Read);
    let (nic, _) = lane.nic;
    vec![(target, striping(lane), Traffic::default()), whole(Segment::Fabric(Way::Down)), whole(Segment::NicRx(nic))]
}

fn to_storage(lane: &Lane<'_>) -> Vec<Crossed> {
    let target = target_of(lane.site, lane.name, lane.work, Direction::Write);
    let (nic, _) = lane.nic;
    vec![whole(Segment::NicTx(nic)), whole(Segment::Fabric(Way::Up)), (target, striping(lane), Traffic::default())]
}

/// A layout that reaches the share e of the target's rate uses 1/e bytes of it for a byte, rounded up.
fn striping(lane: &Lane<'_>) -> Factor {
    let efficiency = lane.site.target(lane.work).striping_efficiency.as_ref();
    efficiency.map_or(Factor::ONE, |figure| {
        let billionths = u128::from(lane.site.ends.more_is_faster(figure).0).max(1);
        let one = u128::from(Factor::ONE.0);
        Factor(u64::try_from((one * one).div_ceil(billionths)).unwrap_or(u64::MAX))
    })
}

fn whole(segment: Segment) -> Crossed {
    (segment, Factor::ONE, Traffic::default())
}

fn memory(lane: &Lane<'_>, touch: Touch) -> Crossed {
    (Segment::Dram, charge(lane.site, lane.work, touch), touch.traffic())
}

/// A thread's copy into a buffer.
fn copy_towards(station: Station) -> Touch {
    if station == Station::UserBuffer { Touch::CopyIn } else { Touch::CopyOut }
}

/// The driver's own copy, besides what its DMA charges: out of a user buffer on the way to the GPU, into one on the way back.
pub(super) fn staged(lane: &Lane<'_>, mover: Mover, hop: &Hop) -> Option<Crossed> {
    let buffer = |station| matches!(station, Station::KernelBuffer | Station::UserBuffer);
    match (mover, buffer(hop.from.value), buffer(hop.to.value)) {
        (Mover::Staging, true, false) => Some(memory(lane, Touch::CopyOut)),
        (Mover::Staging, false, true) => Some(memory(lane, Touch::CopyIn)),
        _ => None,
    }
}

/// The two ends of a way through the PCIe tree: two devices, or a device and memory.
fn ends(lane: &Lane<'_>, from: Station, to: Station) -> Option<(End, End)> {
    let end = |station| match station {
        Station::Nic => Some(End::Nic(lane.nic.0, lane.nic.1)),
        Station::Hbm => Some(End::Gpu(lane.gpu.0, lane.gpu.1)),
        Station::KernelBuffer | Station::UserBuffer => Some(End::Memory(lane.gpu.1.socket)),
        Station::Storage | Station::Pcie => None,
    };
    let (from, to) = (end(from)?, end(to)?);
    (from != to).then_some((from, to))
}

fn socket(end: End) -> u64 {
    match end {
        End::Nic(_, place) | End::Gpu(_, place) => place.socket,
        End::Memory(socket) => socket,
    }
}

fn switch(end: End) -> Option<u64> {
    match end {
        End::Nic(_, place) | End::Gpu(_, place) => place.switch,
        End::Memory(_) => None,
    }
}

/// Two devices below one switch speak to each other without going up to the socket.
fn share_a_switch(a: End, b: End) -> bool {
    switch(a).is_some() && switch(a) == switch(b)
}

/// A device's switch, where the way leaves it upwards.
fn uplink(of: End, other: End, way: Way) -> Option<Crossed> {
    let switch = switch(of).filter(|_| !share_a_switch(of, other))?;
    Some(whole(Segment::SwitchPcie(switch, way)))
}

fn up(lane: &Lane<'_>, from: End, to: End) -> Vec<Crossed> {
    let device = match from {
        End::Nic(nic, _) => vec![whole(Segment::NicPcie(nic, Way::Up))],
        End::Gpu(gpu, _) => vec![whole(Segment::Hbm(gpu)), whole(Segment::GpuPcie(gpu, Way::Up))],
        End::Memory(_) => vec![memory(lane, Touch::DmaRead)],
    };
    device.into_iter().chain(uplink(from, to, Way::Up)).collect()
}

fn top(from: End, to: End) -> Vec<Crossed> {
    if share_a_switch(from, to) {
        return Vec::new();
    }
    let (here, there) = (socket(from), socket(to));
    let crossing = (here != there).then_some((here, there));
    let (complex, link) = match (from, to) {
        (End::Nic(nic, _), End::Gpu(..)) => (Some(Segment::RootComplexToGpu(nic)), crossing.map(across)),
        (End::Gpu(..), End::Nic(nic, _)) => (Some(Segment::RootComplexFromGpu(nic)), crossing.map(across)),
        _ => (None, crossing.map(|(from, to)| Segment::SocketLink(from, to))),
    };
    complex.into_iter().chain(link).map(whole).collect()
}

fn across((from, to): (u64, u64)) -> Segment {
    Segment::Across(from, to)
}

fn down(lane: &Lane<'_>, from: End, to: End) -> Vec<Crossed> {
    let device = match to {
        End::Nic(nic, _) => vec![whole(Segment::NicPcie(nic, Way::Down))],
        End::Gpu(gpu, _) => vec![whole(Segment::GpuPcie(gpu, Way::Down)), whole(Segment::Hbm(gpu))],
        End::Memory(_) => vec![memory(lane, Touch::DmaWrite)],
    };
    uplink(to, from, Way::Down).into_iter().chain(device).collect()
}
