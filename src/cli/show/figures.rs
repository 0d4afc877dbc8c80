//! Every figure of a file in a line of its part: key, value, range, source, reference.
//!
//! Knows what a figure looks like in TOML. Must not know what its key means.

use toml::{Table, Value};

use crate::readable::wrap;

/// What is told elsewhere or is no figure.
const LEFT_OUT: [&str; 5] = ["title", "name", "schema", "expect", "paths"];

/// A part of a file and its figures.
struct Part {
    key: String,
    title: String,
    rows: Vec<[String; 5]>,
}

/// All figures, part by part.
pub(super) fn text(file: &Table, width: usize) -> String {
    let mut parts = Vec::new();
    collect(String::new(), file, &mut parts);
    parts.retain(|part| !part.rows.is_empty());
    let widths = widths(&parts);
    parts.iter().map(|part| told(part, widths, width)).collect()
}

fn collect(key: String, table: &Table, parts: &mut Vec<Part>) {
    let word = |name: &str| table.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = [word("name"), word("title")].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let title = if key.is_empty() { String::new() } else { title.join(": ") };
    let entries = || table.iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
    let rows = entries().filter(|(_, value)| !is_part(value)).map(|(name, value)| row(name, value)).collect();
    parts.push(Part { key: key.clone(), title, rows });
    for (name, value) in entries().filter(|(_, value)| is_part(value)) {
        let below = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        match value {
            Value::Table(table) => collect(below, table, parts),
            Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
                item.as_table().into_iter().for_each(|table| collect(format!("{below}.{index}"), table, parts));
            }),
            _ => {}
        }
    }
}

/// Whether a value has figures of its own rather than being one.
fn is_part(value: &Value) -> bool {
    match value {
        Value::Table(table) => !["value", "draw", "by_size", "points"].iter().any(|key| table.contains_key(*key)),
        Value::Array(items) => items.iter().any(|item| item.as_table().is_some_and(|t| !t.contains_key("value"))),
        _ => false,
    }
}

fn row(key: &str, value: &Value) -> [String; 5] {
    let text = |name: &str| value.get(name).map(plain_value).unwrap_or_default();
    let range = [text("low"), text("high")];
    let range = if range.iter().all(String::is_empty) { String::new() } else { range.join(" .. ") };
    let by_size = value.get("by_size").or(value.get("points")).map(points);
    let shown = by_size.unwrap_or_else(|| value.get("value").map_or_else(|| plain_value(value), plain_value));
    [key.to_string(), shown, range, text("source"), text("reference")]
}

/// The ends of a table by size: "3 us at 4 KiB .. 20 us at 1 MiB".
fn points(table: &Value) -> String {
    let points: Vec<&Vec<Value>> = table.as_array().into_iter().flatten().filter_map(Value::as_array).collect();
    let told = |point: &&Vec<Value>| match point.as_slice() {
        [size, value, ..] => format!("{} at {}", plain_value(value), plain_value(size)),
        _ => String::new(),
    };
    match (points.first().map(told), points.last().map(told)) {
        (Some(first), Some(last)) if points.len() > 1 => format!("{first} .. {last}"),
        (Some(only), _) => only,
        _ => String::new(),
    }
}

fn plain_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain_value).collect::<Vec<_>>().join(", "),
        other => other.get("value").map_or_else(|| other.to_string(), plain_value),
    }
}

/// The widths of all columns but the last.
fn widths(parts: &[Part]) -> [usize; 4] {
    let rows = || parts.iter().flat_map(|part| &part.rows);
    std::array::from_fn(|column| rows().map(|row| row[column].chars().count()).max().unwrap_or(0).min(30))
}

fn told(part: &Part, widths: [usize; 4], width: usize) -> String {
    let title = if part.title.is_empty() { String::new() } else { format!("  {}", part.title) };
    let heading = if part.key.is_empty() { String::new() } else { wrap(&format!("[{}]{title}", part.key), width, 2) };
    let rows = part.rows.iter().map(|row| line(row, widths, width));
    format!("{}{}\n", if heading.is_empty() { heading } else { heading + "\n" }, rows.collect::<String>())
}

fn line([key, value, range, source, reference]: &[String; 5], widths: [usize; 4], width: usize) -> String {
    let [k, v, r, s] = widths;
    let indent = 2 + k + 2 + v + 2 + r + 2 + s + 2;
    let head = format!("  {key:<k$}  {value:>v$}  {range:<r$}  {source:<s$}  ");
    let reference =
        wrap(reference, width.saturating_sub(indent).max(20), 0).replace('\n', &format!("\n{:indent$}", ""));
    format!("{}\n", (head + &reference).trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_part_stand_under_its_name() {
        let file = "gpus = 8\n[gpu]\nname = \"h100\"\ntitle = \"A GPU\"\nhbm = { value = \"3 TB/s\", low = \"2 TB/s\", \
                    high = \"3 TB/s\", source = \"assumed\", reference = \"a long enough reference to be broken over two lines\" }\n\
                    [[switches]]\nsocket = 0\n";
        insta::assert_snapshot!(text(&file.parse().unwrap(), 80));
    }
}
