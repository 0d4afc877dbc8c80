//! JSON: the report's shape as it is; an array where there is more than one.
//!
//! Knows serde_json. Must not know what a figure means.

use serde::Serialize;

use super::Style;
use crate::report::{Comparison, Report};

/// Reports as JSON.
pub(super) fn reports(reports: &[Report], _: &Style) -> String {
    one_or_many(reports)
}

/// Comparisons as JSON.
pub(super) fn comparisons(comparisons: &[Comparison], _: &Style) -> String {
    one_or_many(comparisons)
}

fn one_or_many<T: Serialize>(items: &[T]) -> String {
    let text = match items {
        [one] => serde_json::to_string_pretty(one),
        many => serde_json::to_string_pretty(many),
    };
    // Plain structs with text keys cannot fail to become JSON.
    text.unwrap_or_default() + "\n"
}
