//! What came out of a run: plain data in the shape that the JSON report freezes.
//!
//! Knows figures. Must not know how they are drawn, printed or stored.

mod binding;
mod build;
mod comparison;
mod cores;
mod judge;
mod recorder;
#[cfg(test)]
pub mod sample;
mod shape;
mod warnings;

pub use binding::Causes;
pub use build::{assumed_share, kind_name, works};
pub use comparison::{Comparison, Line, Quantity, compare};
pub use judge::{judge, value_at};
pub use recorder::Recorder;
pub use shape::*;
pub use warnings::warnings;
