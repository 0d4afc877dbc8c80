//! The table of errors as JSON.
//!
//! Knows the table's shape. Must not know who reads it.

use super::errors::Table;

/// Writes it.
pub(super) fn table(table: &Table) -> String {
    serde_json::to_string_pretty(table).unwrap_or_default() + "\n"
}
