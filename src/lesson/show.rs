//! Figures of works side by side.
//!
//! Knows keys of a work and the words for them. Must not know which lesson shows them.

use serde::Serialize;
use serde_json::Value;

use super::figure::Unit;
use super::runs::Ran;
use crate::report::value_at;

/// A table: a column a work, a row a figure.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// What each column is of.
    pub columns: Vec<String>,
    /// A figure's name, and its value in each column.
    pub rows: Vec<(String, Vec<String>)>,
}

/// The words for the keys that lessons show most.
const WORDS: [(&str, &str); 18] = [
    ("duration_s", "time"),
    ("low_s", "time, assumed figures at their fast end"),
    ("high_s", "time, assumed figures at their slow end"),
    ("throughput_gb_s", "throughput"),
    ("ceiling_gb_s", "ceiling"),
    ("line_rate_gb_s", "line rate"),
    ("path_asked", "path asked for"),
    ("path_taken", "path taken"),
    ("why.0", "why"),
    ("hops.len", "hops"),
    ("binding.0.name", "what binds"),
    ("binding.0.share", "its share"),
    ("dram_bytes", "system memory traffic"),
    ("cpu_copies", "CPU copies"),
    ("cpu_s", "CPU time"),
    ("pcie_crossings", "PCIe crossings"),
    ("latency_us.mean", "mean latency"),
    ("requests", "requests"),
];

/// Keys of all works of some runs side by side; or the key that no work has.
pub(super) fn side(runs: &[&Ran], keys: &[String]) -> Result<Side, (String, String)> {
    if keys.is_empty() {
        return Ok(Side::default());
    }
    let several = runs.len() > 1;
    let mut columns = Vec::new();
    let mut works = Vec::new();
    for ran in runs {
        for work in &ran.report.works {
            columns.push(if several { format!("{}: {}", ran.name, work.name) } else { work.name.clone() });
            works.push(serde_json::to_value(work).unwrap_or(Value::Null));
        }
    }
    let rows = keys.iter().map(|key| row(key, &works)).collect::<Result<_, _>>()?;
    Ok(Side { columns, rows })
}

fn row(key: &str, works: &[Value]) -> Result<(String, Vec<String>), (String, String)> {
    let name = WORDS.iter().find(|(known, _)| *known == key).map_or(key, |(_, words)| words);
    let cells: Vec<Option<String>> = works.iter().map(|work| cell(key, work)).collect();
    if cells.iter().all(Option::is_none) {
        return Err((key.to_string(), format!("no work of its runs has the key `{key}`")));
    }
    Ok((name.to_string(), cells.into_iter().map(|cell| cell.unwrap_or_else(|| "-".to_string())).collect()))
}

fn cell(key: &str, work: &Value) -> Option<String> {
    match value_at(work, key)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(Unit::of_key(key).written(number.as_f64()?)),
        _ => None,
    }
}
