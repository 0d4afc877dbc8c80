//! What logs and counters say: errors, and whether the bytes went the direct way.
//!
//! Knows what each known line means and what to do about it. Must not know settings or devices.

use super::gpus::Taken;
use super::machine::Machine;
use super::prerequisites::Found;
use crate::import::{Fact, Level, Matter, Way};
use crate::platform::rules::Answer;
use crate::readable::counted;

/// Whether the logs are free of errors.
pub(super) fn errors(machine: &Machine<'_>) -> Found {
    let lines = machine.all(|fact| match fact {
        Fact::Logged { matter, level, text } => Some((*matter, *level, text)),
        _ => None,
    });
    let errors: Vec<_> = lines.iter().filter(|((_, level, _), _)| *level == Level::Error).collect();
    if errors.is_empty() {
        return match lines.first() {
            Some((_, seen)) => Found::new(Answer::Yes, "no error among the lines captured").shown(machine, [*seen]),
            None => Found::new(Answer::Unknown, "no log was captured")
                .advised("capture `dmesg` and the program's cufile.log"),
        };
    }
    // What a known line means comes before what merely says "error".
    let told = errors
        .iter()
        .find_map(|((matter, ..), _)| matter.and_then(advice))
        .unwrap_or("look the message up in NVIDIA's GDS troubleshooting guide");
    let known = errors.iter().filter(|((matter, ..), _)| matter.is_some()).chain(errors.iter());
    Found::new(Answer::No, counted(errors.len() as u64, "error", "errors"))
        .shown(machine, known.map(|(_, seen)| *seen))
        .advised(told)
}

/// What to do about a known line.
fn advice(matter: Matter) -> Option<&'static str> {
    Some(match matter {
        Matter::TookDirect => return None,
        Matter::TookCompat => "cuFile fell back to system memory: the prerequisites above say why",
        Matter::NoDriver => "load the driver: `modprobe nvidia-fs`",
        Matter::NotRegistered => {
            "the storage driver does not know nvidia-fs: use the one of MLNX_OFED or DOCA, and load nvidia-fs before it"
        }
        Matter::FileRefused => {
            "the file's storage has no direct way, and the compatibility mode is off: see the prerequisites above"
        }
        Matter::NoP2pdma => {
            "CUDA or the kernel offers no P2PDMA here: use nvidia-fs, or the open driver with a recent kernel"
        }
        Matter::PinFailed => {
            "GPU memory could not be pinned: free BAR1, register smaller buffers, and match the versions of nvidia-fs and driver"
        }
        Matter::Bar1Full => "BAR1 is full: register fewer or smaller buffers, or enable a large BAR in the firmware",
        Matter::DriverMismatch => {
            "nvidia-fs and the GPU's driver do not fit each other: install the nvidia-fs that belongs to this driver"
        }
        Matter::SymbolRefused => {
            "the storage module exports its hooks to other licences only: rebuild it, or use the vendor's package for this kernel"
        }
        Matter::KernelBug => "the kernel stopped in nvidia-fs: reboot, and update nvidia-fs and driver together",
        Matter::NoNearNic => {
            "dynamic routing found no NIC near the GPU: fill rdma_dev_addr_list with the storage NICs' addresses"
        }
        Matter::NoPeermem => "load nvidia-peermem for RDMA from user space (WekaFS, GPFS)",
        Matter::NoDirectIo => "open the file with O_DIRECT",
        Matter::NoStart => "CUDA did not start: see `nvidia-smi`",
    })
}

/// What a log or a counter says that happened.
pub(super) struct Happened {
    /// The way.
    pub taken: Taken,
    /// In words, with the source.
    pub says: String,
    /// What to capture where it leaves the way open.
    pub missing: Option<&'static str>,
}

/// Requests by what became of them.
#[derive(Default)]
struct Counted {
    direct: u64,
    compat: u64,
    failed: u64,
}

fn counted_requests(machine: &Machine<'_>, gpu: Option<u32>) -> Counted {
    let label = gpu.map(|gpu| format!("GPU{gpu}"));
    let mut sum = Counted::default();
    for seen in machine.facts() {
        let Fact::Moved { gpu: of, way, requests, failed } = seen.fact else { continue };
        if of.is_some() && label.is_some() && *of != label {
            continue;
        }
        let side = if *way == Way::Compat { &mut sum.compat } else { &mut sum.direct };
        *side = side.saturating_add(*requests);
        sum.failed = sum.failed.saturating_add(*failed);
    }
    sum
}

/// The first line of the log that means this.
fn logged(machine: &Machine<'_>, wanted: Matter) -> Option<String> {
    let found = machine.first(|fact| match fact {
        Fact::Logged { matter: Some(matter), text, .. } if *matter == wanted => Some(text.clone()),
        _ => None,
    });
    found.map(|(text, _)| text)
}

/// What happened, to one GPU's requests or to all: counters first, since they count each request.
pub(super) fn happened(machine: &Machine<'_>, gpu: Option<u32>) -> Option<Happened> {
    let told = |taken, says: String| Some(Happened { taken, says, missing: None });
    let sum = counted_requests(machine, gpu);
    let requests = |count: u64| counted(count, "request", "requests");
    if sum.direct > 0 || sum.compat > 0 {
        let of = sum.direct.saturating_add(sum.compat);
        return match sum.direct >= sum.compat {
            true if sum.compat == 0 => {
                told(Taken::Gds, format!("counted: {} went the direct way", requests(sum.direct)))
            }
            true => told(Taken::Gds, format!("counted: {} of {} went through system memory", sum.compat, requests(of))),
            false => {
                told(Taken::Compat, format!("counted: {} of {} went through system memory", sum.compat, requests(of)))
            }
        };
    }
    if sum.failed > 0 {
        let says = format!("counted: {} failed in nvidia-fs, and none arrived", requests(sum.failed));
        return Some(Happened {
            taken: Taken::CannotTell,
            says,
            missing: Some("cufile.log and dmesg of that run (why they failed)"),
        });
    }
    let quoted = |text: String| format!("log: cuFile says \"{text}\"");
    match (logged(machine, Matter::TookDirect), logged(machine, Matter::TookCompat)) {
        (Some(direct), None) => told(Taken::Gds, quoted(direct)),
        (None, Some(compat)) => told(Taken::Compat, quoted(compat)),
        (Some(direct), Some(compat)) => Some(Happened {
            taken: Taken::CannotTell,
            says: format!(
                "log: some files went the direct way (\"{direct}\") and others through system memory (\"{compat}\")"
            ),
            missing: Some("gds_stats -p PID -l 3 (requests by way, for each GPU)"),
        }),
        (None, None) => match logged(machine, Matter::FileRefused) {
            Some(text) => told(Taken::Refused, quoted(text)),
            None => logged(machine, Matter::NotRegistered).map(|text| Happened {
                taken: Taken::CannotTell,
                says: quoted(text),
                missing: Some("cufile.log of a whole run"),
            }),
        },
    }
}

/// Whether what was counted went the direct way.
pub(super) fn traffic(machine: &Machine<'_>) -> Found {
    let moved = machine.all(|fact| match fact {
        Fact::Moved { way, requests, .. } if *requests > 0 => Some((*way, *requests)),
        _ => None,
    });
    let taken = |wanted: Matter| {
        machine.all(|fact| match fact {
            Fact::Logged { matter: Some(matter), .. } if *matter == wanted => Some(()),
            _ => None,
        })
    };
    let (compat, direct) = (taken(Matter::TookCompat), taken(Matter::TookDirect));
    let posix: Vec<_> = moved.iter().filter(|((way, _), _)| *way == Way::Compat).collect();
    let count = posix.iter().fold(0u64, |sum, ((_, requests), _)| sum.saturating_add(*requests));
    let by_posix = posix.iter().map(|(_, seen)| *seen);
    let sum = counted_requests(machine, None);
    let failures = machine.all(|fact| matches!(fact, Fact::Moved { failed, .. } if *failed > 0).then_some(()));
    match () {
        () if sum.failed > 0 && sum.direct == 0 => {
            Found::new(Answer::No, format!("{} failed in nvidia-fs, and none arrived", counted(sum.failed, "request", "requests")))
                .shown(machine, failures.into_iter().map(|(_, seen)| seen))
                .advised("see dmesg and cufile.log of that run for why they failed")
        }
        () if count > 0 => Found::new(Answer::No, format!("{} went through system memory", counted(count, "request", "requests")))
            .shown(machine, by_posix)
            .advised("look for unaligned sizes (`unalign=`), files without O_DIRECT, and the prerequisites above"),
        () if !compat.is_empty() => Found::new(Answer::No, "the log says that cuFile went through system memory")
            .shown(machine, compat.into_iter().map(|(_, seen)| seen))
            .advised("the prerequisites above say why"),
        () if !moved.is_empty() => Found::new(Answer::Yes, "all requests that were counted").shown(machine, moved.into_iter().map(|(_, seen)| seen)),
        () if !direct.is_empty() => Found::new(Answer::Yes, "the log says so").shown(machine, direct.into_iter().map(|(_, seen)| seen)),
        () => Found::new(Answer::Unknown, "nothing was counted")
            .advised("set profile.cufile_stats to 3 and capture `gds_stats -p PID -l 3`, or /proc/driver/nvidia-fs/stats before and after a run"),
    }
}
