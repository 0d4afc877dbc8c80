//! Plots: a chart's data first (plain, testable), its drawing second; one file a plot, one line in [`PLOTS`].
//!
//! Knows series, axes and pictures. Must not know how a run is carried out, nor where a picture is kept.

mod chart;
mod compare;
mod dash;
mod draw;
mod hops;
mod labels;
mod latency;
mod lines;
mod overlay;
mod picture;
#[cfg(test)]
mod sample;
mod saturation;
mod scale;
mod term;
mod timeline;
mod validation;

use std::path::Path;

use crate::error::Fault;
use crate::platform::{Edit, Library, Loaded, load};
use crate::report::Report;
use crate::study::vary::Vary;
use crate::study::{Options, Progress, run};

pub use chart::{Axis, Chart, Curve, Limit, Measured, Point};
pub use compare::{bars as compare_bars, compare};
pub use hops::{bars as hops_bars, hops};
pub use latency::latency;
pub use lines::{Spot, Words, lines};
pub use overlay::overlay;
pub use picture::{Bar, Bars, Group, Picture};
pub use saturation::{of_grid as saturation_of_grid, saturation};
pub use term::term;
pub use timeline::timeline;
pub use validation::{Pair, Series, Validation};

/// What a plot is asked for.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The scenario's name or file.
    pub scenario: &'a str,
    /// Where models live.
    pub library: &'a Library,
    /// Edits laid over the scenario at every point.
    pub edits: &'a [Edit],
    /// The keys that vary, the first along the horizontal axis.
    pub vary: &'a [Vary],
    /// How each run is carried out.
    pub options: Options,
}

/// A plot that can be asked for.
#[derive(Debug)]
pub struct Plot {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub title: &'static str,
    /// Whether it needs a key to vary; one that does not takes none.
    pub varies: bool,
    /// From the question to the picture.
    pub picture: fn(&Question<'_>, Option<&Progress>) -> Result<Picture, Fault>,
}

/// All plots.
pub const PLOTS: &[Plot] = &[
    Plot {
        name: "saturation",
        title: "throughput against one key, with the ceiling, the knee and what binds where",
        varies: true,
        picture: saturation,
    },
    Plot {
        name: "timeline",
        title: "how busy each resource is over time, the queues beneath",
        varies: false,
        picture: timeline,
    },
    Plot {
        name: "hops",
        title: "where the time of a request goes, leg by leg, all works on one scale",
        varies: false,
        picture: hops,
    },
    Plot {
        name: "latency",
        title: "how the latencies of requests are spread, percentiles marked",
        varies: false,
        picture: latency,
    },
    Plot { name: "compare", title: "the works side by side, figure by figure", varies: false, picture: compare },
];

/// File endings that a picture can be drawn to.
pub const ENDINGS: &[&str] = &["svg", "png"];

/// Draws a picture into a file; the ending (`svg`, `png`) says how.
pub fn draw_file(picture: &Picture, file: &Path) -> Result<(), Fault> {
    draw::to_file(picture, file)
}

/// The scenario of a question that varies nothing.
fn loaded(question: &Question<'_>) -> Result<Loaded, Fault> {
    load(question.scenario, question.library, question.edits)
}

/// The report of a question that varies nothing.
fn whole_run(question: &Question<'_>, progress: Option<&Progress>) -> Result<Report, Fault> {
    run(&loaded(question)?, &question.options, progress)
}

/// Draws predictions against measurements into a file; the ending (`svg`, `png`) says how.
pub fn draw_validation(validation: &Validation, file: &Path) -> Result<(), Fault> {
    draw::validation_to_file(validation, file)
}
