//! The scenario that stands for a node with drives of its own: reads from them, straight into HBM or through system memory.
//!
//! Knows how a scenario is written. Must not know how it is simulated.

use super::machine::Machine;
use super::storage;

/// What one drive serves, by the model that stands for all: the fitted figure of one drive of an HGX H800.
const DRIVE: &str = "h800-nvme";
const GB_S_OF_ONE: f64 = 6.2754;

/// How many drives were seen: paths over PCIe; one where none was listed.
pub(super) fn drives(machine: &Machine<'_>) -> usize {
    storage::all(machine).len().clamp(1, 64)
}

/// What is assumed about them.
pub(super) fn assumption(drives: usize) -> String {
    format!("{drives} local drives of {GB_S_OF_ONE} GB/s each ({DRIVE}), all of them in use for data, reads alone")
}

/// The target's model.
pub(super) fn target() -> &'static str {
    DRIVE
}

/// The target's rate with so many drives.
pub(super) fn rate(drives: usize) -> String {
    format!("rate = \"{:.3} GB/s\"\n", GB_S_OF_ONE * drives as f64)
}
