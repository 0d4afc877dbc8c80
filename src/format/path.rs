//! Path files (`scenarios/paths/*.toml`): the legs, hops and control steps between storage and HBM, or a part of that way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::{At, Figure};
use super::target::Transport;
use engine::units::{Bytes, Time};
use engine::{Direction, Mover, Station};

/// A way for bytes between the storage target and a GPU's memory. It may begin or end at a buffer in system memory: data in
/// the page cache, or one half of the way alone.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// The path's name, such as `gds-read`.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Which way the bytes go.
    pub direction: Direction,
    /// The host side that it is composed of (`scenarios/paths/hosts`), in the place of legs of its own.
    pub host: Option<String>,
    /// The wire that goes with it (`scenarios/paths/wires`); without it, the target's.
    pub wire: Option<String>,
    /// By which method; that of the host side, where it has one.
    #[schemars(with = "Option<Method>")]
    pub method: Method,
    /// Whether a request holds a CPU thread from its first step to its last, as a buffered call does.
    #[serde(default)]
    pub holds_thread: bool,
    /// How software cuts a request before it goes along the legs; without it, not at all.
    pub cut: Option<Cut>,
    /// The transport that its steps are those of; without it, whatever the target speaks.
    pub transport: Option<At<Transport>>,
    /// The rules that a request must meet to take it, by their words; without it, all where the method is `gds`.
    pub requires: Option<Vec<At<String>>>,
    /// The path taken instead where a rule is not met that leaves no GDS: through system memory.
    pub compat: Option<At<String>>,
    /// The same where the target speaks TCP.
    pub compat_tcp: Option<At<String>>,
    /// The path taken instead for unaligned requests: through a bounce buffer in HBM.
    pub unaligned: Option<At<String>>,
    /// The same where the buffers alone are the reason; without it, as for unaligned ones.
    pub unregistered: Option<At<String>>,
    /// The path taken instead where routing stages the bytes in system memory.
    pub staged: Option<At<String>>,
    /// The kernel sends a request, or a part of it, in commands of at most this size; without it, in one.
    pub command: Option<Figure<Bytes>>,
    /// Requests up to this size travel within the command's capsule: what is marked `unless_inline` is left out for them.
    pub inline: Option<Figure<Bytes>>,
    /// What is done once, before the first request: opening drivers and files, registering buffers. The work's own time
    /// begins when it is done.
    #[serde(default)]
    pub session: Vec<SessionStep>,
    /// The legs in the order that the bytes take them.
    #[schemars(with = "Option<Vec<Leg>>")]
    pub legs: Vec<Leg>,
}

impl Path {
    /// The paths that may be taken instead of it: the keys that name them, and the names.
    pub fn companions(&self) -> impl Iterator<Item = (&'static str, &At<String>)> {
        let named = [&self.compat, &self.compat_tcp, &self.unaligned, &self.unregistered, &self.staged];
        Path::COMPANIONS.into_iter().zip(named).filter_map(|(key, name)| Some((key, name.as_ref()?)))
    }

    /// The keys that name a path to take instead.
    pub const COMPANIONS: [&str; 5] = ["compat", "compat_tcp", "unaligned", "unregistered", "staged"];
}

/// How software cuts a request: first into pieces that go side by side, then each into parts that go one after another.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// At most so many bytes go along the legs at a time, one part after the other.
    pub part: Option<Figure<Bytes>>,
    /// A request is cut into as many pieces as it has times this size, at least one.
    pub piece: Option<Figure<Bytes>>,
    /// Pieces at most.
    pub most: Option<Figure<u64>>,
    /// Threads that carry all pieces but the first, which the caller carries itself; without it, always enough.
    pub helpers: Option<Figure<u64>>,
    /// Whether each GPU has so many helpers or the node.
    #[serde(default)]
    pub helpers_per: HelpersPer,
}

/// Of what helpers are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HelpersPer {
    /// Each GPU has its own.
    #[default]
    Gpu,
    /// The node's GPUs share them.
    Node,
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
    /// What it holds from its first step until the bytes have arrived, taken in this order, before its mover.
    #[serde(default)]
    pub holds: Vec<Slot>,
    /// Control steps before the bytes move, in order.
    #[serde(default)]
    pub before: Vec<Step>,
    /// The hops, each from where the one before ends. A leg without hops moves nothing: steps, and what is held for them.
    #[serde(default)]
    pub hops: Vec<Hop>,
    /// Whether the lines that a copy engine meets in system memory lie in a core's cache. Where nothing is said, they do if
    /// the leg next to it on that side is a CPU copy.
    pub hot: Option<bool>,
    /// What of a request it moves; without it, the request's own bytes.
    pub moves: Option<Moves>,
    /// `false`: its buffers in system memory are not in the last-level cache, however small they are.
    pub resident: Option<bool>,
    /// Nobody waits for this leg, the path's last: the kernel writes back what the leg before it left in a kernel buffer. While a
    /// work is under way, all but what the page cache may keep (`node.dram.page_cache`) must get there, at the pace of that leg.
    #[serde(default)]
    pub write_back: bool,
    /// Control steps after the bytes have arrived, in order.
    #[serde(default)]
    pub after: Vec<Step>,
}

/// What a leg moves of a request that does not begin and end at boundaries of 4 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Moves {
    /// All blocks that it touches, whole.
    Blocks,
    /// The blocks that it touches in part: the first, the last, or both.
    Edges,
}

/// A named slot: only so many hold it at a time, first come first served.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// Its name, as in "driver lock".
    pub slot: At<String>,
    /// Of what there is one.
    pub per: Per,
    /// How many may hold it at a time; 1 where nothing is said. Of a slot per thread, how many of one thread's requests.
    pub places: Option<Figure<u64>>,
    /// For what a place of it is taken.
    pub each: Option<At<Each>>,
    /// Until when it is held.
    #[serde(default)]
    pub until: Until,
    /// Whether requests that travel within the capsule do without it.
    pub unless_inline: Option<At<bool>>,
}

/// For what a place is taken, or a step done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Each {
    /// Once for the request, or for a part of it.
    #[default]
    Request,
    /// For each command of the path's `command` size. A step delays the request once, and the core makes the further commands
    /// meanwhile; of a slot, a request takes all places at most.
    Command,
}

/// Until when a leg holds a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// Until the bytes have arrived.
    #[default]
    Arrival,
    /// Until the steps after that are over, too.
    Completion,
}

/// Of what there is one slot of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Per {
    /// One in the node.
    Node,
    /// One for each GPU.
    Gpu,
    /// One for each file: of a work with `files = "one"` one, of other works one for each thread.
    File,
    /// One for each thread.
    Thread,
    /// One at the target, for all works.
    Target,
    /// One for each NIC.
    Nic,
    /// One for each queue pair of a NIC (`nic.queue_pairs`).
    #[serde(rename = "queue pair")]
    QueuePair,
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
    /// How often it is done.
    pub each: Option<At<Each>>,
    /// Whether requests that travel within the capsule do without it.
    pub unless_inline: Option<At<bool>>,
    /// Only where the work learns of completions in this way.
    pub when: Option<Completion>,
}

/// How a thread learns that its request is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Completion {
    /// It sleeps until an interrupt wakes it.
    #[default]
    Interrupt,
    /// It polls the completion queue, and keeps its core busy.
    Poll,
}

/// A step that is done once, before the first request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionStep {
    /// What is done, in words.
    pub what: String,
    /// What it costs: `part.name`; what the part's `costs_by_size` adds is read at the size of a thread's buffers, the largest
    /// request times `depth`.
    pub cost: At<String>,
    /// Who does it.
    #[serde(default)]
    pub per: SessionPer,
}

/// Who does a step of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionPer {
    /// One thread, for all.
    #[default]
    Work,
    /// Every thread, all at the same time.
    Thread,
}
