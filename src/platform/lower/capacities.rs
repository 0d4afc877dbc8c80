//! What each piece of hardware can carry.
//!
//! Knows rates of parts. Must not know which way bytes go.

use std::collections::BTreeSet;

use crate::error::Fault;
use crate::format::{self, Figure, Iommu, Link, Nic};
use engine::units::{Factor, Rate};
use engine::{Capacity, Direction, Kind, Soft};

use super::cluster::{self, Member};
use super::ends::Assumed;
use super::segment::{Segment, Way};
use super::{Site, charges, data_nodes, lanes, peers, targets};

/// All capacities of a scenario, sorted by name.
pub(in crate::platform) struct Capacities(Vec<Capacity>);

impl Capacities {
    /// What the hardware of a scenario can carry.
    pub(in crate::platform) fn of(site: &Site<'_>) -> Result<Capacities, Fault> {
        let mut list = shared(site);
        let own: Vec<Capacity> = node(site).into_iter().chain(targets::of_each_node(site)).collect();
        for member in site.members() {
            list.extend(own.iter().map(|one| Capacity { name: member.name(&one.name), ..one.clone() }));
        }
        list.sort_by(|a, b| a.name.cmp(&b.name));
        cluster::take_background(site, &mut list)?;
        Ok(Capacities(list))
    }

    /// The number of a segment as a node meets it; `None` where nothing limits it. What is local is the node's own.
    pub(super) fn index(&self, segment: &Segment, member: Member, local: bool) -> Option<usize> {
        let name = segment.name();
        let name = if segment.is_shared() && !local { name } else { member.name(&name) };
        self.0.binary_search_by(|capacity| capacity.name.cmp(&name)).ok()
    }

    /// What a capacity is.
    pub(super) fn kind(&self, index: usize) -> Option<Kind> {
        self.0.get(index).map(|capacity| capacity.kind)
    }

    /// What they are called, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|capacity| capacity.name.as_str())
    }

    /// The list, for the plan.
    pub(in crate::platform) fn into_list(self) -> Vec<Capacity> {
        self.0
    }
}

/// A rate, what it is nominally, and whether it rests on an assumption.
#[derive(Clone, Copy)]
pub(super) struct Carries {
    pub(super) rate: Rate,
    pub(super) line_rate: Option<Rate>,
    pub(super) assumed: bool,
}

impl Carries {
    pub(super) fn capacity(self, segment: Segment) -> Capacity {
        let (group, kind) = segment.group();
        let Carries { rate, line_rate, assumed } = self;
        Capacity { name: segment.name(), group: group.to_string(), kind, rate, line_rate, soft: None, assumed }
    }
}

fn node(site: &Site<'_>) -> Vec<Capacity> {
    let node = &site.scenario.node;
    let mut list = vec![dram(site)];
    list.extend(cores(site));
    for &gpu in site.topology.gpus.keys() {
        let pcie = link(site, &node.gpu.link, |way| Segment::GpuPcie(gpu, way));
        let pcie = pcie.map(|link| narrowed(link, lanes::of_gpu(node, gpu)));
        list.extend(pcie.clone());
        list.push(plain(site, &node.gpu.hbm).capacity(Segment::Hbm(gpu)));
        list.extend(both_directions(site, &pcie).map(|both| both.capacity(Segment::GpuBoth(gpu))));
    }
    for (&nic, model) in site.topology.nics.keys().zip(node.nic.iter().cycle()) {
        list.extend(ports(site, model, nic));
        let from = peers::root_complex_from_gpu(&node.peer_to_peer);
        list.push(peer(site, &from).capacity(Segment::RootComplexFromGpu(nic)));
    }
    for &gpu in site.topology.gpus.keys() {
        let to = peers::root_complex_to_gpu(&node.peer_to_peer);
        list.push(peer(site, &to).capacity(Segment::RootComplexToGpu(gpu)));
    }
    for (number, switch) in (0..).zip(&node.switches) {
        list.extend(link(site, &switch.uplink, |way| Segment::SwitchPcie(number, way)));
        list.extend(below(site, number));
    }
    list.extend(between_sockets(site));
    list
}

/// What a node's own are called, in the node.
pub(super) fn names_of_node(site: &Site<'_>) -> Vec<String> {
    node(site).into_iter().chain(targets::of_each_node(site)).map(|capacity| capacity.name).collect()
}

/// What both directions of a GPU's link carry together where no figure says so: a part of their sum. Public measurements lie
/// between 0.70 (nvbandwidth's README: 18.5 of 26.0 GB/s each way on Gen4) and 0.96 (96 of 2 x 55 GB/s on Gen5 is 0.87; 24.1 of
/// 28.4 on another Gen4 part is 0.85).
const BOTH: [(Assumed, u64); 3] = [(Assumed::Value, 850), (Assumed::Slow, 700), (Assumed::Fast, 1000)];

/// What both directions of a GPU's link carry together, where works go both ways or a figure says it.
fn both_directions(site: &Site<'_>, pcie: &[Capacity; 2]) -> Option<Carries> {
    if let Some(rate) = &site.scenario.node.gpu.both_directions {
        return Some(plain(site, rate));
    }
    let ways: BTreeSet<bool> = site
        .scenario
        .works
        .values()
        .filter_map(|work| Some(site.path(&work.value).ok()?.direction == Direction::Read))
        .collect();
    let part = BOTH.iter().find(|(end, _)| *end == site.ends.0).map_or(1000, |(_, part)| *part);
    let sum = pcie[0].rate.0.saturating_add(pcie[1].rate.0);
    (ways.len() > 1).then(|| Carries { rate: part_of(Rate(sum), part, 1000), line_rate: None, assumed: true })
}

/// The CPUs of a node, where more steps may run at once than there are; counted in billionths of a core.
fn cores(site: &Site<'_>) -> Option<Capacity> {
    let threads = site.scenario.node.cpu.threads.value;
    let running = site.scenario.works.values().map(|work| {
        let work = &work.value;
        let gpus = site.gpus(work).filter(|(member, _)| member.number == 0).count() as u64;
        work.threads.value.saturating_mul(work.depth.value).saturating_mul(gpus)
    });
    let open = site.scenario.works.values().any(|work| work.value.arrivals.is_some());
    let running = running.fold(0, u64::saturating_add);
    let rate = Rate(threads.saturating_mul(Factor::ONE.0));
    (open || running > threads).then(|| Carries { rate, line_rate: None, assumed: false }.capacity(Segment::Cores))
}

/// What all nodes share.
fn shared(site: &Site<'_>) -> Vec<Capacity> {
    let fabric = site.scenario.fabric.as_ref().and_then(|fabric| fabric.rate.as_ref());
    let fabric = fabric.into_iter().flat_map(|rate| {
        let fabric = nominal(site, rate);
        [Way::Up, Way::Down].map(|way| fabric.capacity(Segment::Fabric(way)))
    });
    let target = targets::of_all(site).into_iter().chain(data_nodes::capacities(site));
    fabric.chain(cluster::leaves(site)).chain(target).collect()
}

/// What peers below a switch carry to each other: where nothing is said, what their links do, unless the IOMMU translates.
fn below(site: &Site<'_>, switch: u64) -> Vec<Capacity> {
    let limits = site.scenario.node.peer_to_peer.as_ref();
    let ways = [
        (limits.and_then(|limits| limits.switch_to_gpu.clone()), Segment::SwitchToGpu(switch)),
        (limits.and_then(|limits| limits.switch_from_gpu.clone()), Segment::SwitchFromGpu(switch)),
    ];
    let carries = |(rate, segment): (Option<Figure<Rate>>, Segment)| {
        let rate = rate.or_else(|| translates(site).then(|| peers::translated(&site.scenario.node.peer_to_peer)))?;
        Some(peer(site, &rate).capacity(segment))
    };
    ways.into_iter().filter_map(carries).collect()
}

fn translates(site: &Site<'_>) -> bool {
    site.scenario.node.software.iommu == Some(Iommu::On)
}

/// What peers reach, or what is left of it where the IOMMU translates each address.
fn peer(site: &Site<'_>, rate: &Figure<Rate>) -> Carries {
    let free = plain(site, rate);
    if !translates(site) {
        return free;
    }
    let translated = plain(site, &peers::translated(&site.scenario.node.peer_to_peer));
    if translated.rate < free.rate { translated } else { free }
}

fn between_sockets(site: &Site<'_>) -> Vec<Capacity> {
    let node = &site.scenario.node;
    let across = peers::across_sockets(&node.peer_to_peer);
    let sockets = site.topology.sockets;
    let pairs = (0..sockets).flat_map(|from| (0..sockets).map(move |to| (from, to))).filter(|(from, to)| from != to);
    pairs
        .flat_map(|(from, to)| {
            let link = node.socket_link.as_ref().map(|rate| plain(site, rate).capacity(Segment::SocketLink(from, to)));
            let peer = Some(peer(site, &across).capacity(Segment::Across(from, to)));
            link.into_iter().chain(peer)
        })
        .collect()
}

pub(super) fn plain(site: &Site<'_>, rate: &Figure<Rate>) -> Carries {
    Carries { rate: site.ends.more_is_faster(rate), line_rate: None, assumed: rate.is_assumed() }
}

pub(super) fn nominal(site: &Site<'_>, rate: &Figure<Rate>) -> Carries {
    let carries = plain(site, rate);
    Carries { line_rate: Some(carries.rate), ..carries }
}

/// The charges and the soft law decide as much as the rate how soon memory is full.
fn dram(site: &Site<'_>) -> Capacity {
    let dram = &site.scenario.node.dram;
    let law = dram.soft.as_ref();
    let assumed = dram.rate.is_assumed() || charges::are_assumed(dram) || law.is_some_and(law_is_assumed);
    let carries = Carries { assumed, ..plain(site, &dram.rate) };
    Capacity { soft: law.map(|law| soft(site, law)), ..carries.capacity(Segment::Dram) }
}

fn soft(site: &Site<'_>, law: &format::Soft) -> Soft {
    let format::Soft { cpu, dma_read, dma_write, power } = law;
    let [cpu, dma_read, dma_write] = [cpu, dma_read, dma_write].map(|rate| site.ends.more_is_faster(rate));
    Soft { cpu, dma_read, dma_write, power: site.ends.more_is_faster(power) }
}

fn law_is_assumed(law: &format::Soft) -> bool {
    [&law.cpu, &law.dma_read, &law.dma_write].into_iter().any(Figure::is_assumed) || law.power.is_assumed()
}

fn ports(site: &Site<'_>, model: &Nic, nic: u64) -> Vec<Capacity> {
    let line = nominal(site, &model.line_rate);
    let port = model.rate.as_ref().map_or(line, |rate| Carries { line_rate: line.line_rate, ..plain(site, rate) });
    let mut list = vec![port.capacity(Segment::NicRx(nic)), port.capacity(Segment::NicTx(nic))];
    list.extend(model.both_directions.iter().map(|rate| plain(site, rate).capacity(Segment::NicBoth(nic))));
    let pcie = link(site, &model.link, |way| Segment::NicPcie(nic, way));
    list.extend(pcie.map(|link| narrowed(link, lanes::of_nic(&site.scenario.node, nic))));
    list
}

pub(super) fn link(site: &Site<'_>, link: &Link, segment: impl Fn(Way) -> Segment) -> [Capacity; 2] {
    [(Way::Up, &link.rate_up), (Way::Down, &link.rate_down)].map(|(way, measured)| {
        let line_rate = Some(after_coding(site, link));
        let computed = || Carries { rate: after_packets(site, link), line_rate, assumed: rests_on_assumption(link) };
        let carries = measured.as_ref().map_or_else(computed, |rate| Carries { line_rate, ..plain(site, rate) });
        narrowed(carries.capacity(segment(way)), lanes::of_link(link))
    })
}

/// A link with so many of its lanes.
fn narrowed(link: Capacity, (trained, of): (u64, u64)) -> Capacity {
    let part = |rate| part_of(rate, trained.min(of), of);
    Capacity { rate: part(link.rate), line_rate: link.line_rate.map(part), ..link }
}

/// What line coding leaves of a link's raw rate.
fn after_coding(site: &Site<'_>, link: &Link) -> Rate {
    let coding = link.encoding.as_ref().map_or(Factor::ONE, |figure| site.ends.more_is_faster(figure));
    part_of(site.ends.more_is_faster(&link.raw), coding.0, Factor::ONE.0)
}

/// What coding and packet headers leave of it.
fn after_packets(site: &Site<'_>, link: &Link) -> Rate {
    let payload = link.max_payload.as_ref().map_or(1, |figure| site.ends.more_is_faster(figure).0);
    let overhead = link.packet_overhead.as_ref().map_or(0, |figure| site.ends.less_is_faster(figure).0);
    let overhead = if link.max_payload.is_some() { overhead } else { 0 };
    part_of(after_coding(site, link), payload, payload.saturating_add(overhead))
}

fn rests_on_assumption(link: &Link) -> bool {
    let coding = link.encoding.as_ref().is_some_and(Figure::is_assumed);
    let payload = link.max_payload.as_ref().is_some_and(Figure::is_assumed);
    let overhead = link.packet_overhead.as_ref().is_some_and(Figure::is_assumed);
    link.raw.is_assumed() || coding || payload || overhead
}

/// `rate * part / whole`, rounded down.
fn part_of(rate: Rate, part: u64, whole: u64) -> Rate {
    let scaled = (u128::from(rate.0) * u128::from(part)).checked_div(u128::from(whole)).unwrap_or(0);
    Rate(u64::try_from(scaled).unwrap_or(u64::MAX))
}
