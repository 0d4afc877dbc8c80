//! A file with every part that it names filled in.
//!
//! Knows TOML tables and which keys name models. Must not know what a figure does.

use toml::{Table, Value};

use crate::error::Fault;
use crate::platform::Entry;
use crate::spec::{FileKind, Place};

/// Finds a model by kind and name.
pub(super) type Finder<'a> = &'a dyn Fn(FileKind, &str) -> Result<Option<Entry>, Fault>;

/// Models named inside models, at most so deep; a ring of names ends here.
const DEEPEST: usize = 16;

/// Reads a TOML text.
pub(super) fn read(shown: &str, text: &str) -> Result<Table, Fault> {
    text.parse().map_err(|error: toml::de::Error| Fault::new(format!("{shown} is no TOML: {}", error.message())))
}

/// Fills in the models that a table names; keys beside a name replace the model's own.
pub(super) fn fill(table: Table, place: Place, find: Finder<'_>) -> Result<Table, Fault> {
    filled(table, place, find, DEEPEST)
}

fn filled(mut table: Table, place: Place, find: Finder<'_>, depth: usize) -> Result<Table, Fault> {
    let base = match (place.model(), table.remove("model")) {
        (Some(kind), Some(Value::String(name))) => filled(model(kind, &name, find, depth)?, place, find, depth - 1)?,
        _ => Table::new(),
    };
    let mut whole = base;
    for (key, value) in table {
        let value = value_at(value, place.below(&key), find, depth)?;
        match (whole.get_mut(&key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => lay_over(under, over),
            (_, value) => drop(whole.insert(key, value)),
        }
    }
    Ok(whole)
}

fn value_at(value: Value, place: Place, find: Finder<'_>, depth: usize) -> Result<Value, Fault> {
    match (value, place.model()) {
        (Value::String(name), Some(kind)) => {
            Ok(Value::Table(filled(model(kind, &name, find, depth)?, place, find, depth - 1)?))
        }
        (Value::Table(table), _) => Ok(Value::Table(filled(table, place, find, depth)?)),
        (Value::Array(items), _) => {
            let items: Result<Vec<Value>, Fault> =
                items.into_iter().map(|item| value_at(item, place.below(""), find, depth)).collect();
            Ok(Value::Array(items?))
        }
        (value, _) => Ok(value),
    }
}

fn model(kind: FileKind, name: &str, find: Finder<'_>, depth: usize) -> Result<Table, Fault> {
    if depth <= 1 {
        return Err(Fault::new(format!("{kind} \"{name}\" is named inside itself")));
    }
    let entry = find(kind, name)?.ok_or_else(|| Fault::new(format!("there is no {kind} called \"{name}\"")))?;
    read(&entry.shown, &entry.text)
}

/// Lays a table over another: tables of both go together, everything else is replaced. A figure is replaced as one.
fn lay_over(under: &mut Table, over: Table) {
    if over.contains_key("value") || under.contains_key("value") {
        *under = over;
        return;
    }
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => lay_over(under, over),
            (_, value) => drop(under.insert(key, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shelf(kind: FileKind, name: &str) -> Result<Option<Entry>, Fault> {
        let text = match name {
            "gpu" => "hbm = \"3 TB/s\"\nlink = \"x16\"",
            "x16" => "raw = \"64 GB/s\"\nencoding = 0.98462",
            "ring" => "link = { model = \"loop\" }",
            "loop" => "model = \"loop\"",
            _ => return Ok(None),
        };
        Ok(Some(Entry { kind, name: name.into(), title: None, shown: name.into(), text: text.into() }))
    }

    #[test]
    fn a_part_named_inside_a_part_is_filled_in_and_keys_beside_the_name_win() {
        let table = read("t", "model = \"gpu\"\nlink = { encoding = 1 }").unwrap();
        let whole = fill(table, Place::Part(FileKind::Gpu), &shelf).unwrap();
        assert_eq!(whole["link"]["raw"].as_str(), Some("64 GB/s"));
        assert_eq!(whole["link"]["encoding"].as_integer(), Some(1));
    }

    #[test]
    fn a_model_inside_itself_is_refused() {
        let table = read("t", "model = \"ring\"").unwrap();
        assert!(fill(table, Place::Part(FileKind::Gpu), &shelf).is_err());
    }
}
