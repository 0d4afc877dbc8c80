//! `hopsim validate`: predictions against measurements.
//!
//! Knows what was asked and what becomes the exit code. Must not know how errors are reckoned.

use std::path::{Path, PathBuf};

use super::{Outcome, World, output, plot, progress};
use crate::error::Fault;
use crate::plot::{Pair, Series, Validation, draw_validation};
use crate::validate::{self, FORMS, Family, FamilyErrors, MECHANISMS, Mechanism, Point, Running, Table, Use};

/// Refused cases that are told in full.
const SHOWN: usize = 5;

/// Hold predictions against published and measured figures, and show the misses.
///
/// Cases live in models/validation/<family>/, inside the binary or in the nearest models/ folder. Errors are absolute, in
/// per cent of what was measured. The last line is the total over the predicted points of gated families; points that
/// figures were fitted on stand apart, and bounds are kept or violated. Exit code 1 where a gated family misses its gate.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim validate\n  hopsim validate host --without soft-dram\n  \
                        hopsim validate --format markdown -o docs/validation.md --plot docs/validation.svg")]
pub(super) struct Args {
    /// Only these families
    #[arg(value_name = "FAMILY")]
    families: Vec<String>,
    /// Leave a mechanism out of every model; repeatable
    #[arg(long, value_name = "MECHANISM", value_parser = mechanism_names())]
    without: Vec<String>,
    /// Leave out one mechanism after the other, and show what each brings (text or JSON)
    #[arg(long, conflicts_with_all = ["plot", "markdown"])]
    each: bool,
    /// How to write the table
    #[arg(long, short, value_name = "FORMAT", value_parser = form_names(), default_value = "text")]
    format: String,
    /// The same as --format markdown
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
    /// Write the table to this file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Draw predicted against measured, and every family's curve (.svg, .png; .json for the data)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Run so many cases at a time (default: one for each processor)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

fn mechanism_names() -> clap::builder::PossibleValuesParser {
    let value = |m: &Mechanism| clap::builder::PossibleValue::new(m.name).help(m.without);
    MECHANISMS.iter().map(value).collect::<Vec<_>>().into()
}

fn form_names() -> clap::builder::PossibleValuesParser {
    FORMS.iter().map(|form| form.name).collect::<Vec<_>>().into()
}

/// Validates.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let format = if args.markdown { "markdown" } else { &args.format };
    let form = FORMS.iter().find(|form| form.name == format).unwrap_or(&FORMS[0]);
    let ending = args.plot.as_deref().map(plot::ending).transpose()?;
    output::places(args.out.as_deref().into_iter().chain(args.plot.as_deref()))?;
    if args.each {
        return each(args, world);
    }
    let table = match over(args, world, validate::validate)? {
        Ok(table) => table,
        Err(faults) => return Ok(refuse(&faults, world)),
    };
    output::result(&(form.write)(&table), args.out.as_deref())?;
    if let (Some(file), Some(ending)) = (&args.plot, ending) {
        draw(&table, file, &ending)?;
    }
    Ok(if table.meets_gates { Outcome::Fine } else { Outcome::Failed })
}

/// What each mechanism brings.
fn each(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let brought = match over(args, world, validate::ablation)? {
        Ok(brought) => brought,
        Err(faults) => return Ok(refuse(&faults, world)),
    };
    let text = match args.format.as_str() {
        "json" => serde_json::to_string_pretty(&brought).unwrap_or_default() + "\n",
        _ => validate::ablation_text(&brought),
    };
    output::result(&text, args.out.as_deref())?;
    Ok(Outcome::Fine)
}

/// What is done with the families and how they are run.
type Task<T> = fn(&[Family], &Running<'_>) -> Result<T, Vec<Fault>>;

/// Does something over the families asked for.
fn over<T: Send>(args: &Args, world: &World, task: Task<T>) -> Result<Result<T, Vec<Fault>>, Fault> {
    let library = world.library.seen_from(Path::new("."))?;
    let without: Vec<&Mechanism> = args.without.iter().map(|name| validate::by_name(name)).collect::<Result<_, _>>()?;
    let families = validate::families(&library, &args.families)?;
    with_jobs(args.jobs, || {
        progress::shown(world, "validate", |progress| {
            task(&families, &Running { library: &library, without: &without, progress })
        })
    })
}

/// Does something on so many threads.
fn with_jobs<T: Send>(jobs: Option<u16>, act: impl FnOnce() -> T + Send) -> Result<T, Fault> {
    let Some(jobs) = jobs else { return Ok(act()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(jobs)).build();
    let pool = pool.map_err(|error| Fault::new(format!("--jobs {jobs}: {error}")).help("ask for fewer"))?;
    Ok(pool.install(act))
}

fn draw(table: &Table, file: &Path, ending: &str) -> Result<(), Fault> {
    let picture = picture(table);
    if ending == "json" {
        let data = serde_json::to_string_pretty(&picture).unwrap_or_default() + "\n";
        return output::whole(file, data.as_bytes());
    }
    let draft = output::draft(file, &format!(".{ending}"))?;
    draw_validation(&picture, draft.path())?;
    output::keep(draft, file)
}

/// The points of all families as plain series; bounds are no figures to meet.
fn picture(table: &Table) -> Validation {
    let pair = |point: &Point| Pair {
        measured: point.measured,
        predicted: point.predicted,
        fitted: point.usage == Use::Fitted,
        unit: point.unit.to_string(),
    };
    let series = |row: &FamilyErrors| Series {
        name: row.family.clone(),
        pairs: row.points.iter().filter(|point| !point.usage.is_bound()).map(pair).collect(),
    };
    let series = table.families.iter().map(series).filter(|series| !series.pairs.is_empty()).collect();
    Validation { series, note: validate::total(table) }
}

fn refuse(faults: &[Fault], world: &World) -> Outcome {
    faults.iter().take(SHOWN).for_each(|fault| world.say_fault(fault));
    if faults.len() > SHOWN {
        world.say(&format!("and {} more cases that cannot be run", faults.len() - SHOWN));
    }
    Outcome::Refused
}
