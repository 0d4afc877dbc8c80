//! The table of errors as a page of the documentation.
//!
//! Knows Markdown. Must not know where the page is kept.

use super::errors::{FamilyErrors, Table};
use super::rows;
use crate::table::markdown;

/// Points of each family that are listed.
const WORST: usize = 10;

const HEAD: &str = "# Validation

Written by `hopsim validate --format markdown`; do not edit.

Predictions held against measurements. An error is absolute, in per cent of what was measured; two figures are the median
and the 90th percentile. *Points* are predicted: nothing was fitted on them; points that figures were fitted on stand apart.
The *roofline* knows ceilings alone, the *closed form* a lone loop of equal requests; both are judged on the same points.
Bounds are published as lower or upper limits and are kept or not. *Signs* say whether GDS or the bounce path wins at equal
settings, where one is ahead by more than 2 % and by more than both figures can be off by the way they were read.
";

/// Writes it.
pub(super) fn table(table: &Table) -> String {
    let mut text = format!("{HEAD}\n");
    if !table.without.is_empty() {
        text.push_str(&format!("Left out of every model: {}.\n\n", table.without.join(", ")));
    }
    text.push_str(&markdown(rows::FAMILIES, table.families.iter().map(rows::family).collect()));
    text.push_str(&format!("\n**{}**\n", rows::total(table)));
    text.extend(table.families.iter().map(details));
    text
}

fn details(family: &FamilyErrors) -> String {
    let mut text = format!("\n## {}: {}\n", family.family, family.title);
    if !family.reference.is_empty() {
        text.push_str(&format!("\nMeasured: {}.\n", family.reference.trim_end_matches('.')));
    }
    let worst: Vec<Vec<String>> = family.worst().into_iter().take(WORST).map(rows::point).collect();
    if !worst.is_empty() {
        text.push_str(&format!("\nThe worst misses:\n\n{}", markdown(rows::POINTS, worst)));
    }
    if !family.bounds_violated.is_empty() {
        text.push_str(&format!("\nViolated bounds: {}.\n", family.bounds_violated.join(", ")));
    }
    let wrong: String = family.signs.wrong.iter().map(|wrong| format!("- {}\n", rows::wrong(wrong))).collect();
    if !wrong.is_empty() {
        text.push_str(&format!("\nThe wrong path wins:\n\n{wrong}"));
    }
    text
}
