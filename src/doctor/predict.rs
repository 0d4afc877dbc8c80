//! What the simulator says the node will reach: the closest shipped node and target, edited by what was read.
//!
//! Knows how a scenario is written. Must not know how it is simulated.

use serde::Serialize;

use super::gpus::{GpuPath, Taken};
use super::machine::Machine;
use super::{gpus, hardware, links, local};
use crate::error::Fault;
use crate::format::Transport;
use crate::import::Reach;
use crate::platform::{Library, load_text};
use crate::report::WorkReport;
use crate::study::{self, Options};
use engine::Mode;

/// What the simulator says.
#[derive(Clone, Debug, Serialize)]
pub struct Prediction {
    /// The node's model.
    pub node: String,
    /// The target's model.
    pub target: String,
    /// What was assumed because nothing showed it.
    pub assumed: Vec<String>,
    /// What one GPU reaches by itself, for each kind of place that a GPU has.
    pub alone: Vec<Reached>,
    /// What all reach together.
    pub together: Vec<Reached>,
}

/// A figure of the simulator.
#[derive(Clone, Debug, Serialize)]
pub struct Reached {
    /// The GPUs that it is for.
    pub gpus: Vec<u32>,
    /// How far they are from their NIC.
    pub distance: String,
    /// The path.
    pub path: String,
    /// Hops, as the simulator counts them.
    pub hops: u32,
    /// Payload, 10^9 bytes a second.
    pub throughput_gb_s: f64,
    /// At the slow end of what is assumed.
    pub low_gb_s: Option<f64>,
    /// At the fast end.
    pub high_gb_s: Option<f64>,
    /// What binds.
    pub binds: String,
}

/// The scenario in parts.
struct Sketch {
    node: &'static str,
    target: &'static str,
    /// Keys of the node beside its model.
    keys: String,
    assumed: Vec<String>,
    /// How many local drives, where storage is local.
    drives: Option<usize>,
    /// Whether the storage speaks TCP.
    tcp: bool,
}

/// The requests that are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// The size of one, in bytes.
    pub size: u64,
    /// Threads a GPU.
    pub threads: u64,
    /// Outstanding requests of each.
    pub depth: u64,
}

/// What is asked where nothing says otherwise.
const USUAL: Asked = Asked { size: 1 << 20, threads: 16, depth: 1 };

/// Predicts; nothing where no GPU moves anything.
///
/// # Errors
/// A [`Fault`] if a model cannot be read.
pub(super) fn predict(machine: &Machine<'_>, gpus: &[GpuPath], library: &Library) -> Result<Option<Prediction>, Fault> {
    if gpus.iter().all(|gpu| path(gpu.taken).is_none()) {
        return Ok(None);
    }
    let sketch = sketch(machine);
    let mut alone = Vec::new();
    for class in classes(gpus) {
        let nodes = alone_node(class[0].reach);
        let numbers: Vec<u32> = class.iter().map(|gpu| gpu.gpu).collect();
        alone.extend(reached(&sketch, &nodes, class[0], &numbers, library)?);
    }
    let mut together = Vec::new();
    let nodes = match sketch.drives {
        Some(_) => (gpus.len() <= 8).then(|| format!("gpus = {}\n", gpus.len())),
        None => whole_node(machine, gpus),
    };
    if gpus.len() > 1
        && let Some(nodes) = nodes
    {
        let numbers: Vec<u32> = gpus.iter().map(|gpu| gpu.gpu).collect();
        together = reached(&sketch, &nodes, &gpus[0], &numbers, library)?;
    }
    let Sketch { node, target, assumed, .. } = sketch;
    Ok(Some(Prediction { node: node.into(), target: target.into(), assumed, alone, together }))
}

/// The direction-less name of the shipped path that stands for a way.
fn path(taken: Taken) -> Option<&'static str> {
    match taken {
        Taken::Gds | Taken::Staged => Some("gds"),
        Taken::Compat => Some("compat"),
        Taken::Refused | Taken::CannotTell => None,
    }
}

/// GPUs of the same distance and way, together.
fn classes(gpus: &[GpuPath]) -> Vec<Vec<&GpuPath>> {
    let mut classes: Vec<Vec<&GpuPath>> = Vec::new();
    for gpu in gpus.iter().filter(|gpu| path(gpu.taken).is_some()) {
        match classes.iter_mut().find(|class| class[0].reach == gpu.reach && class[0].taken == gpu.taken) {
            Some(class) => class.push(gpu),
            None => classes.push(vec![gpu]),
        }
    }
    classes
}

fn sketch(machine: &Machine<'_>) -> Sketch {
    let mut assumed = Vec::new();
    let node = hardware::node(machine, &mut assumed);
    let mut keys = hardware::gpu(machine, &mut assumed);
    let facts = gpus::facts(machine, None);
    let drives = (facts.local == Some(true)).then(|| local::drives(machine));
    let tcp = facts.transport == Some(Transport::Tcp);
    match drives {
        Some(drives) => assumed.push(local::assumption(drives)),
        None => {
            keys.push_str(&hardware::nic(machine, &mut assumed));
            assumed.push("a target that fills 800 Gb/s (plain-800g)".to_string());
        }
    }
    assumed.push("requests of 1 MiB, 16 threads a GPU, files opened with O_DIRECT".to_string());
    let target = if drives.is_some() { local::target() } else { "plain-800g" };
    Sketch { node, target, keys, assumed, drives, tcp }
}

/// A node of one GPU and one NIC at that distance.
fn alone_node(reach: Option<Reach>) -> String {
    let places = match reach {
        Some(Reach::NvLink(_) | Reach::Pix | Reach::Pxb) => {
            "sockets = [{}, {}]\nswitches = [{ socket = 0, uplink = { model = \"pcie5-x16\" }, gpus = [0], nics = [0] }]\n"
        }
        Some(Reach::Sys) => "sockets = [{ gpus = [0] }, { nics = [0] }]\nswitches = []\n",
        _ => "sockets = [{ gpus = [0], nics = [0] }, {}]\nswitches = []\n",
    };
    format!("gpus = 1\nnics = 1\n{places}")
}

/// The whole node: which GPUs and storage NICs are of one socket or below one switch; nothing where the matrix does not say.
fn whole_node(machine: &Machine<'_>, gpus: &[GpuPath]) -> Option<String> {
    let nics = links::storage_nics(machine).nics;
    if nics.is_empty() || gpus.iter().any(|gpu| gpu.reach.is_none()) {
        return None;
    }
    let cards = cards(machine, &nics, gpus);
    let (mut sockets, mut switches) = ([Vec::new(), Vec::new()], String::new());
    let mut nic_sockets = [Vec::new(), Vec::new()];
    for (index, card) in cards.iter().enumerate() {
        let near: Vec<usize> = (0..gpus.len()).filter(|&gpu| card[gpu] <= Reach::Pxb).collect();
        let of_first = card.first().is_none_or(|reach| *reach < Reach::Sys);
        if near.is_empty() {
            nic_sockets[usize::from(!of_first)].push(index);
        } else {
            switches.push_str(&format!(
                "{{ socket = {}, uplink = {{ model = \"pcie5-x16\" }}, gpus = {near:?}, nics = [{index}] }}, ",
                usize::from(!of_first)
            ));
        }
    }
    let below = |gpu: usize| cards.iter().any(|card| card[gpu] <= Reach::Pxb);
    for gpu in (0..gpus.len()).filter(|&gpu| !below(gpu)) {
        sockets[socket(&cards, gpu)].push(gpu);
    }
    let [first, second] =
        [0, 1].map(|socket| format!("{{ gpus = {:?}, nics = {:?} }}", sockets[socket], nic_sockets[socket]));
    Some(format!(
        "gpus = {}\nnics = {}\nsockets = [{first}, {second}]\nswitches = [{switches}]\n",
        gpus.len(),
        cards.len()
    ))
}

/// The first NIC's side is socket 0: a GPU is there unless it is across from it.
fn socket(cards: &[Vec<Reach>], gpu: usize) -> usize {
    usize::from(cards.first().is_some_and(|card| card[gpu] == Reach::Sys))
}

/// The reach of every GPU to every card: ports of one card (PIX to each other) count once.
fn cards(machine: &Machine<'_>, nics: &[links::Nic], gpus: &[GpuPath]) -> Vec<Vec<Reach>> {
    let mut kept: Vec<&links::Nic> = Vec::new();
    for nic in nics {
        let twin = |other: &&links::Nic| {
            let between =
                links::reach(machine, &nic.label, &other.label).or(links::reach(machine, &other.label, &nic.label));
            between.is_some_and(|(reach, _)| reach == Reach::Pix)
        };
        if !kept.iter().any(twin) {
            kept.push(nic);
        }
    }
    let reach = |nic: &links::Nic, gpu: &GpuPath| {
        links::reach(machine, &format!("GPU{}", gpu.gpu), &nic.label).map_or(Reach::Sys, |(reach, _)| reach)
    };
    kept.into_iter().map(|nic| gpus.iter().map(|gpu| reach(nic, gpu)).collect()).collect()
}

/// Reads and writes of some GPUs.
fn reached(
    sketch: &Sketch,
    nodes: &str,
    gpu: &GpuPath,
    gpus: &[u32],
    library: &Library,
) -> Result<Vec<Reached>, Fault> {
    let Some(path) = path(gpu.taken) else { return Ok(Vec::new()) };
    // Over TCP the rules of the path lead there by themselves, as in a run.
    let path = if sketch.tcp { "gds" } else { path };
    let directions: &[&str] = if sketch.drives.is_some() { &["read"] } else { &["read", "write"] };
    let works = simulated(sketch, nodes, path, directions, USUAL, library)?;
    let distance = gpu.distance.clone().unwrap_or_else(|| "not known".to_string());
    Ok(works.iter().map(|work| figure(work, gpus, &distance)).collect())
}

/// One GPU's work along that path with these requests; what the simulator says of it.
pub(super) fn alone(
    machine: &Machine<'_>,
    gpu: &GpuPath,
    path: &str,
    direction: &str,
    asked: Asked,
    library: &Library,
) -> Result<Option<WorkReport>, Fault> {
    let sketch = sketch(machine);
    if sketch.drives.is_some() && direction == "write" {
        return Ok(None);
    }
    let path = if sketch.tcp && path == "compat" { "gds" } else { path };
    let nodes = alone_node(gpu.reach);
    Ok(simulated(&sketch, &nodes, path, &[direction], asked, library)?.into_iter().next())
}

/// Runs works of these directions, one after another.
fn simulated(
    sketch: &Sketch,
    nodes: &str,
    path: &str,
    directions: &[&str],
    asked: Asked,
    library: &Library,
) -> Result<Vec<WorkReport>, Fault> {
    let Asked { size, threads, depth } = asked;
    // So much that the start does not count, and no more.
    let bytes = (32u64 << 30).max(size.saturating_mul(threads * depth).saturating_mul(20)).min(4 << 40);
    let local = if sketch.drives.is_some() { "-local" } else { "" };
    let nic = if local.is_empty() { "nic = \"own-socket\"\n" } else { "" };
    let mut works = String::new();
    for (index, direction) in directions.iter().enumerate() {
        let after = if index > 0 { format!("after = \"{}\"\n", directions[index - 1]) } else { String::new() };
        works.push_str(&format!(
            "[works.{direction}]\npath = \"{path}{local}-{direction}\"\nbytes = \"{bytes} B\"\nsize = \"{size} B\"\nthreads = {threads}\ndepth = {depth}\n{nic}{after}\n"
        ));
    }
    let rate = sketch.drives.map(local::rate).unwrap_or_default();
    let transport = if sketch.tcp { "transport = \"tcp\"\n" } else { "" };
    let target = format!("[target]\nmodel = \"{}\"\n{rate}{transport}\n", sketch.target);
    let text = format!(
        "schema = 1\nname = \"doctor\"\n\n{target}{works}[node]\nmodel = \"{}\"\n{}{nodes}",
        sketch.node, sketch.keys,
    );
    let loaded = load_text("doctor", &text, library, &[])?;
    Ok(study::run(&loaded, &Options { mode: Some(Mode::Settled), ..Options::default() }, None)?.works)
}

fn figure(work: &WorkReport, gpus: &[u32], distance: &str) -> Reached {
    let rate = |seconds: f64| work.bytes as f64 / seconds / 1e9;
    Reached {
        gpus: gpus.to_vec(),
        distance: distance.to_string(),
        path: work.path_taken.clone(),
        hops: work.hops.len() as u32,
        throughput_gb_s: work.throughput_gb_s,
        low_gb_s: work.high_s.map(rate),
        high_gb_s: work.low_s.map(rate),
        binds: work.binding.first().map(|binding| binding.name.clone()).unwrap_or_default(),
    }
}
