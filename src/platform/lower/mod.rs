//! The steps of sealing, one file each: where devices hang, what they can carry, which way the bytes go.
//!
//! Knows hardware and paths. Must not know how the files were found and merged.

mod blocks;
mod capacities;
mod caps;
mod charges;
pub(super) mod checks;
mod choice;
mod cluster;
mod copies;
mod data_nodes;
mod delays;
mod ends;
mod kinds;
mod lanes;
mod legs;
mod notes;
mod peers;
mod pools;
mod route;
mod segment;
mod services;
mod shares;
mod sizes;
mod slots;
mod targets;
mod topology;
pub(super) mod works;
mod write_back;

use crate::error::{Fault, Sources};
use crate::format::{Path, Scenario, Target, Work};

pub(super) use capacities::Capacities;
use choice::Choice;
pub(super) use choice::{Chosen, choose};
use cluster::Member;
pub(super) use copies::copies;
pub(super) use delays::Delays;
pub use ends::Assumed;
use ends::Ends;
pub(super) use notes::notes;
pub(super) use pools::Pools;
use topology::Topology;

/// A scenario seen with its devices in their places and its assumed figures at one end.
pub(super) struct Site<'a> {
    scenario: &'a Scenario,
    sources: &'a Sources,
    choices: &'a [Choice],
    ends: Ends,
    topology: Topology,
    /// The nodes that are looked at: all, or one of each kind.
    members: Vec<Member>,
    /// Whether what is alike is looked at once.
    compact: bool,
}

impl<'a> Site<'a> {
    /// Puts the devices of a scenario into their places.
    pub(super) fn new(
        chosen: &'a Chosen,
        sources: &'a Sources,
        assumed: Assumed,
        compact: bool,
    ) -> Result<Site<'a>, Fault> {
        let Chosen { scenario, choices } = chosen;
        let topology = Topology::of(&scenario.node, sources)?;
        let members = cluster::all_members(scenario);
        let mut site = Site { scenario, sources, choices, ends: Ends(assumed), topology, members, compact: false };
        if compact {
            site.members = kinds::of_nodes(&site);
            site.compact = true;
        }
        Ok(site)
    }

    /// The GPUs of a work: node by node, and in each by number.
    fn gpus(&self, work: &Work) -> impl Iterator<Item = (Member, u64)> + use<> {
        let gpus: Vec<u64> = self.topology.gpus_of(work).collect();
        self.members().flat_map(move |member| gpus.clone().into_iter().map(move |gpu| (member, gpu)))
    }

    /// The nodes of the cluster that are looked at, in order; one where there is no cluster.
    fn members(&self) -> impl Iterator<Item = Member> + use<> {
        self.members.clone().into_iter()
    }

    /// How many GPUs of all nodes a work uses.
    fn gpu_count(&self, work: &Work) -> u64 {
        cluster::count(self.scenario) * self.topology.gpus_of(work).count() as u64
    }

    /// All GPUs of all nodes.
    fn all_gpus(&self) -> impl Iterator<Item = (Member, u64)> + '_ {
        self.members().flat_map(|member| self.topology.gpus.keys().map(move |&gpu| (member, gpu)))
    }

    /// Whether any work goes to drives of its own node.
    fn has_local_drives(&self) -> bool {
        let paths = self.scenario.works.values().filter_map(|work| self.scenario.paths.get(&work.value.path.value));
        paths.flat_map(|path| &path.legs).flat_map(|leg| &leg.hops).any(route::is_local)
    }

    /// The target as a work meets it.
    fn target<'b>(&'b self, work: &'b Work) -> &'b Target {
        work.target.as_ref().unwrap_or(&self.scenario.target)
    }

    /// The path that a work takes.
    fn path(&self, work: &Work) -> Result<&'a Path, Fault> {
        self.scenario.paths.get(&work.path.value).ok_or_else(|| {
            let mut known: Vec<&str> = self.scenario.paths.keys().map(String::as_str).collect();
            known.sort_unstable();
            Fault::at(
                self.sources,
                &work.path.span,
                format!("there is no path \"{}\"", work.path.value),
                "no such path",
            )
            .help(format!("known paths: {}", known.join(", ")))
        })
    }
}
