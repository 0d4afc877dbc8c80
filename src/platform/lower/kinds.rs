//! Kinds of nodes: those that nothing tells apart are looked at once.
//!
//! Knows what may set nodes apart: the stripes that they begin with, their shares, their leaves, what other jobs take. Must not
//! know rates.

use std::collections::BTreeMap;

use engine::Copies;

use super::cluster::{self, Member};
use super::{Site, capacities, data_nodes};

/// What sets a node apart from others.
type Mark = Vec<u64>;

/// One node of each kind, with how many there are of it.
pub(super) fn of_nodes(site: &Site<'_>) -> Vec<Member> {
    let own = marks(site);
    let leaves = of_leaves(site, &own);
    let mut kinds: BTreeMap<(&Mark, Option<usize>), Member> = BTreeMap::new();
    for member in site.members() {
        let mark = &own[member.number as usize];
        let leaf = cluster::leaf_of(site, member).map(|leaf| leaves[leaf as usize]);
        kinds.entry((mark, leaf)).or_insert(Member { copies: 0, ..member }).copies += 1;
    }
    let mut members: Vec<Member> = kinds.into_values().collect();
    members.sort_by_key(|member| member.number);
    members
}

/// How many there are of what is called so: as many as nodes or leaves of its kind.
pub(super) fn copies<'a>(site: &'a Site<'_>) -> impl Fn(&str) -> Copies + 'a {
    let mut known: BTreeMap<String, u64> = BTreeMap::new();
    let mut leaves: BTreeMap<u64, u64> = BTreeMap::new();
    for member in site.members() {
        known.insert(member.name(""), member.copies);
        if let Some(leaf) = cluster::leaf_of(site, member) {
            *leaves.entry(leaf).or_insert(0) += member.copies;
        }
    }
    known.retain(|name, _| !name.is_empty());
    known.extend(
        leaves.into_iter().map(|(leaf, nodes)| (format!("leaf{leaf}."), cluster::leaves_of(site, leaf, nodes))),
    );
    move |name| {
        let head = name.split_inclusive('.').next().unwrap_or(name);
        let own = known.get(head).map(|&count| Copies::Each(count));
        own.unwrap_or_else(|| data_nodes::copies(site, name))
    }
}

/// What sets each node apart, its leaf aside.
fn marks(site: &Site<'_>) -> Vec<Mark> {
    let gpus = site.topology.gpus.len() as u64;
    let turns = data_nodes::turns(site);
    let names = capacities::names_of_node(site);
    let patterns: Vec<&str> = cluster::patterns(site).collect();
    let mark = |member: Member| {
        let stripe = turns.map(|turns| member.number * gpus % turns);
        let parts = site.scenario.works.values().flat_map(|work| of_work(site, &work.value, member.number));
        let taken = patterns
            .iter()
            .flat_map(|pattern| names.iter().map(move |name| u64::from(cluster::is_like(&member.name(name), pattern))));
        stripe.into_iter().chain(parts).chain(taken).collect()
    };
    site.members().map(mark).collect()
}

/// Where a node begins in a work's list of shares, and how many of its lanes take one of the requests that do not divide.
fn of_work(site: &Site<'_>, work: &crate::format::Work, node: u64) -> [u64; 2] {
    let of_node = site.topology.gpus_of(work).count() as u64;
    let first = node * of_node;
    let share = work.shares.as_ref().map_or(0, |shares| first % (shares.value.len() as u64).max(1));
    let over = work.requests.as_ref().map_or(0, |requests| requests.value % (site.gpu_count(work)).max(1));
    [share, over.saturating_sub(first).min(of_node)]
}

/// The kind of each leaf: by the kinds of its nodes, and by what other jobs take of it.
fn of_leaves(site: &Site<'_>, nodes: &[Mark]) -> Vec<usize> {
    let mut leaves: BTreeMap<u64, Vec<&Mark>> = BTreeMap::new();
    for member in site.members() {
        if let Some(leaf) = cluster::leaf_of(site, member) {
            leaves.entry(leaf).or_default().push(&nodes[member.number as usize]);
        }
    }
    let patterns: Vec<&str> = cluster::patterns(site).collect();
    let mut kinds = BTreeMap::new();
    let kind = |(leaf, mut nodes): (u64, Vec<&Mark>)| {
        nodes.sort_unstable();
        let names = ["up", "down"].map(|way| format!("leaf{leaf}.uplink.{way}"));
        let taken: Vec<bool> =
            patterns.iter().flat_map(|pattern| names.iter().map(|name| cluster::is_like(name, pattern))).collect();
        let next = kinds.len();
        *kinds.entry((nodes.into_iter().cloned().collect::<Vec<Mark>>(), taken)).or_insert(next)
    };
    leaves.into_iter().map(kind).collect()
}
