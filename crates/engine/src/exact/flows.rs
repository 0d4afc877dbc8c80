//! Flows in motion, class by class, in virtual time.
//!
//! Knows classes, paces and who ends next. Must not know what a flow carries or who waits for it.
//!
//! All flows of a class go at one pace, so the class keeps one odometer (what a flow that was there from the beginning
//! would have moved) and every flow only the reading at which it ends. A change of the population moves no flow, and an
//! odometer is moved on only when its own class's pace or flows change. The paces of a population are remembered: in a steady
//! loop the same populations come again and again.
//!
//! An odometer counts pace times picoseconds: 2^-16 x 10^-12 byte, exactly. Ends are rounded up to whole picoseconds.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use crate::units::PS_PER_S;

use crate::share::{FINE, Pace, Solver};

/// Odometer units in a byte.
const BYTE: u128 = FINE as u128 * PS_PER_S as u128;

/// Populations remembered at most; then all are forgotten, which changes the speed and nothing else.
const REMEMBERED: usize = 1 << 14;

/// All flows of a run.
#[derive(Debug)]
pub struct Flows {
    solver: Solver,
    classes: Vec<State>,
    /// At which reading of its class's odometer each flow ends, by whose flow it is.
    end_of: Vec<u128>,
    /// Classes that have flows, in order.
    active: Vec<usize>,
    population: Vec<u32>,
    /// A number that stands for the population, kept up by adding and taking away.
    digest: u64,
    memory: HashMap<u64, Remembered, BuildHasherDefault<Already>>,
    changed: bool,
    next_end: Option<u64>,
}

#[derive(Debug, Default)]
struct State {
    odometer: u128,
    /// When the odometer stood at that.
    since: u64,
    /// As of the last time the population was solved.
    pace: Option<Pace>,
    ends: BinaryHeap<Reverse<(u128, u32)>>,
    /// When the first flow ends at this pace, and whether flows have come or gone since that was computed.
    first_end: u64,
    changed: bool,
}

#[derive(Debug)]
struct Remembered {
    population: Box<[u32]>,
    paces: Box<[Pace]>,
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
    pub fn new(solver: Solver) -> Flows {
        let count = solver.classes().len();
        let classes = std::iter::repeat_with(State::default).take(count).collect();
        Flows {
            solver,
            classes,
            end_of: Vec::new(),
            active: Vec::new(),
            population: vec![0; count],
            digest: 0,
            memory: HashMap::default(),
            changed: false,
            next_end: None,
        }
    }

    /// Sets a flow in motion now. `bytes` is at least 1.
    pub fn start(&mut self, class: usize, who: u32, bytes: u64, now: u64) {
        let state = &mut self.classes[class];
        state.move_on(now);
        let end = state.odometer + bytes as u128 * BYTE;
        state.ends.push(Reverse((end, who)));
        state.changed = true;
        if self.end_of.len() <= who as usize {
            self.end_of.resize(who as usize + 1, 0);
        }
        self.end_of[who as usize] = end;
        if self.population[class] == 0 {
            let place = self.active.partition_point(|&other| other < class);
            self.active.insert(place, class);
        }
        self.population[class] += 1;
        self.digest = self.digest.wrapping_add(weight(class));
        self.changed = true;
    }

    /// Bytes that a flow which is in motion has still to move.
    pub fn bytes_left(&self, class: usize, who: u32, now: u64) -> f64 {
        let end = self.end_of.get(who as usize).copied().unwrap_or(0);
        end.saturating_sub(self.classes[class].reading(now)) as f64 / BYTE as f64
    }

    /// The classes that have flows, and their paces since the population was last solved.
    pub fn in_motion(&self) -> impl Iterator<Item = (usize, Pace)> + '_ {
        self.active.iter().filter_map(|&class| Some((class, self.classes[class].pace?)))
    }

    /// When the next flow ends. `paced` is told of every class whose pace is another from now on.
    pub fn next_end(&mut self, now: u64, paced: impl FnMut(usize, &Pace)) -> Option<u64> {
        if self.changed {
            self.solve(now, paced);
            self.next_end = self.active.iter().map(|&class| self.classes[class].first_end).min();
            self.changed = false;
        }
        self.next_end
    }

    /// Takes the flows that end now.
    pub fn take_ended(&mut self, now: u64, mut ended: impl FnMut(u32)) {
        for index in (0..self.active.len()).rev() {
            let class = self.active[index];
            let state = &mut self.classes[class];
            if state.first_end > now {
                continue;
            }
            state.move_on(now);
            while state.ends.peek().is_some_and(|first| first.0.0 <= state.odometer) {
                if let Some(Reverse((_, who))) = state.ends.pop() {
                    ended(who);
                }
                state.changed = true;
                self.population[class] -= 1;
                self.digest = self.digest.wrapping_sub(weight(class));
                self.changed = true;
            }
            if self.population[class] == 0 {
                self.active.remove(index);
                state.pace = None;
            }
        }
    }

    /// Finds the paces of the population, from memory or anew, and the first end of every class where that changed.
    fn solve(&mut self, now: u64, mut paced: impl FnMut(usize, &Pace)) {
        if self.memory.get(&self.digest).is_none_or(|known| *known.population != *self.population) {
            if self.memory.len() >= REMEMBERED {
                self.memory.clear();
            }
            let paces = self.solver.solve(&self.population).into_boxed_slice();
            self.memory.insert(self.digest, Remembered { population: self.population.clone().into(), paces });
        }
        let paces = &self.memory[&self.digest].paces;
        for &class in &self.active {
            let (state, pace) = (&mut self.classes[class], paces[class]);
            let same = state.pace == Some(pace);
            if same && !state.changed {
                continue;
            }
            if !same {
                paced(class, &pace);
            }
            state.move_on(now);
            state.pace = Some(pace);
            state.first_end = now.saturating_add(state.time_to_first_end());
            state.changed = false;
        }
    }
}

impl State {
    /// What the odometer reads at a time.
    fn reading(&self, now: u64) -> u128 {
        let rate = self.pace.map_or(0, |pace| pace.rate);
        self.odometer + rate as u128 * (now - self.since) as u128
    }

    fn move_on(&mut self, now: u64) {
        self.odometer = self.reading(now);
        self.since = now;
    }

    fn time_to_first_end(&self) -> u64 {
        let Some(Reverse((end, _))) = self.ends.peek() else { return u64::MAX };
        let rest = end - self.odometer;
        u64::try_from(rest.div_ceil(self.pace.map_or(1, |pace| pace.rate.max(1)) as u128)).unwrap_or(u64::MAX)
    }
}

/// A class's share of the digest: splitmix64 of its number (Steele, Lea and Flood, 2014).
fn weight(class: usize) -> u64 {
    let mut z = (class as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
