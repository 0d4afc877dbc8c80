//! What a scenario must fulfil before time may start.
//!
//! Knows what cannot be meant. Must not change anything.

mod cluster;
mod commands;
mod figures;
mod load;
mod look;
mod paths;
mod rules;
mod works;

use crate::error::{Fault, Sources};
use crate::format::{Path, Scenario};
use engine::Plan;

use super::Site;

/// Checks what can be told from the files alone.
pub(in crate::platform) fn scenario(scenario: &Scenario, sources: &Sources, compact: bool) -> Result<(), Fault> {
    figures::all(scenario, sources)?;
    cluster::all(scenario, sources)?;
    works::all(scenario, sources, compact)?;
    rules::trained_down(&scenario.node, sources)?;
    for (name, work) in &scenario.works {
        let Some(path) = scenario.paths.get(&work.value.path.value) else { continue };
        path_itself(path, sources)?;
        commands::completion(name, &work.value, path, sources)?;
        rules::path(path, scenario, sources)?;
        rules::work(name, &work.value, scenario, sources)?;
    }
    Ok(())
}

/// Checks the paths that the rules chose.
pub(in crate::platform) fn paths_taken(site: &Site<'_>) -> Result<(), Fault> {
    let scenario = site.scenario;
    for (name, work) in &scenario.works {
        let Some(path) = scenario.paths.get(&work.value.path.value) else { continue };
        path_itself(path, site.sources)?;
        rules::transport(name, &work.value, path, site.target(&work.value), site.sources)?;
        rules::has_nic(name, &work.value, path, &scenario.node, site.sources)?;
    }
    Ok(())
}

fn path_itself(path: &Path, sources: &Sources) -> Result<(), Fault> {
    paths::path(path, sources)?;
    commands::path(path, sources)
}

/// Checks what can only be told from the sealed numbers.
pub(in crate::platform) fn plan(plan: &Plan, site: &Site<'_>) -> Result<(), Fault> {
    load::all(plan, site)
}
