//! `hopsim plot`: a chart to a file.
//!
//! Knows what was asked and where the picture goes. Must not know what is on it.

use std::path::{Path, PathBuf};

use super::options::{Edits, ModeWord};
use super::{Outcome, World, output, progress};
use crate::error::Fault;
use crate::plot::{Chart, ENDINGS, PLOTS, Plot, Question, draw_file};
use crate::sim::Mode;
use crate::study::vary;

/// Draw a plot to an SVG or PNG file.
///
/// `saturation` shows throughput against one key: a curve a work, the ceiling, and along each curve what binds. Ranges are
/// written from..to (sizes and rates double, counts go up by one), from..to:x2, from..to:+4, or as a list a,b,c. Each point
/// is a run in settled mode, or in the one that is asked for.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim plot saturation load-640gb --vary works.*.size=4KiB..16MiB:x2 -o size.svg\n  \
                        hopsim plot saturation load-640gb --vary works.*.depth=1,4,16 -o depth.png"
)]
pub(super) struct Args {
    /// Which plot
    #[arg(value_name = "PLOT", value_parser = plot_names())]
    plot: String,
    /// A scenario: a file, or the name of one that ships
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// The key along the horizontal axis, and its values
    #[arg(long, value_name = "KEY=RANGE")]
    vary: String,
    #[command(flatten)]
    edits: Edits,
    /// How each point is run (default: settled)
    #[arg(long, value_enum)]
    mode: Option<ModeWord>,
    /// The picture (.svg, .png), or its data (.json)
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

fn plot_names() -> clap::builder::PossibleValuesParser {
    let values: Vec<_> = PLOTS.iter().map(|p| clap::builder::PossibleValue::new(p.name).help(p.title)).collect();
    values.into()
}

/// Plots.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    ending(&args.out)?;
    let vary = vary::parse(&args.vary)?;
    let edits = args.edits.read()?;
    let plot = PLOTS.iter().find(|p| p.name == args.plot).unwrap_or(&PLOTS[0]);
    let mode = args.mode.map_or(Mode::Settled, Mode::from);
    let question = Question { scenario: &args.scenario, library: &world.library, edits: &edits, vary: &vary, mode };
    let chart = chart(plot, &question, world)?;
    keep(&chart, &args.out, world)?;
    Ok(Outcome::Fine)
}

/// Writes a chart to a file: a picture, or its data.
pub(super) fn keep(chart: &Chart, file: &Path, world: &World) -> Result<(), Fault> {
    let ending = ending(file)?;
    if ending == "json" {
        let data = serde_json::to_string_pretty(chart).unwrap_or_default() + "\n";
        output::whole(file, data.as_bytes())?;
    } else {
        let draft = output::draft(file, &format!(".{ending}"))?;
        draw_file(chart, draft.path())?;
        output::keep(draft, file)?;
    }
    world.say(&format!("drawn to {}", file.display()));
    Ok(())
}

fn chart(plot: &Plot, question: &Question<'_>, world: &World) -> Result<Chart, Fault> {
    progress::shown(world, question.scenario, |progress| (plot.chart)(question, progress))
}

/// The file's ending, where it is one that can be drawn.
pub(super) fn ending(file: &Path) -> Result<String, Fault> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if ENDINGS.contains(&ending.as_str()) || ending == "json" {
        return Ok(ending);
    }
    Err(Fault::new(format!("{}: its ending names no kind of picture", file.display()))
        .help("end it in .svg or .png, or in .json for the chart's data"))
}
