//! A tree written out as one TOML text with sorted keys, the same for all files that say the same.
//!
//! Knows TOML. Must not know what any key means, except that works keep their order where a reader sees it.

use std::fmt::Write;

use serde::Deserialize;
use toml::de::{DeValue, ValueDeserializer};

use super::tree::{Table, Value};

/// In which order the works stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Works {
    /// As in the file, which is the order of the report.
    AsInFile,
    /// By name, so that the order in the file changes nothing.
    ByName,
}

/// The text of a whole file.
pub(super) fn write(root: &Table<'_>, works: Works) -> String {
    let mut writer = Writer { out: String::new(), works };
    writer.section(root, &mut Vec::new());
    writer.out
}

struct Writer {
    out: String,
    works: Works,
}

impl Writer {
    /// Writes a table: first what fits on lines of its own, then the tables below it, each under its header.
    fn section(&mut self, table: &Table<'_>, path: &mut Vec<String>) {
        let mut entries: Vec<(&str, &Value<'_>)> = table.iter().map(|(k, v)| (k.get_ref().as_ref(), v)).collect();
        if path.as_slice() != ["works"] || self.works == Works::ByName {
            entries.sort_by_key(|(name, _)| *name);
        }
        let (lines, sections): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(_, value)| is_line(value));
        for (name, value) in lines {
            let _ = writeln!(self.out, "{} = {}", bare(name), inline(value));
        }
        for (name, value) in sections {
            path.push(bare(name));
            self.below(value, path);
            path.pop();
        }
    }

    fn below(&mut self, value: &Value<'_>, path: &mut Vec<String>) {
        match value.get_ref() {
            DeValue::Array(items) => {
                for table in items.iter().filter_map(|item| item.get_ref().as_table()) {
                    self.header(&format!("[[{}]]", path.join(".")));
                    self.section(table, path);
                }
            }
            DeValue::Table(table) => {
                let holds_lines = table.is_empty() || table.values().any(is_line);
                if holds_lines {
                    self.header(&format!("[{}]", path.join(".")));
                }
                self.section(table, path);
            }
            _ => {}
        }
    }

    fn header(&mut self, header: &str) {
        let gap = if self.out.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.out, "{gap}{header}");
    }
}

/// Whether a value is written on a line (or a few) of its own rather than under a header.
fn is_line(value: &Value<'_>) -> bool {
    match value.get_ref() {
        DeValue::Table(table) => {
            let is_one_thing = ["draw", "value", "key", "by_size", "points"].iter().any(|key| table.contains_key(*key));
            is_one_thing && table.values().all(|inner| !inner.get_ref().is_table() || is_line(inner))
        }
        DeValue::Array(items) => items.iter().all(|item| match item.get_ref() {
            DeValue::Table(table) => table.values().all(is_leaf),
            _ => is_line(item),
        }),
        _ => true,
    }
}

/// Whether a value is a scalar or a figure's table.
fn is_leaf(value: &Value<'_>) -> bool {
    !value.get_ref().is_array() && is_line(value)
}

fn inline(value: &Value<'_>) -> String {
    match value.get_ref() {
        DeValue::Table(table) => {
            let mut entries: Vec<_> = table.iter().map(|(k, v)| (k.get_ref().as_ref(), v)).collect();
            entries.sort_by_key(|(name, _)| (rank(name), *name));
            let entries: Vec<String> = entries.iter().map(|(k, v)| format!("{} = {}", bare(k), inline(v))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => {
            let items: String = items.iter().map(|item| format!("    {},\n", inline(item))).collect();
            format!("[\n{items}]")
        }
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        _ => scalar(value),
    }
}

/// A figure's value comes first and where it is from last; other keys stand between them, sorted.
fn rank(name: &str) -> usize {
    let order = ["draw", "value", "low", "high"];
    let first = order.iter().position(|first| *first == name);
    first.unwrap_or(if matches!(name, "source" | "reference") {
        order.len() + usize::from(name == "reference") + 1
    } else {
        order.len()
    })
}

fn scalar(value: &Value<'_>) -> String {
    match toml::Value::deserialize(ValueDeserializer::from(value.clone())) {
        Ok(scalar) => scalar.to_string(),
        // Numbers beyond 64 bits, which no key takes: they were refused before anything is written.
        Err(_) => String::from("0"),
    }
}

/// A key, in quotes where it needs them.
fn bare(name: &str) -> String {
    let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if plain { name.to_string() } else { toml::Value::String(name.to_string()).to_string() }
}
