//! The nodes of a cluster, the leaves that they hang on, and what other jobs take.
//!
//! Knows how many there are and what each is called. Must not know what a node is made of.

use std::collections::BTreeSet;

use crate::error::Fault;
use crate::format::{At, Background, Figure, Scenario};
use engine::Capacity;
use engine::units::{Factor, Rate};

use super::Site;
use super::capacities::{Carries, nominal};
use super::segment::{Segment, Way};

/// A node of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Its number.
    pub(super) number: u64,
    /// Whether there is no other: then nothing is named after it.
    pub(super) alone: bool,
    /// How many nodes it stands for.
    pub(super) copies: u64,
}

impl Member {
    /// What something of this node is called.
    pub(super) fn name(self, of_node: &str) -> String {
        if self.alone { of_node.to_string() } else { format!("node{}.{of_node}", self.number) }
    }
}

/// All nodes, in order.
pub(super) fn all_members(scenario: &Scenario) -> Vec<Member> {
    let nodes = count(scenario);
    (0..nodes).map(|number| Member { number, alone: nodes == 1, copies: 1 }).collect()
}

/// How many nodes there are.
pub(super) fn count(scenario: &Scenario) -> u64 {
    scenario.cluster.as_ref().map_or(1, |cluster| cluster.nodes.value)
}

/// The leaf that a node hangs on; `None` where all hang on one.
pub(super) fn leaf_of(site: &Site<'_>, member: Member) -> Option<u64> {
    member.number.checked_div(a_leaf(site)?)
}

fn a_leaf(site: &Site<'_>) -> Option<u64> {
    Some(site.scenario.fabric.as_ref()?.nodes_a_leaf.as_ref()?.value)
}

/// How many leaves there are of a kind that has so many nodes in all, this one being one of them.
pub(super) fn leaves_of(site: &Site<'_>, leaf: u64, nodes: u64) -> u64 {
    let a_leaf = a_leaf(site).unwrap_or(1).max(1);
    nodes / a_leaf.min(count(site.scenario) - leaf * a_leaf).max(1)
}

/// What other jobs take, by name.
pub(super) fn patterns<'a>(site: &Site<'a>) -> impl Iterator<Item = &'a str> {
    let jobs = site.scenario.cluster.iter().flat_map(|cluster| cluster.background.values());
    jobs.map(|job| job.value.on.value.as_str())
}

/// What the uplinks of the leaves carry.
pub(super) fn leaves(site: &Site<'_>) -> Vec<Capacity> {
    let (Some(uplink), Some(a_leaf)) = (uplink(site), a_leaf(site)) else { return Vec::new() };
    let leaves: BTreeSet<u64> = site.members().map(|member| member.number / a_leaf.max(1)).collect();
    let both =
        leaves.into_iter().flat_map(|leaf| [Way::Up, Way::Down].map(|way| uplink.capacity(Segment::Leaf(leaf, way))));
    both.collect()
}

/// What the uplinks of one leaf carry: as stated, or by what its nodes' NICs could carry.
fn uplink(site: &Site<'_>) -> Option<Carries> {
    let fabric = site.scenario.fabric.as_ref()?;
    if let Some(rate) = &fabric.leaf_uplink {
        return Some(nominal(site, rate));
    }
    let (times, node) = (fabric.oversubscription.as_ref()?, &site.scenario.node);
    let nic = node.nic.as_ref()?;
    let below = u128::from(nic.line_rate.value.0) * u128::from(node.nics.value) * u128::from(a_leaf(site)?);
    let rate = below * u128::from(Factor::ONE.0) / u128::from(site.ends.less_is_faster(times).0).max(1);
    let rate = Rate(u64::try_from(rate).unwrap_or(u64::MAX));
    let assumed = times.is_assumed() || nic.line_rate.is_assumed();
    Some(Carries { rate, line_rate: Some(rate), assumed })
}

/// Takes from capacities what other jobs have of them.
pub(super) fn take_background(site: &Site<'_>, list: &mut [Capacity]) -> Result<(), Fault> {
    let all = site.scenario.cluster.iter().flat_map(|cluster| &cluster.background);
    for (name, job) in all {
        let Background { on, rate } = &job.value;
        let mut met = list.iter_mut().filter(|capacity| is_like(&capacity.name, &on.value)).peekable();
        if met.peek().is_none() {
            drop(met);
            return Err(nothing_like(site, on, list));
        }
        for capacity in met {
            let left = capacity.rate.0.saturating_sub(site.ends.less_is_faster(rate).0);
            if left == 0 {
                return Err(nothing_left(site, name, rate, capacity));
            }
            capacity.rate = Rate(left);
            capacity.assumed |= rate.is_assumed();
        }
    }
    Ok(())
}

/// Whether a name is like a pattern in which `*` stands for anything.
pub(super) fn is_like(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            let mut cuts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            cuts.any(|at| is_like(&rest[at..], tail))
        }),
    }
}

fn nothing_like(site: &Site<'_>, on: &At<String>, list: &[Capacity]) -> Fault {
    let known: BTreeSet<String> = list.iter().map(|capacity| without_numbers(&capacity.name)).collect();
    let known: Vec<String> = known.into_iter().collect();
    let message = format!("nothing is called \"{}\"", on.value);
    Fault::at(site.sources, &on.span, message, "no such part")
        .help(format!("known, with any number for `*`: {}", known.join(", ")))
}

/// A name with `*` for each number in it.
fn without_numbers(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if text.ends_with('*') => {}
            true => text.push('*'),
            false => text.push(letter),
        }
    }
    text
}

fn nothing_left(site: &Site<'_>, name: &str, rate: &Figure<Rate>, capacity: &Capacity) -> Fault {
    let message =
        format!("cluster.background.{name} takes {} of {}, which has {}", rate.value, capacity.name, capacity.rate);
    Fault::at(site.sources, &rate.span, message, "leaves nothing").help("let it take less than there is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        let like = |pattern| is_like("leaf12.uplink.up", pattern);
        assert!(["leaf12.uplink.up", "leaf*.uplink.up", "*", "leaf*", "*.up"].into_iter().all(like));
        assert!(!["leaf1.uplink.up", "leaf*.down", "", "leaf"].into_iter().any(like));
    }

    #[test]
    fn numbers_of_a_name_become_stars() {
        assert_eq!(without_numbers("node12.nic0.rx"), "node*.nic*.rx");
    }
}
