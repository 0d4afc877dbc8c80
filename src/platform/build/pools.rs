//! What only so many may hold: CPU threads, copy engines, the driver's staging, host memory, named slots.
//!
//! Knows how many places there are. Must not know who holds them when.

use crate::error::Fault;
use crate::platform::plan::{Kind, Pool};

use super::{Site, slots, targets};

/// All pools of a scenario, sorted by name.
pub(in crate::platform) struct Pools(Vec<Pool>);

/// Places of host memory where the files state no size: enough for anything, yet far from overflow.
const UNSTATED: u64 = u64::MAX / 4;

impl Pools {
    /// The pools of a scenario: those of its node, and those that its paths name.
    pub(in crate::platform) fn of(site: &Site<'_>) -> Result<Pools, Fault> {
        let mut list = vec![threads(site), buffers(site)];
        list.extend(site.topology.gpus.keys().flat_map(|&gpu| engines(site, gpu)));
        list.extend(site.topology.gpus.keys().flat_map(|&gpu| stagings(site, gpu)));
        list.extend(slots::pools(site)?);
        list.extend(targets::pools(site));
        list.extend(site.topology.nics.keys().filter_map(|&nic| queue_pairs(site, nic)));
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list.dedup_by(|a, b| a.name == b.name);
        Ok(Pools(list))
    }

    /// The number of a pool.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.0.binary_search_by(|pool| pool.name.as_str().cmp(name)).ok()
    }

    /// The list, for the plan.
    pub(in crate::platform) fn into_list(self) -> Vec<Pool> {
        self.0
    }
}

/// The name of the CPU threads.
pub(super) const THREADS: &str = "cpu.threads";
/// The name of the buffers in system memory.
pub(super) const BUFFERS: &str = "dram.buffers";

/// The name of a GPU's copy engine towards it or from it.
pub(super) fn engine(gpu: u64, to_gpu: bool) -> String {
    format!("gpu{gpu}.copy_engine.{}", if to_gpu { "to_gpu" } else { "from_gpu" })
}

/// The name of the driver's staging of a GPU's pageable copies.
pub(super) fn staging(gpu: u64, to_gpu: bool) -> String {
    format!("gpu{gpu}.staging.{}", if to_gpu { "to_gpu" } else { "from_gpu" })
}

/// The name of a NIC's queue pairs.
pub(super) fn queue_pair(nic: u64) -> String {
    format!("nic{nic}.queue_pair")
}

/// The queue pairs of a NIC that takes a time for a message.
fn queue_pairs(site: &Site<'_>, nic: u64) -> Option<Pool> {
    let model = site.scenario.node.nic.as_ref()?;
    let service = model.message_service.as_ref()?;
    let pairs = model.queue_pairs.as_ref();
    Some(Pool {
        name: queue_pair(nic),
        group: "queue_pair".to_string(),
        kind: Kind::Nic,
        places: pairs.map_or(1, |pairs| pairs.value),
        is_memory: false,
        assumed: service.is_assumed() || pairs.is_some_and(|pairs| pairs.is_assumed()),
    })
}

fn threads(site: &Site<'_>) -> Pool {
    let places = site.scenario.node.cpu.threads.value;
    let (name, group) = (THREADS.to_string(), "cpu".to_string());
    Pool { name, group, kind: Kind::Cpu, places, is_memory: false, assumed: false }
}

fn buffers(site: &Site<'_>) -> Pool {
    let places = site.scenario.node.dram.memory.as_ref().map_or(UNSTATED, |memory| memory.value.0);
    let (name, group) = (BUFFERS.to_string(), "host_memory".to_string());
    Pool { name, group, kind: Kind::Dram, places, is_memory: true, assumed: false }
}

fn engines(site: &Site<'_>, gpu: u64) -> [Pool; 2] {
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

fn stagings(site: &Site<'_>, gpu: u64) -> Vec<Pool> {
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
