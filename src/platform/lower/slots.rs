//! Named slots: which pool a leg's slot is for a GPU of a work, and how many places it has.
//!
//! Knows names and counts. Must not know who holds them when.

use std::collections::BTreeMap;

use crate::error::Fault;
use crate::format::{self, Figure, Files, HelpersPer, Path, Per, Slot, Until, Work};
use engine::{Each, Hold, Kind, Pool};

use super::cluster::Member;
use super::{Site, sizes};

/// The name of a slot's pool; `None` where nobody ever waits for it.
pub(super) fn pool(
    site: &Site<'_>,
    slot: &Slot,
    name: &str,
    work: &Work,
    (member, gpu): (Member, u64),
) -> Option<String> {
    let slot_name = &slot.slot.value;
    match slot.per {
        Per::Nic | Per::QueuePair => {
            let nic = site.topology.nic_of(gpu, work.nic.value)?;
            Some(member.name(&format!("nic{nic}.{slot_name}")))
        }
        Per::Node => Some(member.name(slot_name)),
        Per::Gpu => Some(member.name(&format!("gpu{gpu}.{slot_name}"))),
        Per::File if work.files == Files::One => Some(format!("{slot_name} ({name})")),
        // The requests of an open loop have no threads.
        Per::File | Per::Thread => {
            work.arrivals.is_none().then(|| member.name(&format!("gpu{gpu}.{slot_name} ({name})")))
        }
        Per::Target => Some(format!("target.{slot_name}")),
    }
}

/// The name of the threads that help with a path's pieces.
pub(super) fn helpers(path_name: &str, path: &Path, (member, gpu): (Member, u64)) -> Option<String> {
    let cut = path.cut.as_ref()?;
    cut.helpers.as_ref()?;
    Some(match cut.helpers_per {
        HelpersPer::Gpu => member.name(&format!("gpu{gpu}.helpers ({path_name})")),
        HelpersPer::Node => member.name(&format!("helpers ({path_name})")),
    })
}

/// How a leg holds its slot.
pub(super) fn hold(path: &Path, slot: &Slot, pool: usize) -> Hold {
    let commands = slot.each.as_ref().is_some_and(|each| each.value == format::Each::Command);
    let command = path.command.as_ref().filter(|_| commands);
    Hold {
        each: command.map_or(Each::One, |command| Each::Command(command.value)),
        above: sizes::inline(path, &slot.unless_inline),
        to_the_end: slot.until == Until::Completion,
        ..Hold::one(pool)
    }
}

/// All pools of named slots and helpers.
pub(super) fn pools(site: &Site<'_>) -> Result<Vec<Pool>, Fault> {
    let mut pools = BTreeMap::new();
    for (name, work) in &site.scenario.works {
        let (work, path) = (&work.value, site.path(&work.value)?);
        for gpu in site.gpus(work) {
            for slot in path.legs.iter().flat_map(|leg| &leg.holds) {
                add(site, &mut pools, slot, name, work, gpu)?;
            }
            let threads = path.cut.as_ref().and_then(|cut| cut.helpers.as_ref());
            if let (Some(name), Some(threads)) = (helpers(&work.path.value, path, gpu), threads) {
                pools.insert(name.clone(), named(name, "helpers", Kind::Cpu, threads.value, threads.is_assumed()));
            }
        }
    }
    Ok(pools.into_values().collect())
}

fn add(
    site: &Site<'_>,
    pools: &mut BTreeMap<String, Pool>,
    slot: &Slot,
    name: &str,
    work: &Work,
    gpu: (Member, u64),
) -> Result<(), Fault> {
    let Some(pool_name) = pool(site, slot, name, work, gpu) else { return Ok(()) };
    let places = places(slot).saturating_mul(alike(site, slot, work));
    let assumed = slot.places.as_ref().is_some_and(Figure::is_assumed);
    let kind = if matches!(slot.per, Per::Nic | Per::QueuePair) { Kind::Nic } else { Kind::Other };
    let new = named(pool_name, &slot.slot.value, kind, places, assumed);
    let known = pools.entry(new.name.clone()).or_insert_with(|| new.clone());
    if known.places == places {
        return Ok(());
    }
    let slot_name = &slot.slot.value;
    let message = format!("the slot \"{slot_name}\" has {places} places here, but {} elsewhere", known.places);
    Err(Fault::at(site.sources, &slot.slot.span, message, "not as many as elsewhere")
        .help("a slot of one name is one slot: give it the same places wherever it is held, or another name"))
}

/// How many slots of the name share a pool: those of all threads of a GPU, or of all queue pairs of a NIC.
fn alike(site: &Site<'_>, slot: &Slot, work: &Work) -> u64 {
    match slot.per {
        Per::Thread => work.threads.value,
        Per::File if work.files == Files::OneAThread => work.threads.value,
        Per::QueuePair => {
            let pairs = site.scenario.node.nic.as_ref().and_then(|nic| nic.queue_pairs.as_ref());
            pairs.map_or_else(|| queues(site), |pairs| pairs.value)
        }
        _ => 1,
    }
}

/// Queues of a NIC where its model says nothing: one for each core of the node that has a thread to use it (the Linux NVMe host
/// asks for a queue per CPU, and a thread submits to that of its CPU).
fn queues(site: &Site<'_>) -> u64 {
    let threads = site.scenario.works.values().map(|work| {
        let gpus = site.gpus(&work.value).filter(|(member, _)| member.number == 0).count() as u64;
        work.value.threads.value.saturating_mul(gpus)
    });
    threads.max().unwrap_or(1).clamp(1, site.scenario.node.cpu.threads.value.max(1))
}

fn places(slot: &Slot) -> u64 {
    slot.places.as_ref().map_or(1, |places| places.value)
}

fn named(name: String, group: &str, kind: Kind, places: u64, assumed: bool) -> Pool {
    Pool { name, group: group.to_string(), kind, places, is_memory: false, assumed }
}
