//! A balance whose prices and waits answer for each other: all that bind are found together, by Newton's method.
//!
//! Knows how full limits and lines are, and how that changes with each price and wait. Must not know why they hang together.
//!
//! Where a pool is held while other pools and capacities are waited for, the wait before the outer one may be nearly all of
//! a cycle, and the inner ones must hit the small part that is left: each by itself, even eased, they overshoot. Here one less
//! the inverse of how full something is, which is zero at rest and straight in the time of a cycle, is brought to zero for all
//! that are full or held back at once. Steps are damped (D. Marquardt, "An Algorithm for Least-Squares Estimation of Nonlinear
//! Parameters", Journal of the SIAM 11(2), 1963), so that of two limits that bind alike, of which either would do, neither
//! runs away.
//!
//! It needs a start not far from rest: that of the last balance, or that of fewer cycles under route, from so few that nothing is
//! full on to all of them.

use super::balance::{Balance, Scale};
use super::dense::Dense;
use super::route::{Does, Held};

/// Rounds at most, and how full everything may be beside the mark at rest: what they end at, and what will do.
const ROUNDS: usize = 100;
const STILL: f64 = 1e-9;
const AT_REST: f64 = 1e-6;

/// A step that leaves more than this part of what is wrong leads nowhere.
const SLOW: f64 = 0.9;

/// How many times more cycles are under route from one balance to the next: at first, at most, and at least.
const FEW_MORE: f64 = 1.5;
const MANY_MORE: f64 = 4.0;
const FEWEST_MORE: f64 = 1.0001;

/// Levels that differ by less than this part are alike.
const ALIKE: f64 = 1e-12;

/// Levels and waits that bind, and those that may, beyond which one search and a row of them take longer than easing.
const MOST: usize = 200;
const MOST_FROM_FEW: usize = 200;

/// The damping at first, its least, and the most: beyond that no step leads closer to rest.
const DAMPING: f64 = 1e-6;
const LEAST_DAMPING: f64 = 1e-12;
const MOST_DAMPING: f64 = 1e9;

/// A station of a cycle, the price or wait that makes it longer, and by how many seconds for each of it.
#[derive(Clone, Copy, Debug)]
struct Slope {
    station: usize,
    of: usize,
    seconds: f64,
}

/// How what is wrong with everything that binds changes with the prices and waits of all of it.
struct Slopes {
    /// Levels and waits that bind, by their numbers: capacities, then lines.
    binding: Vec<usize>,
    wrong: Vec<f64>,
    changes: Dense,
}

/// A group, by what part it fills something, and what it holds there for how many seconds.
type Part = (usize, f64, Option<(Held, f64)>);

/// A search for rest.
struct Search {
    damping: f64,
    /// What was let go of: it does not count until the others are at rest.
    loose: Option<usize>,
    /// What was let go of once.
    tried: Vec<usize>,
}

impl Search {
    /// How full everything seems.
    fn seen(&self, mut full: Vec<f64>) -> Vec<f64> {
        self.loose.into_iter().for_each(|loose| full[loose] = full[loose].min(1.0));
        full
    }
}

impl Scale<'_> {
    /// Finds prices and waits together, from where they are; says whether they came to rest.
    pub(super) fn find_together(&mut self) -> bool {
        let mut search = Search { damping: DAMPING, loose: None, tried: Vec::new() };
        self.forget_empty();
        for _ in 0..ROUNDS {
            let moved = self.soften();
            self.weigh();
            let full = search.seen(self.fullness());
            self.take_up(&full);
            if !moved && self.off(&full) < STILL {
                match search.loose.take() {
                    Some(loose) if self.fullness()[loose] > 1.0 + STILL => continue,
                    _ => break,
                }
            }
            let binding = self.binding(&full);
            if binding.len() > MOST {
                return false;
            }
            let slopes = self.slopes(binding, &full);
            let wrong = self.wrong(&full);
            let left = self.go_a_step(&slopes, wrong, &mut search);
            if left > wrong * SLOW && !self.let_go(&mut search) {
                break;
            }
        }
        self.off_rest() < AT_REST
    }

    /// Takes prices and waits away where nobody passes any more.
    fn forget_empty(&mut self) {
        self.weigh();
        let values = self.values().into_iter().zip(self.fullness());
        let values: Vec<f64> = values.map(|(value, full)| if full > 0.0 { value } else { 0.0 }).collect();
        self.put(&values);
    }

    /// The same from nothing: with so few cycles under route that nothing is full, then with more and more of them.
    pub(super) fn find_from_few(&mut self) -> bool {
        if self.all.capacities.len() + self.all.lines.len() > MOST_FROM_FEW {
            return false;
        }
        self.now = Balance::nothing(self.all);
        self.weigh();
        let fullest = self.fullness().into_iter().fold(1.0, f64::max);
        let (mut reached, mut more) = (0.99 / fullest, FEW_MORE);
        while reached < 1.0 {
            let before = self.now.clone();
            self.part = (reached * more).min(1.0);
            if self.find_together() {
                reached = self.part;
                more = (more * more).min(MANY_MORE);
            } else {
                self.now = before;
                more = more.sqrt();
                if more < FEWEST_MORE {
                    break;
                }
            }
        }
        self.part = 1.0;
        self.weigh();
        reached >= 1.0
    }

    /// Goes the longest step that leads closer to rest, if there is one; how much is wrong then.
    fn go_a_step(&mut self, slopes: &Slopes, wrong: f64, search: &mut Search) -> f64 {
        let from = self.values();
        while search.damping < MOST_DAMPING {
            self.put(&slopes.step(&from, search.damping));
            let left = self.wrong(&search.seen(self.fullness()));
            if left < wrong {
                search.damping = (search.damping / 10.0).max(LEAST_DAMPING);
                return left;
            }
            search.damping *= 10.0;
        }
        search.damping = DAMPING;
        self.put(&from);
        wrong
    }

    /// Where no step leads on, something is held back that need not be: lets go of what is the least full of those, of each
    /// once, until the others are at rest.
    fn let_go(&mut self, search: &mut Search) -> bool {
        let full = self.fullness();
        let mut values = self.values();
        let is_held = |one: &usize| values[*one] > 0.0 && full[*one] < 1.0 - STILL && !search.tried.contains(one);
        let held = (0..full.len()).filter(is_held);
        let Some(least) = held.min_by(|&a, &b| full[a].total_cmp(&full[b])) else { return false };
        search.tried.push(least);
        search.loose = Some(least);
        values[least] = 0.0;
        self.put(&values);
        true
    }

    /// How far the balance is from rest: by which part something is fuller than full, or less than full and held back.
    pub(super) fn off_rest(&self) -> f64 {
        self.off(&self.fullness())
    }

    fn off(&self, full: &[f64]) -> f64 {
        let off = |(value, full): (f64, &f64)| if value > 0.0 { (full - 1.0).abs() } else { full - 1.0 };
        self.values().into_iter().zip(full).map(off).fold(0.0, f64::max)
    }

    /// The same as one number that falls on the route to rest.
    fn wrong(&self, full: &[f64]) -> f64 {
        let binding = self.values().into_iter().zip(full).filter(|(value, full)| *value > 0.0 || **full > 1.0);
        binding.map(|(_, full)| libm::log(full.max(f64::MIN_POSITIVE))).map(|off| off * off).sum()
    }

    /// All prices, then all waits.
    fn values(&self) -> Vec<f64> {
        self.now.prices.iter().chain(&self.now.waits).copied().collect()
    }

    /// Puts prices and waits there. A price that slows nothing is none.
    fn put(&mut self, values: &[f64]) {
        let (prices, waits) = values.split_at(self.now.prices.len());
        self.now.prices.copy_from_slice(prices);
        self.now.waits.copy_from_slice(waits);
        for (limit, &price) in prices.iter().enumerate() {
            if price < self.least_acting(limit) * (1.0 - ALIKE) {
                self.now.prices[limit] = 0.0;
            }
        }
        self.weigh();
    }

    /// The least price of a capacity that slows anything, the others being as they are.
    fn least_acting(&self, limit: usize) -> f64 {
        let met = self.all.capacities[limit].met.iter().filter(|met| self.is_under_way(met.0));
        met.map(|&(group, motion, _)| self.now.hard_slowness(self.all, group, motion)).fold(f64::INFINITY, f64::min)
    }

    /// How full all capacities and lines are.
    pub(super) fn fullness(&self) -> Vec<f64> {
        let all = 0..self.all.capacities.len() + self.all.lines.len();
        all.map(|one| self.parts(one).iter().map(|part| part.1).sum()).collect()
    }

    /// Gives every capacity that is passed the least price that slows anything.
    fn take_up(&mut self, full: &[f64]) {
        let passed = full[..self.all.capacities.len()].iter().enumerate().filter(|(_, full)| **full > 1.0);
        for (limit, _) in passed {
            let least = self.least_acting(limit);
            if least.is_finite() {
                self.now.prices[limit] = self.now.prices[limit].max(least);
            }
        }
    }

    /// What is full or held back.
    fn binding(&self, full: &[f64]) -> Vec<usize> {
        let values = self.values();
        (0..full.len()).filter(|&one| values[one] > 0.0 || full[one] > 1.0).collect()
    }

    fn slopes(&self, binding: Vec<usize>, full: &[f64]) -> Slopes {
        let mut place = vec![None; full.len()];
        binding.iter().enumerate().for_each(|(at, &one)| place[one] = Some(at));
        let of_groups: Vec<Vec<Slope>> = (0..self.all.groups.len()).map(|group| self.slopes_of(group, full)).collect();
        let mut changes = Dense::zeros(binding.len());
        for (row, &one) in binding.iter().enumerate() {
            for (group, part, held) in self.parts(one) {
                // A second more of a cycle slows its group by this part, and what is held longer is fuller.
                let slower = self.slower(group);
                for slope in &of_groups[group] {
                    let Some(column) = place[slope.of] else { continue };
                    let longer = held.filter(|(held, _)| held.from <= slope.station && slope.station < held.until);
                    let change = longer.map_or(0.0, |(_, seconds)| 1.0 / seconds) - slower;
                    changes.add(row, column, part * change * slope.seconds / (full[one] * full[one]));
                }
            }
        }
        let wrong = binding.iter().map(|&one| 1.0 - 1.0 / full[one]).collect();
        Slopes { binding, wrong, changes }
    }

    /// By what part each group fills a capacity or a line.
    fn parts(&self, one: usize) -> Vec<Part> {
        let groups = &self.all.groups;
        let capacities = self.all.capacities.len();
        if one < capacities {
            let limit = &self.all.capacities[one];
            let used = |&(group, motion, charge): &(usize, usize, f64)| {
                let bytes =
                    self.now.rates[group] * groups[group].route.size * charge / self.now.kept[group][motion].part;
                (group, bytes / limit.rate, None)
            };
            return limit.met.iter().map(used).collect();
        }
        let line = &self.all.lines[one - capacities];
        let taken = line.held.iter().map(|&(group, hold, places)| {
            let held = groups[group].route.holds[hold];
            let seconds = self.now.held_s(self.all, group, &held);
            (group, self.now.rates[group] * places * seconds / line.places, Some((held, seconds)))
        });
        taken.filter(|taken| taken.1 > 0.0).collect()
    }

    /// By what part a second more of a cycle slows a group. One that is offered less than it could do is not slowed.
    fn slower(&self, group: usize) -> f64 {
        let (route, rate) = (&self.all.groups[group].route, self.now.rates[group]);
        let of = self.part * route.under_way;
        if rate < self.part * route.offered { rate / of } else { 0.0 }
    }

    /// What makes the stations of a group's cycles longer. Of prices that are alike the fullest is the one to rise.
    fn slopes_of(&self, group: usize, full: &[f64]) -> Vec<Slope> {
        let one = &self.all.groups[group];
        let slope = |(station, place): (usize, &super::route::Station)| match &place.does {
            Does::Delays(_) => None,
            Does::Waits(pool, part) => {
                let line = self.all.line_of[*pool]?;
                if self.now.waits[line] > 0.0 && self.now.wait_s(group, line) <= 0.0 {
                    return None;
                }
                Some(Slope { station, of: self.all.capacities.len() + line, seconds: *part })
            }
            Does::Moves(motion) => {
                let slowness = self.now.hard_slowness(self.all, group, motion.number) * (1.0 - ALIKE);
                let limits = one.motions[motion.number].limits.iter().map(|limit| limit.0);
                let acting = limits.filter(|&limit| self.now.prices[limit] >= slowness);
                let of = acting.max_by(|&a, &b| full[a].total_cmp(&full[b]))?;
                Some(Slope { station, of, seconds: one.route.size / self.now.kept[group][motion.number].part })
            }
        };
        one.route.stations.iter().enumerate().filter_map(slope).collect()
    }
}

impl Slopes {
    /// Levels and waits a step from some values. None falls below zero.
    fn step(&self, from: &[f64], damping: f64) -> Vec<f64> {
        // Each counts in its own measure, so that prices and waits are damped alike.
        let measures = self.changes.column_lengths().into_iter().map(|one| one.max(f64::MIN_POSITIVE));
        let steps = self.changes.damped_step(&self.wrong, &measures.collect::<Vec<f64>>(), damping);
        let mut values = from.to_vec();
        for (&one, step) in self.binding.iter().zip(steps.into_iter().flatten()) {
            values[one] = (from[one] + step).max(0.0);
        }
        values
    }
}
