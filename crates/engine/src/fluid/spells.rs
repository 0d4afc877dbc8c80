//! What a cycle's time goes to in a balance: station by station, lines by what their pool's holders are charged with.
//!
//! Knows a balance. Must not know how long it lasts.

use std::collections::BTreeMap;

use super::balance::Balance;
use super::groups::{Groups, Line};
use super::route::Does;
use crate::causes::Cause;

/// Rounds in which lines behind lines find out what they wait for.
const ROUNDS: usize = 6;

/// Seconds by cause.
pub type Shares = BTreeMap<Cause, f64>;

/// A cycle's time at one station.
#[derive(Clone, Debug)]
pub struct Spell {
    /// The leg.
    pub leg: usize,
    /// What kind of time.
    pub kind: SpellKind,
    /// Seconds.
    pub seconds: f64,
    /// What they are charged to.
    pub shares: Shares,
}

impl Spell {
    /// Makes it so many times as long.
    pub fn scale(&mut self, by: f64) {
        self.seconds *= by;
        self.shares = scaled(&self.shares, by);
    }
}

/// Kinds of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpellKind {
    /// In line.
    Line,
    /// In delays.
    Setup,
    /// In motion, and whether something full sets the pace.
    Moving(bool),
}

/// The spells of a cycle of every group, in the order of its stations.
pub fn spells(all: &Groups, balance: &Balance) -> Vec<Vec<Spell>> {
    let mut behind: Vec<Shares> = vec![Shares::new(); all.lines.len()];
    for _ in 0..ROUNDS {
        let spells = told(all, balance, &behind);
        behind = all.lines.iter().map(|line| holders(all, balance, line, &spells)).collect();
    }
    told(all, balance, &behind)
}

/// Whose time a lane of each group's is, as parts of one: leg, cause, part.
pub fn time(all: &Groups, balance: &Balance, spells: &[Vec<Spell>]) -> Vec<Vec<(usize, Cause, f64)>> {
    (0..all.groups.len()).map(|group| time_of(all, balance, &spells[group], group)).collect()
}

/// What is full of what a group needs has its time in equal parts; where nothing is, what its requests do has.
fn time_of(all: &Groups, balance: &Balance, spells: &[Spell], group: usize) -> Vec<(usize, Cause, f64)> {
    let mut full: BTreeMap<Cause, usize> = BTreeMap::new();
    let mut motion = 0;
    for (number, station) in all.groups[group].route.stations.iter().enumerate() {
        match &station.does {
            Does::Waits(pool, _) if all.line_of[*pool].is_some_and(|line| balance.waits[line] > 0.0) => {
                full.entry(Cause::Pool(*pool)).or_insert(spells[number].leg);
            }
            Does::Moves(_) => {
                let limits = all.groups[group].motions[motion].limits.iter();
                for &(_, capacity) in limits.filter(|limit| balance.prices[limit.0] > 0.0) {
                    full.entry(Cause::Capacity(capacity)).or_insert(spells[number].leg);
                }
                motion += 1;
            }
            Does::Waits(..) | Does::Delays(_) => {}
        }
    }
    let part = 1.0 / full.len() as f64;
    if !full.is_empty() {
        return full.into_iter().map(|(cause, leg)| (leg, cause, part)).collect();
    }
    let spells = || spells.iter().filter(|spell| spell.kind != SpellKind::Line);
    let whole: f64 = spells().flat_map(|spell| spell.shares.values()).sum();
    let of = |spell: &Spell| {
        let leg = spell.leg;
        spell.shares.iter().map(move |(&cause, seconds)| (leg, cause, seconds / whole)).collect::<Vec<_>>()
    };
    spells().flat_map(of).collect()
}

/// The spells, a second in line being charged as the holders are.
fn told(all: &Groups, balance: &Balance, behind: &[Shares]) -> Vec<Vec<Spell>> {
    (0..all.groups.len()).map(|group| group_spells(all, balance, behind, group)).collect()
}

fn group_spells(all: &Groups, balance: &Balance, behind: &[Shares], group: usize) -> Vec<Spell> {
    let route = &all.groups[group].route;
    let mut motion = 0;
    let spell = |station: &super::route::Station| {
        let leg = station.leg;
        match &station.does {
            Does::Waits(pool, part) => {
                let line = all.line_of[*pool];
                let seconds = line.map_or(0.0, |line| part * balance.wait_s(group, line));
                let shares = line.map_or(Shares::new(), |line| scaled(&behind[line], seconds));
                Spell { leg, kind: SpellKind::Line, seconds, shares }
            }
            Does::Delays(delays) => {
                let shares = delays.iter().map(|&(delay, seconds)| (Cause::Delay(delay), seconds));
                let seconds = delays.iter().map(|delay| delay.1).sum();
                Spell { leg, kind: SpellKind::Setup, seconds, shares: added(shares) }
            }
            Does::Moves(_) => {
                motion += 1;
                moving(all, balance, group, motion - 1, leg)
            }
        }
    };
    route.stations.iter().map(spell).collect()
}

/// A motion is charged to what sets its pace, and the part that a soft law takes to that.
fn moving(all: &Groups, balance: &Balance, group: usize, motion: usize, leg: usize) -> Spell {
    let moved = &all.groups[group].motions[motion];
    let (most, mut cause) = moved.motion.most;
    let mut price = 1.0 / most;
    for &(limit, capacity) in &moved.limits {
        if balance.prices[limit] > price {
            (price, cause) = (balance.prices[limit], Cause::Capacity(capacity));
        }
    }
    let kept = balance.kept[group][motion];
    let seconds = all.groups[group].route.size * price / kept.part;
    let soft = kept.by.map(|capacity| (Cause::Capacity(capacity), seconds * (1.0 - kept.part)));
    let shares = added([(cause, seconds * kept.part)].into_iter().chain(soft));
    Spell { leg, kind: SpellKind::Moving(price > 1.0 / most), seconds, shares }
}

/// What the holders of a pool are charged with, as parts of one.
fn holders(all: &Groups, balance: &Balance, line: &Line, spells: &[Vec<Spell>]) -> Shares {
    let mut sum = Shares::new();
    for &(group, hold, places) in &line.held {
        let held = all.groups[group].route.holds[hold];
        let weight = balance.rates[group] * places;
        let within = spells[group].get(held.from..held.until).unwrap_or_default();
        for (&cause, seconds) in within.iter().flat_map(|spell| &spell.shares) {
            *sum.entry(cause).or_insert(0.0) += weight * seconds;
        }
    }
    let all: f64 = sum.values().sum();
    if all > 0.0 { scaled(&sum, 1.0 / all) } else { sum }
}

fn scaled(shares: &Shares, by: f64) -> Shares {
    shares.iter().map(|(&cause, seconds)| (cause, seconds * by)).collect()
}

fn added(shares: impl Iterator<Item = (Cause, f64)>) -> Shares {
    let mut sum = Shares::new();
    for (cause, seconds) in shares {
        *sum.entry(cause).or_insert(0.0) += seconds;
    }
    sum
}
