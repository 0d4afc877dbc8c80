//! What a target's data nodes carry, and how a lane's bytes are spread over them.
//!
//! Knows stripes and caches. Must not know which way leads to a target.

use crate::format::{DataNodes, Figure, Target, Work};
use engine::units::{Factor, Rate};
use engine::{Capacity, Copies, Direction};

use super::Site;
use super::capacities::{Carries, plain};
use super::cluster;
use super::segment::Segment;
use super::sizes;
use super::targets::own;

/// All data nodes of the scenario's target, and again those that a work meets in another way.
pub(super) fn capacities(site: &Site<'_>) -> Vec<Capacity> {
    let mut list = of_target(site, &site.scenario.target, &None);
    for (name, work) in &site.scenario.works {
        let whose = whose(site, name, &work.value);
        if whose.is_some() {
            list.extend(of_target(site, site.target(&work.value), &whose));
        }
    }
    list
}

/// The work's name where the data nodes that it meets are not the scenario's.
fn whose(site: &Site<'_>, name: &str, work: &Work) -> Option<String> {
    let rate = |figure: &Option<Figure<Rate>>| figure.as_ref().map(|figure| site.ends.more_is_faster(figure));
    own(site, name, work, |target| {
        let nodes = target.data_nodes.as_ref()?;
        let nics = site.ends.more_is_faster(&nodes.nics);
        Some((nodes.count.value, nics, rate(&nodes.media_read), rate(&nodes.media_write)))
    })
}

fn of_target(site: &Site<'_>, target: &Target, whose: &Option<String>) -> Vec<Capacity> {
    let Some(nodes) = &target.data_nodes else { return Vec::new() };
    let list = listed(site, nodes.count.value).flat_map(|node| {
        let nics = cluster_nics(site, nodes);
        let nics = [Direction::Read, Direction::Write].map(|way| nics.capacity(nic(node, way, whose)));
        let media = [(Direction::Read, &nodes.media_read), (Direction::Write, &nodes.media_write)];
        let media = media.map(|(way, rate)| {
            let rate = rate.as_ref().map(|rate| Carries { assumed: is_assumed(target), ..plain(site, rate) });
            rate.map(|rate| rate.capacity(self::media(node, way, whose)))
        });
        nics.into_iter().chain(media.into_iter().flatten()).collect::<Vec<_>>()
    });
    list.collect()
}

fn cluster_nics(site: &Site<'_>, nodes: &DataNodes) -> Carries {
    let carries = plain(site, &nodes.nics);
    Carries { line_rate: Some(carries.rate), ..carries }
}

/// The data nodes that are looked at. Where all files lie on all of them, one stands for all but the first, which may be the
/// fullest.
fn listed(site: &Site<'_>, count: u64) -> std::ops::Range<u64> {
    if site.compact && are_alike(site) { 0..count.min(2) } else { 0..count }
}

/// Whether every lane meets all data nodes alike, all but the first.
fn are_alike(site: &Site<'_>) -> bool {
    let targets: Vec<(u64, u64)> = stripes(site).collect();
    let all = targets.iter().all(|(width, count)| width == count && *count == targets[0].1);
    all && !cluster::patterns(site).any(|pattern| pattern.starts_with("data") || pattern.starts_with('*'))
}

/// How wide files lie on how many data nodes, target by target.
fn stripes(site: &Site<'_>) -> impl Iterator<Item = (u64, u64)> {
    let own = site.scenario.works.values().map(|work| site.target(&work.value));
    let targets = [&site.scenario.target].into_iter().chain(own);
    targets.filter_map(|target| {
        let count = target.data_nodes.as_ref()?.count.value.max(1);
        Some((width(target, count), count))
    })
}

/// After how many ranks stripes begin with the first data node again; nothing where all files lie on all of them.
pub(super) fn turns(site: &Site<'_>) -> Option<u64> {
    let counts = stripes(site).filter(|(width, count)| width < count).map(|stripe| stripe.1);
    counts.reduce(|a, b| a / gcd(a, b) * b)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How many data nodes one stands for.
pub(super) fn copies(site: &Site<'_>, name: &str) -> Copies {
    let others = stripes(site).map(|stripe| stripe.1 - 1).max().filter(|_| name.starts_with("data_node1."));
    others.filter(|_| site.compact && are_alike(site)).map_or(Copies::One, Copies::Striped)
}

/// Whether what media are charged with, or their rate, is assumed.
fn is_assumed(target: &Target) -> bool {
    let Some(nodes) = &target.data_nodes else { return false };
    let rates = [&nodes.media_read, &nodes.media_write].into_iter().flatten().any(Figure::is_assumed);
    let cache = nodes.cache.as_ref();
    let held = cache.and_then(|cache| cache.writes.as_ref()).is_some_and(Figure::is_assumed);
    let hits = cache.and_then(|cache| cache.read_hits.as_ref()).is_some_and(Figure::is_assumed);
    rates || held || hits || target.write_overhead.as_ref().is_some_and(Figure::is_assumed)
}

fn nic(node: u64, way: Direction, whose: &Option<String>) -> Segment {
    Segment::DataNic(node, way, whose.clone())
}

fn media(node: u64, way: Direction, whose: &Option<String>) -> Segment {
    Segment::DataMedia(node, way, whose.clone())
}

/// What a lane's byte crosses at the data nodes: of each node of its stripe a part of the NICs and of the media.
pub(super) fn crossed(site: &Site<'_>, name: &str, work: &Work, rank: u64, way: Direction) -> Vec<(Segment, Factor)> {
    let target = site.target(work);
    let Some(nodes) = &target.data_nodes else { return Vec::new() };
    let whose = whose(site, name, work);
    let (on_nics, on_media) = charges(site, work, target, nodes, way);
    let listed = listed(site, nodes.count.value);
    let stripe = stripe(site, target, nodes, rank).into_iter().filter(|(node, _)| listed.contains(node));
    let crossed = stripe.flat_map(|(node, part)| {
        [(nic(node, way, &whose), factor(part * on_nics)), (media(node, way, &whose), factor(part * on_media))]
    });
    crossed.collect()
}

/// Rounded up, so that no data node is ever passed.
fn factor(charge: f64) -> Factor {
    Factor((charge * Factor::ONE.0 as f64 - 1e-6).ceil().max(0.0) as u64)
}

/// Bytes of NICs and of media for a byte.
fn charges(site: &Site<'_>, work: &Work, target: &Target, nodes: &DataNodes, way: Direction) -> (f64, f64) {
    let less = |figure: &Option<Figure<Factor>>| figure.as_ref().map_or(1.0, |f| site.ends.less_is_faster(f).as_f64());
    let cache = nodes.cache.as_ref();
    match way {
        Direction::Read => {
            let hits = cache.and_then(|cache| cache.read_hits.as_ref());
            (1.0, 1.0 - hits.map_or(0.0, |hits| site.ends.more_is_faster(hits).as_f64()))
        }
        Direction::Write => {
            let overhead = less(&target.write_overhead);
            let held = cache.and_then(|cache| cache.writes.as_ref());
            let held = held.map_or(0.0, |held| site.ends.more_is_faster(held).0 as f64) * nodes.count.value as f64;
            // Media that write from the first byte on and a full cache at the end are the fastest way: `(bytes - held) / media`,
            // or `bytes / nics` if that is longer.
            let spilled = sizes::amount(work).map_or(1.0, |bytes| sizes::beyond(bytes * overhead, held));
            (less(&nodes.nics_write_overhead), overhead * spilled)
        }
    }
}

/// The data nodes of a rank's stripe, each with its part of a byte. The first data node is the fullest.
fn stripe(site: &Site<'_>, target: &Target, nodes: &DataNodes, rank: u64) -> Vec<(u64, f64)> {
    let count = nodes.count.value.max(1);
    let width = width(target, count);
    let imbalance = target.striping.as_ref().and_then(|striping| striping.imbalance.as_ref());
    let imbalance = imbalance.map_or(1.0, |figure| site.ends.less_is_faster(figure).as_f64()).min(count as f64);
    let load = |node| if node == 0 { imbalance } else { (count as f64 - imbalance) / (count as f64 - 1.0) };
    let nodes = (0..width).map(|turn| (rank % count + turn) % count);
    nodes.map(|node| (node, load(node) / width as f64)).collect()
}

fn width(target: &Target, count: u64) -> u64 {
    let width = target.striping.as_ref().and_then(|striping| striping.width.as_ref());
    width.map_or(count, |width| width.value.clamp(1, count))
}

/// The most that one request gets which meets only some of its file's data nodes at a time.
pub(super) fn most_of_one(site: &Site<'_>, work: &Work, moved: u64, way: Direction) -> Option<(Rate, bool)> {
    let target = site.target(work);
    let (nodes, striping) = (target.data_nodes.as_ref()?, target.striping.as_ref()?);
    let met = moved.div_ceil(striping.unit.as_ref()?.value.0.max(1)).max(1);
    let (on_nics, on_media) = charges(site, work, target, nodes, way);
    let media = match way {
        Direction::Read => &nodes.media_read,
        Direction::Write => &nodes.media_write,
    };
    let nics = site.ends.more_is_faster(&nodes.nics).0 as f64 / on_nics;
    let media = media.as_ref().filter(|_| on_media > 0.0);
    let media = media.map_or(f64::INFINITY, |rate| site.ends.more_is_faster(rate).0 as f64 / on_media);
    let assumed = nodes.nics.is_assumed() || is_assumed(target);
    let is_fewer = met < width(target, nodes.count.value.max(1));
    is_fewer.then_some((Rate((nics.min(media) * met as f64).max(1.0) as u64), assumed))
}
