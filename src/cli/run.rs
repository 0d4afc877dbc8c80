//! `hopsim run`: scenarios in, reports out.
//!
//! Knows the order of things: load, run, judge, write. Must not know how any of them is done.

use super::options::{Running, Writing};
use super::refusal::Verdict;
use super::{Outcome, World, output, progress, refusal, saved, trace};
use crate::error::Fault;
use crate::export::{self, Style};
use crate::platform::{Edit, Loaded, load};
use crate::plot;
use crate::report::Report;
use crate::study;

/// Run scenarios and report how long, how fast and what limits.
///
/// A scenario is a file, or the name of one that ships (`hopsim list scenarios`). Its [[expect]] lines are judged; a run
/// that differs from the plain one by --set, --seed or --mode is not judged.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim run checkpoint-140gb\n  hopsim run my.toml --set works.*.depth=4 --format json\n  \
                        hopsim run load-640gb --out load.csv\n  hopsim run load-640gb --trace trace.json"
)]
pub(super) struct Args {
    /// Scenarios: files, or names of those that ship
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<String>,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    writing: Writing,
    /// Keep report.json, summary.txt, plots and resolved.toml in output/<scenario>/<fingerprint>/
    #[arg(long)]
    save: bool,
    #[command(flatten)]
    tracing: trace::Tracing,
}

/// What became of one scenario.
enum Done {
    /// It ran.
    Ran(Box<(Loaded, Report)>),
    /// It was refused.
    Refused(Fault, Verdict),
}

/// Runs.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let format = args.writing.format()?;
    let edits = args.running.edits.read()?;
    args.tracing.of_one(&args.scenarios)?;
    output::places(args.writing.out.as_deref().into_iter().chain(args.tracing.file()))?;
    let done: Vec<Done> = args.scenarios.iter().map(|name| one(name, &edits, args, world)).collect();
    let outcome = done.iter().map(|done| judge(done, args, world)).max().unwrap_or(Outcome::Fine);
    let ran: Vec<&(Loaded, Report)> = done.iter().filter_map(Done::ran).collect();
    if !ran.is_empty() {
        let reports: Vec<Report> = ran.iter().map(|ran| ran.1.clone()).collect();
        output::result(&(format.reports)(&reports, &style(args, world)), args.writing.out.as_deref())?;
    }
    if args.save {
        ran.iter().try_for_each(|ran| save(&ran.0, &ran.1, world))?;
    }
    ran.iter().try_for_each(|ran| args.tracing.write(&ran.0, &args.running.options(), world))?;
    Ok(outcome)
}

fn one(name: &str, edits: &[Edit], args: &Args, world: &World) -> Done {
    let ran = load(name, &world.library, edits).and_then(|loaded| {
        let options = args.running.options();
        let report = progress::shown(world, name, |progress| study::run(&loaded, &options, progress))?;
        Ok(Done::Ran(Box::new((loaded, report))))
    });
    ran.unwrap_or_else(|fault| {
        let plain = args.running.is_plain();
        let verdict = if plain { refusal::judge(name, &fault, world) } else { Verdict::Unexpected };
        Done::Refused(fault, verdict)
    })
}

impl Done {
    fn ran(&self) -> Option<&(Loaded, Report)> {
        match self {
            Done::Ran(ran) => Some(ran),
            Done::Refused(..) => None,
        }
    }
}

fn judge(done: &Done, args: &Args, world: &World) -> Outcome {
    match done {
        Done::Refused(fault, verdict) => judge_refusal(fault, verdict, world),
        Done::Ran(ran) if args.running.is_plain() => judge_report(&ran.0, &ran.1, world),
        Done::Ran(_) => Outcome::Fine,
    }
}

fn judge_refusal(fault: &Fault, verdict: &Verdict, world: &World) -> Outcome {
    match verdict {
        Verdict::AsExpected => {
            world.say(&format!("refused, as it must be: {fault}"));
            Outcome::Fine
        }
        Verdict::Otherwise(part) => {
            world.say_fault(fault);
            world.say(&format!("refused, but the message should say \"{part}\""));
            Outcome::Failed
        }
        Verdict::Unexpected => {
            world.say_fault(fault);
            Outcome::Refused
        }
    }
}

fn judge_report(loaded: &Loaded, report: &Report, world: &World) -> Outcome {
    let mut errors = loaded.scenario.expect.iter().filter_map(|expect| expect.value.error.as_ref());
    if let Some(error) = errors.next() {
        world.say(&format!("{}: ran, although it must be refused with \"{error}\"", report.scenario));
        return Outcome::Failed;
    }
    let failed = report.expectations.iter().filter(|e| !e.holds).count();
    if failed > 0 {
        world.say(&format!("{}: {failed} of {} expectations failed", report.scenario, report.expectations.len()));
        return Outcome::Failed;
    }
    Outcome::Fine
}

/// A file is never coloured.
fn style(args: &Args, world: &World) -> Style {
    Style { color: world.style.color && args.writing.out.is_none(), ..world.style }
}

fn save(loaded: &Loaded, report: &Report, world: &World) -> Result<(), Fault> {
    let folder = saved::folder(&report.scenario, &report.fingerprint);
    let reports = std::slice::from_ref(report);
    let text = |format| export::by_name(format).map(|f| (f.reports)(reports, &Style::default())).unwrap_or_default();
    saved::whole(&folder, |inside| {
        output::whole(&inside.join("report.json"), text("json").as_bytes())?;
        output::whole(&inside.join("summary.txt"), text("text").as_bytes())?;
        for (file, bars) in [("hops.svg", plot::hops_bars(report)), ("compare.svg", plot::compare_bars(report))] {
            super::plot::draw(&plot::Picture::Bars(bars), &inside.join(file), "svg")?;
        }
        output::whole(&inside.join("resolved.toml"), loaded.resolved.as_bytes())
    })?;
    world.say(&format!("saved in {}", folder.display()));
    Ok(())
}
