//! What a scenario must fulfil before time may start.
//!
//! Knows what cannot be meant. Must not change anything.

mod figures;
mod load;
mod paths;
mod works;

use crate::error::{Fault, Sources};
use crate::platform::plan::Plan;
use crate::spec::Scenario;

use super::Site;

/// The version of the file format that this program reads.
const SCHEMA: u64 = 1;

/// Checks what can be told from the files alone.
pub(in crate::platform) fn scenario(scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    schema(scenario, sources)?;
    figures::all(scenario, sources)?;
    works::all(scenario, sources)?;
    scenario
        .works
        .values()
        .filter_map(|work| scenario.paths.get(&work.value.path.value))
        .try_for_each(|path| paths::path(path, sources))
}

/// Checks what can only be told from the sealed numbers.
pub(in crate::platform) fn plan(plan: &Plan, site: &Site<'_>) -> Result<(), Fault> {
    load::all(plan, site)
}

fn schema(scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    if scenario.schema.value == SCHEMA {
        return Ok(());
    }
    let message = format!("schema {} of the file format is unknown", scenario.schema.value);
    Err(Fault::at(sources, &scenario.schema.span, message, "unknown version").help(format!("write schema = {SCHEMA}")))
}
