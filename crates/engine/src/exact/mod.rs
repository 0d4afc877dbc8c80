//! The exact engine: every request of every lane, one event after another.
//!
//! Knows a checked plan. Must not know names beyond those that it hands through.

mod attribution;
mod calendar;
mod closing;
mod course;
mod extrapolate;
mod flows;
mod full;
mod kernel;
mod lanes;
mod phases;
mod pools;
mod process;
mod queues;
mod requests;
mod ring;
mod spread;
mod steady_state;
mod steps;
mod supply;
mod world;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

pub use steady_state::HALF_WIDTH;

use crate::classes;
use crate::observer::Observer;
use crate::outcome::{Outcome, Stuck};
use crate::plan::Plan;
use world::World;

/// Runs every request of a plan, or of a settled one those before and after what is extrapolated.
pub fn run(plan: &Arc<Plan>, settled: bool, observer: Rc<RefCell<dyn Observer>>) -> Result<Outcome, Stuck> {
    let world = World::new(plan.clone(), plan.seed, settled, observer);
    kernel::drive(world).finish(classes::own_caps(plan))
}
