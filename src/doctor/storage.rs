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
    /// The transport; none where it is one that GDS knows nothing of.
    pub transport: Option<Transport>,
    /// Its word.
    pub word: String,
    pub seen: Seen<'a>,
}

/// All storage that was seen, networks before local drives: a node has drives of its own to boot from.
pub(super) fn all<'a>(machine: &Machine<'a>) -> Vec<Storage<'a>> {
    let mut all: Vec<Storage<'a>> = machine.facts().filter_map(storage).collect();
    if all.iter().any(|storage| storage.transport != Some(Transport::Local)) {
        all.retain(|storage| storage.transport != Some(Transport::Local));
    }
    all
}

fn storage(seen: Seen<'_>) -> Option<Storage<'_>> {
    let of = |system, transport, word: &str| Some(Storage { system, transport, word: word.to_string(), seen });
    match seen.fact {
        // What only tells where subsystems are holds no data.
        Fact::NvmePath { subsystem, .. } if subsystem.contains("nqn.2014-08.org.nvmexpress.discovery") => None,
        Fact::NvmePath { transport, .. } => match transport.as_str() {
            "rdma" => of("nvmeof", Some(Transport::Rdma), "rdma"),
            "tcp" => of("nvmeof", Some(Transport::Tcp), "tcp"),
            "pcie" | "apple-nvme" => of("nvme", Some(Transport::Local), "pcie"),
            other => of("nvmeof", None, other),
        },
        Fact::Mount { system, transport, .. } => mount(system, transport.as_deref(), seen),
        _ => None,
    }
}

fn mount<'a>(system: &str, transport: Option<&str>, seen: Seen<'a>) -> Option<Storage<'a>> {
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
    let transport = match transport {
        Some("rdma") => Some(Transport::Rdma),
        Some(_) => Some(Transport::Tcp),
        // NFS speaks TCP unless it was told otherwise; the others have their own RDMA.
        None if system == "nfs" => return None,
        None => Some(Transport::Rdma),
    };
    let word = if transport == Some(Transport::Rdma) { "rdma" } else { "tcp" };
    Some(Storage { system, transport, word: word.to_string(), seen })
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
