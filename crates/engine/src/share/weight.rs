//! A full memory is shared by weight among those who move bytes over it.
//!
//! Knows movers, their weights and their flows. Must not know how flows rise elsewhere.
//!
//! With `w` the weights of the movers that have flows in motion and `R` what the memory carries, each mover is allowed `l w`
//! bytes a second, where `l` is such that those at their allowance and what the others use come to `R`: `l = (R - used) / sum
//! of w` over those at it. A mover's allowance is divided equally among its flows, as a cap of each. Under these caps all
//! flows rise as they do elsewhere; that says anew who is at its allowance, until nothing changes.
//!
//! The weights themselves are Little's law: movers see one latency, so that a full memory serves each in proportion to what it
//! keeps outstanding.

use std::collections::BTreeMap;

use super::{Class, FINE, FlowRate, Memory, Mover, Solver};

/// Rounds in which allowances find their level; each adds a mover to those that stay below theirs, or is the last.
const ROUNDS: usize = 16;

/// A flow this near to its cap is at it.
const AT: f64 = 1.0 - 1e-9;

/// What tells movers apart: the mover, its weight, and the class of flows that are movers by themselves.
type Told = (Option<u64>, u32, usize);

/// The memories of some classes that are shared by weight.
pub(super) fn memories(classes: &[Class]) -> Vec<Memory> {
    let mut memories: BTreeMap<usize, BTreeMap<Told, Mover>> = BTreeMap::new();
    for (number, class) in classes.iter().enumerate() {
        let Some(weighed) = class.weighed else { continue };
        let charge = class.crossings.iter().find(|crossing| crossing.0 == weighed.memory);
        let Some(&(_, charge)) = charge else { continue };
        // Flows that are movers by themselves are told apart by their class.
        let alone = if weighed.mover.is_none() { number } else { 0 };
        let mover = memories.entry(weighed.memory).or_default().entry((weighed.mover, weighed.weight, alone));
        let new = || Mover {
            classes: Vec::new(),
            weight: f64::from(weighed.weight) / 1e3,
            each_flow: weighed.mover.is_none(),
        };
        mover.or_insert_with(new).classes.push((number as u32, charge as f64 / 1e9));
    }
    let memory = |(capacity, movers): (usize, BTreeMap<_, Mover>)| Memory {
        capacity,
        movers: movers.into_values().collect(),
        caps: vec![u64::MAX; classes.len()],
    };
    memories.into_iter().map(memory).collect()
}

impl Solver {
    /// Shares every memory that is full by weight. `rates` are those of plain sharing, and then those under the caps.
    pub(super) fn weigh(&mut self, population: &[u32], active: &[u32], rates: &mut Vec<FlowRate>) {
        let memories = self.weighed.iter().filter(|memory| self.is_full(memory, population, rates)).count();
        if memories == 0 {
            return;
        }
        for _ in 0..ROUNDS {
            let before: Vec<Vec<u64>> = self.weighed.iter().map(|memory| memory.caps.clone()).collect();
            for index in 0..self.weighed.len() {
                let caps = self.allowances(&self.weighed[index], population, rates);
                self.weighed[index].caps = caps;
            }
            if self.weighed.iter().map(|memory| &memory.caps).eq(before.iter()) {
                break;
            }
            *rates = self.fill(population, active);
        }
        self.weighed.iter_mut().for_each(|memory| memory.caps.fill(u64::MAX));
    }

    fn is_full(&self, memory: &Memory, population: &[u32], rates: &[FlowRate]) -> bool {
        let used: f64 = memory.movers.iter().map(|mover| mover.used(population, rates)).sum();
        used >= self.capacities[memory.capacity].rate as f64 * AT
    }

    /// What each class's flows may have of a memory.
    fn allowances(&self, memory: &Memory, population: &[u32], rates: &[FlowRate]) -> Vec<u64> {
        let rate = self.capacities[memory.capacity].rate as f64;
        let moving: Vec<&Mover> = memory.movers.iter().filter(|mover| mover.flows(population) > 0.0).collect();
        let first = memory.caps.iter().all(|&cap| cap == u64::MAX);
        let is_at = |mover: &&&Mover| first || mover.is_at(memory, population, rates);
        let at = moving.iter().filter(is_at).map(|mover| mover.weighs(population)).sum::<f64>();
        let below = moving.iter().filter(|mover| !is_at(mover)).map(|mover| mover.used(population, rates)).sum::<f64>();
        let level = if at > 0.0 { (rate - below).max(0.0) / at } else { return memory.caps.clone() };
        let mut caps = vec![u64::MAX; memory.caps.len()];
        for mover in moving {
            let each = level * mover.weighs(population) / mover.flows(population);
            for &(class, charge) in mover.classes.iter().filter(|(class, _)| population[*class as usize] > 0) {
                caps[class as usize] = (each / charge * FINE as f64) as u64;
            }
        }
        caps
    }
}

impl Mover {
    /// Flows that it has in motion.
    fn flows(&self, population: &[u32]) -> f64 {
        self.classes.iter().map(|&(class, _)| f64::from(population[class as usize])).sum()
    }

    /// What all its flows weigh together.
    fn weighs(&self, population: &[u32]) -> f64 {
        if self.each_flow { self.weight * self.flows(population) } else { self.weight }
    }

    /// Bytes a second that it is charged.
    fn used(&self, population: &[u32], rates: &[FlowRate]) -> f64 {
        let used = self.classes.iter().map(|&(class, charge)| {
            f64::from(population[class as usize]) * charge * rates[class as usize].rate as f64 / FINE as f64
        });
        used.sum()
    }

    /// Whether one of its flows is at its cap.
    fn is_at(&self, memory: &Memory, population: &[u32], rates: &[FlowRate]) -> bool {
        let mut moving = self.classes.iter().filter(|(class, _)| population[*class as usize] > 0);
        moving.any(|&(class, _)| rates[class as usize].rate as f64 >= memory.caps[class as usize] as f64 * AT)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{By, Weighed};
    use super::*;

    const GB: u64 = 1_000_000_000;

    fn class(charge: u64, mover: Option<u64>, weight: u32, own_cap: Option<u64>) -> Class {
        let weighed = Some(Weighed { memory: 0, mover, weight });
        Class { crossings: vec![(0, charge * GB)], own_cap, soft: Vec::new(), weighed }
    }

    fn rates(memory: u64, classes: Vec<Class>, population: &[u32]) -> Vec<f64> {
        let rates = Solver::new(vec![memory * GB], classes, vec![None]).solve(population);
        rates.iter().map(|rate| (rate.rate as f64 / FINE as f64 / 1e8).round() / 10.0).collect()
    }

    #[test]
    fn a_full_memory_is_shared_by_weight() {
        let classes = vec![class(1, None, 1_000, None), class(1, Some(1), 9_000, None)];
        assert_eq!(rates(100, classes, &[1, 1]), [10.0, 90.0]);
    }

    #[test]
    fn a_mover_s_weight_is_divided_among_its_flows_and_every_core_has_one_of_its_own() {
        let classes = vec![class(1, None, 1_000, None), class(1, Some(1), 8_000, None)];
        assert_eq!(rates(100, classes, &[2, 4]), [10.0, 20.0]);
    }

    #[test]
    fn who_is_held_back_elsewhere_leaves_the_rest_to_the_others() {
        let classes = vec![class(1, None, 1_000, None), class(1, Some(1), 9_000, Some(50 * GB))];
        assert_eq!(rates(100, classes, &[1, 1]), [50.0, 50.0]);
    }

    #[test]
    fn a_heavier_charge_takes_more_of_a_share_and_no_larger_share() {
        let classes = vec![class(3, None, 1_000, None), class(1, None, 1_000, None)];
        assert_eq!(rates(60, classes, &[1, 1]), [10.0, 30.0]);
    }

    #[test]
    fn a_memory_that_is_not_full_holds_nobody_back() {
        let classes = vec![class(1, None, 1_000, Some(30 * GB)), class(1, Some(1), 9_000, Some(60 * GB))];
        assert_eq!(rates(100, classes, &[1, 1]), [30.0, 60.0]);
    }

    #[test]
    fn the_memory_is_named_where_it_limits() {
        let classes = vec![class(1, None, 1_000, None), class(1, Some(1), 9_000, None)];
        let rates = Solver::new(vec![100 * GB], classes, vec![None]).solve(&[1, 1]);
        assert!(rates.iter().all(|rate| rate.by == By::Capacity(0)));
    }
}
