//! Tables of a sweep: one row a point with all inputs, all results, what binds and how sure that is.
//!
//! Knows rows and columns. Must not know where they are kept. JSON lines are the journal's own lines.

use super::csv::{record, work_columns};
use crate::study::Row;

/// The columns that every table begins with, before the inputs.
const FIRST: [&str; 6] = ["sweep", "points", "point", "replicate", "seed", "fingerprint"];
/// The columns that every table ends with.
const LAST: [&str; 3] = ["simulated_s", "assumed_share", "warnings"];

/// The first line of a CSV table, after the first row of it: inputs by their keys, results as `work.figure`.
pub fn csv_header(row: &Row) -> String {
    let first = FIRST.iter().map(|name| name.to_string());
    let inputs = row.inputs.keys().cloned();
    let works =
        row.report.works.iter().flat_map(|work| work_columns().map(move |name| format!("{}.{name}", work.name)));
    record(first.chain(inputs).chain(works).chain(LAST.iter().map(|name| name.to_string())))
}

/// A row's line of a CSV table.
pub fn csv_row(row: &Row) -> String {
    let report = &row.report;
    let first = [
        row.sweep.clone(),
        row.points.to_string(),
        row.point.to_string(),
        row.replicate.to_string(),
        report.seed.to_string(),
        report.fingerprint.clone(),
    ];
    let works = report.works.iter().flat_map(|work| super::csv::work_cells(report, work));
    let warnings: Vec<&str> = report.warnings.iter().map(|w| w.kind.as_str()).collect();
    let last = [report.simulated_s.to_string(), report.assumed_share.to_string(), warnings.join("; ")];
    record(first.into_iter().chain(row.inputs.values().cloned()).chain(works).chain(last))
}
