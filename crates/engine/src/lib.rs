//! Time passes: requests go along their paths, share capacities, wait for slots, and every instant is charged to a cause.
//!
//! Knows a sealed plan. Must not know files, the machine's clock, or names beyond those that it hands through.
//!
//! # What is promised
//! - Time is an integer of picoseconds and never runs backwards.
//! - Events at one instant run by rank (ends, releases, starts, clocks), then by entity in the order of names. Nothing else
//!   decides, so the same plan and seed give the same outcome on every machine, at any number of threads.
//! - Flows are shared anew when time is about to move; all changes at one instant are one change.
//! - Rates are rounded down and ends up, so that no capacity is ever passed and no ceiling beaten.
//! - Memory grows with what is under way at one time, not with the number of requests.
#![feature(coroutines, coroutine_trait, stmt_expr_attributes)]
#![warn(missing_docs)]

pub mod bounds;
mod causes;
mod classes;
mod draw;
mod exact;
mod fluid;
mod observer;
mod outcome;
pub mod plan;
mod program;
mod relief;
pub mod share;
pub mod units;
mod unloaded;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

pub use causes::Cause;
pub use classes::{charges, leg_classes};
pub use exact::HALF_WIDTH;
pub use observer::{Moment, Nobody, Observer, Watched, Who};
pub use outcome::{Outcome, Queued, Spent, Stuck, Why, WorkOutcome};
pub use plan::*;
pub use relief::Entry;
pub use unloaded::alone_s;

/// How a run is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every request.
    #[default]
    Request,
    /// Until batch means of throughput agree, then ahead at that pace to where a lane has nothing more to offer, and on.
    Settled,
    /// Many like requests as one flow: no single request is looked at, and nothing is told to observers.
    #[serde(rename = "stream")]
    Fluid,
}

/// Runs a plan to its end, telling the observer every moment.
///
/// # Errors
/// [`Stuck`] if requests wait for each other in a ring, if the works outlast the simulated clock, or if the observer stops the
/// run.
pub fn run<O: Observer + 'static>(plan: &Arc<Plan>, mode: Mode, observer: O) -> Result<(Outcome, O), Stuck> {
    if mode == Mode::Fluid {
        return Ok((fluid::run(plan)?, observer));
    }
    // The engine is compiled once, whoever watches it.
    let watching = Rc::new(RefCell::new(observer));
    let outcome = exact::run(plan, mode == Mode::Settled, watching.clone())?;
    let observer = Rc::into_inner(watching).map(RefCell::into_inner);
    Ok((outcome, observer.unwrap_or_else(|| unreachable!("the run that held the only other handle is over"))))
}
