//! From a scenario's name or file to its complete description: models found by name, overrides laid over them.
//!
//! Knows TOML tables and where models live. Must not know what a figure does.

use crate::error::{Fault, Sources};
use crate::spec::Scenario;

use super::library::Library;

/// A scenario with all its models inside.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the files say.
    pub scenario: Scenario,
    /// The texts that it was read from, for messages.
    pub sources: Sources,
    /// The scenario as one TOML file with every model inside, keys sorted: the same bytes come from it again.
    pub resolved: String,
    /// The same, sorted throughout: what the fingerprint is taken of.
    pub canonical: String,
    /// Whether edits (`--set`) changed it, so that its expectations are not judged.
    pub edited: bool,
}

/// An edit typed by a person: `works.*.depth=4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The dotted key.
    pub key: String,
    /// The value as it was typed.
    pub value: String,
}

/// Reads a scenario (a file's path, or the name of one that ships) and lays the edits over it.
pub fn load(scenario: &str, library: &Library, edits: &[Edit]) -> Result<Loaded, Fault> {
    let _ = (scenario, library, edits);
    todo!()
}

/// Reads a scenario from a text that is in no file; `name` is what messages call it.
pub fn load_text(name: &str, text: &str, library: &Library, edits: &[Edit]) -> Result<Loaded, Fault> {
    let _ = (name, text, library, edits);
    todo!()
}
