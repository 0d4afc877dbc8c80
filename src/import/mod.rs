//! Readers of other programs' output, one file each.
//!
//! Knows formats. Must not know what is done with what they hold.

pub mod csv;
