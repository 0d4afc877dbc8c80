//! When each rank is done, from the outcome of one run.
//!
//! Knows lanes of works. Must not know what a rank is to a model.

use std::sync::Arc;

use crate::error::Fault;
use crate::platform::{Assumed, Loaded, seal};
use engine::{self, Mode, Nobody};

use super::scheme::{Kind, Scheme};

/// When the last mover of a scheme was done with each lane that moves something, in seconds from the beginning.
pub(super) fn of_lanes(loaded: &Loaded, scheme: Scheme, mode: Mode) -> Result<Vec<(usize, f64)>, Fault> {
    let plan = Arc::new(seal(&loaded.scenario, &loaded.sources, Assumed::Value)?);
    let (outcome, _) = engine::run(&plan, mode, Nobody).map_err(|stuck| Fault::new(stuck.to_string()))?;
    let parts = scheme.parts();
    let mover = parts.iter().rev().find(|step| matches!(step.kind, Kind::Bytes | Kind::Local));
    let work = mover.and_then(|step| plan.works.iter().position(|work| work.name == step.name));
    let Some(work) = work.map(|work| &outcome.works[work]) else { return Ok(Vec::new()) };
    // Sessions before the first work are no part of a save.
    let begun = outcome.works.iter().map(|work| work.start.seconds()).fold(f64::INFINITY, f64::min);
    let from = work.start.seconds() - begun;
    let ends = work.lane_ends.iter().enumerate();
    Ok(ends.filter_map(|(lane, end)| Some((lane, from + end.as_ref()?.seconds()))).collect())
}
