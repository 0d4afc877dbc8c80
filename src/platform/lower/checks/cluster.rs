//! A cluster has nodes, its network leads somewhere, and its target's data nodes can be striped over.
//!
//! Knows what nodes share. Must not know what one is made of.

use crate::error::{Fault, Sources};
use crate::format::{DataNodes, Fabric, Figure, Scenario, Striping, Target};
use engine::units::Factor;

use super::look::Look;

/// The most nodes of a cluster.
const MOST_NODES: u64 = 16_384;

/// The most data nodes of a target.
const MOST_DATA_NODES: u64 = 4096;

/// Checks the cluster and the network.
pub(super) fn all(scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    let look = Look { sources };
    if let Some(cluster) = &scenario.cluster {
        look.count("cluster.nodes", &cluster.nodes, MOST_NODES)?;
        for (name, job) in &cluster.background {
            look.positive(&format!("cluster.background.{name}.rate"), &job.value.rate)?;
        }
    }
    let Some(fabric) = &scenario.fabric else { return Ok(()) };
    look.fabric(fabric)?;
    look.costs("fabric", &fabric.costs, &fabric.costs_by_size)
}

impl Look<'_> {
    fn count(&self, key: &str, count: &Figure<u64>, most: u64) -> Result<(), Fault> {
        self.positive(key, count)?;
        if count.value <= most {
            return Ok(());
        }
        let message = format!("{key} is {}", count.value);
        Err(Fault::at(self.sources, &count.span, message, "too many").help(format!("there may be {most} at most")))
    }

    /// Leaves have nodes and uplinks; uplinks are told in one way.
    fn fabric(&self, fabric: &Fabric) -> Result<(), Fault> {
        self.stated("fabric.rate", &fabric.rate)?;
        self.stated("fabric.nodes_a_leaf", &fabric.nodes_a_leaf)?;
        self.stated("fabric.leaf_uplink", &fabric.leaf_uplink)?;
        self.stated("fabric.oversubscription", &fabric.oversubscription)?;
        let uplink = fabric.leaf_uplink.as_ref().map(|figure| &figure.span);
        let times = fabric.oversubscription.as_ref().map(|figure| &figure.span);
        if let (Some(span), Some(_)) = (uplink, times) {
            let message = "fabric.leaf_uplink and fabric.oversubscription say the same";
            return Err(Fault::at(self.sources, span, message, "said twice")
                .help("leave one of them out: the uplinks' rate, or what the nodes' NICs could carry over it"));
        }
        let (what, span, help) = match (uplink.or(times), &fabric.nodes_a_leaf) {
            (Some(span), None) => (
                "the fabric has uplinks of leaves, but nothing says how many nodes a leaf has",
                span,
                "add fabric.nodes_a_leaf, such as 16",
            ),
            (None, Some(count)) => (
                "fabric.nodes_a_leaf without uplinks",
                &count.span,
                "add fabric.oversubscription, such as 2, or fabric.leaf_uplink, such as \"3.2 Tb/s\"",
            ),
            _ => return Ok(()),
        };
        Err(Fault::at(self.sources, span, what, "incomplete").help(help))
    }

    /// What a target is made of, and how files lie over it.
    pub(super) fn data_nodes(&self, key: &str, target: &Target) -> Result<(), Fault> {
        if let (Some(stripe), Some(_)) = (&target.stripe, &target.data_nodes) {
            let message = format!("{key} has both a stripe over devices and data_nodes");
            return Err(Fault::at(self.sources, &stripe.width.span, message, "of what?")
                .help("files on data nodes lie as `striping` says: striping = { width = 4, unit = \"1 MiB\" }"));
        }
        match (&target.data_nodes, &target.striping) {
            (Some(nodes), striping) => {
                self.nodes(&format!("{key}.data_nodes"), nodes)?;
                let striping = striping.as_ref();
                striping.map_or(Ok(()), |striping| self.striping(&format!("{key}.striping"), striping, nodes))
            }
            (None, Some(striping)) => Err(self.nothing_to_stripe(key, striping)),
            (None, None) => Ok(()),
        }
    }

    fn nodes(&self, key: &str, nodes: &DataNodes) -> Result<(), Fault> {
        self.count(&format!("{key}.count"), &nodes.count, MOST_DATA_NODES)?;
        self.positive(&format!("{key}.nics"), &nodes.nics)?;
        self.stated(&format!("{key}.media_read"), &nodes.media_read)?;
        self.stated(&format!("{key}.media_write"), &nodes.media_write)?;
        if let Some(overhead) = &nodes.nics_write_overhead {
            self.at_least_one(&format!("{key}.nics_write_overhead"), overhead)?;
        }
        let Some(cache) = &nodes.cache else { return Ok(()) };
        self.maybe_in_range(&format!("{key}.cache.writes"), &cache.writes)?;
        // Nothing may be answered by a cache, which no other share may be.
        let hits = cache.read_hits.as_ref().filter(|hits| hits.value > Factor(0));
        hits.map_or(Ok(()), |hits| self.share(&format!("{key}.cache.read_hits"), hits))
    }

    fn striping(&self, key: &str, striping: &Striping, nodes: &DataNodes) -> Result<(), Fault> {
        self.stated(&format!("{key}.width"), &striping.width)?;
        self.stated(&format!("{key}.unit"), &striping.unit)?;
        if let Some(imbalance) = &striping.imbalance {
            self.at_least_one(&format!("{key}.imbalance"), imbalance)?;
        }
        let wide = striping.width.as_ref().filter(|width| width.value > nodes.count.value);
        let Some(width) = wide else { return Ok(()) };
        let message = format!("{key}.width is {}, but there are {} data nodes", width.value, nodes.count.value);
        Err(Fault::at(self.sources, &width.span, message, "wider than the target")
            .help("a file lies over as many data nodes as there are, at most"))
    }

    fn nothing_to_stripe(&self, key: &str, striping: &Striping) -> Fault {
        let spans = [
            striping.width.as_ref().map(|figure| &figure.span),
            striping.unit.as_ref().map(|figure| &figure.span),
            striping.imbalance.as_ref().map(|figure| &figure.span),
        ];
        let message = format!("{key}.striping without {key}.data_nodes");
        let help =
            "add data_nodes = { count = 8, nics = \"50 GB/s\" }; `striping_efficiency` stands for a layout otherwise";
        match spans.into_iter().flatten().next() {
            Some(span) => Fault::at(self.sources, span, message, "nothing to lie over").help(help),
            None => Fault::new(message).help(help),
        }
    }
}
