//! One run or a grid of runs, from loaded scenarios to reports.
//!
//! Knows how to run a scenario with its low and high ends, and many of them in parallel with results in grid order.
//! Must not know how results are drawn or printed.

mod gains;
pub mod grid;
pub mod journal;
mod limit;
mod progress;
mod run;
mod sweep;
pub mod vary;

use rayon::prelude::*;

pub use limit::Limit;
pub use progress::Progress;
pub use run::{run, watch};
pub use sweep::{MANY_POINTS, Row, Shard, Sweep};

use self::progress::Runs;
use crate::error::Fault;
use crate::platform::Loaded;
use crate::report::Report;
use engine::Mode;

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `request`, `settled` or `stream`.
    pub mode: Option<Mode>,
    /// Another seed than the scenario's.
    pub seed: Option<u64>,
    /// Whether to leave out the runs at the fast and slow ends of assumed figures.
    pub skip_ends: bool,
    /// Whether to run what relief gains although the ends are left out; with the ends it is run in any case.
    pub gains: bool,
    /// What each of its simulations may take; without it, as much as it needs.
    pub limit: Option<Limit>,
}

/// Runs many scenarios in parallel; results come in the order of the input, at any number of threads.
///
/// # Errors
/// The first [`Fault`] in the order of the input.
pub fn run_all(all: &[Loaded], options: &Options, progress: Option<&Progress>) -> Result<Vec<Report>, Fault> {
    let runs = progress.map(|tell| Runs::new(tell, all.len() * run::runs_of(options)));
    all.par_iter().map(|loaded| run::one_of(loaded, options, runs.as_ref())).collect()
}
