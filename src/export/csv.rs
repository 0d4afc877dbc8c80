//! CSV: one row a work, units in the names of the columns.
//!
//! Knows columns. Must not know what a figure means.

use super::{Style, word};
use crate::report::{Comparison, Report, WorkReport};

type Cell = fn(&Report, &WorkReport) -> String;

/// The columns, in order.
const COLUMNS: &[(&str, Cell)] = &[
    ("scenario", |r, _| r.scenario.clone()),
    ("fingerprint", |r, _| r.fingerprint.clone()),
    ("seed", |r, _| r.seed.to_string()),
    ("mode", |r, _| r.mode.clone()),
    ("work", |_, w| w.name.clone()),
    ("direction", |_, w| word(&w.direction)),
    ("path_asked", |_, w| w.path_asked.clone()),
    ("path_taken", |_, w| w.path_taken.clone()),
    ("why", |_, w| w.why.join("; ")),
    ("bytes", |_, w| w.bytes.to_string()),
    ("requests", |_, w| w.requests.to_string()),
    ("start_s", |_, w| w.start_s.to_string()),
    ("duration_s", |_, w| w.duration_s.to_string()),
    ("throughput_gb_s", |_, w| w.throughput_gb_s.to_string()),
    ("throughput_gib_s", |_, w| w.throughput_gib_s.to_string()),
    ("line_rate_gb_s", |_, w| maybe(w.line_rate_gb_s)),
    ("line_rate_by", |_, w| w.line_rate_by.clone().unwrap_or_default()),
    ("ceiling_gb_s", |_, w| w.ceiling_gb_s.to_string()),
    ("ceiling_by", |_, w| w.ceiling_by.clone()),
    ("closed_form_s", |_, w| maybe(w.closed_form_s)),
    ("low_s", |_, w| maybe(w.low_s)),
    ("high_s", |_, w| maybe(w.high_s)),
    ("binding", |_, w| w.binding.first().map(|b| b.name.clone()).unwrap_or_default()),
    ("binding_kind", |_, w| w.binding.first().map(|b| b.kind.clone()).unwrap_or_default()),
    ("binding_share", |_, w| maybe(w.binding.first().map(|b| b.share))),
    ("latency_mean_us", |_, w| maybe(w.latency_us.map(|l| l.mean))),
    ("latency_p50_us", |_, w| maybe(w.latency_us.map(|l| l.p50))),
    ("latency_p90_us", |_, w| maybe(w.latency_us.map(|l| l.p90))),
    ("latency_p99_us", |_, w| maybe(w.latency_us.map(|l| l.p99))),
    ("latency_max_us", |_, w| maybe(w.latency_us.map(|l| l.max))),
    ("legs", |_, w| w.moving_legs().to_string()),
    ("hops", |_, w| w.hops.len().to_string()),
    ("dram_bytes", |_, w| w.dram_bytes.to_string()),
    ("pcie_bytes", |_, w| w.pcie_bytes.to_string()),
    ("pcie_crossings", |_, w| w.pcie_crossings.to_string()),
    ("cpu_copies", |_, w| w.cpu_copies.to_string()),
    ("cpu_s", |_, w| w.cpu_s.to_string()),
    ("peak_host_bytes", |_, w| w.peak_host_bytes.to_string()),
    ("assumed_share", |r, _| r.assumed_share.to_string()),
    ("expectations_failed", |r, _| r.expectations.iter().filter(|e| !e.holds).count().to_string()),
    ("warnings", |r, _| r.warnings.iter().map(|w| w.kind.clone()).collect::<Vec<_>>().join("; ")),
    ("cpu_control_s", |_, w| w.cpu_control_s.to_string()),
    ("cpu_data_s", |_, w| w.cpu_data_s.to_string()),
    ("session_s", |_, w| w.session_s.to_string()),
    ("session_cpu_s", |_, w| w.session_cpu_s.to_string()),
];

/// Columns of the report rather than of a work.
const OF_REPORT: [&str; 7] =
    ["scenario", "fingerprint", "seed", "mode", "assumed_share", "expectations_failed", "warnings"];

/// The columns of a work that a sweep's table adds: how it settled.
const SETTLED: &[(&str, Cell)] = &[
    ("settled", |_, w| w.settled.is_some().to_string()),
    ("simulated_requests", |_, w| w.settled.map_or(w.requests, |s| s.simulated_requests).to_string()),
    ("half_width", |_, w| maybe(w.settled.map(|s| s.half_width))),
];

fn of_work() -> impl Iterator<Item = &'static (&'static str, Cell)> {
    COLUMNS.iter().filter(|column| !OF_REPORT.contains(&column.0)).skip(1).chain(SETTLED)
}

/// The columns of a work in a sweep's table, without its name.
pub(super) fn work_columns() -> impl Iterator<Item = &'static str> {
    of_work().map(|column| column.0)
}

/// A work's cells in a sweep's table.
pub(super) fn work_cells(report: &Report, work: &WorkReport) -> Vec<String> {
    of_work().map(|column| column.1(report, work)).collect()
}

/// One line.
pub(super) fn record(cells: impl Iterator<Item = String>) -> String {
    write(std::iter::once(cells.collect()))
}

/// Reports as CSV.
pub(super) fn reports(reports: &[Report], _: &Style) -> String {
    let header = COLUMNS.iter().map(|c| c.0.to_string()).collect();
    let works = reports.iter().flat_map(|r| r.works.iter().map(move |w| (r, w)));
    let rows = works.map(|(report, work)| COLUMNS.iter().map(|c| c.1(report, work)).collect());
    write(std::iter::once(header).chain(rows))
}

/// Comparisons as CSV: one row a figure.
pub(super) fn comparisons(comparisons: &[Comparison], _: &Style) -> String {
    let header = ["a", "b", "key", "value_a", "value_b", "ratio_b_to_a"].map(str::to_string).to_vec();
    let rows = comparisons.iter().flat_map(|c| {
        let words = [("path_taken", &c.path_a, &c.path_b), ("binding", &c.binding_a, &c.binding_b)];
        let words = words.map(|(key, a, b)| vec![key.to_string(), a.clone(), b.clone(), String::new()]);
        let figures = c.lines.iter().map(|l| vec![l.key.to_string(), maybe(l.a), maybe(l.b), maybe(l.ratio)]);
        words.into_iter().chain(figures).map(|row| [vec![c.a.clone(), c.b.clone()], row].concat())
    });
    write(std::iter::once(header).chain(rows))
}

fn maybe(value: Option<f64>) -> String {
    value.map(|v| v.to_string()).unwrap_or_default()
}

fn write(rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory rows of equal length cannot fail.
        let _ = writer.write_record(row);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
