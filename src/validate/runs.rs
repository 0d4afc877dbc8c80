//! Cases run: each pair of scenario and edits once, in parallel, results in the order of the cases.
//!
//! Knows how a case becomes a run. Must not know what was measured.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::case::{Case, Family};
use super::mechanisms::{Mechanism, without};
use crate::error::Fault;
use crate::platform::{Edit, Library, Loaded, load_text};
use crate::report::Report;
use crate::study::{self, Options, Progress};
use engine::Mode;

/// A run: what was loaded, for its settings, and what came out.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The scenario with its models.
    pub loaded: Loaded,
    /// What came out.
    pub report: Report,
}

/// How cases are run.
#[derive(Clone, Copy)]
pub struct Running<'a> {
    /// Where models live.
    pub library: &'a Library,
    /// What is left out of every scenario.
    pub without: &'a [&'static Mechanism],
    /// Told how far it is.
    pub progress: Option<&'a Progress>,
}

/// A run that is to be made, and which of the cases it is for.
struct Wanted<'a> {
    family: &'a Family,
    case: &'a Case,
    mode: Mode,
}

/// What makes two runs the same.
type Same<'a> = (&'a str, &'a str, Vec<(&'a str, &'a str)>, bool);

/// Runs all cases of some families: for each family, for each case, its run. Equal runs are shared.
///
/// # Errors
/// Every [`Fault`], in the order of the cases, said with the case's name.
pub fn run<'a>(families: &'a [Family], running: &Running<'_>) -> Result<Vec<Vec<Arc<Ran>>>, Vec<Fault>> {
    let mut known: BTreeMap<Same<'a>, usize> = BTreeMap::new();
    let mut wanted: Vec<Wanted<'a>> = Vec::new();
    let mut which = Vec::new();
    for family in families {
        for case in &family.cases {
            let index = *known.entry(same(family, case)).or_insert(wanted.len());
            if index == wanted.len() {
                wanted.push(Wanted { family, case, mode: mode(&case.key) });
            }
            which.push(index);
        }
    }
    let ran = all(&wanted, running)?;
    let mut which = which.into_iter();
    Ok(families.iter().map(|f| which.by_ref().take(f.cases.len()).map(|index| ran[index].clone()).collect()).collect())
}

fn all(wanted: &[Wanted<'_>], running: &Running<'_>) -> Result<Vec<Arc<Ran>>, Vec<Fault>> {
    let (count, done) = (wanted.len(), AtomicUsize::new(0));
    let results: Vec<Result<_, Fault>> = wanted
        .par_iter()
        .with_max_len(1)
        .map(|wanted| {
            let ran = one(wanted, running).map_err(|fault| fault.about(&wanted.case.id));
            if let Some(progress) = running.progress {
                progress((done.fetch_add(1, Ordering::Relaxed) + 1) as f64 / count as f64);
            }
            ran
        })
        .collect();
    let (ran, faults): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    if faults.is_empty() {
        Ok(ran.into_iter().flatten().map(Arc::new).collect())
    } else {
        Err(faults.into_iter().filter_map(Result::err).collect())
    }
}

fn same<'a>(family: &'a Family, case: &'a Case) -> Same<'a> {
    let edits = case.edits.iter().map(|Edit { key, value }| (key.as_str(), value.as_str())).collect();
    (&family.folder, &case.scenario, edits, mode(&case.key) == Mode::Settled)
}

/// The rest of a settled work is extrapolated at its steady pace, which says nothing of its slowest requests.
fn mode(key: &str) -> Mode {
    let is_tail = [".max", ".p99", ".p90"].iter().any(|tail| key.ends_with(tail));
    if is_tail { Mode::Request } else { Mode::Settled }
}

fn one(wanted: &Wanted<'_>, running: &Running<'_>) -> Result<Ran, Fault> {
    let mut loaded = load(wanted.family, wanted.case, running.library)?;
    if !running.without.is_empty() {
        let text = without(&loaded.resolved, running.without)?;
        loaded = load_text(&wanted.case.scenario, &text, running.library, &[])?;
    }
    let options = Options { mode: Some(wanted.mode), skip_ends: true, ..Options::default() };
    let report = study::run(&loaded, &options, None)?;
    Ok(Ran { loaded, report })
}

/// A case's scenario with its models inside and what the case sets.
pub fn load(family: &Family, case: &Case, library: &Library) -> Result<Loaded, Fault> {
    let Some(file) = family.scenarios.get(&case.scenario) else {
        return Err(Fault::new(format!("there is no scenario {}", case.scenario)));
    };
    load_text(&file.shown, &file.text, library, &case.edits)
}
