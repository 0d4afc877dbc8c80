//! From what the files say to a sealed plan: numbers, routes, checks.
//!
//! Knows the order of the steps. Must not know how any of them is done: that is `build/`.

use crate::error::{Fault, Sources};
use crate::format::Scenario;

pub use super::lower::Assumed;
use super::lower::{Capacities, Delays, Pools, Site, checks, choose, notes, works};
use engine::Plan;

/// Seals a scenario: every list sorted by name, so that the order in the files changes nothing.
pub fn seal(scenario: &Scenario, sources: &Sources, assumed: Assumed) -> Result<Plan, Fault> {
    checks::scenario(scenario, sources)?;
    let chosen = choose(scenario, sources)?;
    let site = Site::new(&chosen, sources, assumed)?;
    checks::paths_taken(&site)?;
    let capacities = Capacities::of(&site)?;
    let pools = Pools::of(&site)?;
    let delays = Delays::of(&site, &pools)?;
    let works = works::all(&site, &capacities, &pools, &delays)?;
    let plan = Plan {
        name: scenario.name.clone().unwrap_or_else(|| "scenario".to_string()),
        seed: scenario.seed,
        capacities: capacities.into_list(),
        pools: pools.into_list(),
        delays: delays.into_list(),
        works,
        notes: notes(&site),
    };
    checks::plan(&plan, &site)?;
    Ok(plan)
}
