//! Places of pools are taken, queued for, and given back.
//!
//! Knows pools, steps and whose turn is next. Must not know what a place is for.

use crate::observer::Moment;

use super::calendar::{Key, Rank};
use super::steps::{HoldStep, Step};
use super::world::World;

impl World {
    /// Takes places for a worker, or queues it for them; says whether it has them.
    pub(super) fn hold(&mut self, who: u32, step: HoldStep) -> bool {
        let pool = step.hold.pool;
        let worker = &mut self.workers[who as usize];
        let places = step.hold.places(worker.size, self.pools.places(pool));
        if places == 0 {
            return true;
        }
        if self.pools.take(pool, who, places) {
            self.holds(who, step);
            return true;
        }
        worker.since = self.attribution.begins(worker.lane as usize, step.activity, self.now);
        if self.pools.queued(pool) == 1 {
            self.attribution.pool(pool, true, self.now);
        }
        self.tell(who, Moment::InLine(pool));
        false
    }

    fn holds(&mut self, who: u32, step: HoldStep) {
        if step.is_memory {
            let worker = &self.workers[who as usize];
            self.courses[self.lanes[worker.lane as usize].work].rests(worker.size);
        }
        self.tell(who, Moment::Holds(step.hold.pool));
    }

    /// Gives a worker's places back and lets in who is next.
    pub(super) fn give_back(&mut self, who: u32, step: HoldStep) {
        let (size, pool) = (self.workers[who as usize].size, step.hold.pool);
        let places = step.hold.places(size, self.pools.places(pool));
        if places == 0 {
            return;
        }
        if step.is_memory {
            self.courses[self.lanes[self.workers[who as usize].lane as usize].work].resting -= size;
        }
        self.tell(who, Moment::GivesBack(pool));
        let mut let_in = std::mem::take(&mut self.let_in);
        self.pools.give_back(pool, places, |waiter| let_in.push(waiter));
        let_in.drain(..).for_each(|waiter| self.let_in(waiter));
        self.let_in = let_in;
    }

    /// A worker that was queued holds what it asked for, and goes on when it is its turn to start.
    fn let_in(&mut self, who: u32) {
        let worker = &mut self.workers[who as usize];
        let lane = worker.lane as usize;
        self.attribution.ends(lane, &mut worker.since, self.now);
        if let Step::Hold(step) = self.lanes[lane].steps.all[worker.step as usize - 1] {
            if self.pools.queued(step.hold.pool) == 0 {
                self.attribution.pool(step.hold.pool, false, self.now);
            }
            self.holds(who, step);
        }
        self.calendar.push(Key::new(self.now, Rank::Start, who));
    }
}
