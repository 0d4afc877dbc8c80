//! Figures fitted to measurements.
//!
//! Knows points, keys and bounds. Must not know the terminal.
