//! Path files (`scenarios/paths/*.toml`): the legs, hops and control steps between storage and HBM.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::{At, Figure};
use crate::units::Time;

/// A way for bytes between the storage target and a GPU's memory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// The path's name, such as `gds-read`.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Which way the bytes go.
    pub direction: Direction,
    /// By which method.
    pub method: Method,
    /// Whether a request holds a CPU thread from its first step to its last, as a buffered call does.
    #[serde(default)]
    pub holds_thread: bool,
    /// The legs in the order that the bytes take them.
    pub legs: Vec<Leg>,
}

/// Read: storage to HBM. Write: HBM to storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From storage to the GPU.
    Read,
    /// From the GPU to storage.
    Write,
}

/// How the bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// GPUDirect Storage: the NIC's DMA reaches the GPU's memory.
    Gds,
    /// Through buffers in system memory.
    Bounce,
    /// Asked for GDS and got the bounce.
    Compat,
}

/// A row of hops that bytes stream through without stopping.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// What the leg does: "fetch", "copy", "upload".
    pub name: At<String>,
    /// Who moves the bytes.
    pub mover: At<Mover>,
    /// Control steps before the bytes move, in order.
    #[serde(default)]
    pub before: Vec<Step>,
    /// The hops, each from where the one before ends.
    pub hops: Vec<Hop>,
    /// Control steps after the bytes have arrived, in order.
    #[serde(default)]
    pub after: Vec<Step>,
}

/// Who moves the bytes of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mover {
    /// The NIC's DMA engines: no slot, shares with others.
    Nic,
    /// A CPU thread, at its own copy rate.
    Cpu,
    /// The GPU's copy engine for the direction: one transfer at a time.
    CopyEngine,
}

/// A stage that a teacher would count.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Where the bytes come from.
    pub from: At<Station>,
    /// Where they go.
    pub to: At<Station>,
}

/// A place on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Station {
    /// The storage target.
    #[serde(rename = "storage")]
    Storage,
    /// The storage NIC.
    #[serde(rename = "nic")]
    Nic,
    /// The top of the PCIe tree between two devices, or between memory and a device.
    #[serde(rename = "pcie")]
    Pcie,
    /// A buffer of the kernel in system memory (the page cache).
    #[serde(rename = "kernel buffer")]
    KernelBuffer,
    /// A buffer of the application in system memory.
    #[serde(rename = "user buffer")]
    UserBuffer,
    /// The GPU's memory.
    #[serde(rename = "hbm")]
    Hbm,
}

/// A control step: somebody does something that takes time and moves no payload.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What is done, in words.
    pub what: String,
    /// What it costs: `part.name` of a part's `costs`, part being cpu, gpu, nic, fabric or target.
    pub cost: At<String>,
    /// An extra time drawn evenly between nothing and this.
    pub jitter: Option<Figure<Time>>,
}
