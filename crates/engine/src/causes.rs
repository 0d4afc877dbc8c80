//! The numbers of causes and accounts: what a request can be charged to, and for which leg of which work.
//!
//! Knows the plan's lists. Must not know that time passes.
//!
//! Causes are numbered: capacities, own caps, bundles (all delays before or after a leg's motion, or a server's,
//! charged as one and split by their lengths afterwards), and at last "no work offered".

use std::collections::BTreeMap;

use crate::plan::{Leg, Plan};

use crate::classes::Classes;

/// What a share of the time goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A full capacity (an index of the plan's capacities).
    Capacity(usize),
    /// A mover's own cap (an index of the outcome's own caps).
    OwnCap(usize),
    /// A delay (an index of the plan's delays).
    Delay(usize),
    /// No work was offered.
    NoWork,
}

/// Which delays of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Those before its motion.
    Before,
    /// The service of a server of that number.
    Served(usize),
    /// Those after it.
    After,
}

impl Stage {
    /// The delays of a leg at this stage.
    pub fn delays(self, leg: &Leg) -> &[usize] {
        match self {
            Stage::Before => &leg.before,
            Stage::Served(server) => std::slice::from_ref(&leg.served[server].delay),
            Stage::After => &leg.after,
        }
    }
}

/// The numbering.
#[derive(Debug)]
pub struct Causes {
    capacities: usize,
    own_caps: usize,
    own_cap_of: Vec<Option<usize>>,
    /// The delays of each bundle.
    bundles: Vec<Vec<usize>>,
    /// The bundle of each (work, lane, leg, stage).
    bundle_of: BTreeMap<(usize, usize, usize, Stage), usize>,
    /// The first account of each work, and the count of all.
    first_account: Vec<usize>,
}

impl Causes {
    /// Numbers the causes and accounts of a plan.
    pub fn new(plan: &Plan, classes: &Classes) -> Causes {
        let mut causes = Causes {
            capacities: plan.capacities.len(),
            own_caps: classes.own_caps.len(),
            own_cap_of: classes.own_cap_of.clone(),
            bundles: Vec::new(),
            bundle_of: BTreeMap::new(),
            first_account: vec![0],
        };
        for (index, work) in plan.works.iter().enumerate() {
            let legs = work.lanes.iter().map(|lane| lane.legs.len()).max().unwrap_or(0);
            causes.first_account.push(causes.first_account[index] + legs);
            causes.number_bundles(index, work);
        }
        causes
    }

    fn number_bundles(&mut self, index: usize, work: &crate::plan::Work) {
        for (number, lane) in work.lanes.iter().enumerate() {
            for (leg_number, leg) in lane.legs.iter().enumerate() {
                let served = (0..leg.served.len()).map(Stage::Served);
                for stage in [Stage::Before, Stage::After].into_iter().chain(served) {
                    let bundle = self.bundle(stage.delays(leg));
                    self.bundle_of.insert((index, number, leg_number, stage), bundle);
                }
            }
        }
    }

    fn bundle(&mut self, delays: &[usize]) -> usize {
        let known = self.bundles.iter().position(|bundle| bundle == delays);
        known.unwrap_or_else(|| {
            self.bundles.push(delays.to_vec());
            self.bundles.len() - 1
        })
    }

    /// How many causes there are.
    pub fn count(&self) -> usize {
        self.capacities + self.own_caps + self.bundles.len() + 1
    }

    /// How many accounts there are.
    pub fn accounts(&self) -> usize {
        self.first_account[self.first_account.len() - 1]
    }

    /// The account of a leg.
    pub fn account(&self, work: usize, leg: usize) -> usize {
        self.first_account[work] + leg
    }

    /// The accounts of a work.
    pub fn accounts_of(&self, work: usize) -> std::ops::Range<usize> {
        self.first_account[work]..self.first_account[work + 1]
    }

    /// The cause number of a class's own cap.
    pub fn own_cap(&self, class: usize) -> usize {
        self.capacities + self.own_cap_of[class].unwrap_or(0)
    }

    /// The cause number of the delays of a leg at a stage.
    pub fn of_delays(&self, work: usize, lane: usize, leg: usize, stage: Stage) -> usize {
        self.capacities + self.own_caps + self.bundle_of[&(work, lane, leg, stage)]
    }

    /// The cause number of "no work offered".
    pub fn no_work(&self) -> usize {
        self.count() - 1
    }

    /// What a cause number stands for, with its part of the charge.
    /// Delays are split by their lengths for a request of `size` bytes.
    pub fn resolve(&self, plan: &Plan, number: usize, size: u64) -> Vec<(Cause, f64)> {
        if number < self.capacities {
            return vec![(Cause::Capacity(number), 1.0)];
        }
        let rest = number - self.capacities;
        if rest < self.own_caps {
            return vec![(Cause::OwnCap(rest), 1.0)];
        }
        match self.bundles.get(rest - self.own_caps) {
            Some(bundle) => split_bundle(plan, bundle, size),
            None => vec![(Cause::NoWork, 1.0)],
        }
    }
}

/// Splits a bundle by the mean lengths of its delays.
fn split_bundle(plan: &Plan, bundle: &[usize], size: u64) -> Vec<(Cause, f64)> {
    let length = |delay: usize| plan.delays[delay].mean_s(size);
    let all: f64 = bundle.iter().map(|&delay| length(delay)).sum();
    bundle.iter().map(|&delay| (Cause::Delay(delay), if all > 0.0 { length(delay) / all } else { 0.0 })).collect()
}
