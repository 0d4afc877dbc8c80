//! A case's figure as a run, the roofline and the closed form give it.
//!
//! Knows keys of the report. Must not know what was measured.
//!
//! The roofline knows ceilings alone, the closed form a lone loop of equal requests. Both speak of a rate; a time follows
//! from it, and a latency by Little's law: what is in flight (throughput times mean latency, of the run) over that rate.

use serde_json::Value;

use crate::report::{Report, WorkReport, value_at};

/// What kind of figure a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Payload a second, 10^9 bytes.
    GbPerSecond,
    /// Payload a second, 2^30 bytes.
    GibPerSecond,
    /// How long the work takes, in seconds.
    Seconds,
    /// How long a request takes, in microseconds.
    Latency,
    /// Something that no rate implies.
    Other,
}

impl Measure {
    /// What a key of the report means.
    pub fn of(key: &str) -> Measure {
        let last = key.rsplit('.').next().unwrap_or(key);
        match last {
            "throughput_gb_s" => Measure::GbPerSecond,
            "throughput_gib_s" => Measure::GibPerSecond,
            "duration_s" => Measure::Seconds,
            _ if key.contains(".latency_us.") => Measure::Latency,
            _ => Measure::Other,
        }
    }

    /// The unit of a figure, for tables.
    pub fn unit(self) -> &'static str {
        match self {
            Measure::GbPerSecond => "GB/s",
            Measure::GibPerSecond => "GiB/s",
            Measure::Seconds => "s",
            Measure::Latency => "us",
            Measure::Other => "",
        }
    }

    /// Whether more is better.
    pub fn is_rate(self) -> bool {
        matches!(self, Measure::GbPerSecond | Measure::GibPerSecond)
    }
}

/// The three predictions of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// The simulation's.
    pub simulated: f64,
    /// The roofline's, where it has one.
    pub roofline: Option<f64>,
    /// The closed form's, where it has one.
    pub closed_form: Option<f64>,
}

/// The figures of a key; `None` if the report has no such number.
pub fn figures(report: &Report, key: &str) -> Option<Figures> {
    let tree = serde_json::to_value(report).unwrap_or(Value::Null);
    let simulated = value_at(&tree, key)?.as_f64()?;
    let measure = Measure::of(key);
    let work = work(report, key);
    let at_rate = |rate: f64| work.and_then(|work| at_rate(measure, work, rate)).filter(|figure| figure.is_finite());
    let closed_rate = work.and_then(|work| Some(work.bytes as f64 / work.closed_form_s?));
    Some(Figures {
        simulated,
        roofline: work.and_then(|work| at_rate(work.ceiling_gb_s * 1e9)),
        closed_form: closed_rate.and_then(at_rate),
    })
}

/// The work that a key speaks of.
pub fn work<'a>(report: &'a Report, key: &str) -> Option<&'a WorkReport> {
    let rest = key.strip_prefix("works.")?;
    let named = |work: &&WorkReport| rest.strip_prefix(work.name.as_str()).is_some_and(|rest| rest.starts_with('.'));
    let number = || report.works.get(rest.split('.').next()?.parse::<usize>().ok()?);
    report.works.iter().find(named).or_else(number)
}

/// The figure of a work that moves so many bytes a second.
fn at_rate(measure: Measure, work: &WorkReport, rate: f64) -> Option<f64> {
    match measure {
        Measure::GbPerSecond => Some(rate / 1e9),
        Measure::GibPerSecond => Some(rate / (1u64 << 30) as f64),
        Measure::Seconds => Some(work.bytes as f64 / rate),
        Measure::Latency => Some(work.latency_us?.mean * work.throughput_gb_s * 1e9 / rate),
        Measure::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Latency, sample};

    fn report() -> Report {
        let mut report = sample::report();
        let work = &mut report.works[0];
        work.name = "gds".into();
        (work.bytes, work.duration_s, work.throughput_gb_s) = (100_000_000_000, 2.0, 50.0);
        (work.ceiling_gb_s, work.closed_form_s) = (100.0, Some(1.25));
        work.latency_us = Some(Latency { mean: 200.0, p50: 200.0, p90: 200.0, p99: 200.0, max: 200.0 });
        report
    }

    fn of(key: &str) -> [Option<f64>; 3] {
        let figures = figures(&report(), key).unwrap();
        [Some(figures.simulated), figures.roofline, figures.closed_form]
    }

    #[test]
    fn a_rate_is_held_against_the_ceiling() {
        assert_eq!(of("works.gds.throughput_gb_s"), [50.0, 100.0, 80.0].map(Some));
    }

    #[test]
    fn a_time_is_the_bytes_over_the_ceiling() {
        assert_eq!(of("works.gds.duration_s"), [2.0, 1.0, 1.25].map(Some));
    }

    #[test]
    fn a_latency_is_what_is_in_flight_over_the_ceiling() {
        assert_eq!(of("works.gds.latency_us.p50"), [200.0, 100.0, 125.0].map(Some));
    }

    #[test]
    fn no_rate_implies_a_count() {
        assert_eq!(of("works.gds.requests")[1..], [None, None]);
        assert_eq!(figures(&report(), "works.none.duration_s"), None);
    }
}
