//! What single changes would gain: one more NIC a socket, a faster target, wider stripes, more threads, another scheme.
//!
//! Knows which figures a change replaces. Must not know how a save is timed.

use rayon::prelude::*;

use crate::error::Fault;
use crate::format::{At, Figure, Scenario};
use engine::units::{Bytes, Factor, Time};

use super::answers::{Change, Row};
use super::environment::scale;
use super::measure::Bench;
use super::scenario::{How, Load};
use super::scheme::Scheme;

/// What is left to chance: where so many files lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chance {
    pub(super) files: u64,
    pub(super) seed: u64,
}

/// A change of the environment.
type Alteration = Box<dyn Fn(&mut Scenario) + Send + Sync>;

/// A change to the environment or to how bytes are put on their way.
struct Tried {
    what: &'static str,
    alter: Alteration,
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
        let environment = bench.environment.changed(&self.alter);
        let changed = Bench { environment: &environment, how: &self.how, ..*bench };
        let after = changed.save(row.scheme, load, true).ok()?;
        // Where files lie by chance, means are compared.
        let count = figures.repetitions.map_or(0, |all| all.count);
        let repeated = changed.repeat(row.scheme, load, chance.files, count, chance.seed).ok()?;
        let before_s = figures.repetitions.map_or(before.save_s, |all| all.mean_s);
        let after_s = repeated.map_or(after.save_s, |all| all.mean_s);
        Some(Change { before_s, after_s, ..Change::of(row.scheme, self.what, before, &after) })
    }
}

fn tries(bench: &Bench<'_>) -> Vec<Tried> {
    let (environment, how) = (bench.environment, bench.how);
    let twice = |threads: &At<u64>| At { value: threads.value.saturating_mul(2), ..threads.clone() };
    let larger = |size: &At<Bytes>| At { value: Bytes(size.value.0.saturating_mul(4)), ..size.clone() };
    let put = |what, how| Tried { what, alter: Box::new(|_: &mut Scenario| ()), how };
    let with = |what, alter: Alteration| Tried { what, alter, how: how.clone() };
    let mut list = vec![
        put("twice the threads", How { threads: twice(&how.threads), ..how.clone() }),
        put("requests four times as large", How { size: larger(&how.size), ..how.clone() }),
        put("no fsync", How { fsync: Time(0), ..how.clone() }),
    ];
    if environment.node().sockets.iter().any(|socket| !socket.nics.is_empty()) {
        list.push(with("one more NIC a socket", Box::new(one_more_nic)));
    }
    list.push(with("a target twice as fast", Box::new(|scenario| scale(&mut scenario.target, 2, 1))));
    if let Some((count, width)) = environment.stripes() {
        let wider = move |scenario: &mut Scenario| {
            let striping = scenario.target.striping.as_mut();
            striping.into_iter().for_each(|s| s.width = Some(Figure::stated(width.saturating_mul(2).min(count))));
        };
        list.push(with("files over twice as many data nodes", Box::new(wider)));
    }
    let efficiency = environment.target().striping_efficiency.as_ref().map_or(1.0, |share| share.value.as_f64());
    if efficiency < 1.0 {
        let wider = Factor::from_f64((efficiency * 2.0).min(1.0));
        let alter = move |scenario: &mut Scenario| scenario.target.striping_efficiency = Some(Figure::stated(wider));
        list.push(with("files over twice as many devices", Box::new(alter)));
    }
    list
}

/// Puts a NIC more on every socket that has some.
fn one_more_nic(scenario: &mut Scenario) {
    let node = &mut scenario.node;
    let below_switches = node.switches.iter().flat_map(|switch| &switch.nics);
    let all = node.sockets.iter().flat_map(|socket| &socket.nics).chain(below_switches);
    let first = all.map(|nic| nic.value).max().map_or(0, |last| last + 1);
    let with_nics = node.sockets.iter_mut().filter(|socket| !socket.nics.is_empty());
    let added = with_nics.zip(first..).map(|(socket, value)| socket.nics.push(At { value, span: 0..0 })).count();
    node.nics = Figure { span: node.nics.span.clone(), ..Figure::stated(node.nics.value + added as u64) };
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
