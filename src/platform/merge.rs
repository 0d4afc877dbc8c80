//! Puts models in the place of their names, and keys of a file over those of a model.
//!
//! Knows tables, models and which key takes which kind of model. Must not know what a figure does.

use toml::Spanned;
use toml::de::DeValue;

use crate::error::{Fault, Sources, Span, nearest};
use crate::format::{FileKind, Place};

use super::library::Shelves;
use super::segments::composed;
use super::tree::{Table, Texts, Value, is_figure, key, table_mut, text};

/// Completes trees with the models that they name.
pub(super) struct Merger<'a, 'i> {
    pub(super) texts: &'a mut Texts<'i>,
    pub(super) shelves: &'a Shelves,
    /// The models that are being read, outermost first.
    reading: Vec<(FileKind, String)>,
    /// The wires over which paths are wanted.
    pub(super) wires: Vec<String>,
}

impl<'a, 'i> Merger<'a, 'i> {
    pub(super) fn new(texts: &'a mut Texts<'i>, shelves: &'a Shelves) -> Merger<'a, 'i> {
        Merger { texts, shelves, reading: Vec::new(), wires: Vec::new() }
    }

    /// The value with every model that it names inside it.
    pub(super) fn complete(&mut self, mut value: Value<'i>, place: Place) -> Result<Value<'i>, Fault> {
        let Some((kind, name, at)) = named_model(&value, place) else {
            return self.complete_entries(value, place);
        };
        let span = value.span();
        let model = self.model(kind, &name, &at)?;
        let Some(table) = table_mut(&mut value) else {
            return Ok(Spanned::new(span, model.into_inner()));
        };
        table.remove("model");
        self.lay_over(model, value, place)
    }

    fn complete_entries(&mut self, value: Value<'i>, place: Place) -> Result<Value<'i>, Fault> {
        let span = value.span();
        let inner = match value.into_inner() {
            DeValue::Table(table) => {
                let mut whole = Table::default();
                for (key, entry) in table {
                    let below = place.below(key.get_ref());
                    whole.insert(key, self.complete(entry, below)?);
                }
                DeValue::Table(whole)
            }
            DeValue::Array(items) => {
                DeValue::Array(items.into_iter().map(|i| self.complete(i, place.below(""))).collect::<Result<_, _>>()?)
            }
            scalar => scalar,
        };
        Ok(Spanned::new(span, inner))
    }

    /// Lays `over` over `base`: tables key by key, all else as a whole. What names a model of its own replaces as a whole.
    pub(super) fn lay_over(&mut self, base: Value<'i>, over: Value<'i>, place: Place) -> Result<Value<'i>, Fault> {
        if is_figure(&base) || is_figure(&over) || named_model(&over, place).is_some() {
            return self.complete(over, place);
        }
        let span = over.span();
        let (mut table, over) = match (base.into_inner(), over.into_inner()) {
            (DeValue::Table(table), DeValue::Table(over)) => (table, over),
            (_, over) => return self.complete(Spanned::new(span, over), place),
        };
        for (key, entry) in over {
            let below = place.below(key.get_ref());
            let whole = match table.get(key.get_ref().as_ref()) {
                Some(old) => self.lay_over(old.clone(), entry, below)?,
                None => self.complete(entry, below)?,
            };
            table.insert(key, whole);
        }
        Ok(Spanned::new(span, DeValue::Table(table)))
    }

    /// The model or path of that name, complete, where no text names it.
    pub(super) fn named(&mut self, kind: FileKind, name: &str) -> Result<Value<'i>, Fault> {
        self.model(kind, name, &(0..0))
    }

    /// The model of that name, complete; `at` is where it was named.
    fn model(&mut self, kind: FileKind, name: &str, at: &Span) -> Result<Value<'i>, Fault> {
        let entry = (kind, name.to_string());
        if let Some(first) = self.reading.iter().position(|open| *open == entry) {
            return Err(self.ring(first, name, at));
        }
        let mut model = self.file(kind, name, at)?;
        if kind == FileKind::Path {
            model = composed(model, None, self)?.unwrap_or_else(|| Value::new(0..0, DeValue::Table(Table::default())));
        }
        name_after_file(&mut model, name);
        self.reading.push(entry);
        let model = self.complete(model, Place::Part(kind));
        self.reading.pop();
        model
    }

    /// The path of that name, put together of its segments; over `wire`, where it names none itself, if it can go over that.
    pub(super) fn path(&mut self, name: &str, wire: Option<&str>, at: &Span) -> Result<Option<Value<'i>>, Fault> {
        let path = self.file(FileKind::Path, name, at)?;
        composed(path, wire, self)
    }

    /// Whether a path says itself over which wire it goes, or is not made of segments.
    pub(super) fn names_wire(&mut self, path: &str) -> Result<bool, Fault> {
        let file = self.file(FileKind::Path, path, &(0..0))?;
        Ok(file.get_ref().get("wire").is_some() || file.get_ref().get("host").is_none())
    }

    /// The file of that kind and name as a tree.
    pub(super) fn file(&mut self, kind: FileKind, name: &str, at: &Span) -> Result<Value<'i>, Fault> {
        match self.shelves.find(kind, name)? {
            Some(file) => self.texts.document(&file.shown, &file.text),
            None => {
                let message = format!("there is no {kind} called \"{name}\"");
                let looked = self.shelves.looked_in(kind);
                let message = format!("{message} ({looked})");
                Err(unknown_name(&self.texts.sources, at, &message, name, &self.shelves.names(kind)))
            }
        }
    }

    fn ring(&self, first: usize, name: &str, at: &Span) -> Fault {
        let names: Vec<&str> = self.reading[first..].iter().map(|(_, name)| name.as_str()).collect();
        let message = format!("models name each other in a ring: {} > {name}", names.join(" > "));
        Fault::at(&self.texts.sources, at, message, "this closes the ring")
            .help("write the keys out in one of these files instead of `model`")
    }
}

/// A fault about a name that nothing has: the nearest known name first, then all.
pub(super) fn unknown_name(sources: &Sources, at: &Span, message: &str, name: &str, known: &[String]) -> Fault {
    let near = nearest(name, known.iter().map(String::as_str));
    let label = near.map_or_else(|| "not known".to_string(), |near| format!("did you mean \"{near}\"?"));
    let mut order: Vec<&str> = known.iter().map(String::as_str).collect();
    order.sort_by_key(|other| Some(*other) != near);
    let list = if order.is_empty() { "none".to_string() } else { order.join(", ") };
    Fault::at(sources, at, message, label).help(format!("known: {list}"))
}

/// The model that a value names where a part is expected: kind, name and the name's place.
fn named_model(value: &Value<'_>, place: Place) -> Option<(FileKind, String, Span)> {
    let kind = place.model()?;
    let reference = match value.get_ref() {
        DeValue::String(_) => value,
        DeValue::Table(table) => table.get("model")?,
        _ => return None,
    };
    let name = reference.get_ref().as_str()?;
    Some((kind, name.to_string(), reference.span()))
}

/// Gives a file that does not say its name the name that it is known by.
pub(super) fn name_after_file(value: &mut Value<'_>, name: &str) {
    let span = value.span();
    if let Some(table) = table_mut(value)
        && !table.contains_key("name")
    {
        table.insert(key(span.clone(), "name"), text(span, name.to_string()));
    }
}
