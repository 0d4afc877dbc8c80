//! Edits typed by a person (`--set works.*.depth=4`), laid over a scenario's tree.
//!
//! Knows dotted keys and trees. Must not know what the keys mean, beyond where models are named.

use toml::Spanned;
use toml::de::DeValue;

use crate::error::{Fault, Span};
use crate::format::Place;

use super::merge::unknown_name;
use super::tree::{Table, Texts, Value, is_figure, key, text};

/// An edit typed by a person: `works.*.depth=4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The dotted key.
    pub key: String,
    /// The value as it was typed.
    pub value: String,
}

impl std::str::FromStr for Edit {
    type Err = Fault;

    /// Reads `key=value`.
    fn from_str(typed: &str) -> Result<Edit, Fault> {
        let (key, value) = typed.split_once('=').ok_or_else(|| {
            Fault::new(format!("`{typed}` is no edit: it has no \"=\""))
                .help("write key=value, such as works.*.depth=4")
        })?;
        Ok(Edit { key: key.trim().to_string(), value: value.trim().to_string() })
    }
}

/// One name of a dotted key.
#[derive(Clone, Debug)]
struct Segment {
    name: String,
    span: Span,
}

/// An edit that was read: its key in pieces, its value as a tree.
#[derive(Clone, Debug)]
pub(super) struct ReadEdit<'i> {
    segments: Vec<Segment>,
    value: Value<'i>,
}

impl<'i> ReadEdit<'i> {
    /// Reads an edit as a text of its own, called `--set`.
    pub(super) fn read(edit: &Edit, texts: &mut Texts<'i>) -> Result<ReadEdit<'i>, Fault> {
        let (typed, start) = texts.add("--set", &format!("{}={}", edit.key, edit.value));
        let segments = segments(&edit.key, start);
        if let Some(empty) = segments.iter().find(|segment| segment.name.is_empty()) {
            let fault =
                Fault::at(&texts.sources, &empty.span, "a key has an empty name in it", "a name is missing here");
            return Err(fault.help("write names with dots between them, such as works.*.depth=4"));
        }
        let at = edit.key.len() + 1;
        Ok(ReadEdit { segments, value: value(texts, &typed[at..], start + at)? })
    }

    /// Whether it names a model or a path, so that it has to be laid over the file before models are found. Switches
    /// are in the models themselves.
    pub(super) fn names_model(&self) -> bool {
        let mut place = Place::Scenario;
        let mut before = Place::Other;
        for segment in &self.segments {
            before = place;
            place = place.below(&segment.name);
        }
        let last = self.segments.last().map(|segment| segment.name.as_str());
        let is_name = match last {
            Some("model") => before.model().is_some(),
            Some("path") => before == Place::Work,
            _ => place.model().is_some(),
        };
        is_name && self.segments.iter().all(|segment| segment.name != "switches")
    }

    /// The first name of its key.
    pub(super) fn first(&self) -> &str {
        self.segments.first().map_or("", |segment| &segment.name)
    }

    /// Whether it goes into a work's own target.
    pub(super) fn is_in_work_target(&self) -> bool {
        self.first() == "works" && self.segments.len() > 3 && self.segments[2].name == "target"
    }

    /// The name of the work that it goes into, which may be `*`.
    pub(super) fn work(&self) -> &str {
        self.segments.get(1).map_or("", |segment| &segment.name)
    }

    /// Lays the edit over a scenario's tree.
    pub(super) fn lay_over(&self, root: &mut Value<'i>, texts: &Texts<'i>) -> Result<(), Fault> {
        Laying { edit: self, texts }.at(root, Place::Scenario, 0)
    }
}

/// An edit on its way down a tree.
struct Laying<'a, 'i> {
    edit: &'a ReadEdit<'i>,
    texts: &'a Texts<'i>,
}

impl<'i> Laying<'_, 'i> {
    /// Goes on at `target`, which stands at the first `depth` names of the key.
    fn at(&self, target: &mut Value<'i>, place: Place, depth: usize) -> Result<(), Fault> {
        let Some(segment) = self.edit.segments.get(depth) else {
            *target = laid(target.clone(), self.edit.value.clone());
            return Ok(());
        };
        make_room_for_model(target, place, &segment.name);
        match target.get_mut() {
            DeValue::Table(table) if segment.name == "*" => {
                let entries = table.iter_mut().map(|(key, value)| (place.below(key.get_ref()), value));
                self.all(entries, depth)
            }
            DeValue::Table(table) => self.entry(table, place, segment, depth),
            DeValue::Array(items) if segment.name == "*" => {
                self.all(items.iter_mut().map(|item| (place.below(""), item)), depth)
            }
            DeValue::Array(items) => {
                let count = items.len();
                let item = segment.name.parse().ok().and_then(|i: usize| items.get_mut(i));
                let item = item.ok_or_else(|| self.no_item(segment, count, depth))?;
                self.at(item, place.below(""), depth + 1)
            }
            _ => Err(self.no_table(segment, depth)),
        }
    }

    fn entry(&self, table: &mut Table<'i>, place: Place, segment: &Segment, depth: usize) -> Result<(), Fault> {
        let name = segment.name.as_str();
        if !table.contains_key(name) {
            if place.has_free_names() {
                return Err(self.unknown(table, segment, depth));
            }
            let is_last = depth + 1 == self.edit.segments.len();
            let inner = if is_last { self.edit.value.get_ref().clone() } else { DeValue::Table(Table::default()) };
            let span = if is_last { self.edit.value.span() } else { segment.span.clone() };
            table.insert(key(segment.span.clone(), name.to_string()), Spanned::new(span, inner));
        }
        match table.get_mut(name) {
            Some(value) => self.at(value, place.below(name), depth + 1),
            None => Ok(()),
        }
    }

    fn all<'v>(&self, entries: impl Iterator<Item = (Place, &'v mut Value<'i>)>, depth: usize) -> Result<(), Fault>
    where
        'i: 'v,
    {
        let mut any = false;
        for (place, value) in entries {
            any = true;
            self.at(value, place, depth + 1)?;
        }
        if any { Ok(()) } else { Err(self.empty(depth)) }
    }

    /// The names before the one at `depth`, with dots.
    fn before(&self, depth: usize) -> String {
        let names: Vec<&str> = self.edit.segments[..depth].iter().map(|segment| segment.name.as_str()).collect();
        if names.is_empty() { "the scenario".to_string() } else { format!("`{}`", names.join(".")) }
    }

    fn unknown(&self, table: &Table<'i>, segment: &Segment, depth: usize) -> Fault {
        let known: Vec<String> = table.keys().map(|key| key.get_ref().to_string()).collect();
        let message = format!("{} has no \"{}\"", self.before(depth), segment.name);
        unknown_name(&self.texts.sources, &segment.span, &message, &segment.name, &known)
    }

    fn empty(&self, depth: usize) -> Fault {
        let message = format!("{} has no entries", self.before(depth));
        Fault::at(&self.texts.sources, &self.edit.segments[depth].span, message, "\"*\" matches nothing here")
            .help("\"*\" stands for every name at its place; name a table that has entries")
    }

    fn no_item(&self, segment: &Segment, count: usize, depth: usize) -> Fault {
        let message = format!("{} is a list of {count}", self.before(depth));
        Fault::at(&self.texts.sources, &segment.span, message, "no item of the list")
            .help("write the number of an item, counted from 0, or \"*\" for all")
    }

    fn no_table(&self, segment: &Segment, depth: usize) -> Fault {
        let message = format!("{} is a value, so there is no \"{}\" in it", self.before(depth), segment.name);
        let help = format!("set {} as a whole", self.before(depth));
        Fault::at(&self.texts.sources, &segment.span, message, "nothing to set here").help(help)
    }
}

/// Where a part is only a model's name, or has no model's name, makes it a table that can take what comes next.
fn make_room_for_model(target: &mut Value<'_>, place: Place, next: &str) {
    if place.model().is_none() {
        return;
    }
    let span = target.span();
    let table = match target.get_mut() {
        DeValue::String(name) => {
            let name = text(span.clone(), std::mem::take(name));
            Some(Table::from_iter([(key(span, "model"), name)]))
        }
        // Another model for a part that is written out replaces it: all its keys would hide the model's.
        DeValue::Table(table) if next == "model" && !table.contains_key("model") => Some(Table::default()),
        _ => None,
    };
    if let Some(table) = table {
        *target.get_mut() = DeValue::Table(table);
    }
}

/// `over` laid over `base`: tables key by key, all else as a whole.
fn laid<'i>(base: Value<'i>, over: Value<'i>) -> Value<'i> {
    let names_model = over.get_ref().as_table().is_some_and(|table| table.contains_key("model"));
    if is_figure(&base) || is_figure(&over) || names_model {
        return over;
    }
    let span = over.span();
    let (mut table, over) = match (base.into_inner(), over.into_inner()) {
        (DeValue::Table(table), DeValue::Table(over)) => (table, over),
        (_, over) => return Spanned::new(span, over),
    };
    for (key, value) in over {
        let new = match table.get(key.get_ref().as_ref()) {
            Some(old) => laid(old.clone(), value),
            None => value,
        };
        table.insert(key, new);
    }
    Spanned::new(span, DeValue::Table(table))
}

/// The names of a dotted key with their places; a name in quotes may hold dots.
fn segments(dotted: &str, start: usize) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut begin = 0;
    let mut quoted = false;
    for (i, c) in dotted.char_indices().chain([(dotted.len(), '.')]) {
        quoted ^= c == '"';
        if c == '.' && (!quoted || i == dotted.len()) {
            let name = dotted[begin..i].trim().trim_matches('"').to_string();
            segments.push(Segment { name, span: start + begin..start + i });
            begin = i + 1;
        }
    }
    segments
}

/// A typed value: TOML where it is TOML, else a text that needs no quotes.
fn value<'i>(texts: &Texts<'i>, typed: &'i str, start: usize) -> Result<Value<'i>, Fault> {
    let meant_as_toml = typed.starts_with(['[', '{', '"', '\'']);
    match texts.value(typed, start) {
        Err(fault) if meant_as_toml => Err(fault),
        Err(_) => Ok(text(start..start + typed.len(), typed)),
        Ok(value) => Ok(value),
    }
}
