//! One scenario from its files to its report.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::Fault;
use crate::platform::{Assumed, Loaded, seal, seal_compact};
use crate::report::{self, Recorder, Report};
use engine::{self, Mode, Observer, Outcome, Plan, Stuck, Why};

use super::gains::note_gains;
use super::limit::Watch;
use super::progress::{Counter, Runs};
use super::{Options, Progress};

/// Runs a scenario: nominal, then at the fast and the slow end of its assumed figures, and judges its expectations.
///
/// # Errors
/// A [`Fault`] if the files do not describe a system that can run, or if its requests wait for each other in a ring.
pub fn run(loaded: &Loaded, options: &Options, progress: Option<&Progress>) -> Result<Report, Fault> {
    let runs = progress.map(|tell| Runs::new(tell, runs_of(options)));
    one_of(loaded, options, runs.as_ref())
}

/// How often a scenario is simulated: as it is, and at both ends of its assumed figures.
pub(super) fn runs_of(options: &Options) -> usize {
    if options.skip_ends { 1 } else { 3 }
}

/// Runs a scenario as one of several.
pub(super) fn one_of(loaded: &Loaded, options: &Options, runs: Option<&Runs>) -> Result<Report, Fault> {
    let mode = options.mode.unwrap_or_default();
    let seal = |assumed| seal_with(loaded, options, assumed);
    let plan = seal(Assumed::Value)?;
    let ends = if options.skip_ends { None } else { Some((seal(Assumed::Fast)?, seal(Assumed::Slow)?)) };
    let simulate = |plan: &Arc<Plan>| simulate(plan, mode, options, runs);
    let (nominal, ends) = match ends {
        None => (simulate(&plan), None),
        Some((fast, slow)) => {
            let ends = || rayon::join(|| simulate(&fast), || simulate(&slow));
            let (nominal, ends) = rayon::join(|| simulate(&plan), ends);
            (nominal, Some(ends))
        }
    };
    let (outcome, recorder) = nominal?;
    moved_something(&plan, &outcome)?;
    let mut report = assemble(loaded, options, &plan, &outcome, &recorder);
    if let Some((fast, slow)) = ends {
        note_ends(&mut report, &plan, &fast?.0, &slow?.0);
    }
    if !options.skip_ends || options.gains {
        note_gains(&mut report, &plan, &outcome, options);
    }
    report.warnings = report::warnings(&plan, &report);
    if report.judged {
        let expectations: Vec<_> = loaded.scenario.expect.iter().map(|at| at.value.clone()).collect();
        report.expectations = report::judge(&report, &expectations);
    }
    Ok(report)
}

/// Runs a scenario once, nominally, with an observer of one's own beside the report's.
///
/// # Errors
/// As [`run`].
pub fn watch<O: Observer + 'static>(
    loaded: &Loaded,
    options: &Options,
    observer: impl FnOnce(&Plan) -> O,
) -> Result<(Report, O), Fault> {
    let plan = seal_with(loaded, options, Assumed::Value)?;
    let observers = (Recorder::new(plan.works.len()), observer(&plan));
    let (outcome, (recorder, observer)) =
        engine::run(&plan, options.mode.unwrap_or_default(), observers).map_err(|stuck| refusal(&stuck))?;
    moved_something(&plan, &outcome)?;
    let mut report = assemble(loaded, options, &plan, &outcome, &recorder);
    report.warnings = report::warnings(&plan, &report);
    Ok((report, observer))
}

/// A stream's nodes up to so many are all listed, by name; of more, one of each kind.
const LISTED: u64 = 16;

fn seal_with(loaded: &Loaded, options: &Options, assumed: Assumed) -> Result<Arc<Plan>, Fault> {
    let nodes = loaded.scenario.cluster.as_ref().map_or(1, |cluster| cluster.nodes.value);
    let seal = if options.mode == Some(Mode::Fluid) && nodes > LISTED { seal_compact } else { seal };
    let mut plan = seal(&loaded.scenario, &loaded.sources, assumed)?;
    plan.seed = options.seed.unwrap_or(plan.seed);
    Ok(Arc::new(plan))
}

fn simulate(
    plan: &Arc<Plan>,
    mode: Mode,
    options: &Options,
    runs: Option<&Runs>,
) -> Result<(Outcome, Recorder), Fault> {
    let recorder = Recorder::new(plan.works.len());
    let counter = runs.map(|runs| Counter::new(runs.clone(), plan));
    let watch = options.limit.clone().map(Watch::new);
    let observers = (recorder, (counter, watch));
    let (outcome, (recorder, (counter, _))) = engine::run(plan, mode, observers).map_err(|stuck| refusal(&stuck))?;
    counter.into_iter().for_each(Counter::finish);
    Ok((outcome, recorder))
}

fn refusal(stuck: &Stuck) -> Fault {
    let help = match stuck.why {
        Why::Stopped => "put fewer requests in flight (threads, depth), ask for larger ones, or move fewer bytes",
        Why::Unsound(_) => "this is a fault of hopsim: sealing a scenario checks its plan",
        Why::ClockRanOut => "move fewer bytes, or mend a rate that is too low",
        Why::Ring(_) => {
            "a request keeps what it holds while it waits for more: give what is waited for more places (of memory: \
             node.dram.memory), or put fewer or smaller requests in flight (threads, depth, size)"
        }
    };
    Fault::new(stuck.to_string()).help(help)
}

/// A work that moves no bytes has no throughput: whatever would be said of it would mislead.
fn moved_something(plan: &Plan, outcome: &Outcome) -> Result<(), Fault> {
    let idle = outcome.works.iter().position(|work| work.bytes.0 == 0);
    let Some(work) = idle.map(|index| &plan.works[index]) else { return Ok(()) };
    let message = format!("works.{} moves no bytes: none of its requests is done within its run time", work.name);
    Err(Fault::new(message).help("let it run longer, ask for smaller requests, or offer more of them"))
}

fn assemble(loaded: &Loaded, options: &Options, plan: &Plan, outcome: &Outcome, recorder: &Recorder) -> Report {
    let mode_name = mode_name(options);
    Report {
        schema: 1,
        scenario: plan.name.clone(),
        fingerprint: fingerprint(&loaded.canonical, plan.seed, mode_name),
        seed: plan.seed,
        mode: mode_name.to_string(),
        simulated_s: outcome.end.seconds(),
        works: report::works(plan, outcome, recorder),
        expectations: Vec::new(),
        judged: !loaded.edited && options.mode.is_none() && options.seed.is_none(),
        warnings: Vec::new(),
        assumed_share: report::assumed_share(plan, outcome),
    }
}

/// The mode as a report says it.
pub(super) fn mode_name(options: &Options) -> &'static str {
    match options.mode.unwrap_or_default() {
        Mode::Request => "request",
        Mode::Settled => "settled",
        Mode::Fluid => "stream",
    }
}

/// The durations at the fast and at the slow end, whichever of them is the shorter.
fn note_ends(report: &mut Report, plan: &Plan, fast: &Outcome, slow: &Outcome) {
    for work in &mut report.works {
        if let Some(index) = plan.works.iter().position(|other| other.name == work.name) {
            let ends = [fast, slow].map(|outcome| outcome.works[index].duration.seconds());
            let all = [ends[0], ends[1], work.duration_s];
            work.low_s = Some(all.into_iter().fold(f64::INFINITY, f64::min));
            work.high_s = Some(all.into_iter().fold(0.0, f64::max));
        }
    }
}

/// The first 16 hexadecimal digits of SHA-256 over the canonical scenario, seed, mode and version.
fn fingerprint(canonical: &str, seed: u64, mode: &str) -> String {
    digest(&[canonical, &seed.to_string(), mode, env!("CARGO_PKG_VERSION")])
}

/// The first 16 hexadecimal digits of SHA-256 over some texts and their lengths.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
