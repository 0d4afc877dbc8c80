//! Checkpoints: from a model's shape and a cluster to seconds, stall and interval.
//!
//! Knows what is written, how it may be saved and what failures cost. Must not know how a sheet is drawn, nor a terminal.

mod checks;
pub mod curves;
pub mod failures;
mod file;
mod finish;
mod fleet;
mod ground;
pub mod interval;
mod measure;
mod origin;
mod plain;
mod question;
mod scheme;
pub mod shape;
pub mod shard;
mod sheet;
mod text;
mod trace;
mod what_if;
mod written;
pub mod yaml;

pub use file::Cache;
pub use ground::{Ground, How, Site};
pub use measure::{NextLimit, Repetitions, Times};
pub use plain::{Checkpoint, Target, target};
pub use question::{Failing, Question, Restore, Told, Training};
pub use scheme::Scheme;
pub use sheet::{Figures, GroundSheet, Interval, Restored, Row, Sheet};
pub use text::{json, text};
pub use what_if::Change;
pub use written::{Written, WrittenSheet};
