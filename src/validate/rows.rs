//! The rows of the tables that people read, in words.
//!
//! Knows the table of errors. Must not know whether it becomes text or Markdown.

use super::ablation::Brought;
use super::errors::{Errors, FamilyErrors, Point, Table};
use super::sign::Wrong;
use crate::readable::counted;
use crate::statistics::Spread;
use crate::table::{Column, Lean};
use engine::units::significant;

/// The table of families.
pub(super) const FAMILIES: &[Column<'_>] = &[
    ("family", Lean::Left),
    ("points", Lean::Right),
    ("median", Lean::Right),
    ("p90", Lean::Right),
    ("gate", Lean::Left),
    ("roofline", Lean::Right),
    ("closed form", Lean::Right),
    ("fitted", Lean::Right),
    ("bounds kept", Lean::Right),
    ("signs right", Lean::Right),
];
/// The table of points.
pub(super) const POINTS: &[Column<'_>] = &[
    ("case", Lean::Left),
    ("key", Lean::Left),
    ("measured", Lean::Right),
    ("predicted", Lean::Right),
    ("error", Lean::Right),
];

/// The table of what each mechanism brings.
pub(super) const ABLATION: &[Column<'_>] = &[
    ("without", Lean::Left),
    ("points", Lean::Right),
    ("median", Lean::Right),
    ("p90", Lean::Right),
    ("bounds and signs wrong", Lean::Right),
    ("then", Lean::Left),
];

/// A mechanism's row.
pub(super) fn brought(row: &Brought) -> Vec<String> {
    let simulated = row.errors.simulated;
    vec![
        row.without.clone().unwrap_or_else(|| "nothing".to_string()),
        simulated.map_or(0, |errors| errors.points).to_string(),
        simulated.map_or_else(none, |errors| percent(errors.median)),
        simulated.map_or_else(none, |errors| percent(errors.p90)),
        row.wrong.to_string(),
        row.meaning.clone(),
    ]
}

/// A family's row.
pub(super) fn family(row: &FamilyErrors) -> Vec<String> {
    let simulated = row.predicted.simulated;
    vec![
        row.family.clone(),
        simulated.map_or(0, |errors| errors.points).to_string(),
        simulated.map_or_else(none, |errors| percent(errors.median)),
        simulated.map_or_else(none, |errors| percent(errors.p90)),
        gate(row),
        both(row.predicted.roofline),
        both(row.predicted.closed_form),
        row.fitted.simulated.map_or_else(none, |errors| format!("{}: {}", errors.points, both(Some(errors)))),
        share(row.bounds_kept, row.bounds_kept + row.bounds_violated.len()),
        share(row.signs.pairs - row.signs.wrong.len(), row.signs.pairs),
    ]
}

/// A point's row.
pub(super) fn point(point: &Point) -> Vec<String> {
    let figure = |value: f64| format!("{} {}", significant(value), point.unit).trim_end().to_string();
    let sign = if point.predicted < point.measured { "-" } else { "+" };
    vec![
        point.id.clone(),
        point.key.clone(),
        figure(point.measured),
        figure(point.predicted),
        format!("{sign}{}", percent(point.error_percent)),
    ]
}

/// A pair with the wrong winner.
pub(super) fn wrong(wrong: &Wrong) -> String {
    let (measured, predicted) = (significant(wrong.measured), significant(wrong.predicted));
    format!("{} against {}: GDS x {measured} measured, x {predicted} predicted", wrong.gds, wrong.bounce)
}

/// The last line.
pub fn total(table: &Table) -> String {
    let gated = table.families.iter().filter(|row| row.gate.is_some()).count();
    let missed: Vec<&str> =
        table.families.iter().filter(|row| row.meets_gate == Some(false)).map(|row| row.family.as_str()).collect();
    let gates = if missed.is_empty() { "every gate met".to_string() } else { format!("missed: {}", missed.join(", ")) };
    let points =
        counted(table.total.simulated.map_or(0, |all| all.points) as u64, "predicted point", "predicted points");
    let families = counted(gated as u64, "gated family", "gated families");
    format!("total: {points} of {families}: {}; {gates}", three(&table.total))
}

fn three(errors: &Errors) -> String {
    let Some(simulated) = errors.simulated else { return "nothing to judge".to_string() };
    format!(
        "median {}, p90 {}; roofline {}; closed form {}",
        percent(simulated.median),
        percent(simulated.p90),
        both(errors.roofline),
        both(errors.closed_form)
    )
}

fn gate(row: &FamilyErrors) -> String {
    match (row.gate, row.meets_gate) {
        (Some(gate), Some(met)) => {
            format!("{} / {} {}", gate.median, gate.p90, if met { "met" } else { "MISSED" })
        }
        _ => none(),
    }
}

/// Median and 90th percentile.
fn both(errors: Option<Spread>) -> String {
    errors.map_or_else(none, |errors| format!("{} / {} %", figure(errors.median), figure(errors.p90)))
}

fn share(part: usize, whole: usize) -> String {
    if whole == 0 { none() } else { format!("{part} of {whole}") }
}

fn percent(value: f64) -> String {
    format!("{} %", figure(value))
}

/// A figure in per cent; where it is large, its tenths say nothing.
fn figure(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

fn none() -> String {
    "-".to_string()
}
