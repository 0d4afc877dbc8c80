//! Lays what software costs under the parts of a scenario: a figure that a part does not give comes from the node's software
//! part, and what that does not give from the baseline. What no path of the scenario asks for is taken out again.
//!
//! Knows which table of a software part belongs under which part. Must not know what a figure does.

use std::collections::BTreeSet;

use toml::de::DeValue;

use crate::error::Fault;
use crate::format::FileKind;

use super::merge::Merger;
use super::tree::{Table, Value, is_figure, key, table_mut};

/// The software part under all others.
const BASELINE: &str = "baseline";

/// The tables of a software part, and where in a scenario their part stands.
const PARTS: [(&str, &[&str]); 5] = [
    ("cpu", &["node", "cpu"]),
    ("gpu", &["node", "gpu"]),
    ("nic", &["node", "nic"]),
    ("fabric", &["fabric"]),
    ("target", &["target"]),
];

/// Costs of one name belong together: a fixed one, and what the size of a request adds.
const COSTS: [&str; 2] = ["costs", "costs_by_size"];

/// Figures that a path asks for by what its legs do: the key and value in a path, and the keys that lead to the figure.
const BY_LEGS: [((&str, &str), &[&str], &str); 2] = [
    (("mover", "staging"), &["node", "gpu", "copies"], "pageable"),
    (("from", "socket buffer"), &["node", "cpu"], "receive_rate"),
];

/// What was laid under, by its place in the run's texts.
#[derive(Default)]
pub(super) struct Laid(BTreeSet<(usize, usize)>);

/// Gives every part of a complete scenario what its software says of it, the node's own before the baseline's.
pub(super) fn lay_under<'i>(root: &mut Value<'i>, merger: &mut Merger<'_, 'i>) -> Result<Laid, Fault> {
    let own = at(root, &["node", "software"]).map(taken).unwrap_or_default();
    let mut baseline = merger.named(FileKind::Software, BASELINE)?;
    let baseline = table_mut(&mut baseline).map(taken).unwrap_or_default();
    let mut laid = Laid::default();
    for (path, part) in own.into_iter().chain(baseline) {
        if let Some(table) = at(root, path) {
            laid.under_part(table, part);
        }
    }
    Ok(laid)
}

/// Takes the tables of parts out of a software part: in a scenario they stand at the parts themselves.
fn taken<'i>(software: &mut Table<'i>) -> Vec<(&'static [&'static str], Value<'i>)> {
    PARTS.iter().filter_map(|(name, path)| Some((*path, software.remove(*name)?))).collect()
}

/// The table at a row of keys.
fn at<'a, 'i>(root: &'a mut Value<'i>, path: &[&str]) -> Option<&'a mut Table<'i>> {
    path.iter().try_fold(table_mut(root)?, |table, name| table_mut(table.get_mut(*name)?))
}

fn names(costs: &Value<'_>) -> Vec<String> {
    let table = costs.get_ref().as_table();
    table.into_iter().flat_map(|table| table.keys()).map(|key| key.get_ref().to_string()).collect()
}

impl Laid {
    fn under_part<'i>(&mut self, part: &mut Table<'i>, mut software: Value<'i>) {
        let Some(software) = table_mut(&mut software) else { return };
        let known: Vec<String> = COSTS.iter().filter_map(|costs| part.get(*costs)).flat_map(names).collect();
        for costs in COSTS {
            let Some(costs) = software.get_mut(costs).and_then(table_mut) else { continue };
            let all = std::mem::take(costs).into_iter();
            *costs = all.filter(|(name, _)| !known.iter().any(|known| known == name.get_ref())).collect();
        }
        self.under(part, std::mem::take(software));
    }

    /// What `table` has no key for comes from `base`, tables key by key.
    fn under<'i>(&mut self, table: &mut Table<'i>, base: Table<'i>) {
        for (name, value) in base {
            if COSTS.contains(&name.get_ref().as_ref()) && !table.contains_key(name.get_ref().as_ref()) {
                let empty = Value::new(value.span(), DeValue::Table(Table::default()));
                table.insert(key(value.span(), name.get_ref().clone()), empty);
            }
            match table.get_mut(name.get_ref().as_ref()) {
                None => {
                    self.0.insert((value.span().start, value.span().end));
                    table.insert(key(value.span(), name.into_inner()), value);
                }
                Some(own) if is_figure(own) || is_figure(&value) => {}
                Some(own) => {
                    if let (Some(own), DeValue::Table(value)) = (table_mut(own), value.into_inner()) {
                        self.under(own, value);
                    }
                }
            }
        }
    }

    /// Takes out what no path asks for, unless an edit has changed it since.
    pub(super) fn keep_what_is_asked_for(&self, root: &mut Value<'_>) {
        let mut asked = Asked::default();
        let paths = root.get_ref().get("paths");
        paths.into_iter().for_each(|paths| asked.look(paths));
        let doubling = root.get_ref().get("node").and_then(|node| node.get_ref().get("cpu"));
        let doubling = doubling.and_then(|cpu| cpu.get_ref().get("costs_per_doubling"));
        asked.costs.extend(doubling.into_iter().flat_map(names).map(|name| format!("cpu.{name}")));
        for (part, path) in PARTS {
            at(root, path).into_iter().for_each(|table| self.keep_costs(part, table, &asked));
        }
        let works = table_mut(root).and_then(|root| table_mut(root.get_mut("works")?));
        for (_, work) in works.into_iter().flat_map(|works| works.iter_mut()) {
            at(work, &["target"]).into_iter().for_each(|table| self.keep_costs("target", table, &asked));
        }
        for ((sign, word), path, figure) in BY_LEGS {
            let table = at(root, path).filter(|_| !asked.signs.contains(&(sign.to_string(), word.to_string())));
            table.into_iter().for_each(|table| self.keep(table, |name| name != figure));
        }
    }

    fn keep_costs(&self, part: &str, table: &mut Table<'_>, asked: &Asked) {
        for costs in COSTS {
            let Some(inner) = table.get_mut(costs).and_then(table_mut) else { continue };
            self.keep(inner, |name| asked.costs.contains(&format!("{part}.{name}")));
            if inner.is_empty() {
                table.remove(costs);
            }
        }
    }

    /// Keeps what was not laid under, and of the rest what is wanted.
    fn keep(&self, table: &mut Table<'_>, wanted: impl Fn(&str) -> bool) {
        let all = std::mem::take(table).into_iter();
        let laid = |value: &Value<'_>| self.0.contains(&(value.span().start, value.span().end));
        *table = all.filter(|(name, value)| !laid(value) || wanted(name.get_ref())).collect();
    }
}

/// What paths ask for.
#[derive(Default)]
struct Asked {
    costs: BTreeSet<String>,
    signs: BTreeSet<(String, String)>,
}

impl Asked {
    fn look(&mut self, value: &Value<'_>) {
        match value.get_ref() {
            DeValue::Table(table) => table.iter().for_each(|(name, value)| self.entry(name.get_ref(), value)),
            DeValue::Array(items) => items.iter().for_each(|item| self.look(item)),
            _ => {}
        }
    }

    fn entry(&mut self, name: &str, value: &Value<'_>) {
        match value.get_ref().as_str() {
            Some(cost) if name == "cost" => {
                self.costs.insert(cost.to_string());
            }
            Some(word) => {
                self.signs.insert((name.to_string(), word.to_string()));
            }
            None => self.look(value),
        }
    }
}
