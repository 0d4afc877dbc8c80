//! One node of many: a scenario in which target and network are what one of so many nodes has of them.
//!
//! Knows which figures nodes share. Must not know what is moved.

use crate::spec::{Figure, Scenario, Server};
use crate::units::{Bytes, Rate};

/// Leaves a scenario's one node what it has of target and network where so many do the same.
pub(super) fn share(scenario: &mut Scenario, nodes: u64) {
    if nodes <= 1 {
        return;
    }
    let target = &mut scenario.target;
    let rates = [Some(&mut target.rate), target.read_rate.as_mut(), target.write_rate.as_mut()];
    rates.into_iter().flatten().for_each(|rate| divide(rate, nodes));
    [&mut target.read_server, &mut target.write_server].into_iter().flatten().for_each(|server| places(server, nodes));
    if let Some(data) = &mut target.data_nodes {
        let rates = [Some(&mut data.nics), data.media_read.as_mut(), data.media_write.as_mut()];
        rates.into_iter().flatten().for_each(|rate| divide(rate, nodes));
        let held = data.cache.as_mut().and_then(|cache| cache.writes.as_mut());
        held.into_iter().for_each(|bytes| divide(bytes, nodes));
    }
    if let Some(fabric) = &mut scenario.fabric {
        fabric.rate.iter_mut().for_each(|rate| divide(rate, nodes));
        if let Some(a_leaf) = &mut fabric.nodes_a_leaf {
            let under_it = a_leaf.value.clamp(1, nodes);
            fabric.leaf_uplink.iter_mut().for_each(|rate| divide(rate, under_it));
            // A leaf of one node is oversubscribed as much as a full one.
            *a_leaf = Figure { value: 1, low: None, high: None, ..a_leaf.clone() };
        }
    }
    let jobs = scenario.cluster.iter_mut().flat_map(|cluster| cluster.background.values_mut());
    jobs.for_each(|job| divide(&mut job.value.rate, nodes));
}

fn places(server: &mut Server, nodes: u64) {
    let figure = &mut server.places;
    [Some(&mut figure.value), figure.low.as_mut(), figure.high.as_mut()]
        .into_iter()
        .flatten()
        .for_each(|places| *places = places.div_ceil(nodes));
}

/// An amount that can be shared out.
trait Shared {
    fn part(&mut self, nodes: u64);
}

impl Shared for Rate {
    fn part(&mut self, nodes: u64) {
        self.0 = (self.0 / nodes).max(1);
    }
}

impl Shared for Bytes {
    fn part(&mut self, nodes: u64) {
        self.0 /= nodes;
    }
}

fn divide<T: Shared>(figure: &mut Figure<T>, nodes: u64) {
    let all = [Some(&mut figure.value), figure.low.as_mut(), figure.high.as_mut()];
    all.into_iter().flatten().for_each(|amount| amount.part(nodes));
}
