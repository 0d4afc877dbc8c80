//! Time passes over a plan of shared rates, slots and delays: a discrete-event engine for paths that bytes take.
//!
//! Knows numbers. Must not know files, the machine's clock, or names beyond those that it hands through.
//!
//! A [`Plan`] is plain lists: *capacities* (rates that concurrent flows share max-min), *pools* (slots and memory that only so
//! many may hold, first come, first served), *delays*, and *works*: streams of requests, each along a row of *legs*. Within a leg
//! the bytes stream across all its hops at one rate; between legs they rest. [`run`] lets time pass over it, in one of three
//! [`Mode`]s, and gives an [`Outcome`]: how long, how fast, and whose time it was.
//!
//! # A link, a slot, two flows
//! ```
//! use std::sync::Arc;
//! use hopsim_engine::{Hold, Kind, Mode, Nobody, Pool, plan::sample::two_flows};
//!
//! // Two GPUs read over a link of 10 GB/s, one request of 1 MB at a time each, 50 us of latency before it: they share the link.
//! let mut plan = two_flows();
//! let (shared, Nobody) = hopsim_engine::run(&Arc::new(plan.clone()), Mode::Request, Nobody)?;
//! assert_eq!(shared.works[0].duration, "2.5 ms".parse()?); // ten rounds of 50 us + 2 MB / 10 GB/s
//!
//! // A slot that each request holds from its first step to its last: now they take turns.
//! let slot = Pool { name: "slot".into(), group: "slot".into(), kind: Kind::Cpu, places: 1, is_memory: false, assumed: false };
//! plan.pools.push(slot);
//! plan.works[0].lanes.iter_mut().for_each(|lane| lane.holds.push(Hold::one(0)));
//! let (in_turn, Nobody) = hopsim_engine::run(&Arc::new(plan), Mode::Request, Nobody)?;
//! assert_eq!(in_turn.works[0].duration, "3 ms".parse()?); // twenty times 50 us + 1 MB / 10 GB/s
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//! - A plan that cannot run is refused before time starts ([`Plan::check`]); what holds while time passes is asserted: time runs
//!   forward, no more places are given back than there are, no flow is without a limit.
//! - Time is an integer of picoseconds.
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

/// Runs a plan to its end, telling the observer what it wants to be told.
///
/// # Errors
/// [`Stuck`] if the plan cannot run ([`Plan::check`]), if requests wait for each other in a ring, if the works outlast the
/// simulated clock, or if the observer stops the run.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// let plan = Arc::new(hopsim_engine::plan::sample::two_flows());
/// let (outcome, _) = hopsim_engine::run(&plan, hopsim_engine::Mode::Request, hopsim_engine::Nobody)?;
/// // Twenty requests by two GPUs: ten rounds of 50 us and of 2 MB at 10 GB/s.
/// assert_eq!(outcome.works[0].duration, "2.5 ms".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run<O: Observer + 'static>(plan: &Arc<Plan>, mode: Mode, observer: O) -> Result<(Outcome, O), Stuck> {
    plan.check().map_err(|unsound| Stuck { at: units::Time(0), why: Why::Unsound(unsound) })?;
    if mode == Mode::Fluid {
        return Ok((fluid::run(plan)?, observer));
    }
    if plan.is_compact() {
        let unsound = Unsound {
            place: plan.name.clone(),
            problem: "a compact plan, in which one lane stands for several".into(),
            expected: "every lane listed, or stream mode".into(),
        };
        return Err(Stuck { at: units::Time(0), why: Why::Unsound(unsound) });
    }
    // The engine is compiled once, whoever watches it.
    let watching = Rc::new(RefCell::new(observer));
    let outcome = exact::run(plan, mode == Mode::Settled, watching.clone())?;
    let observer = Rc::into_inner(watching).map(RefCell::into_inner);
    Ok((outcome, observer.unwrap_or_else(|| unreachable!("the run that held the only other handle is over"))))
}
