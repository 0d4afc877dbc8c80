//! How far several runs are, told as one share.
//!
//! Knows what a plan has to move. Must not know the clock, or how a share is shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Amount, Moment, Observer, Plan, Watched, Who};

/// Called now and then with the share of the runs that is done (0 to 1).
pub type Progress = Arc<dyn Fn(f64) + Send + Sync>;

/// Requests of a run between two tellings.
const EVERY: u64 = 1024;
/// Parts that a whole run is counted in.
const WHOLE: f64 = 1e9;

/// Several runs that go on side by side, each of which counts the same.
#[derive(Clone)]
pub struct Runs {
    tell: Progress,
    done: Arc<AtomicU64>,
    count: usize,
}

impl Runs {
    /// So many runs of which nothing is done.
    pub fn new(tell: &Progress, count: usize) -> Runs {
        Runs { tell: tell.clone(), done: Arc::default(), count }
    }

    fn add(&self, parts: u64) {
        let done = self.done.fetch_add(parts, Ordering::Relaxed) + parts;
        (self.tell)(done as f64 / WHOLE / self.count as f64);
    }
}

/// An observer that counts what one run has done.
pub struct Counter {
    runs: Runs,
    works: Vec<Share>,
    requests: u64,
    /// Parts told so far.
    told: u64,
}

/// How far a work is.
struct Share {
    amount: Amount,
    began: Option<u64>,
    done: f64,
}

impl Counter {
    /// A counter for a run of a plan.
    pub fn new(runs: Runs, plan: &Plan) -> Counter {
        let share = |amount| Share { amount, began: None, done: 0.0 };
        Counter { runs, works: plan.works.iter().map(|work| share(work.amount)).collect(), requests: 0, told: 0 }
    }

    fn tell(&mut self) {
        let sum: f64 = self.works.iter().map(|work| work.done.min(1.0)).sum();
        let parts = (sum / self.works.len().max(1) as f64 * WHOLE) as u64;
        self.runs.add(parts.saturating_sub(self.told));
        self.told = self.told.max(parts);
    }

    /// The run is over, whatever was counted: a settled one ends early.
    pub fn finish(mut self) {
        self.works.iter_mut().for_each(|work| work.done = 1.0);
        self.tell();
    }
}

impl Share {
    fn begins(&mut self, now: u64, bytes: u64) {
        let began = *self.began.get_or_insert(now);
        match self.amount {
            Amount::Bytes(all) => self.done += bytes as f64 / all.0 as f64,
            Amount::Requests(all) => self.done += 1.0 / all as f64,
            Amount::RunTime { run, .. } => self.done = (now - began) as f64 / run.0 as f64,
        }
    }
}

impl Observer for Counter {
    fn watched(&self) -> Watched {
        Watched::NOTHING
    }

    fn moment(&mut self, now: u64, who: Who, moment: Moment) {
        if let Moment::Begins(bytes) = moment {
            self.works[who.work].begins(now, bytes);
            self.requests += 1;
            if self.requests.is_multiple_of(EVERY) {
                self.tell();
            }
        }
    }

    fn warmed_up(&mut self, _: u64, _: usize) {}
}

impl std::fmt::Debug for Runs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runs").field("done", &self.done).field("count", &self.count).finish_non_exhaustive()
    }
}
