//! From what the files say to a sealed plan: numbers, routes, checks.

use crate::error::{Fault, Sources};
use crate::spec::Scenario;

use super::plan::Plan;

/// Which end of their range assumed figures stand at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assumed {
    /// Their value.
    #[default]
    Value,
    /// The fast end: high rates and efficiencies, low delays and charges.
    Fast,
    /// The slow end.
    Slow,
}

/// Seals a scenario.
pub fn seal(scenario: &Scenario, sources: &Sources, assumed: Assumed) -> Result<Plan, Fault> {
    let _ = (scenario, sources, assumed);
    todo!()
}
