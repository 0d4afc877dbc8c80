//! Stream mode: a lane's many like requests are one flow whose weight is the number in motion.
//!
//! Knows works that start and end, and the balance between. Must not know single requests: no latencies come out of it.
//!
//! Between two events - a work starts, a group of like lanes has moved all its bytes, a run time is over - nothing changes, and
//! everybody goes at the rates of the balance (`balance.rs`). Groups whose ends are nearer to the first of them than a
//! [`quantum`] end together, at the last of their ends. What the rates leave out is added to a work's end once: the first and
//! the last cycle of a work that something full holds back pass its other stations alone, and one that nothing holds back
//! ends with a whole round.

mod balance;
mod chance;
mod dense;
mod groups;
mod ledger;
mod newton;
mod relaxation;
mod route;
mod spells;
mod symmetry;

use crate::plan::{Amount, Plan, Work};
use crate::units::Time;

use crate::causes::Cause;
use crate::classes;
use crate::outcome::{Outcome, Stuck, Why, WorkOutcome};
use crate::unloaded::{stagger_ps, starting_together};
use balance::{Balance, balance};
use groups::{Groups, groups};
use ledger::Account;
use spells::{Spell, SpellKind, spells, time};

/// The most that ends may be apart and still be gathered: a millisecond.
const MOST_GATHERED: u64 = 1_000_000_000;

/// And at most this part of the time since the work began.
const GATHERED_PART: u64 = 10_000;

/// Paces nearer than this part to those of random services are trusted.
const BY_CHANCE: f64 = 0.02;

/// An open loop of which less than this part is left over is not overloaded.
const OVERLOADED: f64 = 1e-6;

/// Nothing happens after this: as in request mode.
const LAST: u64 = u64::MAX - (1 << 60);

/// When a work that may begin at `from` offers its first requests: its start later, and once its sessions stand.
fn first_offer(plan: &Plan, work: &Work, from: u64) -> u64 {
    (from + work.start.0).saturating_add(work.session_ps(plan))
}

/// How far apart ends may be that are gathered, so long after a beginning.
fn quantum(elapsed: u64) -> u64 {
    (elapsed / GATHERED_PART).min(MOST_GATHERED)
}

/// Runs a plan as streams.
///
/// # Errors
/// [`Stuck`] if the works outlast the simulated clock.
pub fn run(plan: &Plan) -> Result<Outcome, Stuck> {
    let routes = route::all(plan);
    let mut stream = Stream::new(plan, groups(plan, &routes));
    while let Some(next) = stream.next_event() {
        if next > LAST {
            return Err(Stuck { at: Time(stream.now), why: Why::ClockRanOut });
        }
        stream.go_on(next);
    }
    let works: Vec<WorkOutcome> = stream.outcomes.into_iter().flatten().collect();
    let end = works.iter().map(|work| work.start.0 + work.duration.0).max().unwrap_or(0);
    Ok(Outcome { end: Time(end), works, own_caps: classes::own_caps(plan) })
}

/// A work on its route.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    /// When it begins, once that is known.
    begins: Option<u64>,
    /// From when on it is measured, once it has begun.
    measured_from: Option<u64>,
    /// When its run time is over.
    closes: Option<u64>,
    /// When its last cycle is through, once all bytes are under route.
    drained: Option<u64>,
    ended: bool,
}

struct Stream<'a> {
    plan: &'a Plan,
    all: Groups,
    now: u64,
    courses: Vec<Course>,
    /// Bytes that a lane of each group has still to move.
    left: Vec<f64>,
    /// What each group's last cycles take beyond the rates, in seconds, as of the balance in which it went.
    tails: Vec<f64>,
    /// When each group's lanes were done with their last cycles, once all their bytes are under route.
    ends: Vec<Option<u64>>,
    /// The groups that the balance is of.
    under_way: Vec<bool>,
    balance: Balance,
    /// By which part each work's pace may be off where services are not all alike.
    by_chance: Vec<f64>,
    spells: Vec<Vec<Spell>>,
    /// Whose time a lane of each group's is.
    time: Vec<Vec<(usize, Cause, f64)>>,
    accounts: Vec<Account>,
    outcomes: Vec<Option<WorkOutcome>>,
    /// The first lane of each work, among all lanes.
    first_lane: Vec<usize>,
}

impl<'a> Stream<'a> {
    fn new(plan: &'a Plan, all: Groups) -> Stream<'a> {
        let begins = plan.works.iter().map(|work| work.after.is_none().then(|| first_offer(plan, work, 0)));
        let lanes = plan.works.iter().scan(0, |sum, work| Some(std::mem::replace(sum, *sum + work.lanes.len())));
        let idle = vec![false; all.groups.len()];
        let balance = Balance::nothing(&all);
        Stream {
            plan,
            now: 0,
            courses: begins.map(|begins| Course { begins, ..Course::default() }).collect(),
            left: all.groups.iter().map(|group| group.route.bytes).collect(),
            tails: vec![0.0; all.groups.len()],
            ends: vec![None; all.groups.len()],
            spells: spells(&all, &balance),
            time: vec![Vec::new(); all.groups.len()],
            balance,
            by_chance: vec![0.0; plan.works.len()],
            under_way: idle,
            accounts: plan.works.iter().map(Account::new).collect(),
            outcomes: vec![None; plan.works.len()],
            first_lane: lanes.collect(),
            all,
        }
    }

    /// When something happens next.
    fn next_event(&self) -> Option<u64> {
        let clocks = self.courses.iter().filter(|course| !course.ended).flat_map(|course| {
            let begins = course.begins.filter(|_| course.measured_from.is_none());
            let warm = course.measured_from.filter(|&from| from > self.now);
            [begins, warm, course.closes, course.drained]
        });
        clocks.flatten().chain(self.next_end()).min()
    }

    /// When the first groups end, with those that end soon after them.
    fn next_end(&self) -> Option<u64> {
        let ends: Vec<(u64, u64)> = (0..self.left.len()).filter_map(|group| self.end_of(group)).collect();
        let first = ends.iter().map(|end| end.0).min()?;
        ends.iter().filter(|end| end.0 - first <= end.1).map(|end| end.0).max()
    }

    /// When a group has moved its bytes at the rate of now, and how long others may be gathered with it.
    fn end_of(&self, group: usize) -> Option<(u64, u64)> {
        let rate = self.balance.rates[group] * self.all.groups[group].route.size;
        if rate <= 0.0 || !self.left[group].is_finite() {
            return None;
        }
        let end = self.now.saturating_add((self.left[group] / rate * 1e12).ceil() as u64);
        let begun = self.courses[self.all.groups[group].route.work].measured_from.unwrap_or(end);
        Some((end, quantum(end.saturating_sub(begun))))
    }

    /// Everybody goes on at the rates of now until `to`; then what happens there happens.
    fn go_on(&mut self, to: u64) {
        for ((account, course), chance) in self.accounts.iter_mut().zip(&self.courses).zip(&self.by_chance) {
            if course.measured_from.is_some_and(|from| from <= self.now) && !course.ended {
                account.is_off(self.balance.off_rest.max(*chance), to - self.now);
            }
        }
        let elapsed = (to - self.now) as f64 / 1e12;
        for group in 0..self.left.len() {
            self.move_on(group, elapsed);
        }
        self.now = to;
        self.note_ends();
        self.end_works();
        self.begin_works();
        let under_way: Vec<bool> = (0..self.left.len()).map(|group| self.is_under_way(group)).collect();
        if under_way != self.under_way {
            self.balance = balance(&self.all, &under_way, &self.balance);
            self.spells = spells(&self.all, &self.balance);
            self.time = time(&self.all, &self.balance, &self.spells);
            self.shorten_queues();
            self.by_chance = self.by_chance(&under_way);
            self.under_way = under_way.clone();
        }
        for group in (0..self.left.len()).filter(|&group| under_way[group]) {
            self.tails[group] = self.tail(group);
        }
        self.note_resting();
    }

    fn is_under_way(&self, group: usize) -> bool {
        let course = self.courses[self.all.groups[group].route.work];
        course.measured_from.is_some() && !course.ended && self.left[group] > 0.0
    }

    fn move_on(&mut self, group: usize, elapsed: f64) {
        let one = &self.all.groups[group];
        let (route, rate) = (&one.route, self.balance.rates[group]);
        if rate <= 0.0 || elapsed <= 0.0 {
            return;
        }
        let cycles = (rate * elapsed).min(self.left[group] / route.size);
        self.left[group] -= cycles * route.size;
        // What is left after a rounded end is nobody's byte.
        if self.left[group] < 0.5 {
            self.left[group] = 0.0;
        }
        let measured = self.courses[route.work].measured_from.is_some_and(|from| from <= self.now);
        let account = &mut self.accounts[route.work];
        if measured {
            one.lanes.iter().for_each(|lane| account.moved(lane - self.first_lane[route.work], cycles * route.size));
            account.add(cycles * one.count, &self.spells[group]);
        }
        let in_flight = rate * self.balance.cycle_s(&self.all, group) * one.count;
        if measured {
            let busy = if route.offered.is_finite() { in_flight.min(1.0) } else { 1.0 };
            account.pass(group, elapsed, busy, &self.time[group]);
        }
    }

    /// Notes when the lanes of groups whose bytes are all moved are done.
    fn note_ends(&mut self) {
        let begun = |group: usize| self.courses[self.all.groups[group].route.work].measured_from.is_some();
        let over = (0..self.left.len()).filter(|&group| self.left[group] <= 0.0 && begun(group));
        for group in over.collect::<Vec<_>>() {
            self.ends[group].get_or_insert(self.now + (self.tails[group] * 1e12).ceil() as u64);
        }
    }

    fn begin_works(&mut self) {
        for (course, work) in self.courses.iter_mut().zip(&self.plan.works) {
            let Some(begins) = course.begins.filter(|&begins| begins <= self.now && course.measured_from.is_none())
            else {
                continue;
            };
            course.measured_from = Some(begins);
            if let Amount::RunTime { run, warm_up } = work.amount {
                course.measured_from = Some(begins + warm_up.0);
                course.closes = Some(begins + run.0);
            }
        }
    }

    /// Works whose bytes are all moved drain; those that are drained, or whose time is over, end.
    fn end_works(&mut self) {
        for index in 0..self.courses.len() {
            let course = self.courses[index];
            let Some(from) = course.measured_from.filter(|_| !course.ended) else { continue };
            let groups = || self.all.groups.iter().enumerate().filter(move |(_, group)| group.route.work == index);
            if course.drained.is_none() && groups().all(|(group, _)| self.left[group] <= 0.0) {
                self.courses[index].drained = groups().filter_map(|(group, _)| self.ends[group]).max();
            }
            let over = self.courses[index].drained.or(course.closes);
            if over.is_some_and(|over| over <= self.now) {
                self.end_work(index, from);
            }
        }
    }

    fn end_work(&mut self, index: usize, from: u64) {
        let work = &self.plan.works[index];
        let account = std::mem::replace(&mut self.accounts[index], Account::new(work));
        let groups = (0..self.all.groups.len()).filter(|&group| self.all.groups[group].route.work == index);
        let last = groups.max_by_key(|&group| (self.ends[group].unwrap_or(self.now), std::cmp::Reverse(group)));
        let outcome = account.close(self.plan, work, (from, self.now), &self.lane_ends(index), last);
        let end = outcome.start.0 + outcome.duration.0;
        self.outcomes[index] = Some(outcome);
        self.courses[index].ended = true;
        for (course, other) in self.courses.iter_mut().zip(&self.plan.works) {
            if other.after == Some(index) {
                course.begins = Some(first_offer(self.plan, other, end));
            }
        }
    }

    /// When each lane of a work was done; those that are not yet, now.
    fn lane_ends(&self, index: usize) -> Vec<u64> {
        let mut ends = vec![self.now; self.plan.works[index].lanes.len()];
        for (group, end) in self.all.groups.iter().zip(&self.ends).filter(|(group, _)| group.route.work == index) {
            let end = end.unwrap_or(self.now).min(self.now);
            group.lanes.iter().for_each(|lane| ends[lane - self.first_lane[index]] = end);
        }
        ends
    }

    /// What the first and the last cycle take beyond the rates.
    fn tail(&self, group: usize) -> f64 {
        let route = &self.all.groups[group].route;
        let spells = &self.spells[group];
        let waits = |pool: usize| self.all.line_of[pool].is_some_and(|line| self.balance.waits[line] > 0.0);
        let in_full = |at: usize| route.holds.iter().any(|held| held.from <= at && at < held.until && waits(held.pool));
        let is_full = |at: usize, spell: &Spell| match spell.kind {
            SpellKind::Line => spell.seconds > 0.0,
            SpellKind::Setup => in_full(at),
            SpellKind::Moving(full) => full || in_full(at),
        };
        let cycle = self.balance.cycle_s(&self.all, group);
        if route.offered.is_finite() && !self.is_overloaded(group) {
            return cycle;
        }
        if spells.iter().enumerate().any(|(at, spell)| is_full(at, spell)) {
            let others = spells.iter().enumerate().filter(|(at, spell)| !is_full(*at, spell));
            return others.map(|(_, spell)| spell.seconds).sum();
        }
        let work = &self.plan.works[route.work];
        let rounds = route.bytes / route.size / route.under_way;
        let last_start = (work.threads * work.depth * starting_together(work)).saturating_sub(1);
        (rounds.ceil() - rounds) * cycle + last_start as f64 * stagger_ps(self.plan, work) as f64 / 1e12
    }

    /// By which part each work's slowest group goes faster than it would were services random.
    fn by_chance(&self, under_way: &[bool]) -> Vec<f64> {
        let faster = chance::faster_than_by_chance(&self.all, under_way, &self.balance);
        let mut works = vec![0.0f64; self.plan.works.len()];
        for (group, faster) in self.all.groups.iter().zip(faster) {
            let faster = if faster > BY_CHANCE { faster } else { 0.0 };
            works[group.route.work] = works[group.route.work].max(faster);
        }
        works
    }

    /// Whether an open loop offers more than gets through.
    fn is_overloaded(&self, group: usize) -> bool {
        let offered = self.all.groups[group].route.offered;
        offered.is_finite() && self.balance.rates[group] < offered * (1.0 - OVERLOADED)
    }

    /// The balance has all that an open loop will offer there at once. Of what is left over half stands in line in the mean
    /// over its time; where all share, the first stay as long as the last, and all of it moves.
    fn shorten_queues(&mut self) {
        let overloaded: Vec<usize> = (0..self.left.len()).filter(|&group| self.is_overloaded(group)).collect();
        for group in overloaded {
            let left_over = 1.0 - self.balance.rates[group] / self.all.groups[group].route.offered;
            for spell in &mut self.spells[group] {
                match spell.kind {
                    SpellKind::Line => spell.scale(left_over / 2.0),
                    SpellKind::Moving(true) => spell.scale(left_over),
                    SpellKind::Setup | SpellKind::Moving(false) => {}
                }
            }
        }
    }

    /// Bytes that rest in buffers, by work: of a closed loop as many as can at one time, of an open one those of the mean.
    fn note_resting(&mut self) {
        let mut resting = vec![0.0; self.accounts.len()];
        for (index, group) in self.all.groups.iter().enumerate().filter(|(index, _)| self.is_under_way(*index)) {
            let under_way = match group.route.offered.is_finite() {
                true => self.balance.rates[index] * self.balance.cycle_s(&self.all, index),
                false => group.route.under_way,
            };
            resting[group.route.work] += under_way * group.route.most_resting() * group.count;
        }
        self.accounts.iter_mut().zip(resting).for_each(|(account, bytes)| account.rests(bytes));
    }
}
