//! Checkpoints: from a model's shape and a cluster to seconds, stall and interval.
//!
//! Knows what is written, how it may be saved and what failures cost. Must not know how a sheet is drawn, nor a terminal.

pub mod failures;
pub mod interval;
mod plain;
pub mod shape;
pub mod shard;
mod written;
pub mod yaml;

pub use plain::{Checkpoint, Target, target};
pub use written::{Written, WrittenSheet};
