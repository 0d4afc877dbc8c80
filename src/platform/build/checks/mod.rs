//! What a scenario must fulfil before time may start.
//!
//! Knows what cannot be meant. Must not change anything.

mod commands;
mod figures;
mod load;
mod look;
mod paths;
mod works;

use crate::error::{Fault, Sources};
use crate::platform::plan::Plan;
use crate::spec::Scenario;

use super::Site;

/// Checks what can be told from the files alone.
pub(in crate::platform) fn scenario(scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    figures::all(scenario, sources)?;
    works::all(scenario, sources)?;
    for (name, work) in &scenario.works {
        let Some(path) = scenario.paths.get(&work.value.path.value) else { continue };
        paths::path(path, &scenario.node, sources)?;
        commands::path(path, &scenario.node, sources)?;
        commands::completion(name, &work.value, path, sources)?;
    }
    Ok(())
}

/// Checks what can only be told from the sealed numbers.
pub(in crate::platform) fn plan(plan: &Plan, site: &Site<'_>) -> Result<(), Fault> {
    load::all(plan, site)
}
