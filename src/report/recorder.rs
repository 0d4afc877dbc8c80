//! The report's observer: latencies of requests.
//!
//! Knows moments. Must not know how latencies are printed.

use hdrhistogram::Histogram;

use crate::report::Latency;
use engine::{Moment, Observer, Watched, Who};

/// Latencies of one work, in picoseconds.
#[derive(Clone, Debug)]
struct Latencies {
    histogram: Histogram<u64>,
    sum: u128,
    max: u64,
}

/// Latencies of all works.
#[derive(Clone, Debug)]
pub struct Recorder {
    works: Vec<Latencies>,
}

impl Latencies {
    fn new() -> Latencies {
        // Three significant digits: percentiles within 0.1 %.
        let histogram = Histogram::new(3).unwrap_or_else(|_| unreachable!("three digits are allowed"));
        Latencies { histogram, sum: 0, max: 0 }
    }

    fn note(&mut self, latency: u64) {
        // The histogram grows as it must, so that no latency is out of range.
        let _ = self.histogram.record(latency);
        self.sum += latency as u128;
        self.max = self.max.max(latency);
    }

    fn report(&self) -> Option<Latency> {
        let count = self.histogram.len();
        let us = |ps: u64| ps as f64 / 1e6;
        let quantile = |q: f64| us(self.histogram.value_at_quantile(q).min(self.max));
        (count > 0).then(|| Latency {
            mean: self.sum as f64 / count as f64 / 1e6,
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: us(self.max),
        })
    }
}

impl Recorder {
    /// A recorder for so many works.
    pub fn new(works: usize) -> Recorder {
        Recorder { works: std::iter::repeat_with(Latencies::new).take(works).collect() }
    }

    /// The latencies of a work, if any request was done.
    pub fn latency(&self, work: usize) -> Option<Latency> {
        self.works[work].report()
    }
}

impl Observer for Recorder {
    fn watched(&self) -> Watched {
        Watched::NOTHING
    }

    fn moment(&mut self, _: u64, who: Who, moment: Moment) {
        if let Moment::Done(latency) = moment {
            self.works[who.work].note(latency);
        }
    }

    fn warmed_up(&mut self, _: u64, work: usize) {
        self.works[work] = Latencies::new();
    }
}
