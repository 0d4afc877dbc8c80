//! `hopsim compare`: two scenarios, or the works of one, side by side.
//!
//! Knows which works belong together. Must not know which figures are compared.

use super::options::{Running, Writing};
use super::{Outcome, World, output, progress};
use crate::error::Fault;
use crate::export::Style;
use crate::platform::load;
use crate::report::{Comparison, Report, compare};
use crate::study;

/// Set two scenarios, or the works of one, side by side, with ratios.
///
/// Of two scenarios, works of the same name are compared; where no two names are the same, works in the same place. Of one
/// scenario, every further work is compared with the first.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim compare checkpoint-140gb\n  hopsim compare load-640gb-textbook load-640gb")]
pub(super) struct Args {
    /// A scenario: a file, or the name of one that ships
    #[arg(value_name = "A")]
    a: String,
    /// Another one; without it, the works of the first are compared
    #[arg(value_name = "B")]
    b: Option<String>,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    writing: Writing,
}

/// Compares.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let format = args.writing.format()?;
    output::places(args.writing.out.as_deref())?;
    let a = report(&args.a, args, world)?;
    let comparisons = match &args.b {
        Some(b) => between(&a, &report(b, args, world)?),
        None => within(&a),
    };
    if comparisons.is_empty() {
        let fault = Fault::new(format!("there is nothing to compare: {} has only one work", a.scenario));
        return Err(fault.help("name a second scenario"));
    }
    let style = Style { color: world.style.color && args.writing.out.is_none(), ..world.style };
    output::result(&(format.comparison)(&comparisons, &style), args.writing.out.as_deref())?;
    Ok(Outcome::Fine)
}

fn report(name: &str, args: &Args, world: &World) -> Result<Report, Fault> {
    let loaded = load(name, &world.library, &args.running.edits.read()?)?;
    progress::shown(world, name, |progress| study::run(&loaded, &args.running.options(), progress))
}

fn within(report: &Report) -> Vec<Comparison> {
    let Some((first, others)) = report.works.split_first() else { return Vec::new() };
    others.iter().map(|other| compare((&report.scenario, first), (&report.scenario, other))).collect()
}

fn between(a: &Report, b: &Report) -> Vec<Comparison> {
    let pairs: Vec<_> = a.works.iter().filter_map(|w| Some((w, b.works.iter().find(|o| o.name == w.name)?))).collect();
    let pairs = if pairs.is_empty() { a.works.iter().zip(&b.works).collect() } else { pairs };
    pairs.into_iter().map(|(x, y)| compare((&a.scenario, x), (&b.scenario, y))).collect()
}
