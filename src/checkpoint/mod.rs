//! Checkpoints: from a model's shape and a cluster to seconds, stall and interval.
//!
//! Knows what is written, how it may be saved and what failures cost. Must not know how a sheet is drawn, nor a terminal.

mod answers;
mod checks;
mod contents;
pub mod curves;
mod environment;
pub mod failures;
mod file;
mod finish;
mod fleet;
pub mod interval;
mod measure;
mod plain;
mod question;
mod read;
mod scenario;
mod scheme;
pub mod shape;
pub mod shard;
mod sheet;
mod text;
mod trace;
mod what_if;
pub mod yaml;

pub use answers::{Change, EnvironmentSheet, Figures, Interval, Restored, Row, Sheet};
pub use contents::{Contents, ContentsSheet};
pub use environment::{Environment, Setup};
pub use file::{Cache, schema};
pub use measure::{NextLimit, Repetitions, Times};
pub use plain::{Checkpoint, Target, target};
pub use question::{Failing, Overrides, Question, Restore, Training};
pub use scenario::How;
pub use scheme::Scheme;
pub use text::{json, text};
