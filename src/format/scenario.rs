//! Scenario files (`scenarios/*.toml`): a node, a fabric, a target, and the works that move bytes between them.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cluster::Cluster;
use super::figure::{At, Figure};
use super::node::Node;
use super::path::{Completion, Path};
use super::size::Size;
use super::sweep::Sweep;
use super::target::{Fabric, Target};
use engine::units::{Bytes, Frequency, Time};

/// A question in a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// The version of the file format: 1.
    pub schema: At<u64>,
    /// The scenario's name; without it, the file's.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// The seed of all random streams.
    #[serde(default)]
    pub seed: u64,
    /// Several such nodes; without it, there is one.
    pub cluster: Option<Cluster>,
    /// The GPU node: `model = "…"` of `models/nodes`, and any of its keys to replace.
    pub node: Node,
    /// The network: `model = "…"` of `models/fabrics`. Without it, the network is never the narrowest part.
    pub fabric: Option<Fabric>,
    /// The storage target: `model = "…"` of `models/targets`, and any of its keys to replace.
    pub target: Target,
    /// The works by name, in the order of the report.
    #[serde(default)]
    pub works: IndexMap<String, At<Work>>,
    /// Paths of this scenario alone; others come from `scenarios/paths`.
    #[serde(default)]
    pub paths: IndexMap<String, Path>,
    /// A grid of runs for `hopsim sweep`; a plain run does not look at it.
    pub sweep: Option<At<Sweep>>,
    /// What the report must say.
    #[serde(default)]
    pub expect: Vec<At<Expectation>>,
}

/// A stream of requests along one path.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// The path that it asks for: a file of `scenarios/paths` or an entry of `[paths]`.
    pub path: At<String>,
    /// How much to move in all, shared evenly by the GPUs in use. One of `bytes`, `requests`, `run_time`.
    pub bytes: Option<Figure<Bytes>>,
    /// How many requests in all.
    pub requests: Option<Figure<u64>>,
    /// How the GPUs in use share `bytes` or `requests`, node after node, where not evenly: each takes this part of the list's
    /// sum, 0 none. A list for some of them is taken in turn: `[2, 1]` gives every other GPU twice as much.
    pub shares: Option<At<Vec<u64>>>,
    /// For how long to offer requests.
    pub run_time: Option<Figure<Time>>,
    /// How much of the beginning of `run_time` to leave out of the figures.
    pub warm_up: Option<Figure<Time>>,
    /// Size of a request: one, a list taken in turn, or a distribution.
    pub size: At<Size>,
    /// Threads a GPU, each with `depth` requests outstanding.
    #[serde(default = "one")]
    pub threads: Figure<u64>,
    /// Outstanding requests a thread.
    #[serde(default = "one")]
    pub depth: Figure<u64>,
    /// Offers requests at a rate of their own instead of whenever one is done (an open loop).
    pub arrivals: Option<At<Arrivals>>,
    /// Starts when this work has ended.
    pub after: Option<At<String>>,
    /// Starts so long after the beginning, or after the work named in `after`.
    pub start: Option<Figure<Time>>,
    /// Each further outstanding request starts so much later than the one before; spread evenly over one request's time where
    /// nothing is said. With `"0 s"` all start at one instant, and equal requests then march in step.
    pub stagger: Option<Figure<Time>>,
    /// Whether its threads share a file: what a path holds per file is then one for all of them.
    #[serde(default)]
    pub files: Files,
    /// Which NIC a GPU uses.
    #[serde(default)]
    pub nic: At<NicChoice>,
    /// The GPUs that it uses, by number; without it, all in use.
    pub gpus: Option<Vec<At<u64>>>,
    /// Whether it opens its files with `O_DIRECT`; without it, as its path wants them.
    pub o_direct: Option<bool>,
    /// Where its requests begin, beyond multiples of their size: `"512 B"` makes all of them unaligned.
    pub offset: Option<Figure<Bytes>>,
    /// Whether its GPU buffers are registered with cuFile; without it, as its path wants them.
    pub registered: Option<bool>,
    /// `false`: the session of its path stands already (drivers and files are open, buffers registered), and takes no time.
    #[serde(default = "yes")]
    pub session: bool,
    /// How its threads learn that a request is done; an interrupt where nothing is said.
    pub completion: Option<At<Completion>>,
    /// The target as this work meets it: keys of the target to replace.
    pub target: Option<Target>,
}

fn one() -> Figure<u64> {
    Figure::stated(1)
}

fn yes() -> bool {
    true
}

impl Default for At<NicChoice> {
    fn default() -> Self {
        At { value: NicChoice::OwnSocket, span: 0..0 }
    }
}

/// Which files a work's threads use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Files {
    /// All threads use the same.
    #[serde(rename = "one")]
    One,
    /// Each thread has its own.
    #[default]
    #[serde(rename = "one a thread")]
    OneAThread,
}

/// Which storage NIC a GPU's requests use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NicChoice {
    /// The nearest: those below its own switch, else those of its own socket, in turn; where it has none in use, the others.
    #[default]
    OwnSocket,
    /// Those of the other sockets, in turn.
    OtherSocket,
    /// All in turn by GPU number.
    Spread,
}

/// An open loop.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Requests per second, of all GPUs together.
    pub rate: Figure<Frequency>,
    /// How the times between them are spread.
    #[serde(default)]
    pub kind: ArrivalKind,
}

/// How requests of an open loop are spread in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalKind {
    /// Evenly.
    #[default]
    Fixed,
    /// At random (a Poisson process).
    Poisson,
}

/// One line of what must come out.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// A key of the report, such as `works.gds.duration_s`.
    pub that: Option<String>,
    /// It has exactly this value.
    pub equals: Option<Literal>,
    /// It is a text that contains this, or a list with such a text.
    pub contains: Option<String>,
    /// It lies within a range: `[low, high]`.
    pub within: Option<[f64; 2]>,
    /// It is no less.
    pub at_least: Option<f64>,
    /// It is no more.
    pub at_most: Option<f64>,
    /// Its ratio to another key lies within a range: `{ key = "…", within = [low, high] }`.
    pub ratio_to: Option<RatioTo>,
    /// The scenario is refused with a message that contains this.
    pub error: Option<String>,
    /// Why it must be so.
    pub why: Option<String>,
}

/// A value to compare with.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged, expecting = "this cannot be compared with; expected a number, a text in quotes, true or false")]
pub enum Literal {
    /// True or false.
    Bool(bool),
    /// A number, whole or not.
    Number(f64),
    /// A text.
    Text(String),
}

/// A ratio between two keys of the report.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RatioTo {
    /// The key that divides.
    pub key: String,
    /// The range of the ratio.
    pub within: [f64; 2],
}
