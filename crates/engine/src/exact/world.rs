//! The world: everything that has a state while time passes, and the loop that finds what happens next.
//!
//! Knows flows, pools, delays and the calendar. Must not know desim or what a report says.

use std::rc::Rc;
use std::sync::Arc;

use crate::plan::{Each, Hold, Leg, Plan};

use super::attribution::Attribution;
use super::calendar::{Calendar, Key, Rank};
use super::course::Course;
use super::flows::Flows;
use super::lanes::{LaneState, LegNumbers, Worker, lane_states};
use super::pools::Pools;
use crate::causes::{Causes, Stage};
use crate::classes::Classes;
use crate::observer::{Moment, Observer, Who};
use crate::outcome::WorkOutcome;
use crate::program::{Op, Program};
use crate::share::{By, Solver};

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
#[derive(Debug)]
pub struct World<O> {
    pub(super) plan: Arc<Plan>,
    pub(super) now: u64,
    pub(super) calendar: Calendar,
    flows: Flows,
    pools: Pools,
    pub(super) attribution: Attribution,
    pub(super) causes: Causes,
    pub(super) workers: Vec<Worker>,
    pub(super) lanes: Vec<LaneState>,
    pub(super) courses: Vec<Course>,
    clocks: Vec<Clock>,
    pub(super) observer: O,
    pub(super) settled_mode: bool,
    /// Picoseconds that were extrapolated so far.
    pub(super) skipped: u64,
    over: bool,
    /// What came out of each work, once it is closed.
    pub(super) outcomes: Vec<Option<WorkOutcome>>,
}

impl<O: Observer> World<O> {
    /// A world in which nothing has happened yet.
    pub fn new(plan: Arc<Plan>, seed: u64, settled_mode: bool, observer: O) -> World<O> {
        let classes = Classes::new(&plan);
        let causes = Causes::new(&plan, &classes);
        let rates = plan.capacities.iter().map(|capacity| capacity.rate.0).collect();
        let soft = plan.capacities.iter().map(|capacity| capacity.soft).collect();
        let attribution = Attribution::new(causes.accounts(), causes.count(), classes.classes.len(), plan.pools.len());
        let flows = Flows::new(Solver::new(rates, classes.classes.clone(), soft));
        let lanes = lane_states(&plan, &classes, &causes, seed);
        let mut world = World {
            now: 0,
            calendar: Calendar::default(),
            flows,
            pools: Pools::new(&plan.pools),
            attribution,
            causes,
            workers: Vec::new(),
            lanes,
            courses: plan.works.iter().map(|work| Course::new(work.lanes.len())).collect(),
            clocks: Vec::new(),
            observer,
            settled_mode,
            skipped: 0,
            over: false,
            outcomes: vec![None; plan.works.len()],
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

    /// Workers hired so far.
    pub fn worker_count(&self) -> usize {
        self.workers.len()
    }

    /// The program of a worker's requests.
    pub fn program_of(&self, worker: usize) -> Rc<Program> {
        let worker = &self.workers[worker];
        let lane = &self.lanes[worker.lane];
        if worker.helps.is_some() { lane.helper_program.clone() } else { lane.program.clone() }
    }

    /// What a worker is answered with when it is resumed.
    pub fn answer(&self, who: u32) -> Op {
        self.workers[who as usize].op
    }

    /// A worker asks; the worker that goes on next is answered.
    pub fn ask(&mut self, who: u32, op: Op) -> Option<(u64, u32)> {
        self.workers[who as usize].op = op;
        let rank = match op {
            Op::Before(leg) => return self.delay(who, leg as usize, Stage::Before),
            Op::Serve(leg, server) => return self.delay(who, leg as usize, Stage::Served(server as usize)),
            Op::After(leg) => return self.delay(who, leg as usize, Stage::After),
            Op::GiveBack(_) => Rank::Release,
            _ => Rank::Start,
        };
        let key = Key::new(self.now, rank, who);
        if self.calendar.peek().is_none_or(|first| key < first) {
            // Nothing comes before it, so it need not go through the calendar.
            if self.perform(who) {
                return Some((self.now, who));
            }
        } else {
            self.calendar.push(key);
        }
        self.next()
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

    /// When the next flow ends; whoever goes at another pace from now on is charged to what sets that.
    fn next_end(&mut self) -> Option<u64> {
        let World { flows, attribution, causes, now, .. } = self;
        flows.next_end(*now, |class, pace| attribution.paced(class, causes.of_pace(class, pace.by), pace.soft, *now))
    }

    fn advance(&mut self, to: u64) {
        debug_assert!(to >= self.now, "time runs forward");
        if to > self.now {
            if O::WATCHES_MOTION {
                for (class, pace) in self.flows.in_motion() {
                    self.observer.motion(self.now, to, class, pace.rate);
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
        let resumed = if key.rank() == Rank::End { self.end(entity) } else { self.perform(entity) };
        resumed.then_some(entity)
    }

    /// A worker's delay or flow is over.
    fn end(&mut self, who: u32) -> bool {
        self.attribution.between(who, self.now);
        if let Op::Move(leg) = self.workers[who as usize].op {
            self.workers[who as usize].legs_behind = leg + 1;
            self.tell(who, Moment::Arrived(leg as usize));
        }
        true
    }

    /// Does what a worker asked for; says whether the worker goes on at once.
    fn perform(&mut self, who: u32) -> bool {
        match self.workers[who as usize].op {
            Op::Hold(hold) => self.hold(who, hold),
            Op::GiveBack(hold) => self.give_back(who, hold),
            Op::Move(leg) => self.set_in_motion(who, leg as usize),
            Op::Part => self.next_part(who),
            Op::Next => self.next_request(who),
            Op::Go | Op::Before(_) | Op::Serve(..) | Op::After(_) => true,
        }
    }

    fn delay(&mut self, who: u32, leg: usize, stage: Stage) -> Option<(u64, u32)> {
        let worker = &self.workers[who as usize];
        let size = worker.size;
        let lane = &mut self.lanes[worker.lane];
        let delays = stage.delays(&lane.way.legs[leg]);
        let mut time = 0;
        for &delay in delays {
            let delay = &self.plan.delays[delay];
            time += delay.ps(size);
            if delay.jitter.0 > 0 && delay.passes(size) {
                time += lane.supply.jitter(delay.jitter.0);
            }
        }
        let numbers = lane.legs[leg];
        let cause = match stage {
            Stage::Before => numbers.before,
            Stage::After => numbers.after,
            Stage::Served(_) => self.causes.of_delays(lane.work, lane.number, leg, stage),
        };
        self.attribution.delayed(who, numbers.account, cause, self.now);
        self.tell(who, Moment::Delay { leg, before: stage != Stage::After });
        self.calendar.push(Key::new(self.now + time, Rank::End, who));
        self.next()
    }

    fn set_in_motion(&mut self, who: u32, leg: usize) -> bool {
        let worker = &self.workers[who as usize];
        let lane = &self.lanes[worker.lane];
        let LegNumbers { class, account, .. } = lane.legs[leg];
        self.flows.start(class, who, worker.size, self.now);
        self.attribution.moving(who, account, class, self.now);
        self.tell(who, Moment::Moves(leg));
        false
    }

    fn hold(&mut self, who: u32, hold: Hold) -> bool {
        let places = self.places(who, hold);
        let granted = places == 0 || self.pools.take(hold.pool, who, places);
        if granted && places > 0 {
            self.held(who, hold);
        } else if !granted {
            let account = self.account_of(who);
            self.attribution.in_line(who, account, hold.pool, self.now);
            self.tell(who, Moment::InLine(hold.pool));
        }
        granted
    }

    fn held(&mut self, who: u32, hold: Hold) {
        self.attribution.holds(who, hold.pool, self.now);
        if hold.each == Each::Bytes {
            let worker = &self.workers[who as usize];
            self.courses[self.lanes[worker.lane].work].rests(worker.size);
        }
        self.tell(who, Moment::Holds(hold.pool));
    }

    fn give_back(&mut self, who: u32, hold: Hold) -> bool {
        let (size, places) = (self.workers[who as usize].size, self.places(who, hold));
        if places == 0 {
            return true;
        }
        self.attribution.gives_back(who, hold.pool, self.now);
        if hold.each == Each::Bytes {
            self.courses[self.lanes[self.workers[who as usize].lane].work].resting -= size;
        }
        self.tell(who, Moment::GivesBack(hold.pool));
        let mut let_in = Vec::new();
        self.pools.give_back(hold.pool, places, |waiter| let_in.push(waiter));
        for waiter in let_in {
            self.let_in(waiter);
        }
        true
    }

    /// How many places a worker takes for what it has in hand.
    fn places(&self, who: u32, hold: Hold) -> u64 {
        hold.places(self.workers[who as usize].size, self.plan.pools[hold.pool].places)
    }

    /// A worker that was in line holds what it asked for, and goes on when it is its turn to start.
    fn let_in(&mut self, who: u32) {
        let worker = &mut self.workers[who as usize];
        let op = std::mem::replace(&mut worker.op, Op::Go);
        self.attribution.between(who, self.now);
        if let Op::Hold(hold) = op {
            self.held(who, hold);
        }
        self.calendar.push(Key::new(self.now, Rank::Start, who));
    }

    /// The share of its bytes that a worker has moved over a leg.
    pub(super) fn moved_share(&self, who: u32, leg: usize) -> f64 {
        let worker = &self.workers[who as usize];
        if leg < worker.legs_behind as usize {
            return 1.0;
        }
        if worker.op != Op::Move(leg as u32) {
            return 0.0;
        }
        let class = self.lanes[worker.lane].legs[leg].class;
        1.0 - self.flows.bytes_left(class, who, self.now) / worker.size as f64
    }

    pub(super) fn set_clock(&mut self, time: u64, clock: Clock) {
        let number = self.clocks.len() as u32;
        self.clocks.push(clock);
        self.calendar.push(Key::new(time, Rank::Clock, CLOCKS + number));
    }

    pub(super) fn tell(&mut self, worker: u32, moment: Moment) {
        let lane = &self.lanes[self.workers[worker as usize].lane];
        self.observer.moment(self.now, Who { work: lane.work, lane: lane.number, worker }, moment);
    }

    /// The account of the leg that a worker is on: by what it asks for, that of the leg which names the pool.
    fn account_of(&self, who: u32) -> usize {
        let worker = &self.workers[who as usize];
        let lane = &self.lanes[worker.lane];
        let Op::Hold(hold) = worker.op else { return self.causes.account(lane.work, 0) };
        let ops = |leg: &Leg| {
            leg.holds.contains(&hold) || leg.buffers.contains(&hold) || leg.served.iter().any(|one| one.hold == hold)
        };
        let leg = lane.way.legs.iter().position(ops);
        self.causes.account(lane.work, leg.unwrap_or(0))
    }

    /// Who is in line for which pool, and who holds it: (pool, waiters, holders).
    pub(super) fn lines(&self) -> Vec<(usize, Vec<u32>, Vec<u32>)> {
        let pools = 0..self.plan.pools.len();
        let lines = pools.map(|pool| (pool, self.pools.line(pool).collect(), self.attribution.holders(pool)));
        lines.filter(|line: &(usize, Vec<u32>, Vec<u32>)| !line.1.is_empty()).collect()
    }
}

impl Causes {
    fn of_pace(&self, class: usize, by: By) -> usize {
        match by {
            By::Capacity(capacity) => capacity,
            By::OwnCap => self.own_cap(class),
        }
    }
}
