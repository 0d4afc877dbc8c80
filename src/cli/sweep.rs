//! `hopsim sweep`: a grid of points in, a table out, each finished point on disk at once.
//!
//! Knows the order of things: grid, journal, runs, table. Must not know how any of them is done.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::options::{ModeWord, Running};
use super::sweep_file::{Journal, Manner};
use super::{Outcome, World, output, progress, saved};
use crate::error::Fault;
use crate::export::points;
use crate::plot::{Picture, saturation_of_grid};
use crate::readable::count;
use crate::study::grid::Grid;
use crate::study::journal::Header;
use crate::study::{MANY_POINTS, Options, Row, Shard, Sweep};
use engine::Mode;

/// Run a grid of points and write one row each: all inputs, all results, what binds.
///
/// The grid is the scenario's [sweep], or what --vary and --zip say. Ranges are written from..to (sizes, rates and times
/// double, counts go up by one), from..to:x4, from..to:+4, or as a list a,b,c. Points run in settled mode; each is in
/// output/<scenario>/<fingerprint>/ as soon as it is finished, and an interrupted sweep goes on with --resume.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim sweep load-640gb --vary works.*.size=4KiB..16MiB:x4 --vary works.*.depth=1,4,16\n  \
                        hopsim sweep my.toml --shard 1/2 -o half.csv\n  \
                        hopsim sweep my.toml --zip node.gpus=1,2,4,8 --zip works.*.threads=8,16,32,64"
)]
pub(super) struct Args {
    /// A scenario: a file, or the name of one that ships
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// A key and its values, an axis of its own; repeatable, all are crossed
    #[arg(long, value_name = "KEY=RANGE")]
    vary: Vec<String>,
    /// A key and its values, in step with all other --zip keys; repeatable
    #[arg(long, value_name = "KEY=RANGE")]
    zip: Vec<String>,
    /// Run each point so often, with seeds that count up
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    replicates: Option<u64>,
    #[command(flatten)]
    running: Running,
    /// Run each point at the fast and slow ends of assumed figures too (low_s and high_s)
    #[arg(long)]
    ends: bool,
    /// Run only every n-th point from the i-th on; `hopsim merge` joins the tables
    #[arg(long, value_name = "I/N", default_value = "1/1", hide_default_value = true)]
    shard: Shard,
    /// Go on with an interrupted sweep
    #[arg(long, conflicts_with = "restart")]
    resume: bool,
    /// Throw an interrupted sweep away and begin anew
    #[arg(long)]
    restart: bool,
    /// Keep the journal in this file instead of output/<scenario>/<fingerprint>/
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Run more than a million points
    #[arg(long)]
    yes: bool,
    /// Write the table in this format (default: by the ending of --out, else csv)
    #[arg(long, short, value_enum, value_name = "FORMAT")]
    format: Option<TableFormat>,
    /// Write the table to this file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep points.csv, points.jsonl, summary.txt, saturation.svg and resolved.toml in output/<scenario>/<fingerprint>/
    #[arg(long)]
    save: bool,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TableFormat {
    /// Comma-separated values, one line a point under a line of names
    Csv,
    /// One JSON object a point and line
    Jsonl,
}

impl TableFormat {
    /// The format that a file's ending means.
    pub(super) fn of(file: &Path) -> Result<TableFormat, Fault> {
        match file.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("csv") => Ok(TableFormat::Csv),
            Some("jsonl" | "ndjson") => Ok(TableFormat::Jsonl),
            _ => Err(Fault::new(format!("{}: its ending names no kind of table", file.display()))
                .help("end it in .csv or .jsonl")),
        }
    }
}

/// Sweeps.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let format = format(args)?;
    output::places(args.out.as_deref())?;
    let sweep = sweep(args, world)?;
    let todo = points_of(&sweep, args)?;
    sweep.check()?;
    let journal = open(args, &sweep, todo.len() as u64)?;
    let left = left(&todo, &journal);
    if left.len() < todo.len() {
        world.say(&format!("{} of {} points are finished already", todo.len() - left.len(), todo.len()));
    }
    progress::points(world, sweep.name(), todo.len() as u64, (todo.len() - left.len()) as u64, |done| {
        sweep.run(&left, &|row| {
            journal.keep(&row)?;
            done();
            Ok(())
        })
    })?;
    if args.save {
        save(&sweep, &journal, world)?;
    }
    if args.out.is_some() || !args.save {
        write(&journal, format, args.out.as_deref())?;
    }
    Ok(Outcome::Fine)
}

fn format(args: &Args) -> Result<TableFormat, Fault> {
    match (args.format, &args.out) {
        (Some(format), _) => Ok(format),
        (None, Some(file)) => TableFormat::of(file),
        (None, None) => Ok(TableFormat::Csv),
    }
}

fn sweep(args: &Args, world: &World) -> Result<Sweep, Fault> {
    let mode = if args.running.mode == Some(ModeWord::Request) { Mode::Request } else { Mode::Settled };
    let options = Options { mode: Some(mode), seed: args.running.seed, skip_ends: !args.ends, ..Options::default() };
    let edits = args.running.edits.read()?;
    let typed = !args.vary.is_empty() || !args.zip.is_empty();
    let grid = typed.then(|| Grid::typed(&args.vary, &args.zip, args.replicates.unwrap_or(1))).transpose()?;
    Sweep::new(&args.scenario, &world.library, &edits, grid, args.replicates, &options)
}

/// The numbers of the points to run.
fn points_of(sweep: &Sweep, args: &Args) -> Result<Vec<u64>, Fault> {
    let points = sweep.grid.points();
    if points / args.shard.of > MANY_POINTS && !args.yes {
        return Err(Fault::new(format!("these are {} points", count(points)))
            .help("make the steps wider, or say --yes if you mean it"));
    }
    Ok((args.shard.index - 1..points).step_by(args.shard.of as usize).collect())
}

fn open(args: &Args, sweep: &Sweep, wanted: u64) -> Result<Journal, Fault> {
    let header = Header::of(sweep, args.shard);
    let manner = match (args.resume, args.restart) {
        (true, _) => Manner::Resume,
        (_, true) => Manner::Restart,
        _ => Manner::Fresh,
    };
    let name = match args.shard {
        Shard::WHOLE => "journal.jsonl".to_string(),
        Shard { index, of } => format!("journal-{index}-of-{of}.jsonl"),
    };
    let own = || saved::folder(sweep.name(), &header.sweep).join(&name);
    let path = args.journal.clone().unwrap_or_else(own);
    Journal::open(&path, header, wanted, manner)
}

/// The points that are not finished.
fn left(todo: &[u64], journal: &Journal) -> Vec<u64> {
    let is_done = |point: &u64| journal.done.binary_search_by_key(point, |place| place.point).is_ok();
    todo.iter().filter(|point| !is_done(point)).copied().collect()
}

fn write(journal: &Journal, format: TableFormat, file: Option<&Path>) -> Result<(), Fault> {
    let Some(file) = file else {
        return table(journal, format, |line| output::print(line.as_bytes()));
    };
    let mut draft = output::draft(file, "")?;
    let mut buffer = BufWriter::new(draft.as_file_mut());
    let fault = |error: std::io::Error| output::fault(file, &error);
    table(journal, format, |line| buffer.write_all(line.as_bytes()).map_err(fault))?;
    buffer.flush().map_err(fault)?;
    drop(buffer);
    output::keep(draft, file)
}

/// Hands over the lines of the table, each with its end.
fn table(journal: &Journal, format: TableFormat, mut out: impl FnMut(&str) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut is_first = true;
    journal.lines(|line| {
        if format == TableFormat::Jsonl {
            return out(&format!("{line}\n"));
        }
        let row: Row = serde_json::from_str(line)
            .map_err(|error| Fault::new(format!("a line of the journal cannot be read: {error}")))?;
        if std::mem::take(&mut is_first) {
            out(&points::csv_header(&row))?;
        }
        out(&points::csv_row(&row))
    })?;
    Ok(())
}

fn save(sweep: &Sweep, journal: &Journal, world: &World) -> Result<(), Fault> {
    let folder = saved::folder(sweep.name(), &sweep.fingerprint());
    saved::whole(&folder, |inside| {
        write(journal, TableFormat::Csv, Some(&inside.join("points.csv")))?;
        write(journal, TableFormat::Jsonl, Some(&inside.join("points.jsonl")))?;
        let summary = format!("{}\n{} points\n{}\n", sweep.name(), count(sweep.grid.points()), sweep.grid.text());
        output::whole(&inside.join("summary.txt"), summary.as_bytes())?;
        if let Some(picture) = picture(sweep, journal)? {
            super::plot::draw(&picture, &inside.join("saturation.svg"), "svg")?;
        }
        output::whole(&inside.join("resolved.toml"), sweep.base.resolved.as_bytes())
    })?;
    world.say(&format!("saved in {}", folder.display()));
    Ok(())
}

/// The most points of a sweep that is drawn.
const MOST_DRAWN: u64 = 2_000;

/// The saturation curves of a whole sweep, where it makes any.
fn picture(sweep: &Sweep, journal: &Journal) -> Result<Option<Picture>, Fault> {
    let mut reports = Vec::new();
    if sweep.grid.points() > MOST_DRAWN {
        return Ok(None);
    }
    let finished = journal.lines(|line| {
        let row: Row = serde_json::from_str(line)
            .map_err(|error| Fault::new(format!("a line of the journal cannot be read: {error}")))?;
        if row.replicate == 0 {
            reports.push(row.report);
        }
        Ok(())
    })?;
    Ok(if finished == sweep.grid.points() { saturation_of_grid(&sweep.grid, &reports) } else { None })
}
