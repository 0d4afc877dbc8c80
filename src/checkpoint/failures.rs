//! A training run with failures, simulated: work, saves, failures, restarts, until all the work is done.
//!
//! Knows a nanosecond clock, intervals and times of failures. Must not know what a save is made of.
//!
//! Work goes on for an interval, then a save keeps it waiting for the overhead; the save is safe at its latency, counted from
//! its beginning. A failure throws the run back to the last safe save and costs a restart, which may fail as well. Times
//! between failures are drawn by inverting the exponential distribution, or come from a trace; the clock is 128 bits of
//! nanoseconds, since what is counted may be years of failures that come every minute.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;

use super::interval::Costs;
use crate::statistics::mean_and_variance;
use engine::units::LongTime;

/// When something fails.
#[derive(Clone, Debug, PartialEq)]
pub enum Failures {
    /// At random, so long apart in the mean.
    Exponential(LongTime),
    /// At these times from the beginning, in order; never after the last.
    Trace(Vec<LongTime>),
    /// At random, each so long after the one before as one of these intervals is.
    Resampled(Vec<LongTime>),
}

impl Failures {
    /// The intervals of a trace, drawn anew (a bootstrap: B. Efron, "Bootstrap Methods: Another Look at the Jackknife", The
    /// Annals of Statistics 7(1), 1979).
    pub fn resampled(times: &[LongTime]) -> Failures {
        let before = [LongTime(0)].into_iter().chain(times.iter().copied());
        Failures::Resampled(
            times.iter().zip(before).map(|(time, last)| LongTime(time.0.saturating_sub(last.0))).collect(),
        )
    }
}

/// A run to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    /// Useful work in all.
    pub work: LongTime,
    /// Useful work between two saves.
    pub interval: LongTime,
    /// For how long a save keeps it waiting.
    pub overhead: LongTime,
    /// From the beginning of a save until it is safe.
    pub latency: LongTime,
    /// A restart.
    pub restart: LongTime,
    /// Failures at most: after the restart from the last of them it is over, done or not.
    pub failures: u64,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Nanoseconds from the beginning to the end.
    pub elapsed: u128,
    /// Nanoseconds of useful work that were safe at the end.
    pub done: u128,
    /// Failures, those in restarts included.
    pub failures: u64,
    /// Nanoseconds between saves that became safe and failures: work and waiting done in vain.
    pub lost: u128,
}

/// Several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Replicates {
    /// How many.
    pub runs: u64,
    /// Mean share of time that is useful work.
    pub goodput: f64,
    /// Half-width of its 95 % interval, by Student's t.
    pub half_width: f64,
    /// Failures of a run in the mean.
    pub failures: f64,
    /// Seconds lost by a failure in the mean.
    pub lost_s: f64,
}

/// Times of failures, one after another.
struct Clock<'a> {
    source: Source<'a>,
    /// The next one, if there is one.
    next: Option<u128>,
}

enum Source<'a> {
    Drawn { stream: Box<ChaCha8Rng>, mean: f64 },
    Listed(std::slice::Iter<'a, LongTime>),
    Picked { stream: Box<ChaCha8Rng>, intervals: &'a [LongTime] },
}

impl<'a> Clock<'a> {
    fn new(failures: &'a Failures, seed: u64) -> Clock<'a> {
        let source = match failures {
            Failures::Exponential(mean) => {
                Source::Drawn { stream: Box::new(ChaCha8Rng::seed_from_u64(seed)), mean: mean.0.max(1) as f64 }
            }
            Failures::Trace(times) => Source::Listed(times.iter()),
            Failures::Resampled(intervals) => {
                Source::Picked { stream: Box::new(ChaCha8Rng::seed_from_u64(seed)), intervals }
            }
        };
        let mut clock = Clock { source, next: Some(0) };
        clock.advance();
        clock
    }

    fn advance(&mut self) {
        self.next = match &mut self.source {
            Source::Drawn { stream, mean } => {
                // Between nothing and one, never nothing: 53 bits and a half.
                let even = ((stream.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
                self.next.map(|last| last + (-libm::log(even) * *mean).round() as u128)
            }
            Source::Listed(times) => times.next().map(|time| u128::from(time.0)),
            Source::Picked { stream, intervals } => {
                // The upper bits of the product: even to one part in 2^64 / intervals.
                let picked = (u128::from(stream.next_u64()) * intervals.len() as u128) >> 64;
                self.next.and_then(|last| Some(last + u128::from(intervals.get(picked as usize)?.0)))
            }
        };
    }

    /// Takes the next failure if it comes before a time.
    fn before(&mut self, end: u128) -> Option<u128> {
        let failure = self.next.filter(|failure| *failure < end)?;
        self.advance();
        Some(failure)
    }
}

/// One run.
pub fn run(training: &Training, failures: &Failures, seed: u64) -> Run {
    let mut clock = Clock::new(failures, seed);
    let mut run = Run { elapsed: 0, done: 0, failures: 0, lost: 0 };
    let work = u128::from(training.work.0);
    loop {
        let end = run.elapsed + training.takes(work - run.done);
        let Some(failure) = clock.before(end) else {
            return Run { elapsed: end, done: work, ..run };
        };
        let (safe, spent) = training.safe_after(failure - run.elapsed);
        run.done += safe.min(work - run.done);
        run.lost += failure - run.elapsed - spent;
        run.failures += 1;
        run.elapsed = failure + u128::from(training.restart.0);
        // A restart that fails begins anew.
        while let Some(again) = clock.before(run.elapsed).filter(|_| run.failures < training.failures) {
            run.failures += 1;
            run.elapsed = again + u128::from(training.restart.0);
        }
        if run.failures >= training.failures {
            return run;
        }
    }
}

/// Several runs, each with failures of its own, side by side; the same at any number of threads.
pub fn replicates(training: &Training, failures: &Failures, seed: u64, runs: u64) -> Replicates {
    let all: Vec<Run> =
        (0..runs).into_par_iter().map(|index| run(training, failures, seed.wrapping_add(index))).collect();
    let goodputs: Vec<f64> = all.iter().map(|run| run.done as f64 / (run.elapsed as f64).max(1.0)).collect();
    let failures: u64 = all.iter().map(|run| run.failures).sum();
    let lost: u128 = all.iter().map(|run| run.lost).sum();
    let (goodput, half_width) = mean_and_half_width(&goodputs);
    Replicates {
        runs,
        goodput,
        half_width,
        failures: failures as f64 / runs.max(1) as f64,
        lost_s: lost as f64 / 1e9 / failures.max(1) as f64,
    }
}

/// The mean of some values and the half-width of its 95 % interval, by Student's t; the width of one value is nothing.
pub fn mean_and_half_width(values: &[f64]) -> (f64, f64) {
    let (mean, variance) = mean_and_variance(values);
    if values.len() < 2 {
        return (mean, 0.0);
    }
    (mean, student(values.len() - 1) * libm::sqrt(variance / values.len() as f64))
}

/// Student's t for 95 %, two-sided: a table, beyond it the series of Abramowitz and Stegun, 26.7.5, to its second term.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    const NORMAL: f64 = 1.959_964;
    let n = freedom as f64;
    let (x, x3) = (NORMAL, NORMAL * NORMAL * NORMAL);
    let series = x + (x3 + x) / (4.0 * n) + (5.0 * x3 * x * x + 16.0 * x3 + 3.0 * x) / (96.0 * n * n);
    TABLE.get(freedom.saturating_sub(1)).copied().unwrap_or(series)
}

impl Training {
    fn cycle(&self) -> u128 {
        u128::from(self.interval.0.max(1)) + u128::from(self.overhead.0)
    }

    /// Time that so much work takes without a failure: no save after the last of it.
    fn takes(&self, work: u128) -> u128 {
        work + work.saturating_sub(1) / u128::from(self.interval.0.max(1)) * u128::from(self.overhead.0)
    }

    /// Work that is safe so long after a beginning, and the time that it took: the last save whose latency is over.
    fn safe_after(&self, elapsed: u128) -> (u128, u128) {
        let (interval, latency) = (u128::from(self.interval.0.max(1)), u128::from(self.latency.0));
        // The k-th save begins at k (interval + overhead) - overhead.
        let begun = (elapsed + u128::from(self.overhead.0)).saturating_sub(latency);
        let saves = begun / self.cycle();
        (saves * interval, saves * self.cycle())
    }

    /// A run of so many failures' worth of work, by what its costs say; it is given up after many times as many.
    pub fn of(costs: &Costs, interval_s: f64, failures: f64) -> Training {
        let work = costs.goodput(interval_s) * costs.mtbf_s * failures;
        let [work, interval, overhead, latency, restart] =
            [work, interval_s, costs.overhead_s, costs.latency_s, costs.restart_s].map(LongTime::from_seconds);
        Training { work, interval, overhead, latency, restart, failures: (failures * GIVEN_UP) as u64 }
    }

    /// The same with so many failures, however much work that leaves.
    pub fn until(self, failures: u64) -> Training {
        Training { work: LongTime(u64::MAX), failures, ..self }
    }
}

/// A run that has failed so many times as often as it should have never ends.
const GIVEN_UP: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(list: &[u64]) -> Failures {
        Failures::Trace(list.iter().map(|s| LongTime(s * 1_000_000_000)).collect())
    }

    fn training(work: u64, interval: u64, overhead: u64, latency: u64, restart: u64) -> Training {
        let [work, interval, overhead, latency, restart] =
            [work, interval, overhead, latency, restart].map(|s| LongTime(s * 1_000_000_000));
        Training { work, interval, overhead, latency, restart, failures: u64::MAX }
    }

    /// Seconds elapsed, failures, seconds lost.
    fn told(training: &Training, failures: &[u64]) -> (u128, u64, u128) {
        let run = run(training, &seconds(failures), 0);
        (run.elapsed / 1_000_000_000, run.failures, run.lost / 1_000_000_000)
    }

    #[test]
    fn without_failures_a_run_takes_its_work_and_the_saves_between() {
        assert_eq!(told(&training(300, 100, 10, 10, 60), &[]), (320, 0, 0));
        assert_eq!(told(&training(301, 100, 10, 10, 60), &[]), (331, 0, 0));
    }

    #[test]
    fn a_failure_throws_back_to_the_last_save_that_is_safe() {
        // Saves end at 110 and 220. At 225 the second is safe: 100 s of work are left, after 60 s of restart.
        assert_eq!(told(&training(300, 100, 10, 10, 60), &[225]), (385, 1, 5));
        // A save that is safe only 50 s after it began is not, at 225: 200 s are left, with one save between.
        assert_eq!(told(&training(300, 100, 10, 50, 60), &[225]), (495, 1, 115));
    }

    #[test]
    fn a_restart_that_fails_begins_anew() {
        assert_eq!(told(&training(100, 100, 10, 10, 60), &[50, 80, 100]), (260, 3, 50));
    }

    #[test]
    fn failures_that_were_over_before_are_not_counted_twice() {
        assert_eq!(told(&training(100, 100, 10, 10, 60), &[200, 300]), (100, 0, 0));
    }

    #[test]
    fn simulated_failures_agree_with_the_formula_within_their_interval() {
        let cases = [(10.0, 10.0, 60.0, 3_600.0), (5.0, 120.0, 300.0, 7_200.0), (60.0, 60.0, 30.0, 900.0)];
        for (index, (overhead_s, latency_s, restart_s, mtbf_s)) in cases.into_iter().enumerate() {
            let costs = Costs { overhead_s, latency_s, restart_s, mtbf_s };
            for factor in [0.7, 1.0, 2.0] {
                let interval = costs.best_s() * factor;
                let training = Training::of(&costs, interval, 2_000.0);
                let failures = Failures::Exponential(LongTime::from_seconds(mtbf_s));
                let seen = replicates(&training, &failures, index as u64, 32);
                let off = seen.goodput - costs.goodput(interval);
                assert!(off.abs() <= seen.half_width, "{costs:?} x {factor}: off by {off}, {seen:?}");
                assert!(
                    seen.half_width < 0.01 && (seen.lost_s / costs.lost_s(interval) - 1.0).abs() < 0.05,
                    "{seen:?}"
                );
            }
        }
    }

    #[test]
    fn a_run_that_gets_nowhere_is_given_up() {
        // Failures every 50 s, and nothing is safe before 110.
        let training = Training { failures: 20, ..training(1_000, 100, 10, 10, 5) };
        let run = run(&training, &Failures::resampled(&[LongTime(50_000_000_000)]), 0);
        assert_eq!((run.done, run.failures, run.elapsed), (0, 20, 1_005_000_000_000));
    }

    #[test]
    fn a_trace_drawn_anew_has_its_mean_and_its_spread() {
        let times: Vec<LongTime> = [1, 3, 3, 9].map(|hour| LongTime(hour * 3_600_000_000_000)).to_vec();
        assert_eq!(
            Failures::resampled(&times),
            Failures::Resampled([1, 2, 0, 6].map(|h| LongTime(h * 3_600_000_000_000)).to_vec())
        );
        let costs = Costs { overhead_s: 10.0, latency_s: 10.0, restart_s: 60.0, mtbf_s: 8_100.0 };
        let seen = replicates(&Training::of(&costs, 400.0, 400.0), &Failures::resampled(&times), 3, 16);
        assert!((seen.failures / 400.0 - 1.0).abs() < 0.1 && seen.half_width > 0.0, "{seen:?}");
        assert!((seen.goodput - costs.goodput(400.0)).abs() < 0.01, "{seen:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_runs() {
        let training = training(100_000, 100, 10, 20, 60);
        let failures = Failures::Exponential(LongTime(1_000_000_000_000));
        assert_eq!(replicates(&training, &failures, 7, 8), replicates(&training, &failures, 7, 8));
        assert_ne!(run(&training, &failures, 7), run(&training, &failures, 8));
    }

    #[test]
    fn centuries_of_failures_do_not_pass_the_clock() {
        let year = LongTime(365 * 24 * 3_600 * 1_000_000_000);
        let training = Training { work: LongTime(400 * year.0), ..training(0, 100, 100, 100, 100) };
        let run = run(&training, &Failures::Exponential(LongTime(year.0 / 12)), 1);
        assert!(run.elapsed > u128::from(u64::MAX), "{run:?}");
    }
}
