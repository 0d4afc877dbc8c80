//! From a hop to the pieces of hardware that it crosses, and how many bytes each is charged for a byte.
//!
//! A node is a tree: sockets at the root, switches, devices. A way goes up from one device to the top and down to the other;
//! where a path names the top (`pcie`), the way up belongs to the hop that ends there and the way down to the hop that
//! begins there. Knows topology. Must not know rates.

use crate::format::{Hop, Work};
use engine::units::Factor;
use engine::{Direction, Mover, Station, Traffic};

use super::charges::{Touch, charge};
use super::cluster::{self, Member};
use super::legs::in_memory;
use super::segment::{Segment, Way};
use super::topology::Place;
use super::{Site, data_nodes, targets};

/// A segment, the bytes that it is charged for a byte of payload, and who moves them.
pub(super) type Crossed = (Segment, Factor, Traffic);

/// One GPU's requests: whose they are, and the devices that they use.
#[derive(Clone, Copy)]
pub(super) struct Lane<'a> {
    pub(super) site: &'a Site<'a>,
    pub(super) name: &'a str,
    pub(super) work: &'a Work,
    /// The node that the GPU is in.
    pub(super) member: Member,
    pub(super) gpu: (u64, Place),
    /// The NIC that serves it, if any does.
    pub(super) nic: Option<(u64, Place)>,
    /// Whether a leg says that its buffers may be in the cache or are not.
    pub(super) resident: Option<bool>,
}

impl<'a> Lane<'a> {
    /// The way of a GPU's requests of a work.
    pub(super) fn of(site: &'a Site<'a>, name: &'a str, work: &'a Work, (member, gpu): (Member, u64)) -> Lane<'a> {
        let nic = site.topology.nic_of(gpu, work.nic.value);
        let nic = nic.and_then(|nic| Some((nic, *site.topology.nics.get(&nic)?)));
        Lane { site, name, work, member, gpu: (gpu, site.topology.gpus[&gpu]), nic, resident: None }
    }

    /// Its number among the GPUs of all nodes.
    pub(super) fn rank(&self) -> u64 {
        self.member.number * self.site.topology.gpus.len() as u64 + self.gpu.0
    }
}

/// An end of a way through the PCIe tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Nic(u64, Place),
    Gpu(u64, Place),
    /// Local drives.
    Drives(Place),
    /// Buffers lie in the memory of the GPU's socket.
    Memory(u64),
}

/// What the hop at `position` of a row crosses; `None` where no way leads from its one end to the other.
pub(super) fn crossed(lane: &Lane<'_>, hops: &[Hop], position: usize) -> Option<Vec<Crossed>> {
    let hop = hops.get(position)?;
    let before = position.checked_sub(1).and_then(|i| hops.get(i)).map(|hop| hop.from.value);
    let beyond = hops.get(position + 1).map(|hop| hop.to.value);
    match (hop.from.value, hop.to.value) {
        (Station::Storage, Station::Nic) => from_storage(lane),
        (Station::Nic, Station::Storage) => to_storage(lane),
        (from, to) if in_memory(from) && in_memory(to) => Some(vec![memory(lane, copy_between(from, to))]),
        (Station::BounceBuffer, Station::Hbm) | (Station::Hbm, Station::BounceBuffer) => Some(within(lane)),
        (from, Station::Pcie) => {
            let way =
                along(lane, ends(lane, from, beyond?)?, |from, to| [up(lane, from, to), top(lane, from, to)].concat());
            Some([out_of_drives(lane, from), way].concat())
        }
        (Station::Pcie, to) => {
            let way = along(lane, ends(lane, before?, to)?, |from, to| down(lane, from, to));
            Some([way, into_drives(lane, to)].concat())
        }
        (from, to) => {
            let (from, to) = ends(lane, from, to)?;
            Some([up(lane, from, to), top(lane, from, to), down(lane, from, to)].concat())
        }
    }
}

/// What a way crosses; of one that begins or ends at local drives, each place's part of a byte.
fn along(lane: &Lane<'_>, (from, to): (End, End), way: impl Fn(End, End) -> Vec<Crossed>) -> Vec<Crossed> {
    let places = || lane.site.topology.drives_by_place(lane.gpu.1).into_iter();
    let ways: Vec<(End, End, Factor)> = match (from, to) {
        (End::Drives(_), to) => places().map(|(place, part)| (End::Drives(place), to, part)).collect(),
        (from, End::Drives(_)) => places().map(|(place, part)| (from, End::Drives(place), part)).collect(),
        (from, to) => vec![(from, to, Factor::ONE)],
    };
    let of_part = |(from, to, part): (End, End, Factor)| {
        let crossed = way(from, to).into_iter();
        crossed.map(move |(segment, charge, traffic)| (segment, charge.times(part), traffic)).collect::<Vec<_>>()
    };
    ways.into_iter().flat_map(of_part).collect()
}

/// What bytes cross on their way out of local drives.
fn out_of_drives(lane: &Lane<'_>, from: Station) -> Vec<Crossed> {
    let crossed = target(lane, Direction::Read).into_iter().chain([drives(lane, Way::Up)]);
    crossed.filter(|_| from == Station::Storage).collect()
}

/// What bytes cross on their way into local drives.
fn into_drives(lane: &Lane<'_>, to: Station) -> Vec<Crossed> {
    let crossed = [drives(lane, Way::Down)].into_iter().chain(target(lane, Direction::Write));
    crossed.filter(|_| to == Station::Storage).collect()
}

/// A copy within HBM reads and writes it.
fn within(lane: &Lane<'_>) -> Vec<Crossed> {
    vec![(Segment::Hbm(lane.gpu.0), Factor(2 * Factor::ONE.0), Traffic::default())]
}

fn from_storage(lane: &Lane<'_>) -> Option<Vec<Crossed>> {
    let (nic, _) = lane.nic?;
    let ports = [Segment::NicRx(nic), Segment::NicBoth(nic)].map(whole);
    Some(target(lane, Direction::Read).into_iter().chain(network(lane, Way::Down)).chain(ports).collect())
}

fn to_storage(lane: &Lane<'_>) -> Option<Vec<Crossed>> {
    let (nic, _) = lane.nic?;
    let ports = [Segment::NicTx(nic), Segment::NicBoth(nic)].map(whole);
    Some(ports.into_iter().chain(network(lane, Way::Up)).chain(target(lane, Direction::Write)).collect())
}

/// The whole of the network, and the uplinks of the node's leaf.
fn network(lane: &Lane<'_>, way: Way) -> impl Iterator<Item = Crossed> + use<> {
    let leaf = cluster::leaf_of(lane.site, lane.member).map(|leaf| whole(Segment::Leaf(leaf, way)));
    [whole(Segment::Fabric(way))].into_iter().chain(leaf)
}

/// Whether a hop leads to drives of the node itself, or from them.
pub(super) fn is_local(hop: &Hop) -> bool {
    matches!((hop.from.value, hop.to.value), (Station::Storage, Station::Pcie) | (Station::Pcie, Station::Storage))
}

fn target(lane: &Lane<'_>, direction: Direction) -> Vec<Crossed> {
    let whole = targets::crossed(lane.site, lane.name, lane.work, direction).into_iter();
    let crossed = whole.chain(data_nodes::crossed(lane.site, lane.name, lane.work, lane.rank(), direction));
    crossed.map(|(segment, charge)| (segment, charge, Traffic::default())).collect()
}

/// The link of local drives.
fn drives(lane: &Lane<'_>, way: Way) -> Crossed {
    whole(targets::link_crossed(lane.site, lane.name, lane.work, way))
}

fn whole(segment: Segment) -> Crossed {
    (segment, Factor::ONE, Traffic::default())
}

fn memory(lane: &Lane<'_>, touch: Touch) -> Crossed {
    (Segment::Dram, charge(lane, touch), touch.traffic())
}

/// A thread's copy from buffer to buffer: in, on the way from the network to the user; else out.
fn copy_between(from: Station, to: Station) -> Touch {
    if from == Station::SocketBuffer || to == Station::UserBuffer { Touch::CopyIn } else { Touch::CopyOut }
}

/// The driver's own copy, besides what its DMA charges: out of a user buffer on the way to the GPU, into one on the way back.
pub(super) fn staged(lane: &Lane<'_>, mover: Mover, hop: &Hop) -> Option<Crossed> {
    match (mover, in_memory(hop.from.value), in_memory(hop.to.value)) {
        (Mover::Staging, true, false) => Some(memory(lane, Touch::CopyOut)),
        (Mover::Staging, false, true) => Some(memory(lane, Touch::CopyIn)),
        _ => None,
    }
}

/// The two ends of a way through the PCIe tree: two devices, or a device and memory.
fn ends(lane: &Lane<'_>, from: Station, to: Station) -> Option<(End, End)> {
    let end = |station| match station {
        Station::Nic => lane.nic.map(|(nic, place)| End::Nic(nic, place)),
        Station::Hbm | Station::BounceBuffer => Some(End::Gpu(lane.gpu.0, lane.gpu.1)),
        Station::SocketBuffer | Station::KernelBuffer | Station::UserBuffer => Some(End::Memory(lane.gpu.1.socket)),
        Station::Storage => Some(End::Drives(lane.gpu.1)),
        Station::Pcie => None,
    };
    let (from, to) = (end(from)?, end(to)?);
    (from != to).then_some((from, to))
}

fn socket(end: End) -> u64 {
    match end {
        End::Nic(_, place) | End::Gpu(_, place) | End::Drives(place) => place.socket,
        End::Memory(socket) => socket,
    }
}

fn switch(end: End) -> Option<u64> {
    match end {
        End::Nic(_, place) | End::Gpu(_, place) | End::Drives(place) => place.switch,
        End::Memory(_) => None,
    }
}

/// The switch below which two devices speak to each other without going up to the socket: access control sends them up.
fn shared_switch(lane: &Lane<'_>, a: End, b: End) -> Option<u64> {
    let redirected = lane.site.scenario.node.software.acs == Some(true);
    switch(a).filter(|_| switch(a) == switch(b) && !redirected)
}

/// A device's switch, where the way leaves it upwards.
fn uplink(lane: &Lane<'_>, of: End, other: End, way: Way) -> Option<Crossed> {
    let switch = switch(of).filter(|_| shared_switch(lane, of, other).is_none())?;
    Some(whole(Segment::SwitchPcie(switch, way)))
}

fn up(lane: &Lane<'_>, from: End, to: End) -> Vec<Crossed> {
    let device = match from {
        End::Nic(nic, _) => vec![whole(Segment::NicPcie(nic, Way::Up))],
        End::Gpu(gpu, _) => {
            [Segment::Hbm(gpu), Segment::GpuPcie(gpu, Way::Up), Segment::GpuBoth(gpu)].map(whole).into()
        }
        End::Drives(_) => Vec::new(),
        End::Memory(_) => vec![memory(lane, Touch::DmaRead)],
    };
    device.into_iter().chain(uplink(lane, from, to, Way::Up)).collect()
}

fn top(lane: &Lane<'_>, from: End, to: End) -> Vec<Crossed> {
    if let Some(switch) = shared_switch(lane, from, to) {
        let towards_gpu = matches!(to, End::Gpu(..));
        return vec![whole(if towards_gpu { Segment::SwitchToGpu(switch) } else { Segment::SwitchFromGpu(switch) })];
    }
    let (here, there) = (socket(from), socket(to));
    let crossing = (here != there).then_some((here, there));
    let (complex, link) = match (from, to) {
        // Small packets cost on the link that they arrive at; into drives that is each drive's own.
        (End::Nic(..) | End::Drives(_), End::Gpu(gpu, _)) => {
            (Some(Segment::RootComplexToGpu(gpu)), crossing.map(across))
        }
        (End::Gpu(..), End::Nic(nic, _)) => (Some(Segment::RootComplexFromGpu(nic)), crossing.map(across)),
        (End::Gpu(..), End::Drives(_)) => (None, crossing.map(across)),
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
        End::Gpu(gpu, _) => {
            [Segment::GpuPcie(gpu, Way::Down), Segment::GpuBoth(gpu), Segment::Hbm(gpu)].map(whole).into()
        }
        End::Drives(_) => Vec::new(),
        End::Memory(_) => vec![memory(lane, Touch::DmaWrite)],
    };
    uplink(lane, to, from, Way::Down).into_iter().chain(device).collect()
}
