//! A cluster: how many nodes there are, and what other jobs take of what they share.
//!
//! Knows its keys. Must not know what a node or a target is made of.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::figure::{At, Figure};
use engine::units::Rate;

/// Nodes of one model that work together: works are shared by the GPUs of all of them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// How many nodes of the scenario's model there are.
    #[serde(default = "one")]
    pub nodes: Figure<u64>,
    /// What other jobs take, by name.
    #[serde(default)]
    pub background: IndexMap<String, At<Background>>,
}

fn one() -> Figure<u64> {
    Figure::stated(1)
}

/// Traffic of other jobs: a rate that they have before anybody else, so that the rest is shared.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// What they cross, by the name that reports give it; `*` stands for any part of a name, as in `leaf*.uplink.up`.
    pub on: At<String>,
    /// What they take of each.
    pub rate: Figure<Rate>,
}
