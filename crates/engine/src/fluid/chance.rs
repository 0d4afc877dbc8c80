//! Chance meetings: how much longer cycles would take were services random instead of all alike.
//!
//! Knows groups and a balance. Must not know what a report makes of the difference.
//!
//! A balance is the limit of fixed services: who finds a place free never waits, and what is not full slows nobody. Real
//! requests meet by chance. The other end is a closed network with exponential services, of which mean-value analysis tells
//! the cycle (M. Reiser and S. Lavenberg, "Mean-Value Analysis of Closed Multichain Queuing Networks", Journal of the ACM
//! 27(2), 1980), here with P. Schweitzer's estimate of what a request finds: all that are there in the mean, but only
//! `(N - 1) / N` of its own kind's lane. With `n` flows beside its own a flow gets `rate / (1 + n)` of a capacity, or what else
//! holds it back; a flow that goes slower than that counts by what it uses. Before a pool of `P` places it waits for all that
//! stand there, each for `1 / P` of what it holds (A. Seidmann, P. Schweitzer, S. Shalev-Oren, "Computerized closed queueing
//! network models of flexible manufacturing systems", Large Scale Systems 12, 1987).
//!
//! Where both ends agree the services do not matter; where they part, a stream may be off by as much.

use std::collections::BTreeMap;

use super::balance::Balance;
use super::groups::{Groups, Limit, Moved};
use super::route::{Does, Station};

/// Rounds at most, the part of each that is gone, and the change of rates below which they are at rest.
const ROUNDS: usize = 400;
const PART: f64 = 0.5;
const STILL: f64 = 1e-5;

/// By which part each group goes faster in a balance than it would were services random. An open loop's pace is what it is.
pub fn faster_than_by_chance(all: &Groups, under_way: &[bool], balance: &Balance) -> Vec<f64> {
    let mut network = Network::at(all, under_way, balance);
    network.levels = (0..network.levels.len()).map(|limit| network.level_of_all(limit)).collect();
    for _ in 0..ROUNDS {
        if network.go_round() < STILL {
            break;
        }
    }
    let groups = all.groups.iter().enumerate();
    let gap = groups.map(|(group, one)| match under_way[group] && one.route.offered.is_infinite() {
        true => (balance.rates[group] / network.rates[group] - 1.0).max(0.0),
        false => 0.0,
    });
    gap.collect()
}

/// What a flow charges to its limits for a byte.
fn charges(all: &Groups, moved: &Moved) -> BTreeMap<usize, f64> {
    let mut charges = BTreeMap::new();
    let crowded = moved.crowded.iter().map(|&(limit, capacity)| (all.capacities.len() + limit, capacity));
    for (limit, capacity) in moved.limits.iter().copied().chain(crowded) {
        let crossed = moved.motion.crosses.iter().find(|crossed| crossed.0 == capacity);
        // Of several that one stands for, the flow is beside others on the dearest.
        let charge = charges.entry(limit).or_insert(0.0f64);
        *charge = charge.max(crossed.map_or(0.0, |crossed| crossed.1));
    }
    charges
}

/// The network on its way to the means.
struct Network<'a> {
    all: &'a Groups,
    balance: &'a Balance,
    under_way: &'a [bool],
    rates: Vec<f64>,
    /// Seconds a byte of each motion of each group.
    slowness: Vec<Vec<f64>>,
    /// Seconds a byte at which each capacity would be shared evenly by all that are there.
    levels: Vec<f64>,
    /// What a flow of each motion charges to each of its limits for a byte.
    own: Vec<Vec<BTreeMap<usize, f64>>>,
    /// Seconds that each group waits in each line.
    waits: Vec<Vec<f64>>,
}

impl Network<'_> {
    fn at<'a>(all: &'a Groups, under_way: &'a [bool], balance: &'a Balance) -> Network<'a> {
        let motions = |group: usize| all.groups[group].motions.len();
        let slowness = |group| (0..motions(group)).map(|motion| balance.hard_slowness(all, group, motion)).collect();
        Network {
            all,
            balance,
            under_way,
            rates: balance.rates.clone(),
            slowness: (0..all.groups.len()).map(slowness).collect(),
            levels: vec![0.0; all.capacities.len() + all.crowded.len()],
            own: all.groups.iter().map(|one| one.motions.iter().map(|moved| charges(all, moved)).collect()).collect(),
            waits: all.groups.iter().map(|_| balance.waits.clone()).collect(),
        }
    }

    /// One round: what everybody finds, what that makes of its cycle; by which part rates have moved at most.
    fn go_round(&mut self) -> f64 {
        let mut moved = self.find_levels();
        let seconds: Vec<f64> = (0..self.rates.len()).map(|group| self.cycle_s(group)).collect();
        for (group, seconds) in seconds.into_iter().enumerate().filter(|(group, _)| self.under_way[*group]) {
            let route = &self.all.groups[group].route;
            let new = (route.under_way / seconds).min(route.offered);
            let old = self.rates[group];
            moved = moved.max((new / old - 1.0).abs());
            self.rates[group] = old + PART * (new - old);
        }
        moved
    }

    /// The number of a lane's cycles in a motion.
    fn in_motion(&self, group: usize, motion: usize) -> f64 {
        let kept = self.balance.kept[group][motion].part;
        self.rates[group] * self.all.groups[group].route.size * self.slowness[group][motion] / kept
    }

    /// All that bind in the mean, then all that are full by chance at most.
    fn limit(&self, limit: usize) -> &Limit {
        let capacities = &self.all.capacities;
        capacities.get(limit).unwrap_or_else(|| &self.all.crowded[limit - capacities.len()])
    }

    /// The level of a limit for which all count that move over it.
    fn level_of_all(&self, limit: usize) -> f64 {
        let one = self.limit(limit);
        let there = one.met.iter().map(|&(group, motion, charge)| charge * self.in_motion(group, motion));
        there.sum::<f64>() / one.rate
    }

    /// Goes part of the way to the levels of now; says how far they have moved.
    fn find_levels(&mut self) -> f64 {
        let mut moved: f64 = 0.0;
        for limit in 0..self.levels.len() {
            let one = self.limit(limit);
            let used = one.met.iter().map(|&(group, motion, charge)| {
                // Who goes slower than this one lets it counts by what it uses.
                let here = self.price(group, motion, limit);
                charge * self.in_motion(group, motion) * (here / self.slowness[group][motion]).min(1.0)
            });
            let new = used.sum::<f64>() / one.rate;
            let step = new - self.levels[limit];
            moved = moved.max(step.abs() / new.max(f64::MIN_POSITIVE));
            self.levels[limit] += PART * step;
        }
        moved
    }

    /// How many of a lane's cycles can be in a motion at one time: no more than have places of what they hold meanwhile.
    fn at_once(&self, group: usize, motion: usize) -> f64 {
        let route = &self.all.groups[group].route;
        let here = |station: &Station| matches!(&station.does, Does::Moves(moved) if moved.number == motion);
        let at = route.stations.iter().position(here).unwrap_or(0);
        let held = route.holds.iter().filter(|held| held.from <= at && at < held.until);
        let places = held.filter_map(|held| Some(self.all.lines[self.all.line_of[held.pool]?].places / held.places));
        places.fold(route.under_way, f64::min)
    }

    /// Seconds a byte that a limit alone would give to a flow beside the others.
    fn price(&self, group: usize, motion: usize, limit: usize) -> f64 {
        let rate = self.limit(limit).rate;
        let own = self.own[group].iter().enumerate().filter_map(|(other, charges)| {
            let charge = charges.get(&limit)?;
            Some(charge * (self.in_motion(group, other) / self.at_once(group, other)).min(1.0))
        });
        (self.levels[limit] - own.sum::<f64>() / rate).max(0.0) + self.own[group][motion][&limit] / rate
    }

    /// Seconds of a cycle that finds the others as they are in the mean.
    fn cycle_s(&mut self, group: usize) -> f64 {
        let route = &self.all.groups[group].route;
        let mut sum = 0.0;
        for station in &route.stations {
            sum += match &station.does {
                Does::Delays(delays) => delays.iter().map(|delay| delay.1).sum(),
                Does::Waits(pool, part) => self.all.line_of[*pool].map_or(0.0, |line| part * self.wait_s(group, line)),
                Does::Moves(motion) => {
                    let slowness = self.slowness_of(group, motion.number);
                    let old = self.slowness[group][motion.number];
                    self.slowness[group][motion.number] = old + PART * (slowness - old);
                    let kept = self.balance.kept[group][motion.number].part;
                    route.size * self.slowness[group][motion.number] / kept
                }
            };
        }
        sum
    }

    /// Seconds a byte of a flow beside the others.
    fn slowness_of(&self, group: usize, motion: usize) -> f64 {
        let most = self.all.groups[group].motions[motion].motion.most.0;
        let shared = self.own[group][motion].keys().map(|&limit| self.price(group, motion, limit));
        shared.fold(1.0 / most, f64::max)
    }

    /// Seconds that a cycle waits for a pool: for all that it finds there.
    fn wait_s(&mut self, group: usize, line: usize) -> f64 {
        let (lines, places) = (&self.all.lines[line], self.all.lines[line].places);
        let mut found = 0.0;
        for &(other, hold, lanes) in &lines.held {
            let route = &self.all.groups[other].route;
            let held = route.holds[hold];
            let served = self.held_s(other, held.from, held.until) * held.places / places;
            let there = self.rates[other] * (self.waits[other][line] + served / 2.0);
            let all = there * lanes / held.places.max(f64::MIN_POSITIVE);
            let own = if other == group { there / route.under_way } else { 0.0 };
            found += (all - own).max(0.0) * served;
        }
        let old = self.waits[group][line];
        self.waits[group][line] = old + PART * (found - old);
        self.waits[group][line]
    }

    /// Seconds between two stations.
    fn held_s(&self, group: usize, from: usize, until: usize) -> f64 {
        let route = &self.all.groups[group].route;
        let within = route.stations.iter().take(until).skip(from);
        let seconds = within.map(|station| match &station.does {
            Does::Waits(pool, part) => self.all.line_of[*pool].map_or(0.0, |line| part * self.waits[group][line]),
            Does::Delays(delays) => delays.iter().map(|delay| delay.1).sum(),
            Does::Moves(motion) => {
                let kept = self.balance.kept[group][motion.number].part;
                route.size * self.slowness[group][motion.number] / kept
            }
        });
        seconds.sum()
    }
}
