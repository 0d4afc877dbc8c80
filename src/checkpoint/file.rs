//! A checkpoint file: what is saved, on what, how, with which failures.
//!
//! Knows the keys of the file and their places. Must not know how long anything takes. Node, cluster, fabric and target are
//! those of a scenario, and are handed on as they stand.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::error::{Fault, Sources, Span};
use crate::format::{At, Cluster, Fabric, Figure, Node, Target, schema_of};
use engine::units::{Bytes, Factor, LongTime, Rate, Time};

use super::shard::Writers;

/// The file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) schema: Option<At<i64>>,
    #[serde(rename = "title")]
    _title: Option<String>,
    pub(super) model: Option<At<Model>>,
    /// The GPU node, as in a scenario; a DGX H100 where nothing is said.
    #[serde(rename = "node")]
    #[schemars(with = "Option<Node>")]
    _node: Option<IgnoredAny>,
    /// How many such nodes there are, and what other jobs take; as many as the ranks need where nothing is said.
    #[serde(rename = "cluster")]
    #[schemars(with = "Option<Cluster>")]
    _cluster: Option<IgnoredAny>,
    /// The network, as in a scenario.
    #[serde(rename = "fabric")]
    #[schemars(with = "Option<Fabric>")]
    _fabric: Option<IgnoredAny>,
    /// The storage target, as in a scenario.
    #[serde(rename = "target")]
    #[schemars(with = "Option<Target>")]
    _target: Option<IgnoredAny>,
    /// The target that stands for a node's own drives: keys over those of the target, or a model's name. The node's own `local`
    /// where nothing is said.
    #[serde(rename = "local")]
    #[schemars(with = "Option<Target>")]
    _local: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) save: Save,
    #[serde(default)]
    pub(super) restore: Restore,
    #[serde(default)]
    pub(super) training: Training,
    #[serde(default)]
    pub(super) failures: Failing,
}

/// `[model]`: one of bytes, preset, parameters, transformer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    pub(super) name: Option<String>,
    pub(super) bytes: Option<Figure<Bytes>>,
    pub(super) preset: Option<At<String>>,
    pub(super) parameters: Option<Figure<u64>>,
    pub(super) transformer: Option<Shape>,
    pub(super) datatype: Option<At<String>>,
    pub(super) optimizer_datatype: Option<At<String>>,
    pub(super) optimizer_states: Option<Figure<u64>>,
    pub(super) ranks: Option<Figure<u64>>,
    pub(super) tensor: Option<Figure<u64>>,
    pub(super) pipeline: Option<Figure<u64>>,
    pub(super) zero: Option<Figure<u64>>,
    #[serde(default)]
    pub(super) writers: Writers,
    pub(super) files_per_rank: Option<Figure<u64>>,
}

/// `model.transformer`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    pub(super) layers: Figure<u64>,
    pub(super) hidden: Figure<u64>,
    pub(super) feed_forward: Figure<u64>,
    pub(super) vocabulary: Figure<u64>,
    pub(super) heads: Figure<u64>,
    pub(super) kv_heads: Figure<u64>,
}

/// `[save]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    pub(super) schemes: Option<At<Vec<At<String>>>>,
    pub(super) size: Option<Figure<Bytes>>,
    pub(super) threads: Option<Figure<u64>>,
    pub(super) depth: Option<Figure<u64>>,
    /// What one thread serialises.
    pub(super) serialise: Option<Figure<Rate>>,
    pub(super) fsync: Option<Figure<Time>>,
    pub(super) barrier: Option<Figure<Time>>,
    pub(super) repetitions: Option<Figure<u64>>,
    pub(super) seed: Option<u64>,
}

/// `[restore]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Restore {
    pub(super) start: Option<Figure<Time>>,
    pub(super) metadata: Option<Figure<Time>>,
    pub(super) cache: Option<Cache>,
}

/// Where a restore finds the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// On the target.
    #[default]
    Cold,
    /// In the node's page cache.
    Warm,
}

/// `[training]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Training {
    pub(super) step: Option<Figure<Time>>,
    /// From system memory to each GPU in a step.
    pub(super) traffic: Option<Figure<Bytes>>,
    /// The share of that traffic that computing does not hide.
    pub(super) exposed: Option<Figure<Factor>>,
}

/// `[failures]`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Failing {
    /// Mean time between failures of one node.
    pub(super) mtbf: Option<Figure<LongTime>>,
    /// Times of failures of the job, counted from the beginning.
    pub(super) trace: Option<At<Vec<Figure<LongTime>>>>,
    /// A CSV file with such times, or with intervals between them.
    pub(super) trace_file: Option<At<String>>,
    /// Useful work between two saves, where it is not to be chosen.
    pub(super) interval: Option<Figure<LongTime>>,
}

/// The JSON Schema of the file, for editors.
pub fn schema() -> serde_json::Value {
    schema_of::<File>()
}

/// A file with its places.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) file: File,
    /// The name of the file and its text.
    pub(super) source: (String, String),
    pub(super) sources: Sources,
}

impl Read {
    /// A fault at a place of the file.
    pub(super) fn at(&self, span: &Span, message: &str, label: &str) -> Fault {
        Fault::at(&self.sources, span, message, label)
    }
}
