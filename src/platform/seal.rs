//! From what the files say to a sealed plan: numbers, routes, checks.
//!
//! Knows the order of the steps. Must not know how any of them is done: that is `build/`.

use crate::error::{Fault, Sources};
use crate::format::Scenario;

pub use super::lower::Assumed;
use super::lower::{Capacities, Delays, Pools, Site, checks, choose, copies, notes, works};
use engine::units::Factor;
use engine::{Plan, Unsound};

/// How much services vary where a node says nothing: an assumption. Latencies of NVMe drives and of fabrics scatter by 10 to 30 %
/// of their mean at moderate load; means, and what capacities carry, are the same at any spread.
const SPREAD: Factor = Factor(200_000_000);

/// Seals a scenario: every list sorted by name, so that the order in the files changes nothing.
pub fn seal(scenario: &Scenario, sources: &Sources, assumed: Assumed) -> Result<Plan, Fault> {
    sealed(scenario, sources, assumed, false)
}

/// The same with one node of each kind, and how many there are of it: a plan that does not grow with the cluster, for stream
/// mode.
pub fn seal_compact(scenario: &Scenario, sources: &Sources, assumed: Assumed) -> Result<Plan, Fault> {
    sealed(scenario, sources, assumed, true)
}

fn sealed(scenario: &Scenario, sources: &Sources, assumed: Assumed, compact: bool) -> Result<Plan, Fault> {
    checks::scenario(scenario, sources, compact)?;
    let chosen = choose(scenario, sources)?;
    let site = Site::new(&chosen, sources, assumed, compact)?;
    checks::paths_taken(&site)?;
    let capacities = Capacities::of(&site)?;
    let pools = Pools::of(&site)?;
    let delays = Delays::of(&site, &pools)?;
    let works = works::all(&site, &capacities, &pools, &delays)?;
    let copies = copies(&site, &capacities, &pools);
    let plan = Plan {
        name: scenario.name.clone().unwrap_or_else(|| "scenario".to_string()),
        seed: scenario.seed,
        spread: Some(scenario.node.spread.as_ref().map_or(SPREAD, |spread| spread.value)),
        capacities: capacities.into_list(),
        pools: pools.into_list(),
        delays: delays.into_list(),
        works,
        notes: notes(&site),
        copies,
    };
    checks::plan(&plan, &site)?;
    plan.check().map_err(|unsound| unsound_fault(&unsound))?;
    Ok(plan)
}

/// The engine's own word on a plan that cannot run.
fn unsound_fault(unsound: &Unsound) -> Fault {
    let help = "where a path moves nothing at this size and alignment, take the one without that leg (gds-write, say, for aligned \
                requests), or ask for requests that it moves something of";
    Fault::new(unsound.to_string()).help(help)
}
