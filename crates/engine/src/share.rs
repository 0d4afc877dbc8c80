//! Max-min sharing on payload rates: a pure function from a population of flows to the rate of each class.
//!
//! Knows capacities, charges and own caps. Must not know what they are, nor that time passes.
//!
//! All flows are raised together. A capacity is full once the flows that cross it, each at its payload rate times its
//! charge, use it up; an own cap is reached once the payload rate equals it. Whoever meets a full capacity or its own
//! cap is frozen at that rate; the others rise on. A heavier charge makes a flow use more of a capacity, never get less by
//! decree. (Bertsekas and Gallager, "Data Networks", section 6.5.2, with charges as coefficients.)
//!
//! Example: two flows cross a link of 10 GB/s, one of them also a disk of 2 GB/s. Both rise to 2; the disk is full and
//! freezes the first; the second rises on to 8, where the link is full.
//!
//! A capacity with a soft law slows its flows before it is full: after the hard capacities are solved, one pass takes from
//! each flow what the law takes at that traffic. What is taken is not handed out again.
//!
//! A memory may be shared by weight (`weight.rs`): each mover gets of a full one in proportion to what it keeps outstanding.
//!
//! Integers but for the soft law and the weights. A rate is in 2^-16 byte per second, rounded down, so that no capacity is ever passed.

mod components;
mod weight;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::plan::{Soft, Traffic};

/// A rate is counted in this fraction of a byte per second.
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
    /// The memory that it crosses which is shared by weight, if it does.
    pub weighed: Option<Weighed>,
}

/// What a flow of a class weighs in a memory that is shared by weight: what its mover keeps outstanding there (by Little's law,
/// at one latency for all, a mover's rate is in proportion to it), divided among the flows that the mover has in motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weighed {
    /// The memory (an index into the rates, among the class's crossings).
    pub memory: usize,
    /// The mover, where it has several flows in motion at once; without it every flow is a mover of its own.
    pub mover: Option<u64>,
    /// Its weight, in thousandths; that of a core is 1.
    pub weight: u32,
}

/// What sets a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A full capacity.
    Capacity(usize),
    /// The mover's own cap.
    OwnCap,
}

/// The payload rate of one flow of a class, and what sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRate {
    /// In [`FINE`] bytes per second.
    pub rate: u64,
    /// What sets it.
    pub by: By,
    /// The soft capacity that slows it the most and the part of the motion that this one is charged with, in 2^-20.
    pub soft: Option<(usize, u32)>,
}

/// The standing of a capacity while flows rise.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// What frozen flows use, in fine billionths.
    used: u128,
    /// The charges of the flows that still rise, in billionths.
    rising: u64,
}

impl Standing {
    /// The rate at which a capacity is full, if anybody who rises crosses it. It only rises while flows are frozen below it.
    fn full_at(&self, rate: u64) -> Option<u64> {
        let room = (u128::from(rate) * u128::from(FINE * 1_000_000_000)).saturating_sub(self.used);
        let at = room.checked_div(u128::from(self.rising))?;
        Some(u64::try_from(at).unwrap_or(u64::MAX))
    }
}

/// A capacity as a solver sees it.
#[derive(Clone, Debug)]
struct Shared {
    /// Its number in the plan.
    number: usize,
    rate: u64,
    soft: Option<Soft>,
    /// The classes that cross it.
    classes: Vec<u32>,
}

/// A solver with its scratch space.
#[derive(Clone, Debug)]
pub struct Solver {
    capacities: Vec<Shared>,
    /// Crossings by the place of a capacity in `capacities`.
    classes: Vec<Class>,
    /// All crossings, class by class, and where each class's begin.
    crossings: Vec<(u32, u64)>,
    first: Vec<u32>,
    standings: Vec<Standing>,
    /// Whether each class still rises.
    rises: Vec<bool>,
    /// Capacities that somebody who rises crosses, with a rate below which they are not full.
    stops: BinaryHeap<Reverse<(u64, u32)>>,
    /// Own caps of classes that rise, the lowest last, and what caps them.
    caps: Vec<(u64, u32, By)>,
    /// The memories that are shared by weight.
    weighed: Vec<Memory>,
}

/// A memory that is shared by weight.
#[derive(Clone, Debug)]
struct Memory {
    capacity: usize,
    /// Its movers: the classes of each, its weight, and whether every flow is a mover by itself.
    movers: Vec<Mover>,
    /// The payload rate of a flow that its share allows, by class; endless for others.
    caps: Vec<u64>,
}

#[derive(Clone, Debug)]
struct Mover {
    /// Classes with their charges.
    classes: Vec<(u32, f64)>,
    weight: f64,
    each_flow: bool,
}

impl Solver {
    /// A solver over capacities of `rates` bytes per second and these classes. Every class must have a charge or an own cap.
    pub fn new(rates: Vec<u64>, classes: Vec<Class>, soft: Vec<Option<Soft>>) -> Solver {
        let capacities = rates.into_iter().zip(soft).enumerate();
        let shared = capacities.map(|(number, (rate, soft))| Shared { number, rate, soft, classes: Vec::new() });
        Solver::over(shared.collect(), classes)
    }

    fn over(mut capacities: Vec<Shared>, classes: Vec<Class>) -> Solver {
        for (number, class) in classes.iter().enumerate() {
            for &(capacity, _) in &class.crossings {
                capacities[capacity].classes.push(number as u32);
            }
        }
        let weighed = weight::memories(&classes);
        let crossings: Vec<(u32, u64)> = classes.iter().flat_map(Class::hard).collect();
        let first =
            classes.iter().scan(0, |sum, class| Some(std::mem::replace(sum, *sum + class.crossings.len() as u32)));
        let first = first.chain([crossings.len() as u32]).collect();
        Solver {
            crossings,
            first,
            standings: vec![Standing::default(); capacities.len()],
            rises: vec![false; classes.len()],
            capacities,
            classes,
            stops: BinaryHeap::new(),
            caps: Vec::new(),
            weighed,
        }
    }

    /// The classes.
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// How many capacities there are.
    pub fn capacities(&self) -> usize {
        self.capacities.len()
    }

    /// The rate of every class that has flows; the rate of the others is zero.
    pub fn solve(&mut self, population: &[u32]) -> Vec<FlowRate> {
        let active: Vec<u32> = (0..population.len() as u32).filter(|&class| population[class as usize] > 0).collect();
        self.solve_active(population, &active)
    }

    /// The same, `active` being the classes that have flows, in order.
    pub(crate) fn solve_active(&mut self, population: &[u32], active: &[u32]) -> Vec<FlowRate> {
        let mut rates = self.fill(population, active);
        if !self.weighed.is_empty() {
            self.weigh(population, active, &mut rates);
        }
        self.soften(population, active, &mut rates);
        rates
    }

    /// Raises all flows until each is stopped.
    fn fill(&mut self, population: &[u32], active: &[u32]) -> Vec<FlowRate> {
        let mut rates = vec![FlowRate { rate: 0, by: By::OwnCap, soft: None }; self.classes.len()];
        self.begin(population, active);
        let mut left = active.len();
        while left > 0 {
            let rate = self.lowest();
            let stopped = self.stopped(rate);
            for &(class, by) in &stopped {
                rates[class as usize] = FlowRate { rate, by, soft: None };
                self.freeze(class, population[class as usize], rate);
            }
            left -= stopped.len();
            assert!(!stopped.is_empty(), "a flow that nothing limits");
        }
        rates
    }

    /// Everybody rises from nothing.
    fn begin(&mut self, population: &[u32], active: &[u32]) {
        self.standings.fill(Standing::default());
        self.stops.clear();
        self.caps.clear();
        for &class in active {
            self.rises[class as usize] = true;
            let one = &self.classes[class as usize];
            self.caps.extend(one.own_cap.map(|cap| (fine(cap), class, By::OwnCap)));
            for memory in &self.weighed {
                let by = By::Capacity(self.capacities[memory.capacity].number);
                let cap = memory.caps[class as usize];
                self.caps.extend(Some((cap, class, by)).filter(|_| cap < u64::MAX));
            }
            for at in self.range(class) {
                let (capacity, charge) = self.crossings[at];
                self.standings[capacity as usize].rising += u64::from(population[class as usize]) * charge;
            }
        }
        self.caps.sort_unstable_by_key(|cap| Reverse((cap.0, cap.1)));
        for (capacity, standing) in self.standings.iter().enumerate() {
            if let Some(at) = standing.full_at(self.capacities[capacity].rate) {
                self.stops.push(Reverse((at, capacity as u32)));
            }
        }
    }

    fn range(&self, class: u32) -> std::ops::Range<usize> {
        self.first[class as usize] as usize..self.first[class as usize + 1] as usize
    }

    /// The lowest rate at which anything stops a flow that rises.
    fn lowest(&mut self) -> u64 {
        while let Some(mut stop) = self.stops.peek_mut() {
            let (at, capacity) = stop.0;
            match self.standings[capacity as usize].full_at(self.capacities[capacity as usize].rate) {
                None => drop(std::collections::binary_heap::PeekMut::pop(stop)),
                Some(now) if now > at => stop.0.0 = now,
                Some(_) => break,
            }
        }
        while self.caps.last().is_some_and(|&(_, class, _)| !self.rises[class as usize]) {
            self.caps.pop();
        }
        let full = self.stops.peek().map_or(u64::MAX, |stop| stop.0.0);
        self.caps.last().map_or(full, |cap| cap.0.min(full))
    }

    /// Who is stopped at this rate, and by what. A class's own cap is named before a capacity that is full at the same rate.
    fn stopped(&mut self, rate: u64) -> Vec<(u32, By)> {
        let mut stopped = Vec::new();
        while let Some(&(cap, class, by)) = self.caps.last()
            && cap <= rate
        {
            self.caps.pop();
            if std::mem::replace(&mut self.rises[class as usize], false) {
                stopped.push((class, by));
            }
        }
        for capacity in self.full(rate) {
            let shared = &self.capacities[capacity as usize];
            for &class in &shared.classes {
                if std::mem::replace(&mut self.rises[class as usize], false) {
                    stopped.push((class, By::Capacity(shared.number)));
                }
            }
        }
        stopped
    }

    /// The capacities that are full at this rate, in order.
    fn full(&mut self, rate: u64) -> Vec<u32> {
        let mut full = Vec::new();
        while let Some(&Reverse((at, capacity))) = self.stops.peek()
            && at <= rate
        {
            self.stops.pop();
            match self.standings[capacity as usize].full_at(self.capacities[capacity as usize].rate) {
                Some(now) if now <= rate => full.push(capacity),
                Some(now) => self.stops.push(Reverse((now, capacity))),
                None => {}
            }
        }
        full.sort_unstable();
        full
    }

    fn freeze(&mut self, class: u32, flows: u32, rate: u64) {
        for at in self.range(class) {
            let (capacity, charge) = self.crossings[at];
            let charges = u64::from(flows) * charge;
            let standing = &mut self.standings[capacity as usize];
            standing.rising -= charges;
            standing.used += u128::from(charges) * u128::from(rate);
        }
    }

    /// The one pass of the soft law over the rates that the hard capacities allow. Slack is not handed out again.
    fn soften(&self, population: &[u32], active: &[u32], rates: &mut [FlowRate]) {
        if self.capacities.iter().all(|capacity| capacity.soft.is_none()) {
            return;
        }
        let traffic = self.traffic(population, active, rates);
        for &class in active {
            let (class, rate) = (&self.classes[class as usize], &mut rates[class as usize]);
            let kept = |&(capacity, _, kind): &(usize, u64, Traffic)| {
                let law = self.capacities[capacity].soft.as_ref()?;
                Some((self.capacities[capacity].number, kept(law, traffic[capacity], kind)))
            };
            let least = class.soft.iter().filter_map(kept).min_by(|a, b| a.1.total_cmp(&b.1));
            if let Some((capacity, kept)) = least {
                rate.rate = ((rate.rate as f64 * kept) as u64).max(1);
                rate.soft = Some((capacity, ((1.0 - kept) * PARTS as f64) as u32));
            }
        }
    }

    /// Bytes per second charged to each capacity with a soft law.
    fn traffic(&self, population: &[u32], active: &[u32], rates: &[FlowRate]) -> Vec<f64> {
        let mut traffic = vec![0.0; self.capacities.len()];
        for &class in active {
            let (flows, rate) = (population[class as usize] as f64, rates[class as usize].rate as f64);
            for &(capacity, charge, _) in &self.classes[class as usize].soft {
                traffic[capacity] += flows * (rate / FINE as f64) * (charge as f64 / 1e9);
            }
        }
        traffic
    }
}

impl Class {
    fn hard(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.crossings.iter().map(|&(capacity, charge)| (capacity as u32, charge))
    }

    /// All capacities that it crosses, soft ones too.
    fn capacities(&self) -> impl Iterator<Item = usize> + '_ {
        self.crossings.iter().map(|crossing| crossing.0).chain(self.soft.iter().map(|crossing| crossing.0))
    }
}

/// The part of its rate that a flow of a class of traffic keeps under a soft law, at all traffic in bytes per second.
pub fn kept(law: &Soft, traffic: f64, kind: Traffic) -> f64 {
    let power = law.power.as_f64();
    let load = libm::pow(traffic / law.base(kind).0 as f64, power);
    libm::pow(1.0 + load, -1.0 / power)
}

fn fine(rate: u64) -> u64 {
    rate.saturating_mul(FINE)
}
