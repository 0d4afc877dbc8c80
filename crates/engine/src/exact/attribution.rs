//! Whose time it is: for each lane, how long something full was in its way, and what its requests were doing while nothing was.
//!
//! Knows lanes, what each needs, and what is full when. Must not know how anything comes to be full.
//!
//! An instant of a lane belongs to the capacities that are full and the pools that are queued for, among those that the lane
//! needs: in equal parts to those that other lanes need as well, or else to those that it has to itself. Where there is none,
//! it belongs to what its outstanding requests are doing, split equally; where none is outstanding, to no work.
//!
//! That is kept up with clocks. Lanes of a work that need the same shared things are a *kind*, whose clock stands while one of
//! these is full; a lane's own clock goes with that of its kind, slower by the number of its outstanding requests, and stands
//! while a thing of its own is full. A request notes what its lane's clock reads when it begins to do something, and the
//! difference when it is done is what that doing has of the lane's time: nothing is looked up for those who merely wait.

use std::collections::BTreeMap;

use crate::causes::Cause;
use crate::plan::Plan;

use super::full::Full;
use super::steps::{Activity, Doing, Steps};

/// Something that can be full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Thing {
    /// A capacity.
    Capacity(usize),
    /// A pool.
    Pool(usize),
}

/// Lanes of one work that need the same shared things.
#[derive(Debug)]
struct Kind {
    things: Vec<Thing>,
    full: Full,
    /// Picoseconds in which none of them was full, up to `since`.
    open: f64,
    since: u64,
}

impl Kind {
    /// What the clock of open time reads now.
    fn reading(&self, now: u64) -> f64 {
        if self.full.count > 0 { self.open } else { self.open + (now - self.since) as f64 }
    }

    fn pass(&mut self, now: u64) {
        self.open = self.reading(now);
        self.full.pass((now - self.since) as f64);
        self.since = now;
    }
}

/// One lane.
#[derive(Debug)]
struct LaneTime {
    kind: usize,
    /// Things that no other lane needs.
    own: Vec<Thing>,
    full: Full,
    outstanding: u32,
    part: f64,
    /// The lane's clock when its kind's read `seen`.
    clock: f64,
    seen: f64,
    /// Open time without a request.
    idle: f64,
    /// By activity: open time, in parts of the lane's clock, and what all requests spent in it.
    sums: Vec<(f64, u128)>,
}

impl LaneTime {
    fn reading(&self, kind: f64) -> f64 {
        if self.full.count > 0 { self.clock } else { self.clock + (kind - self.seen) * self.part }
    }

    /// Brings everything of the lane up to its kind's reading.
    fn pass(&mut self, kind: f64) {
        let elapsed = kind - self.seen;
        self.clock = self.reading(kind);
        if self.full.count > 0 {
            self.full.pass(elapsed);
        } else if self.outstanding == 0 {
            self.idle += elapsed;
        }
        self.seen = kind;
    }
}

/// What lanes had by some time.
#[derive(Clone, Debug)]
pub struct Ledger {
    at: u64,
    kinds: Vec<(f64, Vec<f64>)>,
    lanes: Vec<LaneLedger>,
}

/// What one lane had: its own full things, idle time, and by activity.
#[derive(Clone, Debug)]
struct LaneLedger {
    full: Vec<f64>,
    idle: f64,
    sums: Vec<(f64, u128)>,
}

/// What a worker does since when: its activity, and its lane's clock and the time when it began.
#[derive(Clone, Copy, Debug, Default)]
pub struct Since {
    /// The activity, one more than its number; 0 for none.
    activity: u32,
    clock: f64,
    time: u64,
}

/// Whose time it is.
#[derive(Debug)]
pub struct Attribution {
    kinds: Vec<Kind>,
    lanes: Vec<LaneTime>,
    activities: Vec<Vec<Activity>>,
    /// The kinds and the lanes of each work.
    of_work: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
    /// Who watches each capacity and each pool: kind or lane, and the thing's number there.
    capacities: Vec<Vec<Watcher>>,
    pools: Vec<Vec<Watcher>>,
}

#[derive(Clone, Copy, Debug)]
enum Watcher {
    Kind(u32, u32),
    Lane(u32, u32),
}

impl Attribution {
    /// Nothing has passed. `steps` are those of all lanes, work by work; `kept` says which capacities may fill.
    pub fn new<'a>(plan: &Plan, steps: impl Iterator<Item = &'a Steps>, kept: &[bool]) -> Attribution {
        let steps: Vec<&Steps> = steps.collect();
        let lanes: Vec<&crate::plan::Lane> = plan.works.iter().flat_map(|work| &work.lanes).collect();
        let needs: Vec<Vec<Thing>> = lanes.iter().zip(&steps).map(|(lane, steps)| needs(lane, steps, kept)).collect();
        let mut wanted: BTreeMap<Thing, u32> = BTreeMap::new();
        needs.iter().flatten().for_each(|&thing| *wanted.entry(thing).or_insert(0) += 1);
        let mut all = Attribution {
            kinds: Vec::new(),
            lanes: Vec::new(),
            activities: steps.iter().map(|steps| steps.activities.clone()).collect(),
            of_work: Vec::new(),
            capacities: vec![Vec::new(); plan.capacities.len()],
            pools: vec![Vec::new(); plan.pools.len()],
        };
        for work in &plan.works {
            let (kinds, first) = (all.kinds.len(), all.lanes.len());
            let mut known: BTreeMap<Vec<Thing>, usize> = BTreeMap::new();
            for lane in first..first + work.lanes.len() {
                let (shared, own): (Vec<Thing>, Vec<Thing>) =
                    needs[lane].iter().copied().partition(|thing| wanted[thing] > 1);
                let kind = *known.entry(shared).or_insert_with_key(|shared| all.add_kind(shared));
                all.add_lane(kind, own, steps[lane].activities.len());
            }
            all.of_work.push((kinds..all.kinds.len(), first..all.lanes.len()));
        }
        all
    }

    fn add_kind(&mut self, things: &[Thing]) -> usize {
        let kind = self.kinds.len();
        self.watch(things, |number| Watcher::Kind(kind as u32, number));
        self.kinds.push(Kind { full: Full::new(things.len()), things: things.to_vec(), open: 0.0, since: 0 });
        kind
    }

    fn add_lane(&mut self, kind: usize, own: Vec<Thing>, activities: usize) {
        let lane = self.lanes.len();
        self.watch(&own, |number| Watcher::Lane(lane as u32, number));
        self.lanes.push(LaneTime {
            kind,
            full: Full::new(own.len()),
            own,
            outstanding: 0,
            part: 0.0,
            clock: 0.0,
            seen: 0.0,
            idle: 0.0,
            sums: vec![(0.0, 0); activities],
        });
    }

    fn watch(&mut self, things: &[Thing], watcher: impl Fn(u32) -> Watcher) {
        for (number, thing) in things.iter().enumerate() {
            match *thing {
                Thing::Capacity(index) => self.capacities[index].push(watcher(number as u32)),
                Thing::Pool(index) => self.pools[index].push(watcher(number as u32)),
            }
        }
    }

    /// A capacity becomes full, or is no longer.
    pub fn capacity(&mut self, index: usize, full: bool, now: u64) {
        for at in 0..self.capacities[index].len() {
            self.turn(self.capacities[index][at], full, now);
        }
    }

    /// Somebody is queued for a pool, or nobody is any longer.
    pub fn pool(&mut self, index: usize, queued: bool, now: u64) {
        for at in 0..self.pools[index].len() {
            self.turn(self.pools[index][at], queued, now);
        }
    }

    fn turn(&mut self, watcher: Watcher, full: bool, now: u64) {
        match watcher {
            Watcher::Kind(kind, thing) => {
                let kind = &mut self.kinds[kind as usize];
                kind.pass(now);
                kind.full.turn(thing as usize, full);
            }
            Watcher::Lane(lane, thing) => {
                let lane = &mut self.lanes[lane as usize];
                lane.pass(self.kinds[lane.kind].reading(now));
                lane.full.turn(thing as usize, full);
            }
        }
    }

    /// A lane has one request more (or fewer) under way.
    pub fn outstanding(&mut self, lane: usize, more: bool, now: u64) {
        let lane = &mut self.lanes[lane];
        lane.pass(self.kinds[lane.kind].reading(now));
        lane.outstanding = if more { lane.outstanding + 1 } else { lane.outstanding - 1 };
        lane.part = if lane.outstanding == 0 { 0.0 } else { 1.0 / f64::from(lane.outstanding) };
    }

    /// A worker of a lane does this from now on.
    pub fn begins(&self, lane: usize, activity: u32, now: u64) -> Since {
        let lane = &self.lanes[lane];
        Since { activity: activity + 1, clock: lane.reading(self.kinds[lane.kind].reading(now)), time: now }
    }

    /// A worker of a lane is done with what it did.
    pub fn ends(&mut self, lane: usize, since: &mut Since, now: u64) {
        let Since { activity, clock, time } = std::mem::take(since);
        if activity > 0 {
            let lane = &mut self.lanes[lane];
            let reading = lane.reading(self.kinds[lane.kind].reading(now));
            let (open, spent) = &mut lane.sums[activity as usize - 1];
            *open += reading - clock;
            *spent += u128::from(now - time);
        }
    }

    /// Counts what a worker has done so far; it goes on doing it.
    pub fn settle(&mut self, lane: usize, since: &mut Since, now: u64) {
        let activity = since.activity;
        self.ends(lane, since, now);
        if activity > 0 {
            *since = self.begins(lane, activity - 1, now);
        }
    }

    /// Brings the clocks of a work up to now. Its workers are settled beforehand.
    fn pass(&mut self, work: usize, now: u64) {
        let (kinds, lanes) = self.of_work[work].clone();
        self.kinds[kinds].iter_mut().for_each(|kind| kind.pass(now));
        for lane in &mut self.lanes[lanes] {
            lane.pass(self.kinds[lane.kind].reading(now));
        }
    }

    /// Forgets what a work's lanes had before now. Its workers are settled.
    pub fn forget(&mut self, work: usize, now: u64) {
        self.pass(work, now);
        let (kinds, lanes) = self.of_work[work].clone();
        for kind in &mut self.kinds[kinds] {
            kind.full.set(&vec![0.0; kind.things.len()]);
        }
        for lane in &mut self.lanes[lanes] {
            lane.full.set(&vec![0.0; lane.own.len()]);
            lane.idle = 0.0;
            lane.sums.fill((0.0, 0));
        }
    }

    /// What a work's lanes have up to now. Its workers are settled.
    pub fn ledger(&mut self, work: usize, now: u64) -> Ledger {
        self.pass(work, now);
        let (kinds, lanes) = self.of_work[work].clone();
        let kinds = self.kinds[kinds].iter().map(|kind| (kind.open, kind.full.sums().collect())).collect();
        let lane =
            |lane: &LaneTime| LaneLedger { full: lane.full.sums().collect(), idle: lane.idle, sums: lane.sums.clone() };
        Ledger { at: now, kinds, lanes: self.lanes[lanes].iter().map(lane).collect() }
    }

    /// Gives a work's lanes for `more` picoseconds what they had from a ledger until now, in proportion. Its workers are settled.
    pub fn stretch(&mut self, work: usize, since: &Ledger, more: u64, now: u64) {
        self.pass(work, now);
        let (by, now_ps) = (more as f64 / (now - since.at).max(1) as f64, now);
        let longer = |then: f64, now: f64| now + (now - then) * by;
        let (kinds, lanes) = self.of_work[work].clone();
        for (kind, then) in self.kinds[kinds].iter_mut().zip(&since.kinds) {
            let sums: Vec<f64> = kind.full.sums().zip(&then.1).map(|(now, &then)| longer(then, now)).collect();
            kind.full.set(&sums);
        }
        for (lane, then) in self.lanes[lanes].iter_mut().zip(&since.lanes) {
            let sums: Vec<f64> = lane.full.sums().zip(&then.full).map(|(now, &then)| longer(then, now)).collect();
            lane.full.set(&sums);
            lane.idle = longer(then.idle, lane.idle);
            for (now, then) in lane.sums.iter_mut().zip(&then.sums) {
                now.0 = longer(then.0, now.0);
                now.1 += stretched(now.1 - then.1, now_ps - since.at, more);
            }
        }
    }

    /// What the requests of a lane of a work did with their own time, in picoseconds. `lane` counts within the work.
    pub fn doing(&self, work: usize, lane: usize) -> impl Iterator<Item = (Activity, u128)> + '_ {
        let number = self.of_work[work].1.start + lane;
        let sums = self.lanes[number].sums.iter();
        self.activities[number].iter().zip(sums).map(|(one, &(_, time))| (one.clone(), time))
    }

    /// What the time of a lane of a work belongs to, in picoseconds. `lane` counts within the work.
    pub fn charges(&self, work: usize, lane: usize) -> impl Iterator<Item = (Met, f64)> + '_ {
        let number = self.of_work[work].1.start + lane;
        let lane = &self.lanes[number];
        let kind = &self.kinds[lane.kind];
        let met = |thing: &Thing| match *thing {
            Thing::Capacity(index) => Met::Thing(Cause::Capacity(index)),
            Thing::Pool(index) => Met::Thing(Cause::Pool(index)),
        };
        let things = kind.things.iter().map(met).zip(kind.full.sums());
        let own = lane.own.iter().map(met).zip(lane.full.sums());
        let open = self.activities[number].iter().map(|one| Met::Doing(one.clone())).zip(lane.sums.iter().map(|s| s.0));
        let idle = [(Met::Thing(Cause::NoWork), lane.idle)];
        things.chain(own).chain(open).chain(idle).filter(|(_, time)| *time > 0.0)
    }
}

/// What time belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Met {
    /// Something full, or nothing to do.
    Thing(Cause),
    /// What requests did.
    Doing(Activity),
}

/// What can be full of what a lane needs.
fn needs(lane: &crate::plan::Lane, steps: &Steps, kept: &[bool]) -> Vec<Thing> {
    let crossed = lane.legs.iter().flat_map(|leg| crate::classes::charges(leg).into_keys());
    let mut things: Vec<Thing> = crossed.filter(|&capacity| kept[capacity]).map(Thing::Capacity).collect();
    things.extend(steps.activities.iter().filter_map(|activity| match activity.kind {
        Doing::Queued(pool) => Some(Thing::Pool(pool)),
        _ => None,
    }));
    things.extend(lane.cut.helpers.iter().map(|hold| Thing::Pool(hold.pool)));
    things.sort_unstable();
    things.dedup();
    things
}

/// What `spent` in `elapsed` picoseconds comes to in `more`, rounded down.
fn stretched(spent: u128, elapsed: u64, more: u64) -> u128 {
    let (elapsed, more) = (u128::from(elapsed.max(1)), u128::from(more));
    spent / elapsed * more + spent % elapsed * more / elapsed
}
