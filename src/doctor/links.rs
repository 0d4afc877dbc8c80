//! PCIe as captured: which NICs lead to storage, how far each GPU is from them, and links that were trained down.
//!
//! Knows matrices, trees and `lspci -vv`. Must not know cuFile.

use super::machine::{Machine, Seen};
use crate::import::{Fact, Kind, Lanes, Reach};

/// The tool whose matrix names NICs.
const MATRIX: &str = "nvidia-smi topo";

/// A NIC that leads to storage, as far as can be told.
#[derive(Clone, Debug)]
pub(super) struct Nic {
    /// Its label in the matrix.
    pub label: String,
    /// The device, where it is known.
    pub device: Option<String>,
    /// Whether a port of it is up.
    pub up: Option<bool>,
}

impl Nic {
    /// What a person calls it: `NIC1 (mlx5_1)`.
    pub(super) fn shown(&self) -> String {
        let down = if self.up == Some(false) { ", down" } else { "" };
        match &self.device {
            Some(device) if *device != self.label => format!("{} ({device}{down})", self.label),
            _ => format!("{}{down}", self.label),
        }
    }
}

/// Which NICs lead to storage.
pub(super) struct StorageNics {
    pub nics: Vec<Nic>,
    /// Whether others were left out because each hangs below a GPU's switch.
    pub others_are_paired: bool,
}

/// The matrix's NICs: those below no GPU's switch, where others are; else all.
pub(super) fn storage_nics(machine: &Machine<'_>) -> StorageNics {
    let mut distances = machine.all(|fact| match fact {
        Fact::Distance { from, to, reach } if is_gpu(from) && !is_gpu(to) => Some((from, to, *reach)),
        _ => None,
    });
    // A tree shows the same NICs under other names, and drives among them: the matrix comes first.
    if distances.iter().any(|(_, seen)| seen.tool == MATRIX) {
        distances.retain(|(_, seen)| seen.tool == MATRIX);
    }
    distances.retain(|((_, to, _), _)| !is_drive(machine, to));
    let mut labels: Vec<&String> = Vec::new();
    for ((_, to, _), _) in &distances {
        if !labels.contains(to) {
            labels.push(to);
        }
    }
    let below = |label: &String| distances.iter().any(|((_, to, reach), _)| *to == label && *reach <= Reach::Pxb);
    let (paired, free): (Vec<&String>, Vec<&String>) = labels.into_iter().partition(|label| below(label));
    let others_are_paired = !paired.is_empty() && !free.is_empty();
    let chosen = if free.is_empty() { paired } else { free };
    let nics: Vec<Nic> = chosen.into_iter().map(|label| nic(machine, label)).collect();
    StorageNics { nics, others_are_paired }
}

fn nic(machine: &Machine<'_>, label: &str) -> Nic {
    let named = machine.first(|fact| match fact {
        Fact::NicName { label: other, device } if other == label => Some(device.clone()),
        _ => None,
    });
    // Without a legend: nvidia-smi numbers NICs as the kernel numbers RDMA devices.
    let device = named.map(|(device, _)| device).or_else(|| label.contains('_').then(|| label.to_string()));
    let up = machine.all(|fact| match fact {
        Fact::Port { device: other, up, .. } if Some(other) == device.as_ref() => *up,
        _ => None,
    });
    let up = (!up.is_empty()).then(|| up.iter().any(|(up, _)| *up));
    Nic { label: label.to_string(), device, up }
}

fn is_drive(machine: &Machine<'_>, label: &str) -> bool {
    machine
        .first(|fact| match fact {
            Fact::Device { address, kind: Kind::Nvme, .. } if address == label => Some(()),
            _ => None,
        })
        .is_some()
}

/// Whether a label is a GPU's.
pub(super) fn is_gpu(label: &str) -> bool {
    label.starts_with("GPU")
}

/// How far a GPU is from a device, with the line.
pub(super) fn reach<'a>(machine: &Machine<'a>, gpu: &str, to: &str) -> Option<(Reach, Seen<'a>)> {
    machine.first(|fact| match fact {
        Fact::Distance { from, to: other, reach } if from == gpu && other == to => Some(*reach),
        _ => None,
    })
}

/// The nearest of some NICs to a GPU.
pub(super) fn nearest<'a>(machine: &Machine<'a>, gpu: &str, nics: &[Nic]) -> Option<(Nic, Reach, Seen<'a>)> {
    let reached =
        nics.iter().filter_map(|nic| reach(machine, gpu, &nic.label).map(|(reach, seen)| (nic.clone(), reach, seen)));
    // A port that is down serves only where no other does; of equally near ones the first of the matrix.
    reached.min_by_key(|(nic, reach, _)| (nic.up == Some(false), *reach))
}

/// The nearest drive to a GPU, in a tree.
pub(super) fn nearest_drive<'a>(machine: &Machine<'a>, gpu: &str) -> Option<(String, Reach, Seen<'a>)> {
    let drives = machine.all(|fact| match fact {
        Fact::Distance { from, to, reach } if from == gpu && is_drive(machine, to) => Some((to.clone(), *reach)),
        _ => None,
    });
    drives.into_iter().map(|((drive, reach), seen)| (drive, reach, seen)).min_by_key(|(_, reach, _)| *reach)
}

/// The numbers of the GPUs that were seen.
pub(super) fn gpu_numbers(machine: &Machine<'_>) -> Vec<u32> {
    let number = |label: &str| label.strip_prefix("GPU").and_then(|number| number.parse::<u32>().ok());
    let mut numbers: Vec<u32> = machine
        .all(|fact| match fact {
            Fact::Gpu { index, .. } => Some(*index),
            Fact::Distance { from, .. } => number(from),
            _ => None,
        })
        .into_iter()
        .map(|(number, _)| number)
        .collect();
    if numbers.is_empty() {
        let gpus = machine.all(|fact| matches!(fact, Fact::Device { kind: Kind::Gpu, .. }).then_some(()));
        numbers = (0..gpus.len() as u32).collect();
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers.truncate(64);
    numbers
}

/// A link of a GPU, NIC or drive that runs at less than it could.
pub(super) struct Narrow<'a> {
    pub address: &'a str,
    pub kind: Kind,
    pub capable: Option<Lanes>,
    pub running: Lanes,
    pub seen: Seen<'a>,
}

/// Links of GPUs, NICs, drives and switches' upstream ports; a downstream port's partner may simply be slower.
pub(super) fn links<'a>(machine: &Machine<'a>) -> Vec<Narrow<'a>> {
    let links = machine.all(|fact| match fact {
        Fact::Link { address, kind, capable, running } => Some((address.as_str(), *kind, *capable, *running)),
        _ => None,
    });
    let matters = |kind: Kind, address: &str, seen: &Seen<'_>| match kind {
        Kind::Gpu | Kind::Nic | Kind::Nvme | Kind::Switch => true,
        // An excerpt without its heading, or the kernel's own warning.
        Kind::Other => address.is_empty() || seen.tool == "dmesg",
        Kind::Bridge => false,
    };
    links
        .into_iter()
        .filter(|((address, kind, _, running), seen)| matters(*kind, address, seen) && running.width > 0)
        .map(|((address, kind, capable, running), seen)| Narrow {
            address: short(address),
            kind,
            capable,
            running,
            seen,
        })
        .collect()
}

/// An address without the domain that nearly all have.
fn short(address: &str) -> &str {
    address.strip_prefix("0000:").unwrap_or(address)
}

impl Narrow<'_> {
    /// Whether it runs at less than it could.
    pub(super) fn is_narrow(&self) -> bool {
        self.capable.is_none_or(|capable| self.running.gt_s < capable.gt_s || self.running.width < capable.width)
    }
}
