//! What the node's storage is and how it is reached: over which transport, by which ways cuFile can.
//!
//! Knows NVMe paths, mounts and gdscheck's rows. Must not know GPUs.

use super::machine::{Machine, Seen};
use crate::format::Transport;
use crate::import::{Fact, Way};
use crate::platform::rules::filesystem_does_gds;

/// A way to storage that was seen.
#[derive(Clone, Debug)]
pub(super) struct Storage<'a> {
    /// The kind, as gdscheck's rows name it.
    pub system: &'static str,
    /// Where it is: a mount point, a subsystem, a drive.
    pub place: String,
    /// The transport as the rules know it (one that no NIC carries into HBM is to them what TCP is); none where nothing shows it.
    pub transport: Option<Transport>,
    /// Its own word.
    pub word: String,
    pub seen: Seen<'a>,
}

impl Storage<'_> {
    /// Whether this holds the system or people's homes rather than data.
    pub(super) fn is_of_the_system(&self) -> bool {
        let under = |top: &str| self.place == top || self.place.starts_with(&format!("{top}/"));
        self.place == "/"
            || ["/home", "/homes", "/root", "/usr", "/opt", "/var", "/boot", "/tmp", "/etc"].into_iter().any(under)
    }
}

/// The storage that holds the data, as far as can be told: networks before local drives (a node has drives of its own to boot
/// from), data before homes, and of several places the one with the best transport, since a request uses one of them.
pub(super) fn all<'a>(machine: &Machine<'a>) -> Vec<Storage<'a>> {
    let mut all = everything(machine);
    keep_if_any(&mut all, |storage| storage.transport != Some(Transport::Local));
    keep_if_any(&mut all, |storage| !storage.is_of_the_system());
    let rank = |group: &[Storage<'_>]| match carried(group) {
        Some(Transport::Rdma | Transport::Local) => 0,
        None => 1,
        Some(_) => 2,
    };
    // All drives of the node serve together.
    if all.first().is_some_and(|storage| storage.transport == Some(Transport::Local)) {
        return all;
    }
    groups(all).into_iter().min_by_key(|group| rank(group)).unwrap_or_default()
}

fn keep_if_any<'a>(all: &mut Vec<Storage<'a>>, keep: impl Fn(&Storage<'a>) -> bool) {
    if all.iter().any(&keep) {
        all.retain(keep);
    }
}

/// The transport of one place: where several paths lead to it, the one that rules GDS out.
pub(super) fn carried(group: &[Storage<'_>]) -> Option<Transport> {
    let slow = group.iter().find(|path| !matches!(path.transport, Some(Transport::Rdma | Transport::Local) | None));
    slow.or(group.first()).and_then(|path| path.transport)
}

/// All places by themselves, local drives as one; where nothing else is, none.
pub(super) fn places<'a>(machine: &Machine<'a>) -> Vec<Vec<Storage<'a>>> {
    let mut local = everything(machine);
    let mut others = local.clone();
    local.retain(|storage| storage.transport == Some(Transport::Local));
    others.retain(|storage| storage.transport != Some(Transport::Local));
    let mut places = groups(others);
    places.extend((!local.is_empty()).then_some(local));
    places
}

fn groups(all: Vec<Storage<'_>>) -> Vec<Vec<Storage<'_>>> {
    let mut groups: Vec<Vec<Storage<'_>>> = Vec::new();
    for storage in all {
        match groups.iter_mut().find(|group| group[0].place == storage.place) {
            Some(group) => group.push(storage),
            None => groups.push(vec![storage]),
        }
    }
    groups.into_iter().map(used).collect()
}

/// The paths that the kernel uses: live and optimized ones where there are any; and what shows a transport before what does not.
fn used(mut group: Vec<Storage<'_>>) -> Vec<Storage<'_>> {
    let state = |fact: &Fact| match fact {
        Fact::NvmePath { state, .. } => state.clone(),
        _ => String::new(),
    };
    let ana = |fact: &Fact| match fact {
        Fact::NvmePath { ana, .. } => ana.clone(),
        _ => String::new(),
    };
    keep_if_any(&mut group, |storage| ["", "live"].contains(&state(storage.seen.fact).as_str()));
    keep_if_any(&mut group, |storage| ["", "optimized"].contains(&ana(storage.seen.fact).as_str()));
    keep_if_any(&mut group, |storage| storage.transport.is_some());
    group
}

/// Whatever was seen, each once.
fn everything<'a>(machine: &Machine<'a>) -> Vec<Storage<'a>> {
    let mut all: Vec<Storage<'a>> = Vec::new();
    for found in machine.facts().filter_map(|seen| storage(machine, seen)) {
        let twin = |other: &Storage<'_>| (&other.place, other.transport) == (&found.place, found.transport);
        // A second path to one subsystem is another controller; a drive or a mount that is listed again is the same.
        if found.system == "nvmeof" || !all.iter().any(twin) {
            all.push(found);
        }
    }
    all
}

fn storage<'a>(machine: &Machine<'a>, seen: Seen<'a>) -> Option<Storage<'a>> {
    match seen.fact {
        // What only tells where subsystems are holds no data.
        Fact::NvmePath { subsystem, .. } if subsystem.contains("nqn.2014-08.org.nvmexpress.discovery") => None,
        Fact::NvmePath { subsystem, controller, transport, .. } => {
            let (system, known) = match transport.as_str() {
                "rdma" => ("nvmeof", Transport::Rdma),
                "pcie" | "apple-nvme" => ("nvme", Transport::Local),
                _ => ("nvmeof", Transport::Tcp),
            };
            let place = if system == "nvme" || subsystem.is_empty() { controller } else { subsystem };
            Some(Storage { system, place: place.clone(), transport: Some(known), word: transport.clone(), seen })
        }
        Fact::Mount { place, system, transport } => mount(machine, place, system, transport.as_deref(), seen),
        _ => None,
    }
}

fn mount<'a>(
    machine: &Machine<'a>,
    place: &str,
    system: &str,
    transport: Option<&str>,
    seen: Seen<'a>,
) -> Option<Storage<'a>> {
    let system = match system {
        "nfs" | "nfs4" => "nfs",
        "lustre" => "lustre",
        "wekafs" => "wekafs",
        "beegfs" => "beegfs",
        "gpfs" => "gpfs",
        "scatefs" => "scatefs",
        // A file system on a block device is as that device is, which nvme says.
        _ => return None,
    };
    let known = match transport {
        Some("rdma") => Some(Transport::Rdma),
        Some(_) => Some(Transport::Tcp),
        None => by_user_rdma(machine, system),
    };
    let word = transport.unwrap_or(if known.is_some() { "rdma" } else { "not shown" }).to_string();
    let place = place.rsplit_once(" on ").map_or(place, |(_, target)| target).to_string();
    Some(Storage { system, place, transport: known, word, seen })
}

/// File systems that do RDMA from user space: gdscheck says whether that is there.
fn by_user_rdma(machine: &Machine<'_>, system: &str) -> Option<Transport> {
    let direct = |system: &str| ways(machine, system).is_some_and(|(ways, _)| ways.into_iter().any(is_direct));
    (["wekafs", "gpfs"].contains(&system) && direct(system) && direct("userspace rdma")).then_some(Transport::Rdma)
}

/// The command that shows how a kind of storage is reached.
pub(super) fn shown_by(system: &str) -> &'static str {
    match system {
        "nfs" => "nfsstat -m (proto=rdma or tcp)",
        "lustre" => "lctl list_nids, or mount with the servers' addresses (@o2ib is RDMA, @tcp is not)",
        "wekafs" => "gdscheck -p (its rows WekaFS and userspace RDMA), or `weka local resources` (RDMA or UDP)",
        "gpfs" => "gdscheck -p (userspace RDMA), or `mmlsconfig verbsRdma`",
        "beegfs" => "beegfs-net (RDMA or TCP)",
        _ => "nvme list-subsys, mount",
    }
}

/// The ways that cuFile has to a kind of storage, by the rows that were printed for it.
pub(super) fn ways<'a>(machine: &Machine<'a>, system: &str) -> Option<(Vec<Way>, Vec<Seen<'a>>)> {
    let rows = machine.all(|fact| match fact {
        Fact::Support { system: other, ways } if other == system => Some(ways),
        _ => None,
    });
    let all = rows.iter().flat_map(|(ways, _)| ways.iter().copied()).collect();
    (!rows.is_empty()).then(|| (all, rows.into_iter().map(|(_, seen)| seen).collect()))
}

/// Kinds of storage to which cuFile has a direct way, with the line of each.
pub(super) fn direct<'a>(machine: &Machine<'a>) -> Vec<(&'a str, Seen<'a>)> {
    machine.all(|fact| match fact {
        Fact::Support { system, ways } if ways.iter().any(|way| is_direct(*way)) && system != "userspace rdma" => {
            Some(system.as_str())
        }
        _ => None,
    })
}

/// Whether a way leads past system memory.
pub(super) fn is_direct(way: Way) -> bool {
    way != Way::Compat
}

/// Whether the file system or device does GDS: as cuFile says of its kind, else as its name tells; with the lines.
pub(super) fn does_gds<'a>(machine: &Machine<'a>, all: &[Storage<'a>]) -> (Option<bool>, Vec<Seen<'a>>) {
    let Some(first) = all.first() else {
        let direct = direct(machine);
        let rows = machine.all(|fact| matches!(fact, Fact::Support { .. }).then_some(()));
        return match (direct.is_empty(), rows.first()) {
            (false, _) => (Some(true), direct.into_iter().map(|(_, seen)| seen).collect()),
            (true, Some((_, row))) if rows.len() > 1 => (Some(false), vec![*row]),
            _ => (None, Vec::new()),
        };
    };
    if let Some((ways, seen)) = ways(machine, first.system) {
        return (Some(ways.into_iter().any(is_direct)), seen);
    }
    match first.seen.fact {
        Fact::Mount { system, .. } => (filesystem_does_gds(system), vec![first.seen]),
        _ => (None, Vec::new()),
    }
}

/// Its kind in words.
pub(super) fn name(system: &str) -> &str {
    match system {
        "nvmeof" => "NVMe-oF",
        "nvme" => "local NVMe",
        "nfs" => "NFS",
        "lustre" => "Lustre (DDN EXAScaler)",
        "wekafs" => "WekaFS",
        "gpfs" => "IBM Storage Scale",
        "beegfs" => "BeeGFS",
        "scatefs" => "ScaTeFS",
        "virtiofs" => "virtiofs",
        "scsi" => "SCSI",
        other => other,
    }
}
