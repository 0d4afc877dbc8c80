//! How the latencies of each work's requests are spread.
//!
//! Knows histograms. Must not know how they are drawn.

use hdrhistogram::Histogram;

use engine::{Moment, Observer, Plan, Watched, Who};

/// Latencies of all works, in picoseconds, three significant digits.
#[derive(Clone, Debug)]
pub struct Latencies {
    works: Vec<(String, Histogram<u64>)>,
}

/// A work's latencies: which share of its requests was done within which time.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The work.
    pub work: String,
    /// Seconds, and the share of requests (0 to 1) that took no longer; rising.
    pub points: Vec<(f64, f64)>,
}

impl Latencies {
    /// Nothing noted yet.
    pub fn new(plan: &Plan) -> Latencies {
        let histogram = || Histogram::new(3).unwrap_or_else(|_| unreachable!("three digits are allowed"));
        Latencies { works: plan.works.iter().map(|work| (work.name.clone(), histogram())).collect() }
    }

    /// The latencies of a work.
    pub fn spread(&self, work: &str) -> Option<Spread> {
        let (_, histogram) = self.works.iter().find(|(name, _)| name == work)?;
        let all = histogram.len() as f64;
        let mut done = 0;
        let mut points = vec![(histogram.min() as f64 / 1e12, 0.0)];
        for value in histogram.iter_recorded() {
            done += value.count_since_last_iteration();
            points.push((value.value_iterated_to() as f64 / 1e12, done as f64 / all));
        }
        (done > 0).then(|| Spread { work: work.to_string(), points })
    }

    /// The time within which a share of a work's requests was done, in seconds.
    pub fn quantile(&self, work: &str, share: f64) -> Option<f64> {
        let (_, histogram) = self.works.iter().find(|(name, _)| name == work)?;
        Some(histogram.value_at_quantile(share) as f64 / 1e12)
    }
}

impl Observer for Latencies {
    fn watched(&self) -> Watched {
        Watched::NOTHING
    }

    fn moment(&mut self, _: u64, who: Who, moment: Moment) {
        if let Moment::Done(latency) = moment {
            // The histogram grows as it must, so that no latency is out of range.
            let _ = self.works[who.work].1.record(latency);
        }
    }

    fn warmed_up(&mut self, _: u64, work: usize) {
        self.works[work].1.reset();
    }
}
