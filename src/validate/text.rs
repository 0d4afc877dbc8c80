//! The table of errors as text for people.
//!
//! Knows what a reader asks first. Must not know the terminal.

use super::errors::{FamilyErrors, Table};
use super::rows;
use crate::table::plain;

/// Columns of the widest line.
const WIDTH: usize = 140;
/// Points of each family that are listed.
const WORST: usize = 5;

/// Writes it.
pub(super) fn table(table: &Table) -> String {
    let mut text = String::new();
    if !table.without.is_empty() {
        text.push_str(&format!("without {}\n", table.without.join(", ")));
    }
    text.push_str("absolute errors against what was measured (median / 90th percentile)\n\n");
    text.push_str(&plain(rows::FAMILIES, table.families.iter().map(rows::family).collect(), WIDTH));
    text.extend(table.families.iter().map(details));
    text.push_str(&format!("\n{}\n", rows::total(table)));
    text
}

/// A family's worst misses and what else went wrong.
fn details(family: &FamilyErrors) -> String {
    let mut text = format!("\n{}  {}\n", family.family, family.title);
    let worst: Vec<Vec<String>> = family.worst().into_iter().take(WORST).map(rows::point).collect();
    if !worst.is_empty() {
        text.push_str(&plain(rows::POINTS, worst, WIDTH));
    }
    if !family.bounds_violated.is_empty() {
        text.push_str(&format!(" violated bounds: {}\n", family.bounds_violated.join(", ")));
    }
    text.extend(family.signs.wrong.iter().map(|wrong| format!(" wrong sign: {}\n", rows::wrong(wrong))));
    text
}
