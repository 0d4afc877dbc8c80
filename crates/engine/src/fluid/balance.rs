//! The balance of many loops: how many cycles a second each lane makes when lines, shares and delays agree with each other.
//!
//! Knows groups and limits. Must not know works, time or names.
//!
//! A cycle of a group takes `T = delays + waits + sum of size x slowness`, and a lane makes `X = under route / T` of them a second
//! (Little's law). The slowness of a motion, seconds a byte, is the most of its own (an own cap, or a capacity to itself)
//! and of the prices of what it crosses; a capacity has a price above zero only where it is full, and a pool a wait only
//! where all its places are taken. That is max-min sharing: every flow goes as fast as its fullest capacity lets all of its
//! flows, or as fast as it can. A flow's weight is the number in motion, `X x size x slowness`, whole or not.
//!
//! Levels and waits answer for each other: a line before an engine empties the memory that slows the engine, and a wait for
//! an outer pool passes while inner ones are held. They are found together (`together.rs`); where there are too many for that,
//! they are eased towards rest, each by itself but none too far (`easing.rs`). Under a soft law a flow keeps a part of
//! its pace by the traffic that the others and itself make; what it leaves is not handed out again, so that hard capacities
//! count the pace before it.

use super::groups::{Groups, SoftLimit};
use super::route::{Does, Held, Station};
use crate::share::kept;

/// Rounds of easing after which prices and waits are tried together.
const STAGES: [usize; 2] = [300, 2_000];

/// How far from rest a balance is at most that was found.
const FOUND: f64 = 1e-4;

/// The change of what a motion keeps below which soft laws are still.
const STILL: f64 = 1e-9;

/// A balance.
#[derive(Clone, Debug)]
pub struct Balance {
    /// cycles a second of one lane of each group; 0 for groups that are not under route.
    pub rates: Vec<f64>,
    /// The price of each hard capacity, in seconds a byte.
    pub prices: Vec<f64>,
    /// The wait for each pool, in seconds.
    pub waits: Vec<f64>,
    /// What each group's requests spare before each line: they never wait for themselves. Of unlike ones each spares its own.
    pub spared: Vec<Vec<f64>>,
    /// What each group's motions keep under soft laws.
    pub kept: Vec<Vec<Kept>>,
    /// How far from rest it was left: by which part something was passed, or held back though it is not full.
    pub off_rest: f64,
}

/// What a motion keeps of its pace.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The part, 1 without a soft law.
    pub part: f64,
    /// The capacity that takes the rest.
    pub by: Option<usize>,
}

/// Finds the balance of the groups that are under route, from where the last one was.
pub fn balance(all: &Groups, under_way: &[bool], last: &Balance) -> Balance {
    let mut scale = Scale { all, under_way, part: 1.0, now: last.clone() };
    scale.come_to_rest();
    scale.now.off_rest = scale.off_rest();
    scale.keep_within();
    scale.now
}

/// A balance on its route to rest.
pub(super) struct Scale<'a> {
    pub(super) all: &'a Groups,
    under_way: &'a [bool],
    /// The part of all cycles that is under route: the whole in the end.
    pub(super) part: f64,
    pub(super) now: Balance,
}

impl Scale<'_> {
    /// Finds prices and waits: from where they are, from few cycles under route, or by easing.
    fn come_to_rest(&mut self) {
        let last = self.now.clone();
        let begun = last.prices.iter().chain(&last.waits).any(|&value| value > 0.0);
        // Where that failed the last time it would again.
        let may_be_found = last.off_rest < FOUND;
        if may_be_found && (begun && self.find_together() || self.find_from_few()) {
            return;
        }
        self.now = last;
        let mut gone = 0;
        for until in STAGES {
            let at_rest = self.relax(gone..until);
            let relaxed = self.now.clone();
            if may_be_found && self.find_together() {
                return;
            }
            self.now = relaxed;
            if at_rest {
                break;
            }
            gone = until;
        }
        self.weigh();
    }

    /// cycles a second of every group at the prices and waits of now.
    pub(super) fn weigh(&mut self) {
        for group in 0..self.all.groups.len() {
            self.now.rates[group] = self.rate_of_cycle(group, self.now.cycle_s(self.all, group));
        }
    }

    pub(super) fn is_under_way(&self, group: usize) -> bool {
        self.under_way[group]
    }

    /// cycles a second of a group of which each takes so long.
    pub(super) fn rate_of_cycle(&self, group: usize, seconds: f64) -> f64 {
        let route = &self.all.groups[group].route;
        if self.under_way[group] { self.part * (route.under_way / seconds).min(route.offered) } else { 0.0 }
    }

    /// Takes from every motion what soft laws take; says whether that has changed.
    pub(super) fn soften(&mut self) -> bool {
        let traffic: Vec<f64> = self.all.soft.iter().map(|limit| self.traffic(limit)).collect();
        let mut moved = self.spare();
        for group in (0..self.all.groups.len()).filter(|&group| self.under_way[group]) {
            for motion in 0..self.all.groups[group].motions.len() {
                let new = self.kept(group, motion, &traffic);
                let old = &mut self.now.kept[group][motion];
                moved |= (old.part - new.part).abs() > STILL;
                // Half route, so that what it takes and the traffic that it makes come to rest.
                *old = Kept { part: (old.part + new.part) / 2.0, by: new.by };
            }
        }
        moved
    }

    /// Takes from the wait of each of unlike requests what it would wait for itself (M. Reiser and S. Lavenberg, "Mean-Value
    /// Analysis of Closed Multichain Queuing Networks", Journal of the ACM 27(2), 1980; P. Schweitzer's estimate: the part of
    /// its cycle that it spends there, of what it holds). Says whether that has changed.
    fn spare(&mut self) -> bool {
        let mut moved = false;
        for (number, line) in self.all.lines.iter().enumerate().filter(|(_, line)| line.is_mixed()) {
            for &(group, hold, _) in line.held.iter().filter(|held| self.under_way[held.0]) {
                let held = self.all.groups[group].route.holds[hold];
                let seconds = self.now.held_s(self.all, group, &held);
                let here = (self.now.wait_s(group, number) + seconds) / self.now.cycle_s(self.all, group);
                let new = seconds * held.places / line.places * here.min(1.0);
                let old = &mut self.now.spared[group][number];
                moved |= (*old - new).abs() > STILL * new.max(*old);
                *old = (*old + new) / 2.0;
            }
        }
        moved
    }

    /// Bytes a second charged to a soft capacity, at the pace that the hard ones allow.
    fn traffic(&self, limit: &SoftLimit) -> f64 {
        let traffic = limit.met.iter().map(|&(group, motion, charge)| {
            self.now.rates[group] * self.all.groups[group].route.size * charge / self.now.kept[group][motion].part
        });
        traffic.sum()
    }

    /// What a motion keeps: its flow meets itself and, in the mean, all cycles but its own.
    fn kept(&self, group: usize, motion: usize, traffic: &[f64]) -> Kept {
        let one = &self.all.groups[group];
        let hard_pace = 1.0 / self.now.hard_slowness(self.all, group, motion);
        let parts = one.motions[motion].soft.iter().map(|&(limit, _, kind)| {
            let at =
                |m: usize| one.motions[m].soft.iter().filter(|soft| soft.0 == limit).map(|soft| soft.1).sum::<f64>();
            let of_motion = |m: usize| self.now.rates[group] * one.route.size * at(m) / self.now.kept[group][m].part;
            let own: f64 = (0..one.motions.len()).map(of_motion).sum::<f64>() / one.route.under_way;
            let met = (traffic[limit] - own).max(0.0) + hard_pace * at(motion);
            (kept(&self.all.soft[limit].law, met, kind), self.all.soft[limit].capacity)
        });
        let least = parts.min_by(|a, b| a.0.total_cmp(&b.0));
        least.map_or(Kept { part: 1.0, by: None }, |(part, by)| Kept { part, by: Some(by) })
    }

    /// Slows all down by what rounding may have left above a limit, so that none is ever passed.
    fn keep_within(&mut self) {
        let most = self.fullness().into_iter().fold(1.0, f64::max) * (1.0 + 1e-12);
        self.now.rates.iter_mut().for_each(|rate| *rate /= most);
    }
}

impl Balance {
    /// That of nobody.
    pub fn nothing(all: &Groups) -> Balance {
        let whole = Kept { part: 1.0, by: None };
        Balance {
            rates: vec![0.0; all.groups.len()],
            prices: vec![0.0; all.capacities.len()],
            waits: vec![0.0; all.lines.len()],
            spared: vec![vec![0.0; all.lines.len()]; all.groups.len()],
            kept: all.groups.iter().map(|group| vec![whole; group.motions.len()]).collect(),
            off_rest: 0.0,
        }
    }

    /// Seconds a byte of a motion.
    pub fn slowness(&self, all: &Groups, group: usize, motion: usize) -> f64 {
        self.hard_slowness(all, group, motion) / self.kept[group][motion].part
    }

    /// The same at what the hard capacities allow.
    pub fn hard_slowness(&self, all: &Groups, group: usize, motion: usize) -> f64 {
        let moved = &all.groups[group].motions[motion];
        let prices = moved.limits.iter().map(|&(limit, _)| self.prices[limit]);
        prices.fold(1.0 / moved.motion.most.0, f64::max)
    }

    /// Seconds of a cycle.
    pub fn cycle_s(&self, all: &Groups, group: usize) -> f64 {
        self.between_s(all, group, 0, usize::MAX)
    }

    /// Seconds that a cycle holds what it holds.
    pub fn held_s(&self, all: &Groups, group: usize, held: &Held) -> f64 {
        self.between_s(all, group, held.from, held.until)
    }

    fn between_s(&self, all: &Groups, group: usize, from: usize, until: usize) -> f64 {
        let stations = all.groups[group].route.stations.iter().enumerate();
        let within = stations.filter(|(number, _)| (from..until).contains(number));
        within.map(|(_, station)| self.station_s(all, group, station)).sum()
    }

    /// Seconds that a group's cycle waits in a line: behind all that stand there but itself.
    pub fn wait_s(&self, group: usize, line: usize) -> f64 {
        (self.waits[line] - self.spared[group][line]).max(0.0)
    }

    /// Seconds of a cycle that have passed before each of its stations, and at its end.
    pub fn passed_s(&self, all: &Groups, group: usize) -> Vec<f64> {
        let stations = all.groups[group].route.stations.iter();
        let ends = stations.scan(0.0, |passed, station| {
            *passed += self.station_s(all, group, station);
            Some(*passed)
        });
        [0.0].into_iter().chain(ends).collect()
    }

    fn station_s(&self, all: &Groups, group: usize, station: &Station) -> f64 {
        match &station.does {
            Does::Waits(pool, part) => all.line_of[*pool].map_or(0.0, |line| part * self.wait_s(group, line)),
            Does::Delays(delays) => delays.iter().map(|delay| delay.1).sum(),
            Does::Moves(motion) => all.groups[group].route.size * self.slowness(all, group, motion.number),
        }
    }
}
