//! Requests and works begin and end.
//!
//! Knows supplies, workers and clocks. Must not know how bytes move.

use crate::plan::Amount;

use super::calendar::{Key, Rank};
use super::lanes::Worker;
use super::process::Call;
use super::world::{Clock, World};
use crate::observer::Moment;
use crate::unloaded;

impl World {
    /// A worker for every place of every closed loop.
    pub(super) fn hire_for_closed_loops(&mut self) {
        for lane in 0..self.lanes.len() {
            let work = &self.plan.works[self.lanes[lane].work];
            if work.arrivals.is_none() {
                for _ in 0..work.threads * work.depth {
                    self.hire(lane);
                }
            }
        }
    }

    fn hire(&mut self, lane: usize) -> u32 {
        self.workers.push(Worker::idle(lane));
        self.workers.len() as u32 - 1
    }

    /// A clock strikes; the worker that it resumes, if any.
    pub(super) fn strike(&mut self, entity: u32, clock: Clock) -> Option<u32> {
        match clock {
            Clock::Begins(work) => self.begin_work(work),
            Clock::Arrival(lane) => return self.arrive(entity, lane),
            Clock::WarmedUp(work) => self.warm_up_over(work),
            Clock::Closes(work) => self.close(work),
        }
        None
    }

    fn begin_work(&mut self, index: usize) {
        let work = self.plan.works[index].clone();
        let course = &mut self.courses[index];
        course.begun = Some(self.now);
        course.measured_from = self.now;
        course.skipped_before = self.skipped;
        if let Amount::RunTime { run, warm_up } = work.amount {
            if warm_up.0 > 0 {
                self.set_clock(self.now + warm_up.0, Clock::WarmedUp(index));
            }
            self.set_clock(self.now + run.0, Clock::Closes(index));
        }
        self.attribution.forget(index, self.now);
        self.begin_phase(index);
        if work.arrivals.is_some() {
            self.open_loop(index)
        } else {
            self.closed_loop(index, unloaded::stagger_ps(&self.plan, &work))
        }
    }

    /// Every worker asks for its first request, each further place of a node's lanes a little later than the one before.
    fn closed_loop(&mut self, work: usize, stagger: u64) {
        let lanes = &self.plan.works[work].lanes;
        let together = unloaded::starting_together(&self.plan.works[work]);
        let start = |lane| unloaded::first_start(lanes.len(), lane, together, stagger);
        let starts: Vec<u64> = (0..lanes.len()).map(start).collect();
        let round = together * stagger;
        let mut place = vec![0u64; lanes.len()];
        for who in 0..self.workers.len() {
            let lane = &self.lanes[self.workers[who].lane as usize];
            if lane.work == work {
                let start = starts[lane.number] + place[lane.number] * round;
                place[lane.number] += 1;
                self.calendar.push(Key::new(self.now + start, Rank::Start, who as u32));
            }
        }
    }

    /// Every lane's first request arrives: evenly spread ones in turn, drawn ones each after its first draw.
    fn open_loop(&mut self, work: usize) {
        let count = self.plan.works[work].lanes.len() as u64;
        let gap =
            self.plan.works[work].arrivals.map_or(0, |arrivals| if arrivals.poisson { 0 } else { arrivals.gap.0 });
        for lane in self.lanes_of(work) {
            let drawn = if gap == 0 { self.lanes[lane].supply.next_gap(count).unwrap_or(0) } else { 0 };
            let first = gap * self.lanes[lane].number as u64 + drawn;
            self.set_clock(self.now + first, Clock::Arrival(lane));
        }
    }

    /// A request of an open loop arrives: an idle worker takes it, or a new one.
    fn arrive(&mut self, clock: u32, lane: usize) -> Option<u32> {
        let work = self.lanes[lane].work;
        if self.courses[work].closed.is_some() {
            return None;
        }
        let size = self.next_size(lane)?;
        let lanes = self.plan.works[work].lanes.len() as u64;
        if let (false, Some(gap)) = (self.lanes[lane].supply.is_empty(), self.lanes[lane].supply.next_gap(lanes)) {
            // The same clock again, so that a long run needs no more of them.
            self.calendar.push(Key::new(self.now + gap, Rank::Clock, clock));
        }
        let who = self.lanes[lane].idle.pop().unwrap_or_else(|| self.hire(lane));
        self.begin_request(who, size);
        Some(who)
    }

    /// A worker is done with its request and takes the next one, if there is one; says whether it goes on.
    pub(super) fn next_request(&mut self, who: u32) -> bool {
        if let Some(helped) = self.workers[who as usize].helps {
            self.help_is_done(who, helped);
            return false;
        }
        let worker = &mut self.workers[who as usize];
        let lane = worker.lane as usize;
        if worker.helpers > 0 {
            worker.waits = true;
            self.attribution.outstanding(lane, false, self.now);
            return false;
        }
        let work = self.lanes[lane].work;
        if worker.whole > 0 {
            self.finish_request(who);
        }
        if self.plan.works[work].arrivals.is_some() {
            self.lanes[lane].idle.push(who);
        } else if self.courses[work].closed.is_none()
            && let Some(size) = self.next_size(lane)
        {
            self.begin_request(who, size);
            return true;
        }
        self.end_work_if_done(work);
        false
    }

    /// The size of a lane's next request, if there is one.
    fn next_size(&mut self, lane: usize) -> Option<u64> {
        let state = &mut self.lanes[lane];
        let size = state.supply.next_size();
        if state.supply.is_empty() && !std::mem::replace(&mut state.ran_out, true) {
            let work = state.work;
            self.put_off_phase(work);
        }
        size
    }

    fn begin_request(&mut self, who: u32, size: u64) {
        let worker = &mut self.workers[who as usize];
        worker.whole = size;
        worker.began = self.now;
        worker.legs_behind = 0;
        worker.call = Call::Open;
        let lane = worker.lane as usize;
        worker.number = self.lanes[lane].begun;
        self.lanes[lane].begun = worker.number.wrapping_add(1);
        let (work, number) = (self.lanes[lane].work, self.lanes[lane].number);
        let cut = &self.plan.works[work].lanes[number].cut;
        let (pieces, own) = (cut.pieces(size), cut.piece_bytes(size));
        self.attribution.outstanding(lane, true, self.now);
        self.courses[work].outstanding += 1;
        self.tell(who, Moment::Begins(size));
        self.take_on(who, own);
        (1..pieces).for_each(|_| self.call_helper(who, lane, size / pieces));
    }

    /// A worker has a piece in hand and puts its first part on the way.
    fn take_on(&mut self, who: u32, bytes: u64) {
        self.workers[who as usize].left = bytes;
        self.next_part(who);
        self.workers[who as usize].call = Call::Open;
    }

    /// The next part of a worker's piece is in hand, if there is one; the worker goes on in any case.
    pub(super) fn next_part(&mut self, who: u32) -> bool {
        let worker = &mut self.workers[who as usize];
        let lane = &self.lanes[worker.lane as usize];
        let most = self.plan.works[lane.work].lanes[lane.number].cut.part.map_or(u64::MAX, |part| part.0);
        worker.call = if worker.left > 0 { Call::Part } else { Call::Next };
        if worker.left > 0 {
            worker.size = worker.left.min(most);
            worker.left -= worker.size;
        }
        true
    }

    /// Another worker takes a piece of a request.
    fn call_helper(&mut self, helped: u32, lane: usize, bytes: u64) {
        let who = self.lanes[lane].idle_helpers.pop().unwrap_or_else(|| self.hire(lane));
        self.workers[who as usize].helps = Some(helped);
        self.workers[who as usize].number = self.workers[helped as usize].number;
        self.workers[helped as usize].helpers += 1;
        self.attribution.outstanding(lane, true, self.now);
        self.take_on(who, bytes);
        let worker = &mut self.workers[who as usize];
        (worker.step, worker.until) = (0, 0);
        self.calendar.push(Key::new(self.now, Rank::Start, who));
    }

    /// A piece is through; the request that it is of may have waited for it only.
    fn help_is_done(&mut self, who: u32, helped: u32) {
        let lane = self.workers[who as usize].lane as usize;
        self.lanes[lane].idle_helpers.push(who);
        self.attribution.outstanding(lane, false, self.now);
        let helped_worker = &mut self.workers[helped as usize];
        helped_worker.helpers -= 1;
        if helped_worker.waits && helped_worker.helpers == 0 {
            helped_worker.waits = false;
            self.attribution.outstanding(lane, true, self.now);
            self.calendar.push(Key::new(self.now, Rank::Start, helped));
        }
    }

    fn finish_request(&mut self, who: u32) {
        let worker = &mut self.workers[who as usize];
        let size = std::mem::take(&mut worker.whole);
        let latency = self.now - worker.began;
        let lane = worker.lane as usize;
        let (work, number) = (self.lanes[lane].work, self.lanes[lane].number);
        self.attribution.outstanding(lane, false, self.now);
        let course = &mut self.courses[work];
        course.outstanding -= 1;
        if course.closed.is_some() {
            return;
        }
        course.lane_bytes[number] += size;
        course.lane_ends[number] = self.now + self.skipped;
        course.requests += 1;
        self.tell(who, Moment::Done(latency));
        self.count_for_phase(work);
    }

    /// Whether no other work is under way: only then may a settled one be taken ahead.
    pub(super) fn runs_alone(&self, work: usize) -> bool {
        self.courses.iter().enumerate().all(|(other, course)| other == work || !course.is_running())
            && self.plan.works.iter().enumerate().all(|(other, plan)| {
                self.courses[other].begun.is_some()
                    || plan.after.is_some_and(|after| after == work || !self.courses[after].ended)
            })
    }

    /// Stops offering and counting a work's requests.
    pub(super) fn close(&mut self, work: usize) {
        self.courses[work].closed = Some(self.now);
        self.write_down(work);
        self.end_work_if_done(work);
    }

    fn warm_up_over(&mut self, work: usize) {
        self.settle_workers(work);
        self.attribution.forget(work, self.now);
        self.courses[work].restart_count(self.now);
        self.tell_warmed_up(work);
    }

    /// Ends a work once nothing of it is left or under way, and begins those that come after it.
    fn end_work_if_done(&mut self, work: usize) {
        let course = &self.courses[work];
        let timed = matches!(self.plan.works[work].amount, Amount::RunTime { .. });
        let exhausted = !timed && self.lanes[self.lanes_of(work)].iter().all(|lane| lane.supply.is_empty());
        if course.ended || course.outstanding > 0 || !(course.closed.is_some() || exhausted) {
            return;
        }
        if course.closed.is_none() {
            self.courses[work].closed = Some(self.now);
            self.write_down(work);
        }
        self.courses[work].ended = true;
        let plan = self.plan.clone();
        for (next, other) in plan.works.iter().enumerate() {
            if other.after == Some(work) {
                let session = other.session_ps(&plan);
                self.set_clock((self.now + other.start.0).saturating_add(session), Clock::Begins(next));
            }
        }
    }
}
