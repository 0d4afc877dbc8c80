//! A balance whose levels and waits chase each other: all of them eased towards rest, in steps that shrink from round to round.
//!
//! Knows how full limits and lines are. Must not know why they chase.
//!
//! Where a line stands behind another, or before what a full capacity slows, each of them answers alone for what all of them
//! hold back together; when each goes as far as it must by itself, they overshoot together, let go together, and so on. Here
//! each level and wait takes a part of a Newton step on the logarithm of how full its capacity or pool is. Steps that shrink,
//! but not too soon, come to rest where whole ones circle (H. Robbins and S. Monro, "A Stochastic Approximation Method", The
//! Annals of Mathematical Statistics 22(3), 1951).

use std::ops::Range;

use super::balance::Scale;

/// How full everything may be beside the mark at rest.
const STILL: f64 = 1e-5;

/// The part of a step that is gone at first, and the rounds after which it is half of that.
const PART: f64 = 0.5;
const HALVED: f64 = 200.0;

/// How much farther than a level that is all of a trip one goes that is a small part of it.
const FARTHEST: f64 = 2.0;

/// The most that fullness counts for, both ways.
const MOST: f64 = 20.0;

impl Scale<'_> {
    /// Eases all levels and waits towards rest for some of its rounds: the levels together, then the waits, what moves one
    /// being known to the next. Says whether they came to rest.
    pub(super) fn ease(&mut self, rounds: Range<usize>) -> bool {
        let mut passed = vec![Vec::new(); self.all.groups.len()];
        for round in rounds {
            (0..passed.len()).for_each(|group| self.pass(group, &mut passed));
            let part = PART / (1.0 + round as f64 / HALVED);
            let mut off: f64 = 0.0;
            for limit in 0..self.all.capacities.len() {
                off = off.max(self.ease_level(limit, part));
            }
            for line in 0..self.all.lines.len() {
                off = off.max(self.ease_wait(line, part, &mut passed));
            }
            if !self.soften() && off < STILL {
                return true;
            }
        }
        false
    }

    /// What has passed of a group's trip at each of its stations, and with that its rate.
    fn pass(&mut self, group: usize, passed: &mut [Vec<f64>]) {
        passed[group] = self.now.passed_s(self.all, group);
        self.now.rates[group] = self.rate_of_trip(group, passed[group].last().copied().unwrap_or_default());
    }

    /// Moves a level, and says how far its capacity is from rest.
    fn ease_level(&mut self, limit: usize, part: f64) -> f64 {
        let all = self.all;
        let one = &all.capacities[limit];
        let (mut used, mut falls, mut acts_from) = (0.0, 0.0, f64::INFINITY);
        for &(group, motion, charge) in &one.met {
            let (way, kept) = (&all.groups[group].way, self.now.kept[group][motion].part);
            let bytes = self.now.rates[group] * way.size * charge / kept;
            used += bytes;
            // The trips of a loop go round in N / X: what makes one motion longer slows the lane by its part of that.
            falls += bytes * self.now.rates[group] * way.size / (kept * way.under_way.max(1.0));
            acts_from = f64::min(acts_from, 1.0 / all.groups[group].motions[motion].motion.most.0);
        }
        let old = self.now.levels[limit];
        // Where a line's wait is most of a trip, the motion is a small part of it, but the line answers for it: a level never
        // goes much farther than it would where it is all that there is.
        let falls = (falls / used).max(1.0 / (FARTHEST * old.max(acts_from)));
        let (full, new) = eased(old, used / one.rate, falls, part);
        // Below what the motions take by themselves a level does nothing.
        self.now.levels[limit] = match new >= acts_from {
            true => new,
            false if full > 0.0 => acts_from,
            false => 0.0,
        };
        off(full, old)
    }

    /// Moves a wait, and says how far its pool is from rest.
    fn ease_wait(&mut self, line: usize, part: f64, passed: &mut [Vec<f64>]) -> f64 {
        let all = self.all;
        let one = &all.lines[line];
        let (mut taken, mut falls) = (0.0, 0.0);
        for &(group, hold, places) in &one.held {
            let way = &all.groups[group].way;
            let held = way.holds[hold];
            let here = self.now.rates[group] * places * (passed[group][held.until] - passed[group][held.from]);
            taken += here;
            falls += here * self.now.rates[group] / way.under_way.max(1.0);
        }
        let old = self.now.waits[line];
        let (full, new) = eased(old, taken / one.places, falls / taken, part);
        self.now.waits[line] = new;
        if new != old {
            one.held.iter().for_each(|&(group, ..)| self.pass(group, passed));
        }
        off(full, old)
    }
}

/// The logarithm of how full something is, and where a level or a wait goes by a part of a step; `falls` is how fast that
/// logarithm falls.
fn eased(old: f64, full: f64, falls: f64, part: f64) -> (f64, f64) {
    let full = libm::log(full.clamp(1.0 / MOST, MOST));
    let step = part * full / falls;
    (full, if step.is_finite() { (old + step).max(0.0) } else { 0.0 })
}

/// How far from rest: what is not full needs no level.
fn off(full: f64, level: f64) -> f64 {
    if level > 0.0 { full.abs() } else { full.max(0.0) }
}
