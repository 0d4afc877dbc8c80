//! `hopsim calibrate`: figures fitted to measurements.
//!
//! Knows what was asked and where the patch goes. Must not know how values are looked for.

use std::path::{Path, PathBuf};

use super::{Outcome, World, output, progress};
use crate::calibrate::{self, Calibration, Parameter, Question};
use crate::error::Fault;
use crate::format::FileKind;
use crate::import::Figure;
use crate::import::csv::Measurement;
use crate::import::points::measurements_of;
use crate::platform::{Edit, Library, load};

/// Fit figures of a model to measurements, within bounds.
///
/// The table is CSV, a line a point: columns set:<key> for what was set, key for what was measured (a key of the report; or
/// --measure for all), measured in that key's unit, and as wanted weight and spread; or it is the output of gdsio, fio, nvbandwidth,
/// perftest or gds_stats, with --measure. Printed are the fitted values, what is
/// left at every point, the errors before and after, and which keys the data cannot tell apart. A patch says where its
/// figures come from; no model is ever changed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim calibrate my-tests.toml --data points.csv --fit target.rate=10GB/s..50GB/s\n  \
                        hopsim calibrate dgx-h100 --scenario my-tests.toml --data points.csv \\\n    \
                        --fit gpu.copies.rate_to_gpu=40GB/s..60GB/s -o models/nodes/my-dgx.toml"
)]
pub(super) struct Args {
    /// A scenario (a file, or the name of one that ships), or a model; its keys are then those of the model
    #[arg(value_name = "MODEL-OR-SCENARIO")]
    subject: String,
    /// The measurements
    #[arg(long, value_name = "FILE")]
    data: PathBuf,
    /// A key to fit and its bounds; repeatable
    #[arg(long, value_name = "KEY=LOW..HIGH", required = true)]
    fit: Vec<String>,
    /// The scenario to run a model in
    #[arg(long, value_name = "SCENARIO")]
    scenario: Option<String>,
    /// The key of the report that all points measure
    #[arg(long, value_name = "KEY")]
    measure: Option<String>,
    /// How to write the result
    #[arg(long, short, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,
    /// Write the fitted figures to this file
    #[arg(long, short, value_name = "PATCH.toml")]
    out: Option<PathBuf>,
    /// Replace the patch if it is there
    #[arg(long)]
    force: bool,
}

/// What is fitted: in which scenario, with which model in it, under which key.
struct Subject<'a> {
    scenario: &'a str,
    model: Option<&'a str>,
    /// What stands before the model's own keys in the scenario.
    prefix: String,
    edits: Vec<Edit>,
    /// The file that it was read from.
    shown: String,
}

/// Calibrates.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let library = world.library.seen_from(Path::new("."))?;
    let subject = subject(args, &library)?;
    check_out(args, &subject)?;
    let data = args.data.display().to_string();
    let (points, left) = points(args, &subject, &library)?;
    for figure in &left {
        world.say(&format!(
            "line {}: {} {} is of another direction or path than the work, and is left out",
            figure.line, figure.tool, figure.what
        ));
    }
    let parameters: Vec<Parameter> =
        args.fit.iter().map(|fit| format!("{}{fit}", subject.prefix).parse()).collect::<Result<_, Fault>>()?;
    let name = args.data.file_name().map_or_else(|| data.clone(), |name| name.to_string_lossy().into_owned());
    let question = Question {
        scenario: subject.scenario,
        library: &library,
        edits: subject.edits.clone(),
        parameters,
        points,
        data: name,
    };
    let calibration = progress::shown(world, "calibrate", |progress| {
        calibrate::calibrate(&question, &|share| progress.iter().for_each(|tell| tell(share)))
    })?;
    output::print(written(&calibration, &args.format).as_bytes())?;
    keep(args, &calibration, &subject, world)?;
    Ok(Outcome::Fine)
}

/// The points, and the figures of the data that are of another direction or path than the work that is measured.
fn points(args: &Args, subject: &Subject<'_>, library: &Library) -> Result<(Vec<Measurement>, Vec<Figure>), Fault> {
    let loaded = load(subject.scenario, library, &subject.edits)?;
    let work = args.measure.as_deref().and_then(|key| key.strip_prefix("works.")?.split('.').next());
    let path = work.and_then(|name| loaded.scenario.works.get(name)).map(|work| &work.value.path.value);
    let path = path.and_then(|path| loaded.scenario.paths.get(path));
    let wanted = |figure: &Figure| path.is_none_or(|path| calibrate::is_of(figure, path));
    measurements_of(&args.data.display().to_string(), &text(&args.data)?, args.measure.as_deref(), &wanted)
}

fn written(calibration: &Calibration, format: &str) -> String {
    match format {
        "json" => serde_json::to_string_pretty(calibration).unwrap_or_default() + "\n",
        _ => calibrate::text(calibration),
    }
}

/// What the first argument means: a model where one is called so and there is a scenario for it, else a scenario.
fn subject<'a>(args: &'a Args, library: &Library) -> Result<Subject<'a>, Fault> {
    let kinds = FileKind::ALL
        .into_iter()
        .filter(|kind| !matches!(kind, FileKind::Scenario | FileKind::Path | FileKind::Lesson));
    for kind in kinds {
        let Some(entry) = library.find(kind, &args.subject, None)? else { continue };
        let Some(scenario) = &args.scenario else {
            return Err(Fault::new(format!("{} is a {kind}, and a model alone moves no bytes", args.subject))
                .help("add --scenario, the scenario in which the measurements were taken"));
        };
        let place = place(kind);
        let Some(place) = place else {
            return Err(Fault::new(format!("a {kind} stands in more than one place of a scenario"))
                .help("calibrate the node or the scenario that it is in, with the whole key"));
        };
        let edits = vec![Edit { key: place.to_string(), value: format!("\"{}\"", args.subject) }];
        let model = Some(args.subject.as_str());
        return Ok(Subject { scenario, model, prefix: format!("{place}."), edits, shown: entry.shown });
    }
    if args.scenario.is_some() {
        return Err(Fault::new(format!(
            "--scenario goes with a model, and there is no model called \"{}\"",
            args.subject
        ))
        .help("`hopsim list` shows all models"));
    }
    let shown = args.subject.clone();
    Ok(Subject { scenario: &args.subject, model: None, prefix: String::new(), edits: Vec::new(), shown })
}

/// Where a model of that kind stands in a scenario, if in one place only.
fn place(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::Node => Some("node"),
        FileKind::Fabric => Some("fabric"),
        FileKind::Target => Some("target"),
        FileKind::Gpu => Some("node.gpu"),
        FileKind::Nic => Some("node.nic"),
        FileKind::Cpu => Some("node.cpu"),
        FileKind::Dram => Some("node.dram"),
        _ => None,
    }
}

fn text(file: &Path) -> Result<String, Fault> {
    let bytes = std::fs::read(file).map_err(|error| {
        Fault::new(format!("{} cannot be read: {error}", file.display()))
            .help("--data takes a CSV file of measurements, or a benchmark's output")
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        Fault::new(format!("{} is not UTF-8 text: the first wrong byte is in line {line}", file.display()))
            .help("save the table as UTF-8")
    })
}

/// Refuses a patch that would replace something, before hours of work.
fn check_out(args: &Args, subject: &Subject<'_>) -> Result<(), Fault> {
    let Some(out) = args.out.as_deref().filter(|out| out.exists()) else { return Ok(()) };
    let same = |other: &Path| match (out.canonicalize(), other.canonicalize()) {
        (Ok(out), Ok(other)) => out == other,
        _ => false,
    };
    let scenario = args.scenario.as_deref().map(Path::new);
    if [Path::new(&subject.shown), &args.data].into_iter().chain(scenario).any(same) {
        return Err(Fault::new(format!("{} is what is being calibrated, and is left as it is", out.display()))
            .help("name another file for the patch"));
    }
    if !args.force {
        return Err(Fault::new(format!("{} exists, and is left as it is", out.display()))
            .help("name another file, or add --force to replace it"));
    }
    Ok(())
}

fn keep(args: &Args, calibration: &Calibration, subject: &Subject<'_>, world: &World) -> Result<(), Fault> {
    let Some(out) = &args.out else { return Ok(()) };
    if !calibration.improved {
        world.say(&format!("nothing was improved, so {} is not written", out.display()));
        return Ok(());
    }
    let patch = calibrate::patch(calibration, subject.model, &subject.prefix);
    if args.force {
        output::whole(out, patch.as_bytes())?;
    } else {
        let mut draft = output::draft(out, "")?;
        std::io::Write::write_all(&mut draft, patch.as_bytes())
            .map_err(|error| Fault::new(format!("{} cannot be written: {error}", out.display())))?;
        output::keep_new(draft, out)?;
    }
    world.say(&format!("patch written to {}", out.display()));
    Ok(())
}
