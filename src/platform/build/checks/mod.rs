//! What a scenario must fulfil before time may start.
//!
//! Knows what cannot be meant. Must not change anything.

mod cluster;
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
    cluster::all(scenario, sources)?;
    works::all(scenario, sources)?;
    scenario
        .works
        .values()
        .filter_map(|work| scenario.paths.get(&work.value.path.value))
        .try_for_each(|path| paths::path(path, &scenario.node, sources))
}

/// Checks what can only be told from the sealed numbers.
pub(in crate::platform) fn plan(plan: &Plan, site: &Site<'_>) -> Result<(), Fault> {
    load::all(plan, site)
}
