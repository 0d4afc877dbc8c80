//! The shape of the answer sheet: figures of every scheme in every environment. Field names are the JSON keys.
//!
//! Knows what is answered. Must not know how the answers come about, nor how they are printed.

use serde::Serialize;

use engine::Mode;

use super::contents::ContentsSheet;
use super::failures::Replicates;
use super::file::Cache;
use super::interval::Costs;
use super::measure::{Repetitions, Times};
use super::scheme::Scheme;

/// All answers. Field names are the JSON keys; later versions only add.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// Version of this shape: 1.
    pub schema: u32,
    /// Bytes in all, in 2^30 bytes.
    pub size_gib: f64,
    /// What is saved.
    #[serde(rename = "written")]
    pub contents: ContentsSheet,
    /// On what: a part for each environment.
    #[serde(rename = "grounds")]
    pub environments: Vec<EnvironmentSheet>,
    /// What to know of it.
    pub warnings: Vec<String>,
}

/// The answers for one environment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnvironmentSheet {
    /// The node's model.
    pub node: String,
    /// The target's.
    pub target: String,
    /// Nodes of the job.
    pub nodes: u64,
    /// Nodes that write.
    pub writing_nodes: u64,
    /// GPUs of a node that hold ranks.
    pub gpus: u64,
    /// How saves are simulated: `request`, `settled` or `stream`.
    pub mode: Mode,
    /// Mean time between failures of the job.
    pub job_mtbf_s: f64,
    /// The schemes, those that cannot be among them.
    pub schemes: Vec<Row>,
    /// Single changes by what they gain; empty unless asked for.
    pub what_if: Vec<Change>,
}

/// A scheme's answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The scheme.
    pub scheme: Scheme,
    /// Why it cannot be here, instead of figures.
    pub refused: Option<String>,
    /// Its figures.
    pub figures: Option<Figures>,
}

/// A scheme's figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Times of a save.
    #[serde(flatten)]
    pub times: Times,
    /// Save times of several repetitions, where something is left to chance.
    pub repetitions: Option<Repetitions>,
    /// How much longer a training step is while the save goes on beside it (0.05: 5 %).
    pub step_inflation: f64,
    /// Bytes of a node's system memory at the peak.
    pub host_bytes: u64,
    /// How it comes back.
    pub restore: Restored,
    /// How often to save, and what comes of it.
    pub interval: Interval,
}

/// How a save comes back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Restored {
    /// In all.
    pub total_s: f64,
    /// Until the first byte is asked for.
    pub start_s: f64,
    /// Opening files.
    pub metadata_s: f64,
    /// Reading.
    pub data_s: f64,
    /// The path.
    pub path: String,
    /// From where.
    pub cache: Cache,
    /// What binds the reading.
    pub binds: String,
}

/// How often to save.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// What a save, a restart and failures cost.
    pub costs: Costs,
    /// Young's interval.
    pub young_s: f64,
    /// Daly's.
    pub daly_s: f64,
    /// That of the highest availability.
    pub availability_s: f64,
    /// The one that was taken.
    pub taken_s: f64,
    /// The share of time that is useful work.
    pub goodput: f64,
    /// Work undone by a failure in the mean.
    pub lost_s: f64,
    /// The same by simulated failures: at random, or with a trace's intervals drawn anew.
    pub simulated: Replicates,
    /// The same by a trace as it stands, until its last failure.
    pub replayed: Option<Replicates>,
}

/// A change and what it gains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The scheme that it is made to.
    pub scheme: Scheme,
    /// What is changed.
    pub what: String,
    /// Save time before.
    pub before_s: f64,
    /// Save time after.
    pub after_s: f64,
    /// Stall before.
    pub stall_before_s: f64,
    /// Stall after.
    pub stall_after_s: f64,
}

impl Change {
    pub(super) fn of(scheme: Scheme, what: &str, before: &Times, after: &Times) -> Change {
        Change {
            scheme,
            what: what.to_string(),
            before_s: before.save_s,
            after_s: after.save_s,
            stall_before_s: before.stall_s,
            stall_after_s: after.stall_s,
        }
    }

    /// The share of the save time that it saves.
    pub fn gain(&self) -> f64 {
        1.0 - self.after_s / self.before_s
    }

    /// The share of the stall that it saves.
    pub fn stall_gain(&self) -> f64 {
        1.0 - self.stall_after_s / self.stall_before_s
    }
}
