//! What observers make of a run over time: how busy each resource is, how long each line, how latencies are spread.
//!
//! Knows moments and motion. Must not know how any of it is drawn.

mod bins;
mod latencies;
mod timeline;

pub use latencies::{Latencies, Spread};
pub use timeline::{Timeline, Track, Tracks};
