//! Every figure of a file as a row: key, value, range, source, reference.
//!
//! Knows what a figure looks like in TOML. Must not know what its key means.

use toml::{Table, Value};

use crate::export::table::{Lean, plain};

/// The table of all figures.
pub(super) fn table(file: &Table, width: usize) -> String {
    let mut rows = Vec::new();
    walk("", file, &mut rows);
    let columns = [
        ("key", Lean::Left),
        ("value", Lean::Right),
        ("low .. high", Lean::Right),
        ("source", Lean::Left),
        ("reference", Lean::Left),
    ];
    plain(&columns, rows, width)
}

fn walk(prefix: &str, table: &Table, rows: &mut Vec<Vec<String>>) {
    for (key, value) in table {
        let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        if !matches!(key.as_str(), "title" | "name" | "schema") {
            entry(key, value, rows);
        }
    }
}

fn entry(key: String, value: &Value, rows: &mut Vec<Vec<String>>) {
    match value {
        Value::Table(figure) if figure.contains_key("value") => rows.push(figure_row(key, figure)),
        Value::Table(table) => walk(&key, table, rows),
        Value::Array(items) if items.iter().any(Value::is_table) => {
            items.iter().enumerate().for_each(|(index, item)| entry(format!("{key}.{index}"), item, rows));
        }
        value => rows.push(vec![key, plain_value(value), String::new(), String::new(), String::new()]),
    }
}

fn figure_row(key: String, figure: &Table) -> Vec<String> {
    let text = |name: &str| figure.get(name).map(plain_value);
    let range = match (text("low"), text("high")) {
        (None, None) => String::new(),
        (low, high) => format!("{} .. {}", low.unwrap_or_default(), high.unwrap_or_default()),
    };
    let words = |name| text(name).unwrap_or_default();
    vec![key, words("value"), range, words("source"), words("reference")]
}

fn plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain_value).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
