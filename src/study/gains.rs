//! What relieving each thing that binds would gain: the run again with a tenth more of it.
//!
//! Knows entries and how to run a plan. Must not know what a report says of them.
//!
//! Candidates are what has over [`WORTH`] of a work's time or of its requests' own, and what is over [`FULL`] used. Both sides of a comparison run in one
//! mode on the same draws. Where no relief by itself gains anything though several things are full, they bind together: what
//! relieving all of them at once gains is the gain of each, and they are tied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::{Entry, Mode, Outcome, Plan, Work, WorkOutcome};
use rayon::prelude::*;

use super::limit::Watch;
use super::{Limit, Options};
use crate::report::{Binding, Causes, Report};

/// An entry of less of a work's time is no candidate.
const WORTH: f64 = 0.02;

/// What is used so much may bind whatever its share.
const FULL: f64 = 0.97;

/// Entries whose gains are nearer than this to the first are tied with it.
const TIE: f64 = 0.01;

/// The gains of all works by entry.
type Gains = Vec<BTreeMap<Entry, f64>>;

/// How both sides are run.
struct How {
    mode: Mode,
    limit: Option<Limit>,
}

/// Runs every candidate's relief, and orders what binds by what it gains.
pub(super) fn note_gains(report: &mut Report, plan: &Arc<Plan>, outcome: &Outcome, options: &Options) {
    let mode = options.mode.unwrap_or_default();
    // Every request is looked at where that is asked for; its relief may be extrapolated, on both sides.
    let how = How { mode: if mode == Mode::Request { Mode::Settled } else { mode }, limit: options.limit.clone() };
    let causes = Causes { plan, own_caps: &outcome.own_caps };
    let shares: Vec<BTreeMap<Entry, f64>> = outcome.works.iter().map(|work| causes.shares(work)).collect();
    let works = plan.works.iter().zip(&outcome.works).zip(&shares);
    let candidates: BTreeSet<Entry> = works
        .flat_map(|((work, out), shares)| {
            candidates(plan, work, out, shares.clone().into_iter().chain(causes.doing(out)))
        })
        .filter(|entry| *entry != Entry::NoWork)
        .collect();
    let Some(before) = paces(plan.clone(), &how) else { return };
    let alone: Vec<(BTreeSet<Entry>, Vec<f64>)> = candidates
        .into_par_iter()
        .filter_map(|entry| Some((BTreeSet::from([entry.clone()]), gains_of(plan, &[&entry], &before, &how)?)))
        .collect();
    let mut gains: Gains = vec![BTreeMap::new(); outcome.works.len()];
    for (entries, each) in &alone {
        for (work, &gain) in gains.iter_mut().zip(each) {
            work.extend(entries.iter().map(|entry| (entry.clone(), gain)));
        }
    }
    for (index, work) in plan.works.iter().enumerate() {
        let tied = together(plan, index, &shares[index], &mut gains[index], &before, &how);
        if let Some(told) = report.works.iter_mut().find(|told| told.name == work.name) {
            order(&mut told.binding, &gains[index], &tied);
        }
    }
}

/// What may bind a work.
fn candidates(plan: &Plan, work: &Work, out: &WorkOutcome, shares: impl Iterator<Item = (Entry, f64)>) -> Vec<Entry> {
    let by_share = shares.filter(|(_, share)| *share > WORTH).map(|(entry, _)| entry);
    let charged = engine::bounds::charged_bytes(plan, work, &out.lane_bytes);
    let seconds = out.duration.seconds();
    let used = charged.into_iter().filter(|(capacity, bytes)| {
        let capacity = &plan.capacities[*capacity];
        capacity.soft.is_none() && bytes / seconds / capacity.rate.0 as f64 > FULL
    });
    by_share.chain(used.map(|(capacity, _)| Entry::Capacity(plan.capacities[capacity].group.clone()))).collect()
}

/// Seconds a byte of every work.
fn paces(plan: Arc<Plan>, how: &How) -> Option<Vec<f64>> {
    let (outcome, _) = engine::run(&plan, how.mode, how.limit.clone().map(Watch::new)).ok()?;
    Some(outcome.works.iter().map(|work| work.duration.seconds() / work.bytes.0.max(1) as f64).collect())
}

/// What relieving some entries together gains every work.
fn gains_of(plan: &Plan, entries: &[&Entry], before: &[f64], how: &How) -> Option<Vec<f64>> {
    let mut relieved = plan.clone();
    let scale = entries.iter().map(|entry| entry.relieve(&mut relieved)).collect::<Option<Vec<f64>>>()?;
    let scale = scale.into_iter().fold(1.0, f64::min);
    let after = paces(Arc::new(relieved), how)?;
    Some(before.iter().zip(after).map(|(before, after)| (1.0 - after / before) * scale).collect())
}

/// What binds a work together, and the gain of that: what has its time, where none of it gains much by itself.
fn together(
    plan: &Plan,
    work: usize,
    shares: &BTreeMap<Entry, f64>,
    gains: &mut BTreeMap<Entry, f64>,
    before: &[f64],
    how: &How,
) -> BTreeSet<Entry> {
    let best = gains.values().copied().fold(0.0, f64::max);
    let share = |entry: &Entry| shares.get(entry).copied().unwrap_or(0.0);
    let full: Vec<&Entry> = gains.keys().filter(|entry| share(entry) > 5.0 * WORTH).collect();
    if full.len() < 2 || best > full.iter().map(|entry| share(entry)).fold(0.0, f64::max) / 11.0 / 2.0 {
        return BTreeSet::new();
    }
    let joint = gains_of(plan, &full, before, how).map_or(0.0, |gains| gains[work]);
    let apart: f64 = full.iter().map(|entry| gains[*entry]).sum();
    if joint < apart + TIE || joint <= best {
        return BTreeSet::new();
    }
    let tied: BTreeSet<Entry> = full.into_iter().cloned().collect();
    gains.extend(tied.iter().map(|entry| (entry.clone(), joint)));
    tied
}

/// Orders what binds by gain: the largest first, then by share; what was not run comes after what was.
fn order(binding: &mut Vec<Binding>, gains: &BTreeMap<Entry, f64>, tied: &BTreeSet<Entry>) {
    for (entry, &gain) in gains {
        let told = binding.iter_mut().find(|told| told.name == entry.name() && told.kind == entry.kind());
        match told {
            Some(told) => told.gain = Some(gain),
            // Something of another work, whose relief helps this one.
            None if gain > TIE => binding.push(Binding {
                name: entry.name().to_string(),
                kind: entry.kind().to_string(),
                share: 0.0,
                gain: Some(gain),
                tied: false,
            }),
            None => {}
        }
    }
    let key = |told: &Binding| (told.gain.unwrap_or(f64::NEG_INFINITY), told.share);
    binding.sort_by(|a, b| key(b).0.total_cmp(&key(a).0).then(key(b).1.total_cmp(&key(a).1)));
    let first = binding.first().and_then(|told| told.gain).unwrap_or(0.0);
    for told in binding.iter_mut() {
        let near = told.gain.is_some_and(|gain| first - gain <= TIE && gain > 0.0 && first > TIE);
        told.tied = near || tied.iter().any(|entry| told.name == entry.name() && told.kind == entry.kind());
    }
    if binding.iter().filter(|told| told.tied).count() < 2 {
        binding.iter_mut().for_each(|told| told.tied = false);
    }
}
