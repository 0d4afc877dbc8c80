//! Two works side by side: the figures that people compare, each with its ratio.
//!
//! Knows two works' figures. Must not know how they are printed.

use serde::Serialize;

use super::shape::WorkReport;

/// What a compared figure measures, and so its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Seconds.
    Seconds,
    /// Microseconds.
    Microseconds,
    /// 10^9 bytes a second.
    GbPerSecond,
    /// Bytes.
    Bytes,
    /// A plain number.
    Count,
    /// A share, 0 to 1.
    Share,
}

/// One figure of both works.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The report's key of it.
    pub key: &'static str,
    /// Its unit.
    pub quantity: Quantity,
    /// The first work's figure.
    pub a: Option<f64>,
    /// The second work's figure.
    pub b: Option<f64>,
    /// The second divided by the first.
    pub ratio: Option<f64>,
}

/// Two works side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The first work, as `scenario / work`.
    pub a: String,
    /// The second.
    pub b: String,
    /// The path that the first took.
    pub path_a: String,
    /// The path that the second took.
    pub path_b: String,
    /// What binds the first most.
    pub binding_a: String,
    /// What binds the second most.
    pub binding_b: String,
    /// The figures.
    pub lines: Vec<Line>,
}

type Pick = fn(&WorkReport) -> Option<f64>;

/// What is compared, in this order.
const FIGURES: &[(&str, Quantity, Pick)] = &[
    ("bytes", Quantity::Bytes, |w| Some(w.bytes as f64)),
    ("duration_s", Quantity::Seconds, |w| Some(w.duration_s)),
    ("low_s", Quantity::Seconds, |w| w.low_s),
    ("high_s", Quantity::Seconds, |w| w.high_s),
    ("throughput_gb_s", Quantity::GbPerSecond, |w| Some(w.throughput_gb_s)),
    ("line_rate_gb_s", Quantity::GbPerSecond, |w| w.line_rate_gb_s),
    ("ceiling_gb_s", Quantity::GbPerSecond, |w| Some(w.ceiling_gb_s)),
    ("closed_form_s", Quantity::Seconds, |w| w.closed_form_s),
    ("binding_share", Quantity::Share, |w| w.binding.first().map(|b| b.share)),
    ("latency_mean_us", Quantity::Microseconds, |w| w.latency_us.map(|l| l.mean)),
    ("latency_p99_us", Quantity::Microseconds, |w| w.latency_us.map(|l| l.p99)),
    ("legs", Quantity::Count, |w| Some(w.moving_legs() as f64)),
    ("hops", Quantity::Count, |w| Some(w.hops.len() as f64)),
    ("dram_bytes", Quantity::Bytes, |w| Some(w.dram_bytes as f64)),
    ("pcie_bytes", Quantity::Bytes, |w| Some(w.pcie_bytes as f64)),
    ("pcie_crossings", Quantity::Count, |w| Some(w.pcie_crossings as f64)),
    ("cpu_copies", Quantity::Count, |w| Some(w.cpu_copies as f64)),
    ("cpu_s", Quantity::Seconds, |w| Some(w.cpu_s)),
    ("cpu_control_s", Quantity::Seconds, |w| Some(w.cpu_control_s)),
    ("cpu_data_s", Quantity::Seconds, |w| Some(w.cpu_data_s)),
    ("session_s", Quantity::Seconds, |w| Some(w.session_s)),
    ("peak_host_bytes", Quantity::Bytes, |w| Some(w.peak_host_bytes as f64)),
];

/// Sets two works side by side; each comes with the name of its scenario.
pub fn compare(a: (&str, &WorkReport), b: (&str, &WorkReport)) -> Comparison {
    Comparison {
        a: format!("{} / {}", a.0, a.1.name),
        b: format!("{} / {}", b.0, b.1.name),
        path_a: a.1.path_taken.clone(),
        path_b: b.1.path_taken.clone(),
        binding_a: leader(a.1),
        binding_b: leader(b.1),
        lines: FIGURES.iter().map(|&(key, quantity, pick)| line(key, quantity, pick(a.1), pick(b.1))).collect(),
    }
}

fn leader(work: &WorkReport) -> String {
    let names: Vec<&str> = work.binding.iter().filter(|b| b.tied).map(|b| b.name.as_str()).collect();
    match names.as_slice() {
        [] => work.binding.first().map_or_else(|| "nothing".to_string(), |b| b.name.clone()),
        names => names.join(", "),
    }
}

fn line(key: &'static str, quantity: Quantity, a: Option<f64>, b: Option<f64>) -> Line {
    let ratio = match (a, b) {
        (Some(a), Some(b)) if a != 0.0 => Some(b / a),
        _ => None,
    };
    Line { key, quantity, a, b, ratio }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn nothing_has_no_ratio_to_nothing() {
        let report = sample::report();
        let comparison = compare(("s", &report.works[0]), ("s", &report.works[1]));
        let dram = comparison.lines.iter().find(|l| l.key == "dram_bytes").unwrap();
        assert_eq!((dram.a, dram.ratio), (Some(0.0), None));
    }

    #[test]
    fn the_ratio_is_the_second_over_the_first() {
        let report = sample::report();
        let comparison = compare(("s", &report.works[0]), ("s", &report.works[1]));
        let duration = comparison.lines.iter().find(|l| l.key == "duration_s").unwrap();
        assert_eq!(duration.ratio, Some(report.works[1].duration_s / report.works[0].duration_s));
    }
}
