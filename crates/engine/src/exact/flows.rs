//! Flows in motion, class by class, in virtual time.
//!
//! Knows classes, rates and who ends next. Must not know what a flow carries or who waits for it.
//!
//! All flows of a class go at one rate, so the class keeps one odometer (what a flow that was there from the beginning
//! would have moved) and every flow only the reading at which it ends. A change of the population moves no flow, and an
//! odometer is moved on only when its own class's rate or flows change.
//!
//! Classes that share a capacity, directly or through others, are a *component*: only the one that changed is solved again.
//! Small components remember the rates of their populations: in a steady loop the same ones come again and again.
//!
//! An odometer counts rate times picoseconds: 2^-16 x 10^-12 byte, exactly. Ends are rounded up to whole picoseconds.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::share::{By, FINE, FlowRate, PARTS, Solver};
use crate::units::PS_PER_S;

use super::spread::UNIT;

/// Odometer units in a byte.
const BYTE: u128 = FINE as u128 * PS_PER_S as u128;

/// Bytes of remembered populations at most, in each component; then all are forgotten, which changes the speed and nothing else.
const REMEMBERED: usize = 4 << 20;

/// Components of more classes than this remember nothing: their populations hardly recur.
const LARGE: usize = 128;

/// All flows of a run.
#[derive(Debug)]
pub struct Flows {
    components: Vec<Component>,
    /// The component of each class, and its number there.
    of_class: Vec<(u32, u32)>,
    /// At which reading of its class's odometer each flow ends, by whose flow it is.
    end_of: Vec<u128>,
    /// Components that have changed since they were solved.
    changed: Vec<u32>,
    /// The first end of each component, with those that are no longer true.
    ends: BinaryHeap<Reverse<(u64, u32)>>,
    /// For how many classes each capacity sets the rate.
    sets: Vec<u32>,
}

#[derive(Debug)]
struct Component {
    solver: Solver,
    classes: Vec<State>,
    /// Classes that have flows, in order.
    active: Vec<u32>,
    /// Classes that lost their last flow since the component was solved.
    emptied: Vec<u32>,
    population: Vec<u32>,
    /// A number that stands for the population, kept up by adding and taking away.
    digest: u64,
    memory: HashMap<u64, Remembered, BuildHasherDefault<Already>>,
    remembered: usize,
    changed: bool,
    first_end: u64,
}

#[derive(Debug, Default)]
struct State {
    /// The class's number among all.
    number: u32,
    odometer: u128,
    /// When the odometer stood at that.
    since: u64,
    /// As of the last time the population was solved.
    rate: Option<FlowRate>,
    /// The capacity that is counted as setting it.
    set_by: Option<usize>,
    ends: BinaryHeap<Reverse<(u128, u32)>>,
    /// When the first flow ends at this rate, and whether flows have come or gone since that was computed.
    first_end: u64,
    changed: bool,
    /// How long it had flows, and how much of that a soft capacity took (the one that did last).
    moved: u64,
    softened: f64,
    soft: Option<usize>,
}

#[derive(Debug)]
struct Remembered {
    population: Box<[u32]>,
    rates: Box<[FlowRate]>,
}

/// A hasher for keys that are digests already.
#[derive(Default)]
pub struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }
}

impl Flows {
    /// Nothing in motion.
    pub fn new(solver: &Solver) -> Flows {
        let mut of_class = vec![(0, 0); solver.classes().len()];
        let components = solver.components();
        for (number, classes) in components.iter().enumerate() {
            for (place, &class) in classes.iter().enumerate() {
                of_class[class] = (number as u32, place as u32);
            }
        }
        let components = components.into_iter().map(|classes| Component::new(solver, &classes)).collect();
        let sets = vec![0; solver.capacities()];
        Flows { components, of_class, end_of: Vec::new(), changed: Vec::new(), ends: BinaryHeap::new(), sets }
    }

    /// Sets a flow in motion now, which has so many bytes to move, each `factor` (in [`UNIT`]) times the work of a byte. `bytes` is at
    /// least 1.
    pub fn start(&mut self, class: u32, who: u32, bytes: u64, factor: u64, now: u64) {
        let (component, class) = self.of_class[class as usize];
        if self.end_of.len() <= who as usize {
            self.end_of.resize(who as usize + 1, 0);
        }
        self.end_of[who as usize] = self.components[component as usize].start(class, who, bytes, factor, now);
        self.note_change(component);
    }

    fn note_change(&mut self, component: u32) {
        if !std::mem::replace(&mut self.components[component as usize].changed, true) {
            self.changed.push(component);
        }
    }

    /// Bytes that a flow which is in motion has still to move.
    pub fn bytes_left(&self, class: u32, who: u32, now: u64) -> f64 {
        let (component, class) = self.of_class[class as usize];
        let end = self.end_of.get(who as usize).copied().unwrap_or(0);
        let state = &self.components[component as usize].classes[class as usize];
        end.saturating_sub(state.reading(now)) as f64 / BYTE as f64
    }

    /// The classes that have flows, and their rates since the population was last solved.
    pub fn in_motion(&self) -> impl Iterator<Item = (usize, FlowRate)> + '_ {
        let states =
            self.components.iter().flat_map(|one| one.active.iter().map(|&class| &one.classes[class as usize]));
        states.filter_map(|state| Some((state.number as usize, state.rate?)))
    }

    /// When the next flow ends. `full` is told of every capacity that is full from now on (or no longer).
    pub fn next_end(&mut self, now: u64, mut full: impl FnMut(usize, bool)) -> Option<u64> {
        while let Some(number) = self.changed.pop() {
            let component = &mut self.components[number as usize];
            component.changed = false;
            component.solve(now, &mut self.sets, &mut full);
            if component.first_end < u64::MAX {
                self.ends.push(Reverse((component.first_end, number)));
            }
        }
        while let Some(&Reverse((end, number))) = self.ends.peek() {
            if self.components[number as usize].first_end == end {
                return Some(end);
            }
            self.ends.pop();
        }
        None
    }

    /// Takes the flows that end now.
    pub fn take_ended(&mut self, now: u64, mut ended: impl FnMut(u32)) {
        while let Some(&Reverse((end, number))) = self.ends.peek() {
            if end > now {
                break;
            }
            self.ends.pop();
            let component = &mut self.components[number as usize];
            if component.first_end == end {
                component.take_ended(now, &mut ended);
                component.first_end = u64::MAX;
                self.note_change(number);
            }
        }
    }

    /// The part of the time that flows of a class were in motion which a soft capacity took, and which one.
    pub fn softened(&self, class: usize) -> Option<(usize, f64)> {
        let (component, class) = self.of_class[class];
        let state = &self.components[component as usize].classes[class as usize];
        Some((state.soft?, state.softened / (state.moved as f64).max(1.0)))
    }
}

impl Component {
    fn new(solver: &Solver, classes: &[usize]) -> Component {
        let state = |&class: &usize| State { number: class as u32, first_end: u64::MAX, ..State::default() };
        Component {
            solver: solver.part(classes),
            classes: classes.iter().map(state).collect(),
            active: Vec::new(),
            emptied: Vec::new(),
            population: vec![0; classes.len()],
            digest: 0,
            memory: HashMap::default(),
            remembered: 0,
            changed: false,
            first_end: u64::MAX,
        }
    }

    fn start(&mut self, class: u32, who: u32, bytes: u64, factor: u64, now: u64) -> u128 {
        let state = &mut self.classes[class as usize];
        state.move_on(now);
        let end = state.odometer + u128::from(bytes) * u128::from(factor) * (BYTE / u128::from(UNIT));
        state.ends.push(Reverse((end, who)));
        state.changed = true;
        let flows = &mut self.population[class as usize];
        if *flows == 0 {
            let place = self.active.partition_point(|&other| other < class);
            self.active.insert(place, class);
        }
        *flows += 1;
        self.digest = self.digest.wrapping_add(weight(class));
        end
    }

    fn take_ended(&mut self, now: u64, ended: &mut impl FnMut(u32)) {
        for index in (0..self.active.len()).rev() {
            let class = self.active[index];
            let state = &mut self.classes[class as usize];
            if state.first_end > now {
                continue;
            }
            state.move_on(now);
            while state.ends.peek().is_some_and(|first| first.0.0 <= state.odometer) {
                if let Some(Reverse((_, who))) = state.ends.pop() {
                    ended(who);
                }
                state.changed = true;
                self.population[class as usize] -= 1;
                self.digest = self.digest.wrapping_sub(weight(class));
            }
            if self.population[class as usize] == 0 {
                self.active.remove(index);
                self.emptied.push(class);
                state.rate = None;
            }
        }
    }

    /// Finds the rates of the population, from memory or anew, and the first end of every class where that changed.
    fn solve(&mut self, now: u64, sets: &mut [u32], full: &mut impl FnMut(usize, bool)) {
        if self.classes.len() > LARGE {
            let rates = self.solver.solve_active(&self.population, &self.active);
            return self.take_rates(&rates, now, sets, full);
        }
        let mut memory = std::mem::take(&mut self.memory);
        match memory.get(&self.digest).filter(|known| *known.population == *self.population) {
            Some(known) => self.take_rates(&known.rates, now, sets, full),
            None => {
                if self.remembered >= REMEMBERED {
                    memory.clear();
                    self.remembered = 0;
                }
                let rates = self.solver.solve_active(&self.population, &self.active).into_boxed_slice();
                self.take_rates(&rates, now, sets, full);
                self.remembered += self.classes.len() * (size_of::<FlowRate>() + size_of::<u32>()) + 64;
                memory.insert(self.digest, Remembered { population: self.population.clone().into(), rates });
            }
        }
        self.memory = memory;
    }

    fn take_rates(&mut self, rates: &[FlowRate], now: u64, sets: &mut [u32], full: &mut impl FnMut(usize, bool)) {
        self.first_end = u64::MAX;
        for &class in &self.active {
            let (state, rate) = (&mut self.classes[class as usize], rates[class as usize]);
            let same = state.rate == Some(rate);
            if !same || state.changed {
                state.move_on(now);
                if !same {
                    state.rate = Some(rate);
                    state.is_set_by(rate.by, sets, full);
                }
                state.first_end = now.saturating_add(state.time_to_first_end());
                state.changed = false;
            }
            self.first_end = self.first_end.min(state.first_end);
        }
        for class in std::mem::take(&mut self.emptied) {
            if self.population[class as usize] == 0 {
                self.classes[class as usize].is_set_by(By::OwnCap, sets, full);
            }
        }
    }
}

impl State {
    /// Another thing sets its rate from now on: a capacity that sets somebody's rate is full.
    fn is_set_by(&mut self, by: By, sets: &mut [u32], full: &mut impl FnMut(usize, bool)) {
        let new = match by {
            By::Capacity(capacity) => Some(capacity),
            By::OwnCap => None,
        };
        let old = std::mem::replace(&mut self.set_by, new);
        if old == new {
            return;
        }
        if let Some(capacity) = new {
            sets[capacity] += 1;
            if sets[capacity] == 1 {
                full(capacity, true);
            }
        }
        if let Some(capacity) = old {
            sets[capacity] -= 1;
            if sets[capacity] == 0 {
                full(capacity, false);
            }
        }
    }

    /// What the odometer reads at a time.
    fn reading(&self, now: u64) -> u128 {
        let rate = self.rate.map_or(0, |rate| rate.rate);
        self.odometer + rate as u128 * (now - self.since) as u128
    }

    fn move_on(&mut self, now: u64) {
        let elapsed = now - self.since;
        if let Some(FlowRate { soft: Some((capacity, parts)), .. }) = self.rate {
            self.moved += elapsed;
            self.softened += elapsed as f64 * (f64::from(parts) / f64::from(PARTS));
            self.soft = Some(capacity);
        }
        self.odometer = self.reading(now);
        self.since = now;
    }

    fn time_to_first_end(&self) -> u64 {
        let Some(Reverse((end, _))) = self.ends.peek() else { return u64::MAX };
        let rest = end - self.odometer;
        let rate = self.rate.map_or(1, |rate| rate.rate.max(1));
        quotient(rest, rate)
    }
}

/// `rest / rate`, rounded up. In floating point first, which is nearly right, since a division of 128 bits takes ten times as long.
fn quotient(rest: u128, rate: u64) -> u64 {
    const EXACT: f64 = (1u64 << 50) as f64;
    let near = ((rest >> 64) as u64 as f64 * 18_446_744_073_709_551_616.0 + rest as u64 as f64) / rate as f64;
    if near >= EXACT {
        return u64::try_from(rest.div_ceil(rate as u128)).unwrap_or(u64::MAX);
    }
    let mut whole = near as u64;
    // What is still missing, in 128 bits as they wrap round: at most a few times the rate, either way.
    let mut missing = rest.wrapping_sub(whole as u128 * rate as u128) as i128;
    while missing > 0 {
        (whole, missing) = (whole + 1, missing - rate as i128);
    }
    while missing <= -(rate as i128) {
        (whole, missing) = (whole - 1, missing + rate as i128);
    }
    whole
}

/// A class's share of the digest: splitmix64 of its number (Steele, Lea and Flood, 2014).
fn weight(class: u32) -> u64 {
    let mut z = (class as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_quick_quotient_is_the_exact_one(rest in 0u128..1 << 90, rate in 1u64..1 << 54) {
            prop_assert_eq!(quotient(rest, rate) as u128, rest.div_ceil(rate as u128).min(u64::MAX as u128));
        }
    }
}
