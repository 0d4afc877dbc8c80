//! TOML texts as trees of values that know their place among all texts of a run.
//!
//! Knows TOML and places. Must not know what any key means.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Fault, Sources, Span};

/// A value with its place.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;
/// A table of values.
pub(super) type Table<'i> = DeTable<'i>;
/// A key with its place.
pub(super) type Key<'i> = Spanned<Cow<'i, str>>;

const TOML_IN_SHORT: &str =
    "a line is key = value, a text stands in quotes (rate = \"50 GB/s\"), a table begins with [name]";

/// Keeps texts for as long as trees borrow from them; only grows.
#[derive(Default)]
pub(super) struct Shelf {
    text: OnceCell<(Arc<str>, Box<Shelf>)>,
}

impl Shelf {
    fn keep(&self, text: Arc<str>) -> &str {
        let mut shelf = self;
        while let Some((_, next)) = shelf.text.get() {
            shelf = next;
        }
        &shelf.text.get_or_init(|| (text, Box::default())).0
    }
}

/// The texts of a run: kept, named and laid end to end.
pub(super) struct Texts<'i> {
    pub(super) sources: Sources,
    shelf: &'i Shelf,
}

impl<'i> Texts<'i> {
    pub(super) fn new(shelf: &'i Shelf) -> Texts<'i> {
        Texts { sources: Sources::default(), shelf }
    }

    /// Keeps a text; returns it and where it begins.
    pub(super) fn add(&mut self, name: &str, text: &str) -> (&'i str, usize) {
        let text: Arc<str> = text.into();
        let start = self.sources.add(name, text.clone());
        (self.shelf.keep(text), start)
    }

    /// Reads a whole file's text. The table's own place is the text's first character.
    pub(super) fn document(&mut self, name: &str, text: &str) -> Result<Value<'i>, Fault> {
        let (text, start) = self.add(name, text);
        let table = DeTable::parse(text).map_err(|error| self.not_toml(&error, start))?.into_inner();
        if table.is_empty() {
            let help = "a scenario begins with `schema = 1`; `hopsim init` writes files to start from";
            return Err(Fault::new(format!("{name} holds no keys")).help(help));
        }
        self.shifted(Spanned::new(0..0, DeValue::Table(table)), start)
    }

    /// Reads one value of a text that was added before, from its place on.
    pub(super) fn value(&self, text: &'i str, start: usize) -> Result<Value<'i>, Fault> {
        let value = DeValue::parse(text).map_err(|error| self.not_toml(&error, start))?;
        self.shifted(value, start)
    }

    fn not_toml(&self, error: &toml::de::Error, start: usize) -> Fault {
        let span = moved(&error.span().unwrap_or(0..0), start);
        let (problem, expected) = error.message().split_once(", expected ").unwrap_or((error.message(), ""));
        let (label, help) = match problem {
            "duplicate key" => ("here for the second time".to_string(), "a key stands once in a table: delete one"),
            "string values must be quoted" => ("put it in quotes".to_string(), TOML_IN_SHORT),
            _ if expected.is_empty() => ("here".to_string(), TOML_IN_SHORT),
            _ => (format!("expected {expected}"), TOML_IN_SHORT),
        };
        Fault::at(&self.sources, &span, format!("this is not TOML: {problem}"), label).help(help)
    }

    /// Moves all places of a tree by `start`; refuses dates, which no key takes.
    fn shifted(&self, value: Value<'i>, start: usize) -> Result<Value<'i>, Fault> {
        let span = moved(&value.span(), start);
        let inner = match value.into_inner() {
            DeValue::Datetime(_) => {
                let fault = Fault::at(&self.sources, &span, "a date means nothing here", "this is a date to TOML");
                return Err(fault.help("put a text in quotes"));
            }
            DeValue::Array(items) => {
                DeValue::Array(items.into_iter().map(|item| self.shifted(item, start)).collect::<Result<_, _>>()?)
            }
            DeValue::Table(table) => {
                let entry = |(key, value): (Key<'i>, Value<'i>)| {
                    let at = moved(&key.span(), start);
                    Ok((Spanned::new(at, key.into_inner()), self.shifted(value, start)?))
                };
                DeValue::Table(table.into_iter().map(entry).collect::<Result<_, Fault>>()?)
            }
            scalar => scalar,
        };
        Ok(Spanned::new(span, inner))
    }
}

fn moved(span: &Span, start: usize) -> Span {
    span.start + start..span.end + start
}

/// A text value at a place.
pub(super) fn text<'i>(span: Span, text: impl Into<Cow<'i, str>>) -> Value<'i> {
    Spanned::new(span, DeValue::String(text.into()))
}

/// A key at a place.
pub(super) fn key<'i>(span: Span, name: impl Into<Cow<'i, str>>) -> Key<'i> {
    Spanned::new(span, name.into())
}

/// The table in a value, if it is one.
pub(super) fn table_mut<'a, 'i>(value: &'a mut Value<'i>) -> Option<&'a mut Table<'i>> {
    match value.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    }
}

/// Whether a value is the long form of a figure or of a table by size.
pub(super) fn is_figure(value: &Value<'_>) -> bool {
    let keys = ["value", "by_size", "points"];
    value.get_ref().as_table().is_some_and(|table| keys.iter().any(|key| table.contains_key(*key)))
}

/// What of an entry is looked for by its place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Find {
    Key,
    Value,
}

/// The names that lead to the key or value at a place of the run's texts, outermost first.
pub(super) fn path_at(value: &Value<'_>, span: &Span, find: Find) -> Option<Vec<String>> {
    if find == Find::Value && value.span() == *span {
        return Some(Vec::new());
    }
    let below = |name: &str, inner: &Value<'_>| {
        let mut path = path_at(inner, span, find)?;
        path.insert(0, name.to_string());
        Some(path)
    };
    match value.get_ref() {
        DeValue::Table(table) => table.iter().find_map(|(key, inner)| {
            let name = key.get_ref().as_ref();
            let is_it = find == Find::Key && key.span() == *span;
            if is_it { Some(vec![name.to_string()]) } else { below(name, inner) }
        }),
        DeValue::Array(items) => items.iter().enumerate().find_map(|(i, item)| below(&i.to_string(), item)),
        _ => None,
    }
}
