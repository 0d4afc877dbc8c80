//! Segments of paths (`scenarios/paths/hosts/*.toml`, `scenarios/paths/wires/*.toml`): the host side and the wire, of which a path
//! is composed.
//!
//! Knows the shape of the files. Must not know how they are put together.

use schemars::JsonSchema;
use serde::Deserialize;

use super::figure::{At, Figure};
use super::path::{Completion, Each, Hop, Method, Moves, SessionStep, Slot, Step};
use engine::units::{Bytes, Time};
use engine::{Direction, Mover, Station};

/// The host side of a path: what happens in the node, with places where the wire's steps go.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The segment's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// By which method the bytes go.
    pub method: Method,
    /// Whether a request holds a CPU thread from its first step to its last, as a buffered call does.
    #[serde(default)]
    pub holds_thread: bool,
    /// Whether whole blocks go over the wire, so that no request travels within the capsule.
    #[serde(default)]
    pub whole_blocks: bool,
    /// From storage to HBM.
    pub read: Option<HostWay>,
    /// From HBM to storage.
    pub write: Option<HostWay>,
}

/// One direction of a host side.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostWay {
    /// What is done once, before the first request.
    #[serde(default)]
    pub session: Vec<SessionStep>,
    /// The legs in the order that the bytes take them.
    pub legs: Vec<HostLeg>,
}

/// A leg of a host side: with `at`, it is the wire's, and ends (or begins) there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostLeg {
    /// What the leg does.
    pub name: At<String>,
    /// Where the wire's leg ends in the node, or begins.
    pub at: Option<At<Station>>,
    /// Which way the wire's leg goes, where it is not the path's.
    pub direction: Option<Direction>,
    /// Who moves the bytes of a leg that is not the wire's.
    pub mover: Option<At<Mover>>,
    /// What it holds, as in a path.
    #[serde(default)]
    pub holds: Vec<Slot>,
    /// Steps before the bytes move; `{ wire = "submit" }` stands for those of the wire.
    #[serde(default)]
    pub before: Vec<HostStep>,
    /// The hops of a leg that is not the wire's.
    #[serde(default)]
    pub hops: Vec<Hop>,
    /// Steps after the bytes have arrived; `{ wire = "complete" }` stands for those of the wire.
    #[serde(default)]
    pub after: Vec<HostStep>,
    /// As in a path.
    pub hot: Option<bool>,
    /// As in a path.
    pub moves: Option<Moves>,
    /// As in a path.
    pub resident: Option<bool>,
    /// As in a path.
    pub write_back: Option<bool>,
}

/// A step of a host side, or the place where the wire's own steps go.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostStep {
    /// The wire's steps of that name stand here.
    pub wire: Option<WireSteps>,
    /// What is done, in words.
    pub what: Option<String>,
    /// What it costs.
    pub cost: Option<At<String>>,
    /// An extra time drawn evenly between nothing and this.
    pub jitter: Option<Figure<Time>>,
    /// How often it is done.
    pub each: Option<At<Each>>,
    /// Whether requests that travel within the capsule do without it.
    pub unless_inline: Option<At<bool>>,
    /// Only where the work learns of completions in this way.
    pub when: Option<Completion>,
}

/// Which of a wire's steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WireSteps {
    /// What a core does to send a request off.
    Submit,
    /// What a core does to learn that it is done.
    Complete,
}

/// The wire of a path: how a node speaks to its storage.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// The segment's name, which `target.wire` may give.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// What the bytes go through.
    pub through: Through,
    /// Whether a device reaches the GPU's memory over it.
    #[serde(default = "yes")]
    pub gpu_direct: bool,
    /// A request, or a part of it, goes in commands of at most this size; without it, in one.
    pub command: Option<Figure<Bytes>>,
    /// From storage.
    pub read: WireWay,
    /// To storage.
    pub write: WireWay,
}

fn yes() -> bool {
    true
}

/// What the bytes of a wire go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Through {
    /// A NIC, and a network.
    Nic,
    /// PCIe alone: the drives are in the node.
    Pcie,
    /// Nothing: the files are in memory.
    None,
}

/// One direction of a wire.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireWay {
    /// Requests up to this size travel within the command's capsule.
    pub inline: Option<Figure<Bytes>>,
    /// What is done once, before the first request.
    #[serde(default)]
    pub session: Vec<SessionStep>,
    /// What a core does to send a request off.
    #[serde(default)]
    pub submit: Vec<Step>,
    /// What a request holds while it is on the wire.
    #[serde(default)]
    pub holds: Vec<Slot>,
    /// What devices and target do before the bytes move.
    #[serde(default)]
    pub before: Vec<Step>,
    /// What comes last before them where they begin in HBM.
    #[serde(default)]
    pub from_gpu: Vec<Step>,
    /// The same where they begin in system memory.
    #[serde(default)]
    pub from_memory: Vec<Step>,
    /// Where they arrive if that is not where they are wanted: a core brings them there.
    pub lands: Option<Station>,
    /// What is done after they have arrived.
    #[serde(default)]
    pub after: Vec<Step>,
    /// What a core does to learn that a request is done.
    #[serde(default)]
    pub complete: Vec<Step>,
}
