//! What observers make of a run over time: how busy each resource is, how long each line, what binds when, how latencies
//! are spread, and what single requests did.
//!
//! Knows moments and motion. Must not know how any of it is drawn.

mod binds;
mod bins;
mod journeys;
mod latencies;
mod timeline;

pub use binds::{Change, changes};
pub use journeys::{Journey, Journeys, Stage, What};
pub use latencies::{Latencies, Spread};
pub use timeline::{Timeline, Track, Tracks};
