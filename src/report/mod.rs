//! What came out of a run: plain data in the shape that the JSON report freezes.
//!
//! Knows figures. Must not know how they are drawn, printed or stored.

mod shape;

pub use shape::*;
