//! When each rank is done: an observer that notes the last request of every lane.
//!
//! Knows moments of a run. Must not know what a rank is to a model.

use std::sync::Arc;

use crate::error::Fault;
use crate::platform::{Assumed, Loaded, seal};
use crate::sim::{self, Mode, Moment, Observer, Who};

use super::scheme::{Kind, Scheme};

/// The last end of each lane of each work, in picoseconds.
struct Last(Vec<Vec<u64>>);

impl Observer for Last {
    fn moment(&mut self, now: u64, who: Who, moment: Moment) {
        if let Moment::Done(_) = moment {
            self.0[who.work][who.lane] = now;
        }
    }

    fn warmed_up(&mut self, _: u64, _: usize) {}
}

/// When the last mover of a scheme was done with each lane, in seconds from the beginning.
pub(super) fn of_lanes(loaded: &Loaded, scheme: Scheme) -> Result<Vec<f64>, Fault> {
    let plan = Arc::new(seal(&loaded.scenario, &loaded.sources, Assumed::Value)?);
    let last = Last(plan.works.iter().map(|work| vec![0; work.lanes.len()]).collect());
    let (_, last) = sim::run(&plan, Mode::Request, last).map_err(|stuck| Fault::new(stuck.to_string()))?;
    let steps = scheme.steps();
    let mover = steps.iter().rev().find(|step| matches!(step.kind, Kind::Bytes | Kind::Local));
    let work = mover.and_then(|step| plan.works.iter().position(|work| work.name == step.name));
    Ok(work.map_or_else(Vec::new, |work| last.0[work].iter().map(|ps| *ps as f64 / 1e12).collect()))
}
