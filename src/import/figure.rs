//! What a benchmark measured: one shape for all tools, in bytes and seconds.
//!
//! Knows quantities. Must not know how a tool writes them, or what a simulator predicts.

use serde::Serialize;

use engine::Direction;

/// A measured throughput.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The line that shows it, from 1.
    pub line: usize,
    /// The tool: `gdsio`, `fio`, `nvbandwidth`, `perftest`, `gds_stats`.
    pub tool: &'static str,
    /// What was measured, in the tool's own words.
    pub what: String,
    /// The way that the bytes went, as far as the tool says.
    pub route: Route,
    /// From storage to the GPU or the other way.
    pub direction: Option<Direction>,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// The size of a request, in bytes.
    pub size: Option<u64>,
    /// Threads, jobs or queue pairs.
    pub threads: Option<u64>,
    /// Outstanding requests of each.
    pub depth: Option<u64>,
    /// All bytes moved.
    pub bytes: Option<u64>,
    /// For how long, in seconds.
    pub seconds: Option<f64>,
    /// Mean latency of a request, in seconds.
    pub latency_s: Option<f64>,
    /// Whether the page cache was left out (`direct=1`); unknown where nothing is said.
    pub direct: Option<bool>,
    /// GPUs that took part, where the tool says so.
    pub gpus: Option<u64>,
    /// Requests a second, where the tool counts them.
    pub iops: Option<f64>,
    /// Whether bytes of both directions are added up in it.
    pub both_directions: bool,
}

/// The way that the bytes of a figure went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// cuFile: GDS was asked for; whether it was taken, the tool does not say.
    Gds,
    /// Storage to system memory alone.
    Storage,
    /// Storage through system memory to the GPU.
    Bounce,
    /// Storage through the page cache to the GPU.
    Cached,
    /// System memory to or from the GPU.
    Copy,
    /// GPU to GPU.
    Peer,
    /// Over the network.
    Network,
}

impl Figure {
    /// A figure of which nothing is known but its rate.
    pub fn new(line: usize, tool: &'static str, what: impl Into<String>, route: Route, bytes_per_s: f64) -> Figure {
        Figure {
            line,
            tool,
            what: what.into(),
            route,
            direction: None,
            bytes_per_s,
            size: None,
            threads: None,
            depth: None,
            bytes: None,
            seconds: None,
            latency_s: None,
            direct: None,
            gpus: None,
            iops: None,
            both_directions: false,
        }
    }
}
