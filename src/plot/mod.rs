//! Plots: a chart's data first (plain, testable), its drawing second; one file a plot, one line in [`PLOTS`].
//!
//! Knows series, axes and pictures. Must not know how a run is carried out, nor where a picture is kept.

mod chart;
mod dash;
mod draw;
mod labels;
mod lines;
#[cfg(test)]
mod sample;
mod saturation;
mod scale;
mod validation;

use std::path::Path;

use crate::error::Fault;
use crate::platform::{Edit, Library};
use crate::sim::Mode;
use crate::study::Progress;
use crate::study::vary::Vary;

pub use chart::{Axis, Chart, Curve, Limit, Point};
pub use lines::{Spot, Words, lines};
pub use saturation::saturation;
pub use validation::{Pair, Series, Validation};

/// What a plot is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The scenario's name or file.
    pub scenario: &'a str,
    /// Where models live.
    pub library: &'a Library,
    /// Edits laid over the scenario at every point.
    pub edits: &'a [Edit],
    /// The key along the horizontal axis.
    pub vary: &'a Vary,
    /// How each point is run.
    pub mode: Mode,
}

/// A plot that can be asked for.
#[derive(Debug)]
pub struct Plot {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// From the question to the chart.
    pub chart: fn(&Question<'_>, Option<&Progress>) -> Result<Chart, Fault>,
}

/// All plots.
pub const PLOTS: &[Plot] = &[Plot {
    name: "saturation",
    title: "throughput against one key, with the ceiling and what binds",
    chart: saturation,
}];

/// File endings that a chart can be drawn to.
pub const ENDINGS: &[&str] = &["svg", "png"];

/// Draws a chart into a file; the ending (`svg`, `png`) says how.
pub fn draw_file(chart: &Chart, file: &Path) -> Result<(), Fault> {
    draw::to_file(chart, file)
}

/// Draws predictions against measurements into a file; the ending (`svg`, `png`) says how.
pub fn draw_validation(validation: &Validation, file: &Path) -> Result<(), Fault> {
    draw::validation_to_file(validation, file)
}
