//! Figures of works side by side.
//!
//! Knows keys of a work and the words for them. Must not know which lesson shows them.

use serde::Serialize;
use serde_json::Value;

use super::figure::Unit;
use super::runs::Ran;
use crate::format::LessonStep;
use crate::report::{WorkReport, value_at};
use crate::table::{Column, Lean};

/// A table: a row a work, a column a figure.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// The figures' names.
    pub figures: Vec<String>,
    /// What a row is of, and its values.
    pub works: Vec<(String, Vec<String>)>,
}

/// The words for the keys that lessons show most.
const WORDS: [(&str, &str); 18] = [
    ("duration_s", "time"),
    ("low_s", "fast end"),
    ("high_s", "slow end"),
    ("throughput_gb_s", "throughput"),
    ("ceiling_gb_s", "ceiling"),
    ("line_rate_gb_s", "line rate"),
    ("path_asked", "asks for"),
    ("path_taken", "takes"),
    ("why.0", "why"),
    ("hops.len", "hops"),
    ("binding.0.name", "what binds"),
    ("binding.0.share", "its share"),
    ("dram_bytes", "memory traffic"),
    ("cpu_copies", "CPU copies"),
    ("cpu_s", "CPU time"),
    ("pcie_crossings", "PCIe crossings"),
    ("latency_us.mean", "mean latency"),
    ("requests", "requests"),
];

impl Side {
    /// As a table's columns and rows: few works stand beside each other, many below each other.
    pub(super) fn table(&self) -> (Vec<Column<'_>>, Vec<Vec<String>>) {
        let named = |name: &String, cells: Vec<String>| [vec![name.clone()], cells].concat();
        let heads: Vec<&String>;
        let rows = if self.works.len() > 3 {
            heads = self.figures.iter().collect();
            self.works.iter().map(|(name, cells)| named(name, cells.clone())).collect()
        } else {
            heads = self.works.iter().map(|(name, _)| name).collect();
            let across = |at: usize| self.works.iter().map(|(_, cells)| cells[at].clone()).collect();
            self.figures.iter().enumerate().map(|(at, name)| named(name, across(at))).collect()
        };
        let columns = heads.into_iter().map(|name| (name.as_str(), Lean::Right));
        (std::iter::once(("", Lean::Left)).chain(columns).collect(), rows)
    }
}

/// Keys of works of some runs side by side; or the key or work that there is not.
pub(super) fn side(runs: &[&Ran], step: &LessonStep) -> Result<Side, (String, String)> {
    if step.show.is_empty() {
        return Ok(Side::default());
    }
    let shown = |name: &String| step.works.is_empty() || step.works.contains(name);
    let works: Vec<(String, Value)> = runs
        .iter()
        .flat_map(|ran| ran.report.works.iter().filter(|work| shown(&work.name)).map(|work| (*ran, work)))
        .map(|(ran, work)| (row_name(ran, &work.name, runs.len(), &step.works), value_of(work)))
        .collect();
    if let Some(key) = step.show.iter().find(|key| works.iter().all(|(_, work)| value_at(work, key).is_none())) {
        return Err((key.clone(), format!("no work of its runs has the key `{key}`")));
    }
    let cells = |work: &Value| step.show.iter().map(|key| cell(key, work).unwrap_or_else(|| "-".to_string())).collect();
    let works = works.iter().map(|(name, work)| (name.clone(), cells(work))).collect();
    Ok(Side { figures: step.show.iter().map(|key| in_words(key).to_string()).collect(), works })
}

/// A work's name, its run's, or both: what tells it from the others.
fn row_name(ran: &Ran, work: &str, runs: usize, works: &[String]) -> String {
    match (runs, works.len()) {
        (1, _) => work.to_string(),
        (_, 1) => ran.name.clone(),
        _ => format!("{}, {work}", ran.name),
    }
}

fn value_of(work: &WorkReport) -> Value {
    serde_json::to_value(work).unwrap_or(Value::Null)
}

fn in_words(key: &str) -> &str {
    WORDS.iter().find(|(known, _)| *known == key).map_or(key, |(_, words)| words)
}

fn cell(key: &str, work: &Value) -> Option<String> {
    match value_at(work, key)? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(Unit::of_key(key).written(number.as_f64()?)),
        _ => None,
    }
}
