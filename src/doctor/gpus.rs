//! The path that each GPU's bytes take, by the rules of the path.
//!
//! Knows facts of a machine and the table of rules. Must not know what a path carries.

use serde::Serialize;

use super::machine::Machine;
use super::{Evidence, links, logs, prerequisites, software, storage};
use crate::format::{Compat, Iommu, Routing, Transport};
use crate::import::{Fact, Reach};
use crate::platform::rules::{self, Answer, Distance, Facts, Way};

/// The way that a GPU's bytes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Taken {
    /// GDS.
    Gds,
    /// GDS, staged in system memory by devices alone.
    Staged,
    /// Through system memory, by the CPU.
    Compat,
    /// None: opening a file for GDS fails.
    Refused,
    /// Something that decides is not known.
    CannotTell,
}

impl Taken {
    /// Whether this is GDS.
    pub fn is_gds(self) -> bool {
        matches!(self, Taken::Gds | Taken::Staged)
    }
}

/// A GPU and its path.
#[derive(Clone, Debug, Serialize)]
pub struct GpuPath {
    /// Its number.
    pub gpu: u32,
    /// The nearest storage NIC or drive.
    pub nearest: Option<String>,
    /// How far that is, in the words of `nvidia-smi topo`.
    pub distance: Option<String>,
    /// How far, for the rules.
    #[serde(skip)]
    pub reach: Option<Reach>,
    /// The way taken.
    pub taken: Taken,
    /// Hops of the way, as a teacher counts them; none where nothing is moved or nothing is known.
    pub hops: Option<u32>,
    /// Whether the bytes go through system memory without a word said.
    pub silent: bool,
    /// What decided.
    pub why: Vec<String>,
    /// Where it is not known: what to capture.
    pub missing: Vec<String>,
    /// The line that shows the distance.
    pub evidence: Option<Evidence>,
}

/// The words of the rules without whose answer nobody can tell.
const DECISIVE: [&str; 3] = ["nvidia-fs", "tcp", "filesystem"];

/// All GPUs that were seen; one stands for all where none was.
pub(super) fn all(machine: &Machine<'_>) -> Vec<GpuPath> {
    let reaches = prerequisites::reaches(machine);
    let mut numbers = links::gpu_numbers(machine);
    if numbers.is_empty() {
        numbers.push(0);
    }
    let of = |number: u32| {
        let gpu = format!("GPU{number}");
        let nearest = reaches.iter().find(|(other, ..)| *other == gpu);
        let reach = nearest.map(|(_, _, reach, _)| *reach);
        let mut path = path(machine, number, &facts(machine, reach));
        path.nearest = nearest.map(|(_, nic, ..)| nic.clone());
        path.distance = reach.map(Reach::word);
        path.evidence = nearest.map(|(.., seen)| machine.evidence(*seen));
        path.reach = reach;
        path
    };
    numbers.into_iter().map(of).collect()
}

/// What the rules ask for, of the storage that holds the data.
pub(super) fn facts(machine: &Machine<'_>, reach: Option<Reach>) -> Facts {
    facts_of(machine, reach, &storage::all(machine))
}

/// What the rules ask for, of one place.
pub(super) fn facts_of(machine: &Machine<'_>, reach: Option<Reach>, all: &[storage::Storage<'_>]) -> Facts {
    let transport = storage::carried(all).or_else(|| all.is_empty().then(|| by_system(machine)).flatten());
    let p2pdma = software::p2pdma_known(machine).map(|(known, _)| known);
    let local = transport.map(|transport| transport == Transport::Local);
    Facts {
        local: local.or((p2pdma == Some(true) && all.is_empty()).then_some(true)),
        nvidia_fs: software::nvidia_fs(machine).map(|(loaded, _)| loaded),
        p2pdma,
        compat: software::compat_mode(machine).map(|(compat, _)| compat),
        iommu: software::iommu_state(machine).and_then(|(state, _)| match state {
            crate::import::Iommu::Off => Some(Iommu::Off),
            crate::import::Iommu::PassThrough => Some(Iommu::Pt),
            crate::import::Iommu::Translating => Some(Iommu::On),
            crate::import::Iommu::On => None,
        }),
        acs: software::acs_redirects(machine).map(|(redirects, _)| redirects),
        transport,
        gds: storage::does_gds(machine, all).0,
        filesystem: all.first().map(|storage| storage::name(storage.system).to_string()),
        bar1: software::smallest_bar1(machine).map(|(size, _)| size),
        pinned_limit: software::pinned_limit(machine).map(|(limit, _)| limit),
        distance: reach.map(distance),
        routing: routing(machine),
        ..Facts::default()
    }
}

/// Where no path was captured: if drives of the node are the only storage with a direct way, they are what is meant.
fn by_system(machine: &Machine<'_>) -> Option<Transport> {
    let direct = storage::direct(machine);
    (!direct.is_empty() && direct.iter().all(|(system, _)| *system == "nvme")).then_some(Transport::Local)
}

fn distance(reach: Reach) -> Distance {
    match reach {
        Reach::NvLink(_) | Reach::Pix | Reach::Pxb => Distance::SameSwitch,
        Reach::Phb | Reach::Node | Reach::Apart => Distance::RootComplex,
        Reach::Sys => Distance::OtherSocket,
    }
}

/// Dynamic routing stages in system memory where that is the first choice that is possible.
fn routing(machine: &Machine<'_>) -> Option<Routing> {
    let (on, _) = machine.truth("properties.rdma_dynamic_routing")?;
    let first = machine.setting("properties.rdma_dynamic_routing_order").and_then(|(order, _)| order.split(' ').next());
    Some(if on && first == Some("SYS_MEM") { Routing::SystemMemory } else { Routing::PeerToPeer })
}

fn path(machine: &Machine<'_>, gpu: u32, facts: &Facts) -> GpuPath {
    let all = storage::all(machine);
    let mut path = by_rules(facts, &all);
    if let (Taken::Gds | Taken::Staged | Taken::CannotTell, Some(word)) = (path.taken, without(machine, gpu)) {
        path.taken = Taken::Compat;
        path.why.insert(0, word);
    }
    if let Some(happened) = logs::happened(machine, Some(gpu)) {
        beaten_by(&mut path, happened);
    }
    finish(&mut path, facts);
    path.gpu = gpu;
    path
}

/// What should happen, by the table of rules.
pub(super) fn by_rules(facts: &Facts, all: &[storage::Storage<'_>]) -> GpuPath {
    let decision = rules::decide(facts, |_| true);
    let open: Vec<&rules::Rule> = rules::judge(facts)
        .into_iter()
        .filter(|judged| judged.answer == Answer::Unknown && DECISIVE.contains(&judged.rule.word))
        .map(|judged| judged.rule)
        .collect();
    let mut why: Vec<String> = decision.decided.into_iter().map(|judged| judged.why).collect();
    let taken = match decision.way {
        Way::Compat => Taken::Compat,
        Way::Refused => Taken::Refused,
        _ if !open.is_empty() => Taken::CannotTell,
        Way::Staged => Taken::Staged,
        Way::Direct | Way::DeviceBuffer => Taken::Gds,
    };
    let mut missing: Vec<String> = Vec::new();
    if taken == Taken::CannotTell {
        why = open.iter().map(|rule| format!("{}: not known", rule.word)).collect();
        missing = open.iter().map(|rule| capture(rule.word, all).to_string()).collect();
        missing.dedup();
    }
    let (nearest, distance, reach, hops, evidence) = (None, None, None, None, None);
    GpuPath { gpu: 0, nearest, distance, reach, taken, hops, silent: false, why, missing, evidence }
}

/// What happened beats what should happen.
pub(super) fn beaten_by(path: &mut GpuPath, happened: logs::Happened) {
    let agrees = path.taken == happened.taken || (path.taken == Taken::Staged && happened.taken == Taken::Gds);
    let against = !agrees && path.taken != Taken::CannotTell;
    let should = std::mem::take(&mut path.why);
    path.why = vec![happened.says];
    if against && !should.is_empty() {
        path.why.push(format!("the prerequisites say otherwise ({})", should.join("; ")));
    } else if agrees {
        path.why.extend(should);
    }
    path.missing = happened.missing.into_iter().map(str::to_string).collect();
    if !agrees {
        path.taken = happened.taken;
    }
}

/// Hops, and whether anybody is told.
pub(super) fn finish(path: &mut GpuPath, facts: &Facts) {
    path.hops = hops(path.taken, facts.local == Some(true));
    path.silent = path.taken == Taken::Compat && !matches!(facts.compat, Some(Compat::Off));
}

/// A GPU that does not support GDS.
fn without(machine: &Machine<'_>, gpu: u32) -> Option<String> {
    let found = machine.first(|fact| match fact {
        Fact::Gpu { index, gds: Some(false), .. } if *index == gpu => Some(()),
        _ => None,
    });
    found.map(|_| "gpu: it does not support GDS".to_string())
}

/// What to capture for a rule.
fn capture(word: &str, all: &[storage::Storage<'_>]) -> &'static str {
    match word {
        "nvidia-fs" => "lsmod",
        "tcp" => storage::shown_by(all.first().map_or("", |storage| storage.system)),
        _ => "gdscheck -p",
    }
}

/// Hops as a teacher counts them: storage, NIC, PCIe, HBM on the direct way; through two buffers of system memory on the other.
fn hops(taken: Taken, local: bool) -> Option<u32> {
    // A local drive reaches PCIe by itself.
    let shorter = u32::from(local);
    match taken {
        Taken::Gds => Some(3 - shorter),
        Taken::Staged => Some(4 - shorter),
        Taken::Compat => Some(5 - shorter),
        Taken::Refused | Taken::CannotTell => None,
    }
}
