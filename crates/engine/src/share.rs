//! Max-min sharing on payload rates: a pure function from a population of flows to the pace of each class.
//!
//! Knows capacities, charges and own caps. Must not know what they are, nor that time passes.
//!
//! All flows are raised together. A capacity is full once the flows that cross it, each at its payload rate times its
//! charge, use it up; an own cap is reached once the payload rate equals it. Whoever meets a full capacity or its own
//! cap is frozen at that pace; the others rise on. A heavier charge makes a flow use more of a capacity, never get less by
//! decree. (Bertsekas and Gallager, "Data Networks", section 6.5.2, with charges as coefficients.)
//!
//! Example: two flows cross a link of 10 GB/s, one of them also a disk of 2 GB/s. Both rise to 2; the disk is full and
//! freezes the first; the second rises on to 8, where the link is full.
//!
//! A capacity with a soft law slows its flows before it is full: after the hard capacities are solved, one pass takes from
//! each flow what the law takes at that traffic. What is taken is not handed out again.
//!
//! Integers but for the soft law. A pace is in 2^-16 byte per second, rounded down, so that no capacity is ever passed.

use crate::plan::{Soft, Traffic};

/// A pace is counted in this fraction of a byte per second.
pub const FINE: u64 = 1 << 16;

/// Parts of a motion are counted in this fraction.
pub const PARTS: u32 = 1 << 20;

/// Flows that cross the same capacities with the same charges and have the same own cap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// Capacities crossed (an index into the rates) with the charge in billionths, each capacity once, none with charge 0.
    pub crossings: Vec<(usize, u64)>,
    /// The mover's own cap in bytes per second.
    pub own_cap: Option<u64>,
    /// Soft capacities crossed: index, charge in billionths, class of traffic.
    pub soft: Vec<(usize, u64, Traffic)>,
}

/// What sets a pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A full capacity.
    Capacity(usize),
    /// The mover's own cap.
    OwnCap,
}

/// The payload rate of one flow of a class, and what sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// In [`FINE`] bytes per second.
    pub rate: u64,
    /// What sets it.
    pub by: By,
    /// The soft capacity that slows it the most and the part of the motion that this one is charged with, in 2^-20.
    pub soft: Option<(usize, u32)>,
}

/// The standing of a capacity while flows rise.
#[derive(Clone, Copy, Default)]
struct Level {
    /// What frozen flows use, in fine billionths.
    used: u128,
    /// The charges of the flows that still rise, in billionths.
    rising: u128,
}

impl Level {
    /// The pace at which the capacity is full, if anybody who rises crosses it.
    fn full_at(&self, rate: u64) -> Option<u64> {
        let room = (rate as u128 * FINE as u128 * 1_000_000_000).saturating_sub(self.used);
        room.checked_div(self.rising).map(|pace| u64::try_from(pace).unwrap_or(u64::MAX))
    }
}

/// A solver with its scratch space.
#[derive(Clone, Debug)]
pub struct Solver {
    rates: Vec<u64>,
    classes: Vec<Class>,
    /// The soft law of each capacity that has one.
    soft: Vec<Option<Soft>>,
    /// The pace at which each capacity is full, as of the round that is being solved.
    full: Vec<u64>,
}

impl Solver {
    /// A solver over capacities of `rates` bytes per second and these classes. Every class must have a charge or an own cap.
    pub fn new(rates: Vec<u64>, classes: Vec<Class>, soft: Vec<Option<Soft>>) -> Solver {
        let full = vec![u64::MAX; rates.len()];
        Solver { rates, classes, soft, full }
    }

    /// The classes.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The pace of every class that has flows; the pace of the others is zero.
    pub fn solve(&mut self, population: &[u32]) -> Vec<Pace> {
        let mut paces = vec![Pace { rate: 0, by: By::OwnCap, soft: None }; self.classes.len()];
        let mut rising: Vec<usize> = (0..population.len()).filter(|&c| population[c] > 0).collect();
        let mut levels = vec![Level::default(); self.rates.len()];
        for &class in &rising {
            for &(capacity, charge) in &self.classes[class].crossings {
                levels[capacity].rising += population[class] as u128 * charge as u128;
            }
        }
        while !rising.is_empty() {
            self.note_full(&rising, &levels);
            let pace = self.lowest(&rising);
            rising.retain(|&class| match self.frozen_by(class, pace) {
                None => true,
                Some(by) => {
                    paces[class] = Pace { rate: pace, by, soft: None };
                    self.freeze(class, population[class], pace, &mut levels);
                    false
                }
            });
        }
        self.soften(population, &mut paces);
        paces
    }

    /// The one pass of the soft law over the paces that the hard capacities allow. Slack is not handed out again.
    fn soften(&self, population: &[u32], paces: &mut [Pace]) {
        if self.soft.iter().all(Option::is_none) {
            return;
        }
        let traffic = self.traffic(population, paces);
        for (class, pace) in self.classes.iter().zip(paces).filter(|(_, pace)| pace.rate > 0) {
            let kept = |&(capacity, _, kind): &(usize, u64, Traffic)| {
                let law = self.soft[capacity].as_ref()?;
                Some((capacity, kept(law, traffic[capacity], kind)))
            };
            let least = class.soft.iter().filter_map(kept).min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((capacity, kept)) = least {
                pace.rate = ((pace.rate as f64 * kept) as u64).max(1);
                pace.soft = Some((capacity, ((1.0 - kept) * PARTS as f64) as u32));
            }
        }
    }

    /// Bytes per second charged to each capacity with a soft law.
    fn traffic(&self, population: &[u32], paces: &[Pace]) -> Vec<f64> {
        let mut traffic = vec![0.0; self.rates.len()];
        for ((class, pace), &flows) in self.classes.iter().zip(paces).zip(population) {
            for &(capacity, charge, _) in &class.soft {
                traffic[capacity] += flows as f64 * (pace.rate as f64 / FINE as f64) * (charge as f64 / 1e9);
            }
        }
        traffic
    }

    /// Writes down at which pace each capacity that somebody rises through is full.
    fn note_full(&mut self, rising: &[usize], levels: &[Level]) {
        for &class in rising {
            for &(capacity, _) in &self.classes[class].crossings {
                let full = levels[capacity].full_at(self.rates[capacity]).unwrap_or(u64::MAX);
                self.full[capacity] = full;
            }
        }
    }

    /// The lowest pace at which anything stops a flow that rises.
    fn lowest(&self, rising: &[usize]) -> u64 {
        let stops = rising.iter().flat_map(|&class| {
            let class = &self.classes[class];
            let caps = class.own_cap.map(fine).into_iter();
            caps.chain(class.crossings.iter().map(|&(capacity, _)| self.full[capacity]))
        });
        stops.min().unwrap_or(u64::MAX)
    }

    /// What stops a class at this pace. Its own cap is named before a capacity that is full at the same pace.
    fn frozen_by(&self, class: usize, pace: u64) -> Option<By> {
        let class = &self.classes[class];
        if class.own_cap.is_some_and(|cap| fine(cap) <= pace) {
            return Some(By::OwnCap);
        }
        let full = class.crossings.iter().find(|&&(capacity, _)| self.full[capacity] <= pace);
        full.map(|&(capacity, _)| By::Capacity(capacity))
    }

    fn freeze(&self, class: usize, flows: u32, pace: u64, levels: &mut [Level]) {
        for &(capacity, charge) in &self.classes[class].crossings {
            let charges = flows as u128 * charge as u128;
            levels[capacity].rising -= charges;
            levels[capacity].used += charges * pace as u128;
        }
    }
}

/// The part of its pace that a flow of a class of traffic keeps under a soft law, at all traffic in bytes per second.
pub fn kept(law: &Soft, traffic: f64, kind: Traffic) -> f64 {
    let power = law.power.as_f64();
    let load = libm::pow(traffic / law.base(kind).0 as f64, power);
    libm::pow(1.0 + load, -1.0 / power)
}

fn fine(rate: u64) -> u64 {
    rate.saturating_mul(FINE)
}
