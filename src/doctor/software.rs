//! Prerequisites of the node's software: drivers, cuFile's settings, limits, IOMMU and ACS.
//!
//! Knows what each setting means for GDS. Must not know storage or distance.

use super::machine::{Machine, Seen};
use super::prerequisites::Found;
use super::storage;
use crate::format::{Compat, Transport};
use crate::import::{Fact, Iommu, Kind, Matter, Way};
use crate::platform::rules::Answer;
use crate::readable::{bytes, counted};
use engine::units::Bytes;

/// Whether nvidia-fs is loaded, with what shows it: the module itself, or a way that only it gives.
pub(super) fn nvidia_fs<'a>(machine: &Machine<'a>) -> Option<(bool, Seen<'a>)> {
    machine.module("nvidia_fs").or_else(|| {
        machine.first(|fact| match fact {
            Fact::Support { ways, .. } if ways.contains(&Way::Nvfs) => Some(true),
            _ => None,
        })
    })
}

pub(super) fn driver(machine: &Machine<'_>) -> Found {
    let version = machine.first(|fact| match fact {
        Fact::Version { of: "nvidia_fs", version } => Some(version.clone()),
        _ => None,
    });
    match nvidia_fs(machine) {
        Some((true, seen)) => {
            let says = version.map_or("loaded".to_string(), |(version, _)| format!("loaded, version {version}"));
            Found::new(Answer::Yes, says).shown(machine, [seen])
        }
        Some((false, seen)) if p2pdma_serves(machine) => {
            Found::new(Answer::Yes, "not loaded, and not needed: local drives go by P2PDMA").shown(machine, [seen])
        }
        Some((false, seen)) => Found::new(Answer::No, "not loaded")
            .shown(machine, [seen])
            .advised("load it: `modprobe nvidia-fs`; install nvidia-gds where there is none"),
        None => Found::new(Answer::Unknown, "nothing shows whether it is loaded")
            .advised("capture `lsmod` or `gdscheck -p`"),
    }
}

/// Whether local drives are reached by P2PDMA.
pub(super) fn p2pdma_serves(machine: &Machine<'_>) -> bool {
    let all = storage::all(machine);
    let local = all.first().is_none_or(|first| first.transport == Some(Transport::Local));
    local && p2pdma_known(machine).is_some_and(|(known, _)| known)
}

/// Whether P2PDMA is there for local drives, with what shows it.
pub(super) fn p2pdma_known<'a>(machine: &Machine<'a>) -> Option<(bool, Seen<'a>)> {
    let offered = machine.first(|fact| match fact {
        Fact::Support { system, ways }
            if system == "nvme" && ways.iter().any(|way| matches!(way, Way::P2pdma | Way::C2c)) =>
        {
            Some(true)
        }
        _ => None,
    });
    let denied = || {
        machine.first(|fact| match fact {
            Fact::Logged { matter: Some(Matter::NoP2pdma), .. } => Some(false),
            _ => None,
        })
    };
    let off = || machine.truth("properties.use_pci_p2pdma").filter(|(on, _)| !on);
    let unsupported = || {
        let rows = machine.all(|fact| {
            matches!(fact, Fact::Support { system, ways } if system == "nvme" && ways.is_empty()).then_some(false)
        });
        rows.into_iter().find(|(_, seen)| machine.evidence(*seen).text.contains("P2PDMA"))
    };
    offered.or_else(off).or_else(unsupported).or_else(denied)
}

pub(super) fn p2pdma(machine: &Machine<'_>) -> Found {
    let loaded = nvidia_fs(machine).is_some_and(|(loaded, _)| loaded);
    let fabric = storage::all(machine).iter().any(|storage| storage.transport != Some(Transport::Local));
    let wanted = machine.truth("properties.use_pci_p2pdma").filter(|(on, _)| *on);
    if let (Some((_, seen)), true) = (wanted, fabric) {
        return Found::new(Answer::No, "use_pci_p2pdma is on, and NVMe-oF over RDMA does not work with it")
            .shown(machine, [seen])
            .advised("set use_pci_p2pdma to false in cufile.json for storage over a network");
    }
    match p2pdma_known(machine) {
        Some((true, seen)) => Found::new(Answer::Yes, "cuFile reaches local drives by the kernel's own peer-to-peer DMA").shown(machine, [seen]),
        Some((false, seen)) if loaded || fabric => Found::new(Answer::No, "not in use, and nothing here needs it").shown(machine, [seen]),
        Some((false, seen)) => Found::new(Answer::No, "not supported or not in use").shown(machine, [seen]).advised(
            "for local drives without nvidia-fs: CUDA 12.8 or newer, the open driver, no RAID or multipath, and use_pci_p2pdma true in cufile.json",
        ),
        None => Found::new(Answer::Unknown, "nothing shows it").advised("capture `gdscheck -p` of release 1.13 or newer"),
    }
}

/// The compatibility mode, with what shows it.
pub(super) fn compat_mode<'a>(machine: &Machine<'a>) -> Option<(Compat, Seen<'a>)> {
    if let Some((true, seen)) = machine.truth("properties.force_compat_mode") {
        return Some((Compat::Forced, seen));
    }
    let (allowed, seen) = machine.truth("properties.allow_compat_mode")?;
    Some((if allowed { Compat::Allowed } else { Compat::Off }, seen))
}

pub(super) fn compat(machine: &Machine<'_>) -> Found {
    match compat_mode(machine) {
        Some((Compat::Forced, seen)) => Found::new(Answer::No, "forced: all bytes go through system memory, whatever else is right")
            .shown(machine, [seen])
            .advised("set force_compat_mode to false in cufile.json, and unset CUFILE_FORCE_COMPAT_MODE"),
        Some((Compat::Allowed, seen)) => Found::new(Answer::Yes, "allowed: where GDS is not possible, cuFile falls back to system memory silently")
            .shown(machine, [seen])
            .advised("set allow_compat_mode to false while testing: what cannot go directly then fails at open, instead of passing as GDS"),
        Some((Compat::Off, seen)) => Found::new(Answer::Yes, "off: where GDS is not possible, opening a file fails").shown(machine, [seen]),
        None => Found::new(Answer::Unknown, "nothing shows it; cuFile allows it by default, and then falls back silently")
            .advised("capture cufile.json or `gdscheck -p`"),
    }
}

pub(super) fn gpus(machine: &Machine<'_>) -> Found {
    let gpus = machine.all(|fact| match fact {
        Fact::Gpu { index, name, gds, .. } => Some((*index, name, *gds)),
        _ => None,
    });
    let (bad, good): (Vec<_>, Vec<_>) =
        gpus.into_iter().filter(|((_, _, gds), _)| gds.is_some()).partition(|((_, _, gds), _)| *gds == Some(false));
    match (bad.first(), good.first()) {
        (Some(((index, name, _), seen)), _) => Found::new(Answer::No, format!("GPU {index} ({name}) does not"))
            .shown(machine, [*seen])
            .advised("a GPU without GDS copies through system memory: data centre and workstation GPUs have it"),
        (None, Some(((_, name, _), seen))) => {
            Found::new(Answer::Yes, format!("{} x {name}", good.len())).shown(machine, [*seen])
        }
        (None, None) => {
            Found::new(Answer::Unknown, "nothing shows it").advised("capture `gdscheck -p` whole, with its GPU INFO")
        }
    }
}

/// The smallest BAR1 that was seen: of each device its largest region.
pub(super) fn smallest_bar1<'a>(machine: &Machine<'a>) -> Option<(Bytes, Seen<'a>)> {
    let regions = machine.all(|fact| match fact {
        Fact::Gpu { index, bar1_mib: Some(mib), .. } => Some((format!("GPU{index}"), *mib)),
        Fact::Bar { address, kind: Kind::Gpu, mib } => Some((address.clone(), *mib)),
        _ => None,
    });
    let mut largest: Vec<(String, u64, Seen<'a>)> = Vec::new();
    for ((device, mib), seen) in regions {
        match largest.iter_mut().find(|(other, ..)| *other == device) {
            Some(other) if mib > other.1 => *other = (device, mib, seen),
            Some(_) => {}
            None => largest.push((device, mib, seen)),
        }
    }
    let (_, mib, seen) = largest.into_iter().min_by_key(|(_, mib, _)| *mib)?;
    Some((Bytes(mib.checked_mul(1 << 20)?), seen))
}

/// Bounce buffers alone take 128 MiB of it; below this a few requests in flight fill it.
const SMALL_BAR1: u64 = 2 << 30;

pub(super) fn bar1(machine: &Machine<'_>) -> Found {
    let full = machine.first(|fact| match fact {
        Fact::Logged { matter: Some(Matter::Bar1Full), .. } => Some(()),
        _ => None,
    });
    if let Some((_, seen)) = full {
        return Found::new(Answer::No, "the log says that it is full")
            .shown(machine, [seen])
            .advised("register fewer or smaller buffers, or enable a large BAR in the firmware");
    }
    match smallest_bar1(machine) {
        Some((size, seen)) if size.0 < SMALL_BAR1 => {
            Found::new(Answer::No, format!("only {}: buffers beyond it go through system memory", bytes(size.0)))
                .shown(machine, [seen])
                .advised("enable a large BAR (Resizable BAR, Above 4G Decoding) in the firmware, or keep buffers small")
        }
        Some((size, seen)) => Found::new(Answer::Yes, bytes(size.0)).shown(machine, [seen]),
        None => {
            Found::new(Answer::Unknown, "nothing shows its size").advised("capture `gdscheck -p` whole, or `lspci -vv`")
        }
    }
}

/// The most that a process may register, in bytes.
pub(super) fn pinned_limit<'a>(machine: &Machine<'a>) -> Option<(Bytes, Seen<'a>)> {
    let (value, seen) = machine.setting("properties.max_device_pinned_mem_size_kb")?;
    Some((Bytes(value.parse::<u64>().ok()?.saturating_mul(1024)), seen))
}

pub(super) fn pinned(machine: &Machine<'_>) -> Found {
    match pinned_limit(machine) {
        Some((limit, seen)) if limit.0 < 1 << 30 => Found::new(
            Answer::No,
            format!("only {}: buffers beyond it go through bounce buffers in HBM", bytes(limit.0)),
        )
        .shown(machine, [seen])
        .advised("raise max_device_pinned_mem_size_kb in cufile.json (33554432, which is 32 GiB, by default)"),
        Some((limit, seen)) if limit.0 > 1 << 50 => Found::new(Answer::Yes, "without limit").shown(machine, [seen]),
        Some((limit, seen)) => Found::new(Answer::Yes, bytes(limit.0)).shown(machine, [seen]),
        None => Found::new(Answer::Unknown, "nothing shows the limit; it is 32 GiB by default")
            .advised("capture cufile.json or `gdscheck -p`"),
    }
}

/// The IOMMU's state: what cuFile says first, then the kernel.
pub(super) fn iommu_state<'a>(machine: &Machine<'a>) -> Option<(Iommu, Seen<'a>)> {
    let states = machine.all(|fact| match fact {
        Fact::Iommu(state) => Some(*state),
        _ => None,
    });
    // "Pass-through or enabled" leaves open which: a source that tells comes first.
    let sure = states.iter().find(|(state, _)| *state != Iommu::On);
    sure.or(states.first()).copied()
}

pub(super) fn iommu(machine: &Machine<'_>) -> Found {
    match iommu_state(machine) {
        Some((Iommu::Off, seen)) => Found::new(Answer::Yes, "off").shown(machine, [seen]),
        Some((Iommu::PassThrough, seen)) => Found::new(Answer::Yes, "passing addresses through").shown(machine, [seen]),
        Some((Iommu::Translating, seen)) => {
            Found::new(Answer::No, "it translates every address of peer-to-peer traffic")
                .shown(machine, [seen])
                .advised("boot with iommu=pt, or with intel_iommu=off or amd_iommu=off")
        }
        Some((Iommu::On, seen)) => {
            Found::new(Answer::Unknown, "on, and this does not tell whether it passes through or translates")
                .shown(machine, [seen])
                .advised("see /proc/cmdline for iommu=pt, or `dmesg | grep -i 'default domain type'`")
        }
        None => Found::new(Answer::Unknown, "nothing shows it").advised("capture `gdscheck -p` whole, or `dmesg`"),
    }
}

/// Whether ACS redirects peers, with what shows it.
pub(super) fn acs_redirects<'a>(machine: &Machine<'a>) -> Option<(bool, Vec<Seen<'a>>)> {
    let ports = machine.all(|fact| match fact {
        Fact::Acs { redirects, .. } => Some(*redirects),
        _ => None,
    });
    let redirecting: Vec<Seen<'_>> = ports.iter().filter(|(redirects, _)| *redirects).map(|(_, seen)| *seen).collect();
    match (redirecting.is_empty(), ports.first()) {
        (false, _) => Some((true, redirecting)),
        (true, Some((_, seen))) => Some((false, vec![*seen])),
        (true, None) => None,
    }
}

pub(super) fn acs(machine: &Machine<'_>) -> Found {
    match acs_redirects(machine) {
        Some((true, seen)) => Found::new(Answer::No, format!("{} peer-to-peer traffic up to the root complex", counted(seen.len() as u64, "port sends", "ports send")))
            .shown(machine, seen)
            .advised("clear ACSCtl on the switches between GPU and NIC (`setpci … ECAP_ACS+6.w=0`), or turn ACS off in the firmware"),
        Some((false, seen)) => Found::new(Answer::Yes, "no port redirects").shown(machine, seen),
        None => Found::new(Answer::Unknown, "nothing shows it").advised("capture `lspci -vv` as root (ACSCtl)"),
    }
}
