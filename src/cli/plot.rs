//! `hopsim plot`: a chart to a file.
//!
//! Knows what was asked and where the picture goes. Must not know what is on it.

use std::path::{Path, PathBuf};

use super::options::Running;
use super::{Outcome, World, output, progress};
use crate::error::Fault;
use crate::import::points;
use crate::plot::{ENDINGS, PLOTS, Picture, Plot, Question, draw_file, overlay, term};
use crate::study::Options;
use crate::study::vary::{self, Vary};
use engine::Mode;

/// Draw a plot to an SVG or PNG file.
///
/// `saturation` shows throughput against one key: a curve a work, the ceiling, the knee, and what binds along each curve;
/// further --vary keys make further curves. Ranges are written from..to (sizes and rates double, counts go up by one),
/// from..to:x2, from..to:+4, or as a list a,b,c; each point is a run in settled mode. The other plots draw one run.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim plot saturation load-640gb --vary works.*.size=4KiB..16MiB:x2 -o size.svg\n  \
                        hopsim plot saturation load-640gb --vary works.*.depth=1..64:x2 --vary works.*.threads=1,4 --term\n  \
                        hopsim plot hops checkpoint-140gb -o hops.png"
)]
pub(super) struct Args {
    /// Which plot
    #[arg(value_name = "PLOT", value_parser = plot_names())]
    plot: String,
    /// A scenario: a file, or the name of one that ships
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// A key and its values: the first along the horizontal axis, each further one for further curves
    #[arg(long, value_name = "KEY=RANGE")]
    vary: Vec<String>,
    #[command(flatten)]
    running: Running,
    /// Measured points to lay over it: a CSV file with the columns x, y and, for several series, name; or the output of gdsio,
    /// fio or perftest
    #[arg(long, value_name = "FILE")]
    overlay: Option<PathBuf>,
    /// Draw the curves in the terminal
    #[arg(long)]
    term: bool,
    /// The picture (.svg, .png), or its data (.json)
    #[arg(long, short, value_name = "FILE", required_unless_present = "term")]
    out: Option<PathBuf>,
}

fn plot_names() -> clap::builder::PossibleValuesParser {
    let values: Vec<_> = PLOTS.iter().map(|p| clap::builder::PossibleValue::new(p.name).help(p.title)).collect();
    values.into()
}

/// Plots.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let ending = args.out.as_deref().map(ending).transpose()?;
    let plot = PLOTS.iter().find(|p| p.name == args.plot).unwrap_or(&PLOTS[0]);
    output::places(args.out.as_deref())?;
    let vary = varied(args, plot)?;
    let edits = args.running.edits.read()?;
    let options = options(args, plot);
    let question = Question { scenario: &args.scenario, library: &world.library, edits: &edits, vary: &vary, options };
    let mut picture = progress::shown(world, question.scenario, |progress| (plot.picture)(&question, progress))?;
    if let Some(file) = &args.overlay {
        lay_over(&mut picture, file, vary.first().map_or("", |vary| vary.key.as_str()))?;
    }
    if args.term {
        print(&picture)?;
    }
    if let (Some(file), Some(ending)) = (&args.out, ending) {
        draw(&picture, file, &ending)?;
        world.say(&format!("drawn to {}", file.display()));
    }
    Ok(Outcome::Fine)
}

fn varied(args: &Args, plot: &Plot) -> Result<Vec<Vary>, Fault> {
    if !plot.varies && !args.vary.is_empty() {
        return Err(Fault::new(format!("the plot {} draws one run and varies nothing", plot.name))
            .help("change a key with --set, or draw the plot saturation"));
    }
    args.vary.iter().map(|text| vary::parse(text)).collect()
}

/// Points of a curve run until settled; a run that is drawn on its own is the plain one.
fn options(args: &Args, plot: &Plot) -> Options {
    let options = args.running.options();
    let mode = options.mode.or(plot.varies.then_some(Mode::Settled));
    Options { mode, skip_ends: true, ..options }
}

/// Lays points over a chart against `key`: a table of them, or a benchmark's output with what it says of that key.
fn lay_over(picture: &mut Picture, file: &Path, key: &str) -> Result<(), Fault> {
    let Picture::Curves(chart) = picture else {
        return Err(Fault::new("--overlay: this plot has no axis to lay points over").help("draw the plot saturation"));
    };
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| {
        Fault::new(format!("--overlay {shown} cannot be read: {error}")).help("name a CSV file of measured points")
    })?;
    let table = points::table(&shown, &text, key).unwrap_or(text);
    overlay(chart, &table, &shown)
}

fn print(picture: &Picture) -> Result<(), Fault> {
    match picture {
        Picture::Curves(chart) => output::print(term(chart).as_bytes()),
        _ => Err(Fault::new("--term draws curves alone").help("name a file with -o, or draw the plot saturation")),
    }
}

/// Draws a picture, or writes its data, whole or not at all.
pub(super) fn draw(picture: &Picture, file: &Path, ending: &str) -> Result<(), Fault> {
    if ending == "json" {
        let data = serde_json::to_string_pretty(picture).unwrap_or_default() + "\n";
        return output::whole(file, data.as_bytes());
    }
    let draft = output::draft(file, &format!(".{ending}"))?;
    draw_file(picture, draft.path())?;
    output::keep(draft, file)
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
