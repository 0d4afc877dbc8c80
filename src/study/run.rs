//! One scenario from its files to its report.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::error::Fault;
use crate::platform::{Assumed, Loaded, Plan, seal};
use crate::report::{self, Recorder, Report};
use crate::sim::{self, Mode, Observer, Outcome, Stuck};

use super::{Options, Progress};

/// Runs a scenario: nominal, then at the fast and the slow end of its assumed figures, and judges its expectations.
///
/// # Errors
/// A [`Fault`] if the files do not describe a system that can run, or if its requests wait for each other in a ring.
pub fn run(loaded: &Loaded, options: &Options, progress: Option<Progress<'_>>) -> Result<Report, Fault> {
    let mode = options.mode.unwrap_or_default();
    let seal = |assumed| seal_with(loaded, options, assumed);
    let plan = seal(Assumed::Value)?;
    let ends = if options.skip_ends { None } else { Some((seal(Assumed::Fast)?, seal(Assumed::Slow)?)) };
    let simulate = |plan: &Arc<Plan>| simulate(plan, mode, progress);
    let (nominal, ends) = rayon::join(
        || simulate(&plan),
        || ends.map(|(fast, slow)| rayon::join(|| simulate(&fast), || simulate(&slow))),
    );
    let (outcome, recorder) = nominal?;
    let mut report = assemble(loaded, options, &plan, &outcome, &recorder);
    if let Some((fast, slow)) = ends {
        note_ends(&mut report, &plan, &fast?.0, &slow?.0);
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
        sim::run(&plan, options.mode.unwrap_or_default(), observers).map_err(|stuck| refused(&stuck))?;
    let mut report = assemble(loaded, options, &plan, &outcome, &recorder);
    report.warnings = report::warnings(&plan, &report);
    Ok((report, observer))
}

fn refused(stuck: &Stuck) -> Fault {
    Fault::new(stuck.to_string()).help("give the pools more places, or let requests hold fewer of them")
}

fn seal_with(loaded: &Loaded, options: &Options, assumed: Assumed) -> Result<Arc<Plan>, Fault> {
    let mut plan = seal(&loaded.scenario, &loaded.sources, assumed)?;
    plan.seed = options.seed.unwrap_or(plan.seed);
    Ok(Arc::new(plan))
}

fn simulate(plan: &Arc<Plan>, mode: Mode, progress: Option<Progress<'_>>) -> Result<(Outcome, Recorder), Fault> {
    let _ = progress;
    sim::run(plan, mode, Recorder::new(plan.works.len())).map_err(|stuck| {
        Fault::new(stuck.to_string()).help("give the pools more places, or let requests hold fewer of them")
    })
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
    if options.mode.unwrap_or_default() == Mode::Request { "request" } else { "settled" }
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
