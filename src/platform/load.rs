//! From a scenario's name or file to its complete description: models found by name, overrides laid over them.
//!
//! Knows the order in which files, models and edits are put together. Must not know what a figure does.

use std::path::{Path, is_separator};

use serde::Deserialize;
use toml::Spanned;
use toml::de::DeValue;

use crate::error::{Fault, Sources, Span, nearest};
use crate::format::{FileKind, Path as PathSpec, Place, Scenario};

use super::canonical::{self, Works};
use super::edit::{Edit, ReadEdit};
use super::library::{Entry, Library, Shelves, is_folder, read_file};
use super::merge::{Merger, name_after_file, unknown_name};
use super::misfit::misfit;
use super::segments::composed;
use super::tree::{Shelf, Table, Texts, Value, key, table_mut};
use super::underlay::lay_under;
use super::wires;

/// A scenario with all its models inside.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What the files say.
    pub scenario: Scenario,
    /// The texts that it was read from, for messages.
    pub sources: Sources,
    /// The scenario as one TOML file with every model and path inside: the same bytes come from it again. Keys are
    /// sorted; the works stand in the order of the file, which is the report's.
    pub resolved: String,
    /// The same with the works sorted too: what the fingerprint covers, since their order changes nothing.
    pub canonical: String,
    /// Whether edits (`--set`) changed it, so that its expectations are not judged.
    pub edited: bool,
}

impl Loaded {
    /// A scenario that was put together of types: no file holds it.
    pub fn typed(scenario: Scenario, sources: Sources) -> Loaded {
        Loaded { scenario, sources, resolved: String::new(), canonical: String::new(), edited: false }
    }
}

/// Reads a scenario (a file's path, or the name of one that ships) and lays the edits over it.
pub fn load(scenario: &str, library: &Library, edits: &[Edit]) -> Result<Loaded, Fault> {
    let path = Path::new(scenario);
    if is_path(scenario) {
        let text = read_file(path).map_err(|fault| match path.exists() {
            true => fault,
            false => fault.help("check the path; `hopsim list` shows the scenarios that ship, which need no path"),
        })?;
        let shelves = library.shelves(path.parent())?;
        let stem = path.file_stem().map_or_else(|| scenario.into(), |stem| stem.to_string_lossy());
        return assemble(scenario, &stem, &text, &shelves, edits);
    }
    let shelves = library.shelves(None)?;
    let entry = named(scenario, &shelves)?;
    assemble(&entry.shown, &entry.name, &entry.text, &shelves, edits)
}

/// Reads a scenario from a text that is in no file; `name` is what messages call it.
pub fn load_text(name: &str, text: &str, library: &Library, edits: &[Edit]) -> Result<Loaded, Fault> {
    assemble(name, name, text, &library.shelves(None)?, edits)
}

/// A scenario's text with the edits in it and its models left as names: what a person would have typed. Its expectations
/// are left out, since the edits may change what they are about.
pub fn edited_text(name: &str, text: &str, edits: &[Edit]) -> Result<String, Fault> {
    let shelf = Shelf::default();
    let mut texts = Texts::new(&shelf);
    let mut root = texts.document(name, text)?;
    let read: Vec<ReadEdit<'_>> =
        edits.iter().map(|edit| ReadEdit::read(edit, &mut texts)).collect::<Result<_, _>>()?;
    lay(&read.iter().collect::<Vec<_>>(), &mut root, &texts)?;
    let table = table_mut(&mut root).ok_or_else(|| Fault::new("a scenario is a table"))?;
    table.remove("expect");
    Ok(canonical::write(table, Works::AsInFile))
}

/// The text of a model or path with every model that it names inside, keys sorted. `near` is the folder from which
/// `models/` is looked for.
pub fn whole(kind: FileKind, name: &str, library: &Library, near: Option<&Path>) -> Result<String, Fault> {
    let shelves = library.shelves(near)?;
    let shelf = Shelf::default();
    let model = Merger::new(&mut Texts::new(&shelf), &shelves).named(kind, name)?;
    Ok(model.get_ref().as_table().map(|table| canonical::write(table, Works::AsInFile)).unwrap_or_default())
}

/// Whether an argument is a file's path rather than the name of a scenario that ships.
fn is_path(argument: &str) -> bool {
    argument.contains(is_separator) || argument.ends_with(".toml") || Path::new(argument).is_file()
}

/// The scenario of that name.
fn named(name: &str, shelves: &Shelves) -> Result<Entry, Fault> {
    if let Some(entry) = shelves.find(FileKind::Scenario, name)? {
        return Ok(entry);
    }
    if Path::new(name).is_dir() {
        return Err(is_folder(Path::new(name)));
    }
    let known = shelves.names(FileKind::Scenario);
    let near = nearest(name, known.iter().map(String::as_str));
    let near = near.map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
    let help = format!("{near}known: {}; or name a file that ends in .toml", known.join(", "));
    Err(Fault::new(format!("there is no scenario called \"{name}\"")).help(help))
}

/// Puts a scenario together from its text, its models and its edits.
fn assemble(shown: &str, name: &str, text: &str, shelves: &Shelves, edits: &[Edit]) -> Result<Loaded, Fault> {
    let shelf = Shelf::default();
    let mut texts = Texts::new(&shelf);
    let mut root = texts.document(shown, text)?;
    check_schema(&root, &texts.sources)?;
    name_after_file(&mut root, name);

    let read: Vec<ReadEdit<'_>> =
        edits.iter().map(|edit| ReadEdit::read(edit, &mut texts)).collect::<Result<_, _>>()?;
    let (naming, others): (Vec<_>, Vec<_>) = read.iter().partition(|edit| edit.names_model());
    let (inner, outer): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|edit| ["works", "paths"].contains(&edit.first()));

    lay(&naming, &mut root, &texts)?;
    let works = table_mut(&mut root).and_then(|table| table.remove_entry("works"));
    let mut root = Merger::new(&mut texts, shelves).complete(root, Place::Scenario)?;
    let laid = lay_under(&mut root, &mut Merger::new(&mut texts, shelves))?;
    lay(&outer, &mut root, &texts)?;
    root = Merger::new(&mut texts, shelves).complete(root, Place::Scenario)?;
    if let (Some((key, works)), Some(table)) = (works, table_mut(&mut root)) {
        table.insert(key, works);
    }
    complete_works(&mut root, &inner, &mut Merger::new(&mut texts, shelves))?;
    lay(&inner, &mut root, &texts)?;
    laid.keep_what_is_asked_for(&mut root);
    finish(root, texts.sources, !edits.is_empty())
}

fn lay<'i>(edits: &[&ReadEdit<'i>], root: &mut Value<'i>, texts: &Texts<'i>) -> Result<(), Fault> {
    edits.iter().try_for_each(|edit| edit.lay_over(root, texts))
}

/// Reads the finished tree into the types of the scenario.
fn finish(root: Value<'_>, sources: Sources, edited: bool) -> Result<Loaded, Fault> {
    check_schema(&root, &sources)?;
    let DeValue::Table(table) = root.get_ref() else {
        return Err(Fault::new("a scenario is a table"));
    };
    let whole = toml::Deserializer::from(Spanned::new(root.span(), table.clone()));
    let scenario = Scenario::deserialize(whole).map_err(|error| misfit(&error, &root, &sources, "the scenario"))?;
    let resolved = canonical::write(table, Works::AsInFile);
    let mut table = table.clone();
    // Which drives a checkpoint may be saved to first is no part of what a run comes to.
    table.get_mut("node").and_then(table_mut).map(|node| node.remove("local"));
    let canonical = canonical::write(&table, Works::ByName);
    Ok(Loaded { scenario, sources, resolved, canonical, edited })
}

/// Refuses a file of another version before anything else in it is looked at.
fn check_schema(root: &Value<'_>, sources: &Sources) -> Result<(), Fault> {
    let Some(schema) = root.get_ref().get("schema") else {
        return Err(Fault::at(
            sources,
            &root.span(),
            "missing key `schema` in the scenario",
            "`schema` is missing here",
        )
        .help("add `schema = 1`, the version of the file format, as the first line"));
    };
    let version = schema.get_ref().as_integer().map(|version| version.to_string());
    match version.as_deref() {
        Some("1") => Ok(()),
        _ => Err(Fault::at(sources, &schema.span(), "this version of the file format is not known", "expected 1")
            .help("this hopsim reads `schema = 1`; a newer hopsim may read this file")),
    }
}

/// Completes what works refer to: their own targets (keys over the scenario's target) and their paths.
fn complete_works<'i>(root: &mut Value<'i>, edits: &[&ReadEdit<'i>], merger: &mut Merger<'_, 'i>) -> Result<(), Fault> {
    let Some(table) = table_mut(root) else { return Ok(()) };
    let target = table.get("target").cloned();
    let mut paths = match table.remove("paths").map(Spanned::into_inner) {
        None => Table::default(),
        Some(DeValue::Table(paths)) => paths,
        Some(other) => {
            table.insert(key(0..0, "paths"), Spanned::new(0..0, other));
            return Ok(());
        }
    };
    for (name, work) in table.get_mut("works").and_then(table_mut).into_iter().flat_map(|works| works.iter_mut()) {
        let Some(work) = table_mut(work) else { continue };
        let edited = edits.iter().any(|e| e.is_in_work_target() && [name.get_ref().as_ref(), "*"].contains(&e.work()));
        complete_target(work, target.as_ref(), edited, merger)?;
    }
    merger.wires = wires_of(table);
    for (_, work) in table.get_mut("works").and_then(table_mut).into_iter().flat_map(|works| works.iter_mut()) {
        let Some(work) = table_mut(work) else { continue };
        let asked = work.get("path").and_then(|path| Some((path.get_ref().as_str()?.to_string(), path.span())));
        asked.map_or(Ok(()), |(name, at)| complete_path(name, at, &mut paths, merger))?;
    }
    for (_, path) in paths.iter_mut() {
        let whole = composed(path.clone(), None, merger)?;
        *path = whole.ok_or_else(|| no_device_reaches(path, &merger.texts.sources))?;
    }
    let own: Vec<String> = paths.keys().map(|key| key.get_ref().to_string()).collect();
    own.iter().try_for_each(|name| complete_companions(name, &mut paths, merger))?;
    if !paths.is_empty() {
        table.insert(key(0..0, "paths"), Spanned::new(0..0, DeValue::Table(paths)));
    }
    Ok(())
}

fn complete_target<'i>(
    work: &mut Table<'i>,
    target: Option<&Value<'i>>,
    edited: bool,
    merger: &mut Merger<'_, 'i>,
) -> Result<(), Fault> {
    let Some(base) = target else { return Ok(()) };
    match work.remove_entry("target") {
        Some((key, over)) => {
            let whole = merger.lay_over(base.clone(), over, Place::Part(FileKind::Target))?;
            work.insert(key, whole);
        }
        None if edited => {
            work.insert(key(base.span(), "target"), base.clone());
        }
        None => {}
    }
    Ok(())
}

/// Adds the path of a name and those that may be taken instead, unless they are there already.
pub(super) fn complete_path<'i>(
    name: String,
    at: Span,
    paths: &mut Table<'i>,
    merger: &mut Merger<'_, 'i>,
) -> Result<(), Fault> {
    if paths.contains_key(name.as_str()) {
        return Ok(());
    }
    if merger.shelves.find(FileKind::Path, &name)?.is_none() {
        let mut known = merger.shelves.names(FileKind::Path);
        known.extend(paths.keys().map(|key| key.get_ref().to_string()));
        known.sort();
        known.dedup();
        let looked = merger.shelves.looked_in(FileKind::Path);
        let message = format!("there is no path called \"{name}\" ({looked})");
        return Err(unknown_name(&merger.texts.sources, &at, &message, &name, &known));
    }
    if let Some(mut path) = merger.path(&name, None, &at)? {
        name_after_file(&mut path, &name);
        paths.insert(key(at.clone(), name.clone()), path);
    }
    over_wires(&name, &at, paths, merger)?;
    complete_companions(&name, paths, merger)
}

fn no_device_reaches(path: &Value<'_>, sources: &Sources) -> Fault {
    Fault::at(sources, &path.span(), "over this wire no NIC reaches HBM", "asks for GPUDirect Storage")
        .help("choose a host side through system memory, such as \"pinned-direct\", or another wire")
}

/// A path that names no wire is there over the wire of every target.
fn over_wires<'i>(name: &str, at: &Span, paths: &mut Table<'i>, merger: &mut Merger<'_, 'i>) -> Result<(), Fault> {
    for wire in merger.wires.clone() {
        let over = wires::over(name, &wire);
        if paths.contains_key(over.as_str()) {
            continue;
        }
        let path = match merger.shelves.find(FileKind::Path, &over)? {
            Some(_) => merger.path(&over, None, at)?,
            None if merger.names_wire(name)? => None,
            None => merger.path(name, Some(&wire), at)?,
        };
        if let Some(mut path) = path {
            table_mut(&mut path).and_then(|table| table.remove("name"));
            name_after_file(&mut path, &over);
            paths.insert(key(at.clone(), over.clone()), path);
            complete_companions(&over, paths, merger)?;
        }
    }
    Ok(())
}

/// The wires of a scenario's targets.
fn wires_of(table: &Table<'_>) -> Vec<String> {
    let works = table.get("works").and_then(|works| works.get_ref().as_table()).into_iter();
    let own = works.flat_map(|works| works.iter()).filter_map(|(_, work)| work.get_ref().get("target"));
    let mut wires: Vec<String> = table.get("target").into_iter().chain(own).map(wire_of).collect();
    wires.sort();
    wires.dedup();
    wires
}

fn wire_of(target: &Value<'_>) -> String {
    let word = |name: &str| target.get_ref().get(name).and_then(|value| value.get_ref().as_str());
    wires::of_target(word("wire"), word("transport"), word("filesystem"))
}

/// The paths that may be taken instead of a path are as much part of the scenario as it is.
fn complete_companions<'i>(name: &str, paths: &mut Table<'i>, merger: &mut Merger<'_, 'i>) -> Result<(), Fault> {
    let path = paths.get(name).and_then(|path| path.get_ref().as_table());
    let companions = PathSpec::COMPANIONS.into_iter().filter_map(|key| path?.get(key));
    let named = companions.filter_map(|value| Some((value.get_ref().as_str()?.to_string(), value.span())));
    let named: Vec<_> = named.collect();
    named.into_iter().try_for_each(|(name, at)| complete_path(name, at, paths, merger))
}
