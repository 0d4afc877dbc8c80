//! The prerequisites of GDS, a line each in the table: what was found about each, by which line, and what to do.
//!
//! Knows storage, distance and logs. Must not know how a path is chosen.

use super::machine::{Machine, Seen};
use super::text::ranges;
use super::{Evidence, Finding, links, logs, software, storage};
use crate::format::Transport;
use crate::import::{Fact, Kind, Reach};
use crate::platform::rules::Answer;
use crate::readable::counted;

/// What a check comes to.
pub(super) struct Found {
    pub answer: Answer,
    pub says: String,
    pub evidence: Vec<Evidence>,
    pub advice: Option<String>,
}

impl Found {
    pub(super) fn new(answer: Answer, says: impl Into<String>) -> Found {
        Found { answer, says: says.into(), evidence: Vec::new(), advice: None }
    }

    pub(super) fn shown<'a>(mut self, machine: &Machine<'_>, seen: impl IntoIterator<Item = Seen<'a>>) -> Found {
        for seen in seen {
            let evidence = machine.evidence(seen);
            if self.evidence.len() < 3 && !self.evidence.contains(&evidence) {
                self.evidence.push(evidence);
            }
        }
        self
    }

    pub(super) fn advised(mut self, advice: impl Into<String>) -> Found {
        self.advice = Some(advice.into());
        self
    }
}

/// A prerequisite.
struct Check {
    word: &'static str,
    question: &'static str,
    find: fn(&Machine<'_>) -> Found,
}

/// All prerequisites, in the order in which a request meets them.
const CHECKS: &[Check] = &[
    Check { word: "nvidia-fs", question: "Is the driver nvidia-fs loaded?", find: software::driver },
    Check {
        word: "tcp",
        question: "Is the transport one that a NIC can carry into HBM (RDMA or local drives, not TCP)?",
        find: transport,
    },
    Check { word: "filesystem", question: "Can cuFile reach this storage directly?", find: filesystem },
    Check { word: "p2pdma", question: "Could local drives do without nvidia-fs (P2PDMA)?", find: software::p2pdma },
    Check { word: "compat", question: "Is the compatibility mode not forced?", find: software::compat },
    Check { word: "gpu", question: "Do all GPUs support GDS?", find: software::gpus },
    Check { word: "bar1", question: "Can peers see enough of the GPUs' memory (BAR1)?", find: software::bar1 },
    Check { word: "pinned", question: "May a process register enough GPU memory?", find: software::pinned },
    Check {
        word: "root complex",
        question: "Does every GPU share a switch with a storage NIC or drive?",
        find: distance,
    },
    Check { word: "ports", question: "Are the storage NICs' ports up?", find: ports },
    Check { word: "iommu", question: "Is the IOMMU off, or passing addresses through?", find: software::iommu },
    Check { word: "acs", question: "Is PCIe access control (ACS) out of the way of peers?", find: software::acs },
    Check { word: "links", question: "Do all PCIe links run as fast and as wide as they can?", find: trained },
    Check { word: "payload", question: "Are PCIe packets as large as the devices allow?", find: payload },
    Check { word: "log", question: "Are the logs free of errors?", find: logs::errors },
    Check { word: "traffic", question: "Did what was counted go the direct way?", find: logs::traffic },
];

/// What was found about each.
pub(super) fn all(machine: &Machine<'_>) -> Vec<Finding> {
    let finding = |check: &Check| {
        let found = (check.find)(machine);
        Finding {
            word: check.word,
            question: check.question,
            answer: found.answer,
            says: found.says,
            evidence: found.evidence,
            advice: found.advice,
        }
    };
    CHECKS.iter().map(finding).collect()
}

fn transport(machine: &Machine<'_>) -> Found {
    let all = storage::all(machine);
    let Some(first) = all.first() else {
        return Found::new(Answer::Unknown, "nothing shows how the storage is reached")
            .advised("capture `nvme list-subsys` (NVMe-oF, local NVMe) or `mount` (NFS and the like)");
    };
    if storage::carried(&all).is_none() {
        let says = format!("nothing shows how {} on {} is reached", storage::name(first.system), first.place);
        return Found::new(Answer::Unknown, says)
            .shown(machine, [first.seen])
            .advised(format!("capture {}", storage::shown_by(first.system)));
    }
    let slow: Vec<_> =
        all.iter().filter(|path| !matches!(path.transport, Some(Transport::Rdma | Transport::Local) | None)).collect();
    if let Some(path) = slow.first() {
        let says = match slow.len() == all.len() {
            true => format!(
                "{} is reached over {}: no NIC can put its bytes into HBM",
                storage::name(path.system),
                path.word
            ),
            false => format!("{} of {} paths run over {}", slow.len(), all.len(), path.word),
        };
        return Found::new(Answer::No, says)
            .shown(machine, slow.iter().map(|path| path.seen))
            .advised("connect over RDMA: `nvme connect -t rdma …`, or mount NFS with proto=rdma");
    }
    let says = match first.transport {
        Some(Transport::Local) => "the drives are local".to_string(),
        _ => format!("{} over RDMA", storage::name(first.system)),
    };
    let dead = all
        .iter()
        .find(|path| matches!(path.seen.fact, Fact::NvmePath { state, .. } if !state.is_empty() && state != "live"));
    let found = Found::new(Answer::Yes, says).shown(machine, all.iter().map(|path| path.seen));
    match dead {
        Some(path) => found
            .shown(machine, [path.seen])
            .advised("a path is not live: see `nvme list-subsys` and the network to that address"),
        None => found,
    }
}

fn filesystem(machine: &Machine<'_>) -> Found {
    let all = storage::all(machine);
    let (does, seen) = storage::does_gds(machine, &all);
    let names: Vec<String> = match all.first() {
        Some(first) => vec![storage::name(first.system).to_string()],
        None => storage::direct(machine).into_iter().map(|(system, _)| storage::name(system).to_string()).collect(),
    };
    match does {
        Some(true) => {
            Found::new(Answer::Yes, format!("cuFile has a direct way to {}", names.join(", "))).shown(machine, seen)
        }
        Some(false) => {
            let what = if names.is_empty() { "any storage of this node".to_string() } else { names.join(", ") };
            Found::new(Answer::No, format!("cuFile has no direct way to {what}")).shown(machine, seen).advised(
                "load nvidia-fs before the storage driver (for NVMe one that knows nvidia-fs: MLNX_OFED or DOCA), then `gdscheck -p` again",
            )
        }
        None => Found::new(Answer::Unknown, "nothing shows whether cuFile has a direct way to this storage")
            .advised("capture `gdscheck -p`"),
    }
}

/// The reach of every GPU to the nearest storage NIC, or to the nearest drive where storage is local.
pub(super) fn reaches<'a>(machine: &Machine<'a>) -> Vec<(String, String, Reach, Seen<'a>)> {
    let local = storage::all(machine).first().is_some_and(|storage| storage.transport == Some(Transport::Local));
    let nics = links::storage_nics(machine).nics;
    let of = |number: u32| {
        let gpu = format!("GPU{number}");
        if local {
            let (drive, reach, seen) = links::nearest_drive(machine, &gpu)?;
            return Some((gpu, format!("drive {drive}"), reach, seen));
        }
        let (nic, reach, seen) = links::nearest(machine, &gpu, &nics)?;
        Some((gpu, nic.shown(), reach, seen))
    };
    links::gpu_numbers(machine).into_iter().filter_map(of).collect()
}

fn distance(machine: &Machine<'_>) -> Found {
    let reaches = reaches(machine);
    if reaches.is_empty() {
        return Found::new(Answer::Unknown, "nothing shows how far GPUs and storage NICs are apart")
            .advised("capture `nvidia-smi topo -m` (with its NIC legend) and `lspci -tv`");
    }
    let says = format!("{}{}", per_nic(machine, &reaches), assumption(machine));
    let far = reaches.iter().filter(|(_, _, reach, _)| *reach > Reach::Pxb);
    let shown: Vec<Seen<'_>> = far.map(|reach| reach.3).collect();
    if shown.is_empty() {
        return Found::new(Answer::Yes, says).shown(machine, reaches.iter().map(|reach| reach.3));
    }
    let across = reaches.iter().any(|(_, _, reach, _)| *reach == Reach::Sys);
    let advice = match across {
        true => {
            "peer-to-peer crosses the link between the sockets for some GPUs: read and write from GPUs of the NIC's own socket, add a storage NIC to \
             the other socket, or set rdma_dynamic_routing with GPU_MEM_NVLINKS first"
        }
        false => {
            "peer-to-peer goes through the CPU's root complex: use for each GPU the storage NIC of its own socket, and keep threads there; only a NIC \
             below the GPU's own switch would be nearer"
        }
    };
    Found::new(Answer::No, says).shown(machine, shown).advised(advice)
}

/// "NIC1 (mlx5_1): NODE from GPU0-3, SYS from GPU4-7", for each storage NIC of the matrix.
fn per_nic(machine: &Machine<'_>, reaches: &[(String, String, Reach, Seen<'_>)]) -> String {
    let nics = links::storage_nics(machine).nics;
    let drives = reaches.iter().all(|(_, nic, ..)| nic.starts_with("drive "));
    if nics.is_empty() || drives {
        let each = reaches.iter().map(|(gpu, nic, reach, _)| format!("{gpu} to {nic}: {}", reach.word()));
        return each.collect::<Vec<_>>().join("; ");
    }
    let of_nic = |nic: &links::Nic| {
        let mut words: Vec<(String, Vec<u32>)> = Vec::new();
        for number in links::gpu_numbers(machine) {
            let Some((reach, _)) = links::reach(machine, &format!("GPU{number}"), &nic.label) else { continue };
            match words.iter_mut().find(|(word, _)| *word == reach.word()) {
                Some((_, gpus)) => gpus.push(number),
                None => words.push((reach.word(), vec![number])),
            }
        }
        let words = words.into_iter().map(|(word, gpus)| format!("{word} from GPU{}", ranges(&gpus)));
        format!("{}: {}", nic.shown(), words.collect::<Vec<_>>().join(", "))
    };
    nics.iter().map(of_nic).collect::<Vec<_>>().join("; ")
}

fn assumption(machine: &Machine<'_>) -> &'static str {
    match links::storage_nics(machine).others_are_paired {
        true => " (assumed to be the storage NICs: never under a GPU's switch, as every other NIC is)",
        false => "",
    }
}

fn ports(machine: &Machine<'_>) -> Found {
    let nics = links::storage_nics(machine).nics;
    let of =
        |up: bool| nics.iter().filter(move |nic| nic.up == Some(up)).map(|nic| nic.device.clone().unwrap_or_default());
    let (down, up): (Vec<String>, Vec<String>) = (of(false).collect(), of(true).collect());
    let lines = machine.all(|fact| match fact {
        Fact::Port { device, .. } if down.contains(device) || up.contains(device) => Some(()),
        _ => None,
    });
    let lines = lines.into_iter().map(|(_, seen)| seen);
    match (up.is_empty(), down.is_empty()) {
        (false, _) => Found::new(Answer::Yes, format!("up: {}", up.join(", "))).shown(machine, lines),
        (true, false) => Found::new(Answer::No, format!("down: {}", down.join(", "))).shown(machine, lines).advised(
            "connect the storage ports, or check cable, switch and link type (`ibstat`, `mlxlink`); the rest of this answer holds for when they are up",
        ),
        (true, true) => Found::new(Answer::Unknown, "nothing shows the state of the storage NICs' ports")
            .advised("capture `ibdev2netdev` beside `nvidia-smi topo -m`"),
    }
}

fn trained(machine: &Machine<'_>) -> Found {
    let links = links::links(machine);
    let mut narrow: Vec<&links::Narrow<'_>> = links.iter().filter(|link| link.is_narrow()).collect();
    // The kernel's log says the same once more.
    let mut told: Vec<&str> = Vec::new();
    narrow.retain(|link| {
        !told.contains(&link.address)
            && (link.address.is_empty() || {
                told.push(link.address);
                true
            })
    });
    if let Some(first) = narrow.first() {
        let of = |link: &links::Narrow<'_>| {
            let could = link.capable.map(|capable| format!(" of {capable}")).unwrap_or_default();
            let share = link
                .capable
                .map(|capable| format!(" ({:.0} %)", link.running.bytes_per_s() / capable.bytes_per_s() * 100.0));
            format!("{} {} runs at {}{could}{}", kind(link.kind), link.address, link.running, share.unwrap_or_default())
        };
        let says = narrow.iter().take(4).map(|link| of(link)).collect::<Vec<_>>().join("; ");
        let idle = first.kind == Kind::Gpu && first.running.gt_s < 8.0;
        let advice = match idle {
            true => "a GPU at rest lowers its link's speed: capture again under load before anything is reseated",
            false => {
                "reseat the card and its riser, look for errors (`lspci -vv`: LaneErrStat, AER), set the slot's speed in the firmware"
            }
        };
        return Found::new(Answer::No, says).shown(machine, narrow.iter().map(|link| link.seen)).advised(advice);
    }
    match links.first() {
        Some(link) => Found::new(
            Answer::Yes,
            format!(
                "{} of GPUs, NICs and drives at full speed and width",
                counted(links.len() as u64, "link", "links")
            ),
        )
        .shown(machine, [link.seen]),
        None => Found::new(Answer::Unknown, "nothing shows the links' speed and width")
            .advised("capture `lspci -vv` as root"),
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Gpu => "GPU",
        Kind::Nic => "NIC",
        Kind::Nvme => "drive",
        Kind::Switch => "switch",
        Kind::Bridge | Kind::Other => "device",
    }
}

fn payload(machine: &Machine<'_>) -> Found {
    let set = machine.all(|fact| match fact {
        Fact::Payload { address, kind: Kind::Gpu | Kind::Nic | Kind::Nvme, capable, set } => {
            Some((address, *capable, *set))
        }
        _ => None,
    });
    // The smallest device of a path sets it for all; a GPU takes 256 bytes.
    let small: Vec<_> = set.iter().filter(|((_, capable, set), _)| set < capable && *set < 256).collect();
    match (small.first(), set.first()) {
        (Some(((address, capable, size), seen)), _) => {
            let says = format!("{address} sends packets of {size} of {capable} bytes: headers take more of the link");
            Found::new(Answer::No, says)
                .shown(machine, [*seen])
                .advised("boot with pci=pcie_bus_perf, or set the payload size in the firmware")
        }
        (None, Some(((_, _, size), seen))) => {
            Found::new(Answer::Yes, format!("packets of {size} bytes")).shown(machine, [*seen])
        }
        (None, None) => {
            Found::new(Answer::Unknown, "nothing shows the packets' size").advised("capture `lspci -vv` as root")
        }
    }
}
