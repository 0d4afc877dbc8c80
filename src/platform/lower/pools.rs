//! What only so many may hold: CPU threads, copy engines, the driver's staging, host memory, named slots.
//!
//! Knows how many places there are. Must not know who holds them when.

use crate::error::Fault;
use crate::format::{Path, Work};
use engine::{Kind, Pool};

use super::cluster::Member;
use super::{Site, slots, targets};

/// All pools of a scenario, sorted by name.
pub(in crate::platform) struct Pools(Vec<Pool>);

/// Places of host memory where the files state no size: enough for anything, yet far from overflow.
const UNSTATED: u64 = u64::MAX / 4;

impl Pools {
    /// The pools of a scenario: those of its node, and those that its paths name.
    pub(in crate::platform) fn of(site: &Site<'_>) -> Result<Pools, Fault> {
        let mut list: Vec<Pool> = site.members().map(|member| buffers(site, member)).collect();
        list.extend(calling_threads(site)?);
        list.extend(site.all_gpus().flat_map(|gpu| engines(site, gpu)));
        list.extend(site.all_gpus().flat_map(|gpu| stagings(site, gpu)));
        list.extend(slots::pools(site)?);
        list.extend(targets::pools(site));
        let nics = site.members().flat_map(|member| site.topology.nics.keys().map(move |&nic| (member, nic)));
        list.extend(nics.filter_map(|(member, nic)| queue_pairs(site, member, nic)));
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list.dedup_by(|a, b| a.name == b.name);
        Ok(Pools(list))
    }

    /// The number of a pool.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.0.binary_search_by(|pool| pool.name.as_str().cmp(name)).ok()
    }

    /// What they are called, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|pool| pool.name.as_str())
    }

    /// The list, for the plan.
    pub(in crate::platform) fn into_list(self) -> Vec<Pool> {
        self.0
    }
}

/// The name of the threads that make a work's calls, where a call keeps its thread and the work would have more calls outstanding
/// than threads. A thread that sleeps for its data holds no core.
pub(super) fn callers(name: &str, work: &Work, path: &Path, (member, gpu): (Member, u64)) -> Option<String> {
    let keeps = path.holds_thread && work.depth.value > 1 && work.arrivals.is_none();
    keeps.then(|| member.name(&format!("gpu{gpu}.callers ({name})")))
}

/// The name of the buffers in a node's system memory.
pub(super) fn buffers_of(member: Member) -> String {
    member.name("dram.buffers")
}

/// The name of a GPU's copy engine towards it or from it.
pub(super) fn engine((member, gpu): (Member, u64), to_gpu: bool) -> String {
    member.name(&format!("gpu{gpu}.copy_engine.{}", if to_gpu { "to_gpu" } else { "from_gpu" }))
}

/// The name of the driver's staging of a GPU's pageable copies.
pub(super) fn staging((member, gpu): (Member, u64), to_gpu: bool) -> String {
    member.name(&format!("gpu{gpu}.staging.{}", if to_gpu { "to_gpu" } else { "from_gpu" }))
}

/// The name of a NIC's queue pairs.
pub(super) fn queue_pair(member: Member, nic: u64) -> String {
    member.name(&format!("nic{nic}.queue_pair"))
}

/// The queue pairs of a NIC that takes a time for a message.
fn queue_pairs(site: &Site<'_>, member: Member, nic: u64) -> Option<Pool> {
    let model = site.scenario.node.nic.as_ref()?;
    let service = model.message_service.as_ref()?;
    let pairs = model.queue_pairs.as_ref();
    Some(Pool {
        name: queue_pair(member, nic),
        group: "queue_pair".to_string(),
        kind: Kind::Nic,
        places: pairs.map_or(1, |pairs| pairs.value),
        is_memory: false,
        assumed: service.is_assumed() || pairs.is_some_and(|pairs| pairs.is_assumed()),
    })
}

fn calling_threads(site: &Site<'_>) -> Result<Vec<Pool>, Fault> {
    let mut pools = Vec::new();
    for (name, work) in &site.scenario.works {
        let (work, path) = (&work.value, site.path(&work.value)?);
        let names = site.gpus(work).filter_map(|gpu| callers(name, work, path, gpu));
        pools.extend(names.map(|name| Pool {
            name,
            group: "calling thread".to_string(),
            kind: Kind::Cpu,
            places: work.threads.value,
            is_memory: false,
            assumed: false,
        }));
    }
    Ok(pools)
}

fn buffers(site: &Site<'_>, member: Member) -> Pool {
    let places = site.scenario.node.dram.memory.as_ref().map_or(UNSTATED, |memory| memory.value.0);
    let (name, group) = (buffers_of(member), "host_memory".to_string());
    Pool { name, group, kind: Kind::Dram, places, is_memory: true, assumed: false }
}

fn engines(site: &Site<'_>, gpu: (Member, u64)) -> [Pool; 2] {
    let copies = &site.scenario.node.gpu.copies;
    [(true, &copies.overhead_to_gpu), (false, &copies.overhead_from_gpu)].map(|(to_gpu, overhead)| Pool {
        name: engine(gpu, to_gpu),
        group: "copy_engine".to_string(),
        kind: Kind::CopyEngine,
        places: 1,
        is_memory: false,
        assumed: overhead.is_assumed(),
    })
}

fn stagings(site: &Site<'_>, gpu: (Member, u64)) -> Vec<Pool> {
    let Some(pageable) = &site.scenario.node.gpu.copies.pageable else { return Vec::new() };
    let pool = |(to_gpu, assumed)| Pool {
        name: staging(gpu, to_gpu),
        group: "staging".to_string(),
        kind: Kind::Cpu,
        places: 1,
        is_memory: false,
        assumed,
    };
    [(true, pageable.to_gpu.is_assumed()), (false, pageable.from_gpu.is_assumed())].map(pool).to_vec()
}
