//! Settled mode: a work's phases begin, are read, and end where it is taken ahead.
//!
//! Knows courses, lanes and what they have left. Must not know what makes a work settled, nor how far ahead is right.
//!
//! A phase lasts while the same lanes have something to offer. Once it has settled, what can pass at its paces until the first
//! lane has nothing more to offer is left out, its time is added to all later ones, and its charges are stretched over it.

use crate::plan::Amount;

use super::course::Phase;
use super::extrapolate::{Ahead, Rest, ahead};
use super::steady_state::Settling;
use super::world::World;
use crate::bounds::floor_ps;

impl World {
    /// A phase of a work begins, if it may settle.
    pub(super) fn begin_phase(&mut self, work: usize) {
        let outstanding = self.offered(work);
        self.courses[work].phase = if outstanding == 0 {
            Phase::Never
        } else {
            let settling = Settling::new(self.now, self.progress(work), outstanding);
            self.settle_workers(work);
            let ledger = self.attribution.ledger(work, self.now);
            Phase::Runs(Box::new(settling), ledger)
        };
    }

    /// A lane has nothing more to offer: another phase begins once what is left of the last one has gone.
    pub(super) fn put_off_phase(&mut self, work: usize) {
        if !matches!(self.courses[work].phase, Phase::Never) {
            self.courses[work].phase = match self.offered(work) {
                0 => Phase::Never,
                outstanding => Phase::After(outstanding),
            };
        }
    }

    /// A request of a work is done.
    pub(super) fn count_for_phase(&mut self, work: usize) {
        match &mut self.courses[work].phase {
            Phase::Never => {}
            Phase::After(1) => self.begin_phase(work),
            Phase::After(requests) => *requests -= 1,
            Phase::Runs(settling, _) => {
                if settling.is_due() {
                    self.read_progress(work);
                }
            }
        }
    }

    /// Requests that the lanes of a work that may settle keep outstanding as long as they have something to offer.
    fn offered(&self, work: usize) -> u64 {
        let plan = &self.plan.works[work];
        if !self.settled_mode || matches!(plan.amount, Amount::RunTime { .. }) {
            return 0;
        }
        let lanes = self.lanes[self.lanes_of(work)].iter().filter(|lane| !lane.supply.is_empty()).count();
        plan.threads * plan.depth * lanes as u64
    }

    /// Reads a work's progress, and takes it ahead if it has settled.
    fn read_progress(&mut self, work: usize) {
        let progress = self.progress(work);
        let Phase::Runs(settling, _) = &mut self.courses[work].phase else { return };
        let steady = settling.read(self.now, progress);
        let Some(steady) = steady.filter(|_| self.runs_alone(work)) else { return };
        let rests: Vec<Rest> = self.lanes[self.lanes_of(work)].iter().map(|lane| lane.supply.rest()).collect();
        if let Some(ahead) = ahead(&steady.paces, &rests) {
            self.take_ahead(work, &ahead);
            let widest = self.courses[work].half_width.unwrap_or(0.0).max(steady.half_width);
            self.courses[work].half_width = Some(widest);
        }
    }

    fn take_ahead(&mut self, work: usize, ahead: &Ahead) {
        let mut left_out = vec![0; ahead.rounds.len()];
        let lanes = self.lanes_of(work);
        for lane in &mut self.lanes[lanes] {
            let (requests, bytes) = lane.supply.leave_out(ahead.rounds[lane.number]);
            self.courses[work].leave_out(lane.number, requests, bytes);
            left_out[lane.number] = bytes;
        }
        // A pace is only known as well as its interval says: it may lie a little above what a capacity can carry.
        let time = ahead.time.max(floor_ps(&self.plan, &self.plan.works[work], &left_out));
        if let Phase::Runs(_, ledger) = std::mem::take(&mut self.courses[work].phase) {
            self.settle_workers(work);
            self.attribution.stretch(work, &ledger, time, self.now);
        }
        self.skipped += time;
        let course = &mut self.courses[work];
        for (end, _) in course.lane_ends.iter_mut().zip(&left_out).filter(|(_, bytes)| **bytes > 0) {
            *end = self.now + self.skipped;
        }
        self.begin_phase(work);
    }

    /// Bytes that each lane has moved: those of its finished requests, and of those under way what is behind them of the legs
    /// that move anything. Requests that are cut count when done.
    fn progress(&self, work: usize) -> Vec<f64> {
        let mut lanes: Vec<f64> = self.courses[work].lane_bytes.iter().map(|&bytes| bytes as f64).collect();
        for (who, worker) in self.workers.iter().enumerate() {
            let lane = &self.lanes[worker.lane as usize];
            if lane.work == work && worker.whole > 0 && worker.whole == worker.size {
                let legs = &self.plan.works[work].lanes[lane.number].legs;
                let moving = || legs.iter().enumerate().filter(|(_, leg)| !leg.hops.is_empty());
                let moved: f64 = moving().map(|(leg, _)| self.moved_share(who as u32, leg)).sum();
                lanes[lane.number] += worker.whole as f64 * moved / (moving().count() as f64).max(1.0);
            }
        }
        lanes
    }
}
