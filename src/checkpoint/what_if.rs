//! What single changes would gain: one more NIC a socket, a faster target, wider stripes, more threads, another scheme.
//!
//! Knows which keys a change replaces. Must not know how a save is timed.

use rayon::prelude::*;
use serde::Serialize;
use toml::Value;

use crate::error::Fault;
use engine::units::Bytes;

use super::ground::{How, Load, factor, whole_number};
use super::measure::{Bench, Times};
use super::scheme::Scheme;
use super::sheet::Row;

/// A change and what it gains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The scheme that it is made to.
    pub scheme: Scheme,
    /// What is changed.
    pub what: String,
    /// Save time before.
    pub before_s: f64,
    /// Save time after.
    pub after_s: f64,
    /// Stall before.
    pub stall_before_s: f64,
    /// Stall after.
    pub stall_after_s: f64,
}

impl Change {
    fn of(scheme: Scheme, what: &str, before: &Times, after: &Times) -> Change {
        Change {
            scheme,
            what: what.to_string(),
            before_s: before.save_s,
            after_s: after.save_s,
            stall_before_s: before.stall_s,
            stall_after_s: after.stall_s,
        }
    }

    /// The share of the save time that it saves.
    pub fn gain(&self) -> f64 {
        1.0 - self.after_s / self.before_s
    }

    /// The share of the stall that it saves.
    pub fn stall_gain(&self) -> f64 {
        1.0 - self.stall_after_s / self.stall_before_s
    }
}

/// What is left to chance: where so many files lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    pub(super) files: u64,
    pub(super) seed: u64,
}

/// A change to the ground or to how bytes are put on their way.
struct Tried {
    what: String,
    keys: Vec<(String, Value)>,
    how: How,
}

/// All changes to all schemes that can be, those that gain most first.
pub(super) fn changes(bench: &Bench<'_>, load: &Load, chance: Chance, rows: &[Row]) -> Result<Vec<Change>, Fault> {
    let tries = tries(bench);
    let pairs: Vec<(&Row, &Tried)> =
        rows.iter().filter(|row| row.figures.is_some()).flat_map(|row| tries.iter().map(move |t| (row, t))).collect();
    let done: Vec<Option<Change>> =
        pairs.into_par_iter().map(|(row, tried)| tried.to(bench, load, chance, row)).collect();
    let mut list: Vec<Change> = done.into_iter().flatten().chain(other_schemes(rows)).collect();
    list.retain(|change| change.gain() > 0.005 || change.stall_gain() > 0.005);
    list.sort_by(|a, b| b.gain().max(b.stall_gain()).total_cmp(&a.gain().max(a.stall_gain())));
    Ok(list)
}

impl Tried {
    /// The change made to a scheme; `None` where the models do not take it.
    fn to(&self, bench: &Bench<'_>, load: &Load, chance: Chance, row: &Row) -> Option<Change> {
        let figures = row.figures.as_ref()?;
        let before = &figures.times;
        let ground = bench.ground.changed(&self.keys);
        let site = ground.site(bench.library).ok()?;
        let changed = Bench { ground: &ground, site: &site, how: &self.how, ..*bench };
        let after = changed.save(row.scheme, load, true).ok()?;
        // Where files lie by chance, means are compared.
        let count = figures.repetitions.map_or(0, |all| all.count);
        let repeated = changed.repeat(row.scheme, load, chance.files, count, chance.seed).ok()?;
        let before_s = figures.repetitions.map_or(before.save_s, |all| all.mean_s);
        let after_s = repeated.map_or(after.save_s, |all| all.mean_s);
        Some(Change { before_s, after_s, ..Change::of(row.scheme, &self.what, before, &after) })
    }
}

fn tries(bench: &Bench<'_>) -> Vec<Tried> {
    let how = *bench.how;
    let keys = |what: &str, keys: Vec<(String, Value)>| Tried { what: what.to_string(), keys, how };
    let mut list = vec![
        Tried { what: "twice the threads".into(), keys: Vec::new(), how: How { threads: how.threads * 2, ..how } },
        Tried {
            what: "requests four times as large".into(),
            keys: Vec::new(),
            how: How { size: Bytes(how.size.0.saturating_mul(4)), ..how },
        },
        Tried { what: "no fsync".into(), keys: Vec::new(), how: How { fsync: engine::units::Time(0), ..how } },
    ];
    list.extend(one_more_nic(bench).map(|more| keys("one more NIC a socket", more)));
    list.extend(bench.ground.target_rates(bench.library, 2, 1).ok().map(|all| keys("a target twice as fast", all)));
    if let Some((count, width)) = bench.site.stripes {
        let wider = vec![("target.striping.width".to_string(), whole_number((width * 2).min(count)))];
        list.push(keys("files over twice as many data nodes", wider));
    }
    if bench.site.striping_efficiency < 1.0 {
        let wider = factor((bench.site.striping_efficiency * 2.0).min(1.0));
        list.push(keys("files over twice as many devices", vec![("target.striping_efficiency".to_string(), wider)]));
    }
    list
}

/// A NIC more on every socket that has some.
fn one_more_nic(bench: &Bench<'_>) -> Option<Vec<(String, Value)>> {
    let all = &bench.site.nics;
    let next = all.iter().flatten().max()? + 1;
    let sockets = bench.ground.gpus_by_socket(bench.library).ok()?;
    let mut added = 0;
    let with = |(gpus, nics): (&Vec<u64>, &Vec<u64>)| {
        let mut nics = nics.clone();
        if !nics.is_empty() {
            nics.push(next + added);
            added += 1;
        }
        let list = |numbers: &[u64]| Value::Array(numbers.iter().map(|number| whole_number(*number)).collect());
        let entries = [("gpus".to_string(), list(gpus)), ("nics".to_string(), list(&nics))];
        Value::Table(toml::Table::from_iter(entries))
    };
    let sockets: Vec<Value> = sockets.iter().zip(all).map(with).collect();
    let in_use = bench.ground.nics_in_use(bench.library).ok()? + added;
    Some(vec![("node.sockets".to_string(), Value::Array(sockets)), ("node.nics".to_string(), whole_number(in_use))])
}

/// What another of the schemes would gain: GDS instead of the way through memory, pinned instead of pageable memory.
fn other_schemes(rows: &[Row]) -> Vec<Change> {
    let pairs = [
        (Scheme::Bounce, Scheme::Gds, "GPUDirect Storage"),
        (Scheme::Pageable, Scheme::Pinned, "pinned staging"),
        (Scheme::Gds, Scheme::Pinned, "staging in pinned memory, the rest beside training"),
        (Scheme::Bounce, Scheme::Pinned, "staging in pinned memory, the rest beside training"),
    ];
    let of = |scheme| rows.iter().find(|row| row.scheme == scheme).and_then(|row| row.figures.as_ref());
    let change = |(from, to, what): (Scheme, Scheme, &str)| {
        let (before, after) = (&of(from)?.times, &of(to)?.times);
        Some(Change::of(from, what, before, after))
    };
    pairs.into_iter().filter_map(change).collect()
}
