//! Where models and scenarios live: those inside the binary, and those of a `models/` folder that comes first.
//!
//! Knows names and folders. Must not know what is in the files.

use std::path::PathBuf;

/// The places that models are looked up in.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// `--models DIR`; without it, the nearest `models/` in the scenario's folder or a parent of it.
    pub models: Option<PathBuf>,
}
