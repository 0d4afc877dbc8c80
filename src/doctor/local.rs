//! The scenario that stands for a node with drives of its own: reads from them, straight into HBM or through system memory.
//!
//! Knows how a scenario is written. Must not know how it is simulated.

use super::gpus::Taken;
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

/// The scenario's target, path and work, for GPUs whose bytes take this way.
pub(super) fn parts(taken: Taken, drives: usize) -> String {
    let rate = GB_S_OF_ONE * drives as f64;
    let path = if taken.is_gds() { "gds-local-read" } else { "compat-local-read" };
    format!(
        "[target]\nmodel = \"{DRIVE}\"\nrate = \"{rate:.3} GB/s\"\n\n[works.read]\npath = \"{path}\"\nbytes = \"32 GB\"\nsize = \"1 MiB\"\nthreads = 16\ndepth = 1\n"
    )
}
