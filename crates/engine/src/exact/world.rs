//! The world: everything that has a state while time passes, and the loop that finds what happens next.
//!
//! Knows flows, pools, delays and the calendar. Must not know desim or what a report says.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::classes::Classes;
use crate::observer::{Moment, Observer, Watched, Who};
use crate::outcome::WorkOutcome;
use crate::plan::Plan;
use crate::share::Solver;

use super::attribution::Attribution;
use super::calendar::{Calendar, Key, Rank};
use super::course::Course;
use super::flows::Flows;
use super::lanes::{LaneState, Worker, lane_states};
use super::pools::Pools;
use super::process::Call;
use super::spread::{Spread, UNIT};
use super::steps::{Maker, MoveStep, Step, contended};

/// Nothing happens after this (about 200 days): times beyond it could overflow.
const LAST: u64 = u64::MAX - (1 << 60);

/// Entities from here on are clocks, not workers.
const CLOCKS: u32 = 1 << 31;

/// Something that happens at a time of its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// A work begins.
    Begins(usize),
    /// A request of a lane arrives.
    Arrival(usize),
    /// A work's warm-up is over.
    WarmedUp(usize),
    /// A work's run time is over.
    Closes(usize),
}

/// Everything that has a state.
pub struct World {
    pub(super) plan: Arc<Plan>,
    pub(super) now: u64,
    pub(super) calendar: Calendar,
    pub(super) flows: Flows,
    pub(super) pools: Pools,
    pub(super) attribution: Attribution,
    pub(super) workers: Vec<Worker>,
    pub(super) lanes: Vec<LaneState>,
    pub(super) courses: Vec<Course>,
    clocks: Vec<Clock>,
    observer: Rc<RefCell<dyn Observer>>,
    watched: Watched,
    pub(super) settled_mode: bool,
    /// Picoseconds that were extrapolated so far.
    pub(super) skipped: u64,
    over: bool,
    /// What came out of each work, once it is closed.
    pub(super) outcomes: Vec<Option<WorkOutcome>>,
    /// Workers let in by places given back, for a while.
    pub(super) let_in: Vec<u32>,
    /// The first lane of each work, and after the last work the count of all.
    first_lane: Vec<usize>,
    spread: Option<Spread>,
}

impl World {
    /// A world in which nothing has happened yet.
    pub fn new(plan: Arc<Plan>, seed: u64, settled_mode: bool, observer: Rc<RefCell<dyn Observer>>) -> World {
        let watched = observer.borrow().watched();
        let classes = Classes::new(&plan);
        let rates = plan.capacities.iter().map(|capacity| capacity.rate.0).collect();
        let soft = plan.capacities.iter().map(|capacity| capacity.soft).collect();
        let flows = Flows::new(&Solver::new(rates, classes.classes.clone(), soft));
        let contended = contended(&plan);
        let maker = Maker { plan: &plan, classes: &classes, contended: &contended, watched: watched.steps };
        let lanes = lane_states(&plan, &maker, seed);
        let attribution = Attribution::new(&plan, lanes.iter().map(|lane| &lane.steps), &classes.kept);
        let mut first_lane = vec![0];
        plan.works.iter().for_each(|work| first_lane.push(first_lane[first_lane.len() - 1] + work.lanes.len()));
        let mut world = World {
            now: 0,
            calendar: Calendar::default(),
            flows,
            pools: Pools::new(&plan.pools),
            attribution,
            workers: Vec::new(),
            lanes,
            courses: plan.works.iter().map(|work| Course::new(work.lanes.len())).collect(),
            clocks: Vec::new(),
            observer,
            watched,
            settled_mode,
            skipped: 0,
            over: false,
            outcomes: vec![None; plan.works.len()],
            let_in: Vec::new(),
            first_lane,
            spread: Spread::new(plan.spread, seed),
            plan,
        };
        world.hire_for_closed_loops();
        world
    }

    /// Lets the first things happen; the worker to resume first.
    pub fn begin(&mut self) -> Option<(u64, u32)> {
        let plan = self.plan.clone();
        for (index, work) in plan.works.iter().enumerate() {
            if work.after.is_none() {
                self.set_clock(work.start.0.saturating_add(work.session_ps(&plan)), Clock::Begins(index));
            }
        }
        self.next()
    }

    /// Whether nothing is left to happen.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether its observer has seen enough.
    pub fn is_stopped(&self) -> bool {
        self.observer.borrow().is_stopped()
    }

    pub(super) fn tell_warmed_up(&mut self, work: usize) {
        self.observer.borrow_mut().warmed_up(self.now, work);
    }

    /// Workers hired so far.
    pub fn worker_count(&self) -> usize {
        self.workers.len()
    }

    /// Whether a worker's requests go in parts.
    pub fn goes_in_parts(&self, worker: usize) -> bool {
        let lane = &self.lanes[self.workers[worker].lane as usize];
        self.plan.works[lane.work].lanes[lane.number].cut.part.is_some()
    }

    /// The lanes of a work, among all.
    pub(super) fn lanes_of(&self, work: usize) -> std::ops::Range<usize> {
        self.first_lane[work]..self.first_lane[work + 1]
    }

    /// What a worker is answered with when it is resumed.
    pub fn answer(&self, who: u32) -> Call {
        self.workers[who as usize].call
    }

    /// A worker calls; the worker that goes on next is answered.
    pub fn call(&mut self, who: u32, call: Call) -> Option<(u64, u32)> {
        let worker = &mut self.workers[who as usize];
        worker.call = call;
        (worker.step, worker.until) = self.lanes[worker.lane as usize].range(call, worker.helps.is_some());
        if self.go_on(who) { Some((self.now, who)) } else { self.next() }
    }

    /// Lets things happen until a worker is to be resumed.
    fn next(&mut self) -> Option<(u64, u32)> {
        loop {
            let head = self.calendar.peek();
            // Flows are shared anew only when time is about to move, so that changes at one instant are one change.
            let end = if head.is_some_and(|key| key.time() == self.now) { None } else { self.next_end() };
            let next = head.map(Key::time).into_iter().chain(end).min();
            match (head, end) {
                _ if next.is_none_or(|time| time > LAST) => {
                    self.over = true;
                    return None;
                }
                (head, Some(end)) if head.is_none_or(|key| end <= key.time()) => self.end_flows(end),
                _ => {
                    if let Some(who) = self.calendar.pop().and_then(|key| self.happen(key)) {
                        return Some((self.now, who));
                    }
                }
            }
        }
    }

    /// Moves time on to an end of flows and enters their ends in the calendar.
    fn end_flows(&mut self, end: u64) {
        self.advance(end);
        let World { flows, calendar, .. } = self;
        flows.take_ended(end, |who| calendar.push(Key::new(end, Rank::End, who)));
    }

    /// When the next flow ends.
    fn next_end(&mut self) -> Option<u64> {
        let World { flows, attribution, now, .. } = self;
        flows.next_end(*now, |capacity, full| attribution.capacity(capacity, full, *now))
    }

    fn advance(&mut self, to: u64) {
        assert!(to >= self.now, "time runs backwards: from {} to {to} ps", self.now);
        if to > self.now {
            if self.watched.motion {
                for (class, rate) in self.flows.in_motion() {
                    self.observer.borrow_mut().motion(self.now, to, class, rate.rate);
                }
            }
            self.now = to;
        }
    }

    /// An event's turn; the worker that it resumes, if any.
    fn happen(&mut self, key: Key) -> Option<u32> {
        self.advance(key.time());
        let entity = key.entity();
        if entity >= CLOCKS {
            return self.strike(entity, self.clocks[(entity - CLOCKS) as usize]);
        }
        if key.rank() == Rank::End {
            self.end(entity);
        } else {
            self.workers[entity as usize].has_turn = true;
        }
        self.go_on(entity).then_some(entity)
    }

    /// A worker's delay or flow is over.
    fn end(&mut self, who: u32) {
        let World { workers, attribution, now, .. } = self;
        let worker = &mut workers[who as usize];
        attribution.ends(worker.lane as usize, &mut worker.since, *now);
        if let Some((_, leg)) = worker.moves.take() {
            worker.legs_behind = leg + 1;
            self.tell(who, Moment::Arrived(leg as usize));
        }
    }

    /// A worker goes through its steps until it has to wait, or its call is done; says whether that is so.
    fn go_on(&mut self, who: u32) -> bool {
        loop {
            let worker = &self.workers[who as usize];
            if worker.step == worker.until {
                return self.is_done(who);
            }
            let step = self.lanes[worker.lane as usize].steps.all[worker.step as usize];
            let rank = match step {
                Step::Wait(row) => {
                    self.wait(who, row);
                    return false;
                }
                Step::GiveBack(_) => Rank::Release,
                Step::Hold(_) | Step::Move(_) => Rank::Start,
            };
            if !self.has_turn(who, rank) {
                return false;
            }
            self.workers[who as usize].step += 1;
            match step {
                Step::GiveBack(hold) => self.give_back(who, hold),
                Step::Hold(hold) => {
                    if !self.hold(who, hold) {
                        return false;
                    }
                }
                Step::Move(step) => {
                    self.set_in_motion(who, step);
                    return false;
                }
                Step::Wait(_) => {}
            }
        }
    }

    /// Whether nothing comes before a worker's event of this rank; else it waits in the calendar for its turn.
    fn has_turn(&mut self, who: u32, rank: Rank) -> bool {
        if std::mem::take(&mut self.workers[who as usize].has_turn) {
            return true;
        }
        let key = Key::new(self.now, rank, who);
        let first = self.calendar.peek().is_none_or(|first| key < first);
        if !first {
            self.calendar.push(key);
        }
        first
    }

    /// A call's steps are behind: a request is only done, and the next part only in hand, when it is its turn.
    fn is_done(&mut self, who: u32) -> bool {
        match self.workers[who as usize].call {
            Call::Open | Call::Along => true,
            Call::Part => self.has_turn(who, Rank::Start) && self.next_part(who),
            Call::Next => self.has_turn(who, Rank::Start) && self.next_request(who),
        }
    }

    fn wait(&mut self, who: u32, row: u32) {
        let worker = &mut self.workers[who as usize];
        worker.step += 1;
        worker.has_turn = false;
        let lane = &mut self.lanes[worker.lane as usize];
        let row = &mut lane.steps.rows[row as usize];
        if row.known.0 != worker.size {
            let ps = row.delays.iter().map(|&delay| self.plan.delays[delay as usize].ps(worker.size)).sum();
            row.known = (worker.size, ps);
        }
        let mut time = row.known.1;
        if row.drawn {
            for &delay in &row.delays {
                let delay = &self.plan.delays[delay as usize];
                if delay.jitter.0 > 0 && delay.passes(worker.size) {
                    time += lane.supply.jitter(delay.jitter.0);
                }
            }
        }
        if let Some(spread) = &self.spread {
            let factor = spread.factor(worker.lane, row.activity, worker.number);
            time = (u128::from(time) * u128::from(factor) / u128::from(UNIT)) as u64;
        }
        worker.since = self.attribution.begins(worker.lane as usize, row.activity, self.now);
        let moment = Moment::Delay { leg: row.leg as usize, before: row.before };
        self.calendar.push(Key::new(self.now + time, Rank::End, who));
        self.tell(who, moment);
    }

    fn set_in_motion(&mut self, who: u32, step: MoveStep) {
        let worker = &mut self.workers[who as usize];
        worker.moves = Some((step.class, step.leg));
        worker.since = self.attribution.begins(worker.lane as usize, step.activity, self.now);
        let spread = self.spread.as_ref();
        let factor = spread.map_or(UNIT, |spread| spread.factor(worker.lane, step.activity, worker.number));
        self.flows.start(step.class, who, worker.size, factor, self.now);
        self.tell(who, Moment::Moves(step.leg as usize));
    }

    /// The share of its bytes that a worker has moved over a leg.
    pub(super) fn moved_share(&self, who: u32, leg: usize) -> f64 {
        let worker = &self.workers[who as usize];
        if leg < worker.legs_behind as usize {
            return 1.0;
        }
        match worker.moves {
            Some((class, on)) if on as usize == leg => {
                (1.0 - self.flows.bytes_left(class, who, self.now) / worker.size as f64).max(0.0)
            }
            _ => 0.0,
        }
    }

    pub(super) fn set_clock(&mut self, time: u64, clock: Clock) {
        let number = self.clocks.len() as u32;
        self.clocks.push(clock);
        self.calendar.push(Key::new(time, Rank::Clock, CLOCKS + number));
    }

    pub(super) fn tell(&mut self, worker: u32, moment: Moment) {
        if self.watched.steps || matches!(moment, Moment::Begins(_) | Moment::Done(_)) {
            let lane = &self.lanes[self.workers[worker as usize].lane as usize];
            self.observer.borrow_mut().moment(self.now, Who { work: lane.work, lane: lane.number, worker }, moment);
        }
    }

    /// Counts what all workers of a work have done so far.
    pub(super) fn settle_workers(&mut self, work: usize) {
        let World { workers, lanes, attribution, now, .. } = self;
        for worker in workers.iter_mut().filter(|worker| lanes[worker.lane as usize].work == work) {
            attribution.settle(worker.lane as usize, &mut worker.since, *now);
        }
    }
}
