//! What came out of a run: plain data in the shape that the JSON report freezes.
//!
//! Knows figures. Must not know how they are drawn, printed or stored.

mod comparison;
#[cfg(test)]
pub mod sample;
mod shape;

pub use comparison::{Comparison, Line, Quantity, compare};
pub use shape::*;
