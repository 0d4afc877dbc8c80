//! A balance whose prices and waits chase each other: all of them eased towards rest, in steps that shrink from round to round.
//!
//! Knows how full limits and lines are. Must not know why they chase.
//!
//! Where a line stands behind another, or before what a full capacity slows, each of them answers alone for what all of them
//! hold back together; when each goes as far as it must by itself, they overshoot together, let go together, and so on. Here
//! each price and wait takes a part of a Newton step on the logarithm of how full its capacity or pool is. Steps that shrink,
//! but not too soon, come to rest where whole ones circle (H. Robbins and S. Monro, "A Stochastic Approximation Method", The
//! Annals of Mathematical Statistics 22(3), 1951).

use std::ops::Range;

use super::balance::Scale;

/// How full everything may be beside the mark at rest.
const STILL: f64 = 1e-5;

/// The part of a step that is gone at first, and the rounds after which it is half of that.
const PART: f64 = 0.5;
const HALVED: f64 = 200.0;

/// How much farther than a price that is all of a cycle one goes that is a small part of it.
const FARTHEST: f64 = 2.0;

/// The most that fullness counts for, both routes.
const MOST: f64 = 20.0;

impl Scale<'_> {
    /// Eases all prices and waits towards rest for some of its rounds: the prices together, then the waits, what moves one
    /// being known to the next. Says whether they came to rest.
    pub(super) fn relax(&mut self, rounds: Range<usize>) -> bool {
        let mut passed = vec![Vec::new(); self.all.groups.len()];
        for round in rounds {
            (0..passed.len()).for_each(|group| self.pass(group, &mut passed));
            let part = PART / (1.0 + round as f64 / HALVED);
            let mut off: f64 = 0.0;
            for limit in 0..self.all.capacities.len() {
                off = off.max(self.relax_price(limit, part));
            }
            for line in 0..self.all.lines.len() {
                off = off.max(self.relax_wait(line, part, &mut passed));
            }
            if !self.soften() && off < STILL {
                return true;
            }
        }
        false
    }

    /// What has passed of a group's cycle at each of its stations, and with that its rate.
    fn pass(&mut self, group: usize, passed: &mut [Vec<f64>]) {
        passed[group] = self.now.passed_s(self.all, group);
        self.now.rates[group] = self.rate_of_cycle(group, passed[group].last().copied().unwrap_or_default());
    }

    /// Moves a price, and says how far its capacity is from rest.
    fn relax_price(&mut self, limit: usize, part: f64) -> f64 {
        let all = self.all;
        let one = &all.capacities[limit];
        let (mut used, mut falls, mut acts_from) = (0.0, 0.0, f64::INFINITY);
        for &(group, motion, charge) in &one.met {
            let (route, kept) = (&all.groups[group].route, self.now.kept[group][motion].part);
            let bytes = self.now.rates[group] * route.size * charge / kept;
            used += bytes;
            // The cycles of a loop go round in N / X: what makes one motion longer slows the lane by its part of that.
            falls += bytes * self.now.rates[group] * route.size / (kept * route.under_way.max(1.0));
            acts_from = f64::min(acts_from, 1.0 / all.groups[group].motions[motion].motion.most.0);
        }
        let old = self.now.prices[limit];
        // Where a line's wait is most of a cycle, the motion is a small part of it, but the line answers for it: a price never
        // goes much farther than it would where it is all that there is.
        let falls = (falls / used).max(1.0 / (FARTHEST * old.max(acts_from)));
        let (full, new) = relaxed(old, used / one.rate, falls, part);
        // Below what the motions take by themselves a price does nothing.
        self.now.prices[limit] = match new >= acts_from {
            true => new,
            false if full > 0.0 => acts_from,
            false => 0.0,
        };
        off(full, old)
    }

    /// Moves a wait, and says how far its pool is from rest.
    fn relax_wait(&mut self, line: usize, part: f64, passed: &mut [Vec<f64>]) -> f64 {
        let all = self.all;
        let one = &all.lines[line];
        let (mut taken, mut falls) = (0.0, 0.0);
        for &(group, hold, places) in &one.held {
            let route = &all.groups[group].route;
            let held = route.holds[hold];
            let here = self.now.rates[group] * places * (passed[group][held.until] - passed[group][held.from]);
            taken += here;
            falls += here * self.now.rates[group] / route.under_way.max(1.0);
        }
        let old = self.now.waits[line];
        let (full, new) = relaxed(old, taken / one.places, falls / taken, part);
        self.now.waits[line] = new;
        if new != old {
            one.held.iter().for_each(|&(group, ..)| self.pass(group, passed));
        }
        off(full, old)
    }
}

/// The logarithm of how full something is, and where a price or a wait goes by a part of a step; `falls` is how fast that
/// logarithm falls.
fn relaxed(old: f64, full: f64, falls: f64, part: f64) -> (f64, f64) {
    let full = libm::log(full.clamp(1.0 / MOST, MOST));
    let step = part * full / falls;
    (full, if step.is_finite() { (old + step).max(0.0) } else { 0.0 })
}

/// How far from rest: what is not full needs no price.
fn off(full: f64, price: f64) -> f64 {
    if price > 0.0 { full.abs() } else { full.max(0.0) }
}
