//! The script that captures on a node what `hopsim doctor` reads.
//!
//! Knows commands that only read. Must not know what is done with their output.

/// A shell script that prints everything to standard output, command by command, and changes nothing.
pub const SCRIPT: &str = include_str!("collect.sh");
