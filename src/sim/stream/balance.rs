//! The balance of many loops: how many trips a second each lane makes when lines, shares and delays agree with each other.
//!
//! Knows groups and limits. Must not know works, time or names.
//!
//! A trip of a group takes `T = delays + waits + sum of size x slowness`, and a lane makes `X = under way / T` of them a second
//! (Little's law). The slowness of a motion, seconds a byte, is the most of its own (an own cap, or a capacity to itself)
//! and of the levels of what it crosses; a capacity has a level above zero only where it is full, and a pool a wait only
//! where all its places are taken. That is max-min sharing: every flow goes as fast as its fullest capacity lets all of its
//! flows, or as fast as it can. A flow's weight is the number in motion, `X x size x slowness`, whole or not.
//!
//! Levels and waits are found one after the other, each the least with which its capacity or pool is not passed, until
//! none moves any more. A line before an engine empties the memory that slows the engine, so that the two may chase each other:
//! what turns back goes only half as far the next time, and those that do not come to rest so are eased towards it
//! (`easing.rs`). Under a soft law a flow keeps a part of its pace by the traffic that the others and itself make; what it
//! leaves is not handed out again, so that hard capacities count the pace before it.

use super::super::share::kept;
use super::groups::{Groups, Limit, Line, SoftLimit};
use super::way::{Does, Held, Station};

/// Rounds at most, and the relative change of a level below which they end.
const ROUNDS: usize = 400;
const STILL: f64 = 1e-9;

/// Rounds after which those that have still far to go chase each other.
const PATIENCE: usize = 40;
const FAR: f64 = 0.3;

/// Groups times limits beyond which all is eased from the beginning.
const LARGE: usize = 2_000;

/// Halvings of an interval in which a level or a wait lies.
const HALVINGS: usize = 80;

/// A balance.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Trips a second of one lane of each group; 0 for groups that are not under way.
    pub rates: Vec<f64>,
    /// The level of each hard capacity, in seconds a byte.
    pub levels: Vec<f64>,
    /// The wait for each pool, in seconds.
    pub waits: Vec<f64>,
    /// What each group's motions keep under soft laws.
    pub kept: Vec<Vec<Kept>>,
    /// Whether levels and waits had to be eased.
    pub eased: bool,
}

/// What a motion keeps of its pace.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The part, 1 without a soft law.
    pub part: f64,
    /// The capacity that takes the rest.
    pub by: Option<usize>,
}

/// Finds the balance of the groups that are under way. After one that had to be eased, the next is eased from there.
pub fn balance(all: &Groups, under_way: &[bool], last: &Balance) -> Balance {
    let now = if last.eased { last.clone() } else { Balance::nothing(all) };
    let mut scale = Scale { all, under_way, now };
    scale.weigh();
    if last.eased || is_large(all) {
        scale.ease();
    } else if !scale.comes_to_rest() {
        scale.now = Balance::nothing(all);
        scale.ease();
    }
    scale.keep_within();
    scale.now
}

/// How far a level or a wait goes towards where it should be.
#[derive(Clone, Copy, Debug)]
struct Stride {
    part: f64,
    last: f64,
}

impl Default for Stride {
    fn default() -> Stride {
        Stride { part: 1.0, last: 0.0 }
    }
}

impl Stride {
    /// The value after `old` on the way to `found`, and how far that is, as a part of the larger of them.
    fn go(&mut self, old: f64, found: f64) -> (f64, f64) {
        let (step, of) = (found - old, found.abs().max(old.abs()));
        if step.abs() <= STILL * of {
            return (found, 0.0);
        }
        self.part = if step * self.last < 0.0 { self.part / 2.0 } else { (self.part * 1.2).min(1.0) };
        self.last = step;
        (old + step * self.part, step.abs() / of)
    }
}

/// Whether to find each level by itself takes too long.
fn is_large(all: &Groups) -> bool {
    all.groups.len() * (all.capacities.len() + all.lines.len()) > LARGE
}

/// A balance on its way to rest.
pub(super) struct Scale<'a> {
    pub(super) all: &'a Groups,
    under_way: &'a [bool],
    pub(super) now: Balance,
}

impl Scale<'_> {
    /// Moves levels and waits until none moves any more; says whether they came to rest.
    fn comes_to_rest(&mut self) -> bool {
        let mut strides = vec![Stride::default(); self.all.capacities.len() + self.all.lines.len()];
        for round in 0..ROUNDS {
            let moved = self.level_all(&mut strides);
            self.weigh();
            if !self.soften() && moved == 0.0 {
                return true;
            }
            if round >= PATIENCE && moved > FAR {
                return false;
            }
        }
        false
    }

    /// Trips a second of every group at the levels and waits of now.
    pub(super) fn weigh(&mut self) {
        (0..self.all.groups.len()).for_each(|group| self.weigh_one(group));
    }

    /// The same of one group.
    pub(super) fn weigh_one(&mut self, group: usize) {
        self.now.rates[group] = self.rate(group);
    }

    fn rate(&self, group: usize) -> f64 {
        if self.under_way[group] { self.rate_of_trip(group, self.now.trip_s(self.all, group)) } else { 0.0 }
    }

    /// Trips a second of a group of which each takes so long.
    pub(super) fn rate_of_trip(&self, group: usize, seconds: f64) -> f64 {
        let way = &self.all.groups[group].way;
        if self.under_way[group] { (way.under_way / seconds).min(way.offered) } else { 0.0 }
    }

    /// Moves all levels and waits towards where they should be, given the others; says how far that is, as a part of them.
    fn level_all(&mut self, strides: &mut [Stride]) -> f64 {
        let all = self.all;
        let (of_limits, of_lines) = strides.split_at_mut(all.capacities.len());
        let mut farthest: f64 = 0.0;
        for (limit, stride) in of_limits.iter_mut().enumerate() {
            let old = self.now.levels[limit];
            let found = self.least(1.0 / all.capacities[limit].rate, |scale, level| {
                scale.now.levels[limit] = level;
                scale.used(&all.capacities[limit]) <= all.capacities[limit].rate
            });
            let (level, moved) = stride.go(old, found);
            self.now.levels[limit] = level;
            farthest = farthest.max(moved);
        }
        for (line, stride) in of_lines.iter_mut().enumerate() {
            let old = self.now.waits[line];
            let found = self.least(1e-6, |scale, wait| {
                scale.now.waits[line] = wait;
                scale.taken(&all.lines[line]) <= all.lines[line].places
            });
            let (wait, moved) = stride.go(old, found);
            self.now.waits[line] = wait;
            farthest = farthest.max(moved);
        }
        farthest
    }

    /// The least value, zero or more, that is enough; `step` is where the search begins.
    fn least(&mut self, step: f64, mut enough: impl FnMut(&mut Self, f64) -> bool) -> f64 {
        if enough(self, 0.0) {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, step);
        while !enough(self, high) && high.is_finite() {
            low = high;
            high *= 2.0;
        }
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if middle <= low || middle >= high || high - low <= 1e-13 * high {
                break;
            }
            if enough(self, middle) { high = middle } else { low = middle }
        }
        high
    }

    /// Bytes a second charged to a capacity, at the pace that the hard capacities allow.
    fn used(&self, limit: &Limit) -> f64 {
        let used = limit.met.iter().map(|&(group, motion, charge)| {
            self.rate(group) * self.all.groups[group].way.size * charge / self.now.kept[group][motion].part
        });
        used.sum()
    }

    /// Places of a pool that are taken, in the mean.
    fn taken(&self, line: &Line) -> f64 {
        let taken = line.held.iter().map(|&(group, hold, places)| {
            self.rate(group) * places * self.now.held_s(self.all, group, &self.all.groups[group].way.holds[hold])
        });
        taken.sum()
    }

    /// Takes from every motion what soft laws take; says whether that has changed.
    pub(super) fn soften(&mut self) -> bool {
        let traffic: Vec<f64> = self.all.soft.iter().map(|limit| self.traffic(limit)).collect();
        let mut moved = false;
        for group in (0..self.all.groups.len()).filter(|&group| self.under_way[group]) {
            for motion in 0..self.all.groups[group].motions.len() {
                let new = self.kept(group, motion, &traffic);
                let old = &mut self.now.kept[group][motion];
                moved |= (old.part - new.part).abs() > STILL;
                // Half way, so that what it takes and the traffic that it makes come to rest.
                *old = Kept { part: (old.part + new.part) / 2.0, by: new.by };
            }
        }
        moved
    }

    /// Bytes a second charged to a soft capacity, at the pace that the hard ones allow.
    fn traffic(&self, limit: &SoftLimit) -> f64 {
        let traffic = limit.met.iter().map(|&(group, motion, charge)| {
            self.now.rates[group] * self.all.groups[group].way.size * charge / self.now.kept[group][motion].part
        });
        traffic.sum()
    }

    /// What a motion keeps: its flow meets itself and, in the mean, all trips but its own.
    fn kept(&self, group: usize, motion: usize, traffic: &[f64]) -> Kept {
        let one = &self.all.groups[group];
        let hard_pace = 1.0 / (self.now.slowness(self.all, group, motion) * self.now.kept[group][motion].part);
        let parts = one.motions[motion].soft.iter().map(|&(limit, _, kind)| {
            let at =
                |m: usize| one.motions[m].soft.iter().filter(|soft| soft.0 == limit).map(|soft| soft.1).sum::<f64>();
            let of_motion = |m: usize| self.now.rates[group] * one.way.size * at(m) / self.now.kept[group][m].part;
            let own: f64 = (0..one.motions.len()).map(of_motion).sum::<f64>() / one.way.under_way;
            let met = (traffic[limit] - own).max(0.0) + hard_pace * at(motion);
            (kept(&self.all.soft[limit].law, met, kind), self.all.soft[limit].capacity)
        });
        let least = parts.min_by(|a, b| a.0.total_cmp(&b.0));
        least.map_or(Kept { part: 1.0, by: None }, |(part, by)| Kept { part, by: Some(by) })
    }

    /// Slows all down by what rounding may have left above a limit, so that none is ever passed.
    fn keep_within(&mut self) {
        let used = self.all.capacities.iter().map(|limit| self.used(limit) / limit.rate);
        let taken = self.all.lines.iter().map(|line| self.taken(line) / line.places);
        let most = used.chain(taken).fold(1.0, f64::max) * (1.0 + 1e-12);
        self.now.rates.iter_mut().for_each(|rate| *rate /= most);
    }
}

impl Balance {
    /// That of nobody.
    pub fn nothing(all: &Groups) -> Balance {
        let whole = Kept { part: 1.0, by: None };
        Balance {
            rates: vec![0.0; all.groups.len()],
            levels: vec![0.0; all.capacities.len()],
            waits: vec![0.0; all.lines.len()],
            kept: all.groups.iter().map(|group| vec![whole; group.motions.len()]).collect(),
            eased: false,
        }
    }

    /// Seconds a byte of a motion.
    pub fn slowness(&self, all: &Groups, group: usize, motion: usize) -> f64 {
        let moved = &all.groups[group].motions[motion];
        let levels = moved.limits.iter().map(|&(limit, _)| self.levels[limit]);
        levels.fold(1.0 / moved.motion.most.0, f64::max) / self.kept[group][motion].part
    }

    /// Seconds of a trip.
    pub fn trip_s(&self, all: &Groups, group: usize) -> f64 {
        self.between_s(all, group, 0, usize::MAX)
    }

    /// Seconds that a trip holds what it holds.
    pub fn held_s(&self, all: &Groups, group: usize, held: &Held) -> f64 {
        self.between_s(all, group, held.from, held.until)
    }

    fn between_s(&self, all: &Groups, group: usize, from: usize, until: usize) -> f64 {
        let stations = all.groups[group].way.stations.iter().enumerate();
        let within = stations.filter(|(number, _)| (from..until).contains(number));
        within.map(|(_, station)| self.station_s(all, group, station)).sum()
    }

    /// Seconds of a trip that have passed before each of its stations, and at its end.
    pub fn passed_s(&self, all: &Groups, group: usize) -> Vec<f64> {
        let stations = all.groups[group].way.stations.iter();
        let ends = stations.scan(0.0, |passed, station| {
            *passed += self.station_s(all, group, station);
            Some(*passed)
        });
        [0.0].into_iter().chain(ends).collect()
    }

    fn station_s(&self, all: &Groups, group: usize, station: &Station) -> f64 {
        match &station.does {
            Does::Waits(pool, part) => all.line_of[*pool].map_or(0.0, |line| part * self.waits[line]),
            Does::Delays(delays) => delays.iter().map(|delay| delay.1).sum(),
            Does::Moves(motion) => all.groups[group].way.size * self.slowness(all, group, motion.number),
        }
    }
}
