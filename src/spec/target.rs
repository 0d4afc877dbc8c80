//! Files beyond the node: a fabric, a storage target.
//!
//! Knows their keys. Must not know what the figures do in a simulation.

use schemars::JsonSchema;
use serde::Deserialize;

use super::figure::Figure;
use super::node::{Costs, CostsBySize};
use crate::units::{Factor, Rate};

/// The network between node and target (`models/fabrics/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Rate of the narrowest cut between node and target, each direction.
    pub rate: Figure<Rate>,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// A storage target (`models/targets/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// What it serves, each direction.
    pub rate: Figure<Rate>,
    /// What it serves to readers, where that differs.
    pub read_rate: Option<Figure<Rate>>,
    /// What it takes from writers, where that differs.
    pub write_rate: Option<Figure<Rate>>,
    /// The share of that rate that a job's files reach, by their layout over its devices: above 0, at most 1.
    pub striping_efficiency: Option<Figure<Factor>>,
    /// How its clients speak to it.
    #[serde(default)]
    pub transport: Transport,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// The transport between client and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// RDMA (InfiniBand or RoCE).
    #[default]
    Rdma,
    /// TCP: no peer-to-peer.
    Tcp,
}
