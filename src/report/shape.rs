//! The report's shape. Field names are the JSON keys; later versions only add.

use serde::{Deserialize, Serialize};

use engine::{Direction, Station};

/// All that a run says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Version of this shape: 1.
    pub schema: u32,
    /// The scenario's name.
    pub scenario: String,
    /// Digest of the canonical scenario and models, seed, mode and version.
    pub fingerprint: String,
    /// The seed of the random streams.
    pub seed: u64,
    /// `request`, `settled` or `stream`.
    pub mode: String,
    /// Simulated seconds from the beginning until the last work ended.
    pub simulated_s: f64,
    /// The works, in the order of the file.
    pub works: Vec<WorkReport>,
    /// What the scenario expected, judged.
    pub expectations: Vec<Judgement>,
    /// Whether the expectations were judged: only in a plain run.
    pub judged: bool,
    /// What to know before trusting the figures.
    pub warnings: Vec<Warning>,
    /// The share of the answer that rests on assumed figures (0 to 1).
    pub assumed_share: f64,
}

/// One work's figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkReport {
    /// Its name.
    pub name: String,
    /// Read or write.
    pub direction: Direction,
    /// The path that it asked for.
    pub path_asked: String,
    /// The path that its bytes took.
    pub path_taken: String,
    /// The rules that decided.
    pub why: Vec<String>,
    /// Payload bytes moved.
    pub bytes: u64,
    /// Requests done.
    pub requests: u64,
    /// When it started, in seconds.
    pub start_s: f64,
    /// From its start until its last request was done, in seconds.
    pub duration_s: f64,
    /// Payload, 10^9 bytes a second.
    pub throughput_gb_s: f64,
    /// Payload, 2^30 bytes a second.
    pub throughput_gib_s: f64,
    /// What the slowest hardware link of the path carries, 10^9 bytes a second.
    pub line_rate_gb_s: Option<f64>,
    /// Which one that is.
    pub line_rate_by: Option<String>,
    /// What no schedule can pass, after efficiencies, charges and movers, 10^9 bytes a second.
    #[serde(deserialize_with = "unlimited")]
    pub ceiling_gb_s: f64,
    /// What sets it.
    pub ceiling_by: String,
    /// The closed form for a loop of equal requests: bytes / min(ceiling, outstanding x size / (delays + services)).
    pub closed_form_s: Option<f64>,
    /// The duration with every assumed figure at its fast end.
    pub low_s: Option<f64>,
    /// The duration with every assumed figure at its slow end.
    pub high_s: Option<f64>,
    /// What the time went to, largest share first.
    pub binding: Vec<Binding>,
    /// Latency of requests.
    pub latency_us: Option<Latency>,
    /// Where a request's time goes, leg by leg (means).
    pub legs: Vec<LegReport>,
    /// The hops of the path in order.
    pub hops: Vec<HopReport>,
    /// Resources that it used.
    pub resources: Vec<ResourceReport>,
    /// The least time that each group of capacities and movers allows, longest first; no part of the JSON.
    #[serde(skip)]
    pub floors: Vec<Floor>,
    /// Traffic of its payload in system memory, in bytes.
    pub dram_bytes: u64,
    /// Its bytes over all PCIe links together.
    pub pcie_bytes: u64,
    /// DMA transfers over PCIe that a byte takes part in.
    pub pcie_crossings: u64,
    /// Copies that the CPU issues for a byte out of a host buffer or into one.
    pub cpu_copies: u64,
    /// Seconds of CPU threads: control steps and copies.
    pub cpu_s: f64,
    /// Of these, control steps: posting work, reaping completions, polling.
    pub cpu_control_s: f64,
    /// Of these, copies of payload.
    pub cpu_data_s: f64,
    /// What its session took before it started: opening drivers and files, registering buffers. No part of its duration.
    pub session_s: f64,
    /// Seconds of CPU threads that the session took, no part of `cpu_s`.
    pub session_cpu_s: f64,
    /// The most bytes that rested in host buffers at one time.
    pub peak_host_bytes: u64,
    /// When the GPUs that moved something were done, in seconds from its start.
    #[serde(default)]
    pub gpus_done_s: Option<Done>,
    /// In settled mode, where the work settled: how it was taken ahead.
    pub settled: Option<Settled>,
    /// In stream mode, where what binds was not brought into balance: by which share its times may be off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unbalanced: Option<f64>,
}

/// The least time that a group allows. Its name is that of the plan: what binds, where a capacity or a mover does, has the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Floor {
    /// The group.
    pub group: String,
    /// Seconds.
    pub floor_s: f64,
}

/// When several were done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The first.
    pub first: f64,
    /// All, in the mean.
    pub mean: f64,
    /// The last.
    pub last: f64,
}

impl WorkReport {
    /// Legs along which bytes move: the others are control steps alone.
    pub fn moving_legs(&self) -> usize {
        let moves = |leg: &&LegReport| self.hops.iter().any(|hop| hop.leg == leg.name);
        self.legs.iter().filter(moves).count()
    }
}

impl Binding {
    /// The group of capacities or movers that it is, if it is one: a delay and a lack of work are none.
    pub fn group(&self) -> Option<&str> {
        matches!(self.kind.as_str(), "capacity" | "own_cap" | "slot").then_some(self.name.as_str())
    }
}

/// An entry of what binds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Binding {
    /// The resource, delay or mover; alike ones together.
    pub name: String,
    /// `capacity`, `own_cap`, `slot`, `delay` or `no_work`.
    pub kind: String,
    /// Share of the time of the GPU that is done last: that in which it is full or queued for, or, where nothing is, in which it is
    /// what requests do.
    pub share: f64,
    /// Part of the duration that a tenth more of it would save, measured by running it; nothing where that was not run.
    #[serde(default)]
    pub gain: Option<f64>,
    /// Whether it is tied with the first: by gain within one point, or relieving it helps only together with the others.
    pub tied: bool,
}

/// Request latency in microseconds. Mean and max are exact, percentiles within 0.1 %.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Latency {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

/// A leg's part of a request's mean time, in seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LegReport {
    /// Its name.
    pub name: String,
    /// In line for slots and memory.
    pub line_s: f64,
    /// In delays.
    pub setup_s: f64,
    /// In motion.
    pub moving_s: f64,
}

/// A hop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HopReport {
    /// The leg that it belongs to.
    pub leg: String,
    /// Its number on the path, from 1.
    pub hop: u32,
    /// Where the bytes come from.
    pub from: Station,
    /// Where they go.
    pub to: Station,
    /// Payload bytes that crossed it.
    pub bytes: u64,
    /// Share of all requests' time charged to what it crosses.
    pub share: f64,
}

/// A resource's use by one work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResourceReport {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: String,
    /// Bytes charged to it.
    pub bytes: u64,
    /// Its rate, 10^9 bytes a second.
    pub rate_gb_s: f64,
    /// Share of the work's duration that those bytes keep it busy.
    pub utilisation: f64,
    /// The least time that those bytes take it, in seconds.
    pub floor_s: f64,
    /// How many there are like it: stream mode lists one node of each kind.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
}

fn one() -> u64 {
    1
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

/// How a settled work was taken ahead.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Settled {
    /// Requests that were simulated.
    pub simulated_requests: u64,
    /// Half-width of the 95 % interval of the throughput, relative.
    pub half_width: f64,
}

/// A judged expectation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Judgement {
    /// The key.
    pub that: String,
    /// What was expected, in words.
    pub expected: String,
    /// What came out.
    pub actual: String,
    /// Whether it holds.
    pub holds: bool,
    /// Why it must hold.
    pub why: String,
}

/// Something to know before trusting the figures.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct Warning {
    /// A word for programs: `convoy`, `assumed`.
    pub kind: String,
    /// What was noticed.
    pub text: String,
    /// What to do about it.
    pub advice: String,
}

/// JSON has no infinity: a ceiling that is none is written `null`.
fn unlimited<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Option::<f64>::deserialize(deserializer).map(|ceiling| ceiling.unwrap_or(f64::INFINITY))
}
