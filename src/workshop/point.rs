//! One point: a scenario with its sliders where somebody put them, run, and all that the page shows of it.
//!
//! Knows the order of things: load, seal, tell, run. Must not know how any of them is done, nor who asked.

use serde::Serialize;

use crate::error::Fault;
use crate::explain::{Story, explain};
use crate::platform::{Assumed, Library, seal};
use crate::report::Report;
use crate::study::{self, Limit, Options};
use engine::Mode;

use super::ask::{Ask, Sheet};
use super::drawing::Drawing;

/// Moments after which a simulation for the page stops, two for each request: some seconds on a slow machine.
pub(super) const MOST_MOMENTS: u64 = 3_000_000;

/// How thorough a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// A first estimate: the run is in stream mode, which takes some milliseconds.
    Estimate,
    /// The figures as they are.
    Plain,
    /// With the runs at both ends of the assumed figures too, which take twice as long again.
    WithRange,
}

/// All that the page shows of a point.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Point {
    /// The report, as `hopsim run --mode settled --format json` prints it; of an estimate, in stream mode.
    pub report: Report,
    /// One request of each work, step by step.
    pub stories: Vec<Story>,
    /// The node.
    pub drawing: Drawing,
    /// The file that says the same.
    pub toml: String,
    /// The command that prints the same figures.
    pub command: String,
}

/// Runs a point.
pub(super) fn point(sheet: &Sheet, ask: &Ask, depth: Depth, limit: Limit, library: &Library) -> Result<Point, Fault> {
    let loaded = sheet.load(ask, library)?;
    let plan = seal(&loaded.scenario, &loaded.sources, Assumed::Value)?;
    let options = Options {
        mode: Some(if depth == Depth::Estimate { Mode::Fluid } else { Mode::Settled }),
        skip_ends: depth != Depth::WithRange,
        gains: depth != Depth::Estimate,
        limit: Some(limit),
        ..Options::default()
    };
    Ok(Point {
        stories: explain(&plan, None)?,
        drawing: Drawing::of(&loaded.scenario, &plan),
        report: study::run(&loaded, &options, None)?,
        toml: sheet.toml(ask)?,
        command: sheet.command(ask),
    })
}
