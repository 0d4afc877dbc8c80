//! A scenario without works: node, cluster, fabric and target out of several files and of what is told beside them.
//!
//! Knows the order in which files, flags and models are put together. Must not know what will run there.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeValue;

use crate::error::{Fault, Sources, Span};
use crate::format::{FileKind, Place, Scenario, Target};

use super::library::Library;
use super::load::complete_path;
use super::merge::Merger;
use super::misfit::misfit;
use super::tree::{Shelf, Table, Texts, Value, key, table_mut, text};

/// The keys of a scenario that say where its works run.
const KEYS: [&str; 4] = ["node", "cluster", "fabric", "target"];

/// What a key is given beside all files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The key, outermost first: `node`, `node.gpus`.
    pub key: &'static str,
    /// What was typed, by which faults name it: `--node dgx-h100`.
    pub typed: String,
    /// The value as TOML writes it.
    pub value: String,
}

/// What a scenario is composed of.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Files by name and text: of a key that several have, the first one's counts.
    pub files: &'a [(String, String)],
    /// What comes before the files.
    pub given: &'a [Given],
    /// What is taken for keys that neither has.
    pub otherwise: &'a [Given],
    /// The paths that works may ask for; those that may be taken instead come with them.
    pub paths: &'a [&'static str],
}

/// Where works run.
#[derive(Clone, Debug)]
pub struct Composed {
    /// The scenario, without works.
    pub scenario: Scenario,
    /// The target that stands for a node's own drives: the key `local` of a file, laid over the target, or the one that the
    /// node names.
    pub local: Option<Target>,
    /// The texts that it was read from. The first is [`NOWHERE`], and the files come next.
    pub sources: Sources,
}

/// The name of the empty text that begins all sources: what no file says has its place there.
pub const NOWHERE: &str = "nowhere";

/// Where the text of a file begins in the sources of what is composed of files.
pub fn start_of(files: &[(String, String)], index: usize) -> usize {
    files.iter().take(index).fold(1, |start, (_, text)| start + text.len() + 1)
}

/// Puts a scenario's surroundings together.
///
/// # Errors
/// A [`Fault`] with its place for what does not fit.
pub fn compose(parts: &Parts<'_>, library: &Library) -> Result<Composed, Fault> {
    let shelf = Shelf::default();
    let mut texts = Texts::new(&shelf);
    texts.add(NOWHERE, "");
    let files = parts.files.iter().map(|(shown, text)| texts.document(shown, text)).collect::<Result<Vec<_>, _>>()?;
    let mut root = Table::default();
    root.insert(key(0..0, "schema"), DeValue::parse("1").map_err(|error| Fault::new(error.to_string()))?);
    for name in KEYS {
        if let Some(value) = pick(name, &files, parts, &mut texts)? {
            root.insert(key(value.span(), name), value);
        }
    }
    for given in parts.given.iter().filter(|given| given.key.contains('.')) {
        let value = read(given, &mut texts)?;
        put(&mut root, given.key, value);
    }
    let local = files.iter().find_map(|file| file.get_ref().get("local")).cloned();
    let shelves = library.shelves(None)?;
    let mut merger = Merger::new(&mut texts, &shelves);
    let root = Spanned::new(0..0, DeValue::Table(root));
    let mut root = merger.complete(root, Place::Scenario)?;
    let mut paths = Table::default();
    parts.paths.iter().try_for_each(|name| complete_path(name.to_string(), 0..0, &mut paths, &mut merger))?;
    let named = || root.get_ref().get("node")?.get_ref().get("local").cloned();
    let local = match (local.or_else(named), root.get_ref().get("target")) {
        (Some(over), Some(base)) => Some(merger.lay_over(base.clone(), over, Place::Part(FileKind::Target))?),
        _ => None,
    };
    if let Some(table) = table_mut(&mut root) {
        table.insert(key(0..0, "paths"), Spanned::new(0..0, DeValue::Table(paths)));
    }
    let local = local.map(|local| own_drives(local, &texts.sources)).transpose()?;
    let scenario = typed(root, &texts.sources, "the scenario")?;
    Ok(Composed { scenario, local, sources: texts.sources })
}

/// A file that is no scenario, with its texts.
///
/// # Errors
/// A [`Fault`] with its place for what does not fit.
pub fn read_file_as<T: DeserializeOwned>(shown: &str, text: &str, what: &'static str) -> Result<(T, Sources), Fault> {
    let shelf = Shelf::default();
    let mut texts = Texts::new(&shelf);
    let root = texts.document(shown, text)?;
    typed(root, &texts.sources, what).map(|file| (file, texts.sources))
}

fn typed<T: DeserializeOwned>(root: Value<'_>, sources: &Sources, what: &'static str) -> Result<T, Fault> {
    let whole =
        toml::Deserializer::from(Spanned::new(root.span(), root.get_ref().as_table().cloned().unwrap_or_default()));
    T::deserialize(whole).map_err(|error| misfit(&error, &root, sources, what))
}

/// Reads the target of a node's own drives; faults name it by its key.
fn own_drives(local: Value<'_>, sources: &Sources) -> Result<Target, Fault> {
    #[derive(Deserialize)]
    struct Own {
        local: Target,
    }
    let mut root = Table::default();
    let span = local.span();
    root.insert(key(span.clone(), "local"), local);
    typed::<Own>(Spanned::new(span, DeValue::Table(root)), sources, "the file").map(|own| own.local)
}

/// A key's value: given, else the first file's that has it, else what is taken otherwise.
fn pick<'i>(
    name: &str,
    files: &[Value<'i>],
    parts: &Parts<'_>,
    texts: &mut Texts<'i>,
) -> Result<Option<Value<'i>>, Fault> {
    let of = |list: &'_ [Given]| list.iter().find(|given| given.key == name).cloned();
    if let Some(given) = of(parts.given) {
        return read(&given, texts).map(Some);
    }
    match files.iter().find_map(|file| file.get_ref().get(name)) {
        Some(value) => Ok(Some(value.clone())),
        None => of(parts.otherwise).map(|given| read(&given, texts)).transpose(),
    }
}

fn read<'i>(given: &Given, texts: &mut Texts<'i>) -> Result<Value<'i>, Fault> {
    let (text, start) = texts.add(&given.typed, &given.value);
    texts.value(text, start)
}

/// Puts a value at a dotted key; where a model's name stands on the way, it becomes a table of that model.
fn put<'i>(table: &mut Table<'i>, dotted: &'static str, value: Value<'i>) {
    let span: Span = value.span();
    let Some((first, rest)) = dotted.split_once('.') else {
        table.remove(dotted);
        table.insert(key(span, dotted), value);
        return;
    };
    if !table.contains_key(first) {
        table.insert(key(span.clone(), first), Spanned::new(span, DeValue::Table(Table::default())));
    }
    let Some(inner) = table.get_mut(first) else { return };
    if let DeValue::String(model) = inner.get_ref() {
        let (at, model) = (inner.span(), model.to_string());
        let named = Table::from_iter([(key(at.clone(), "model"), text(at.clone(), model))]);
        *inner = Spanned::new(at, DeValue::Table(named));
    }
    if let Some(inner) = table_mut(inner) {
        put(inner, rest, value);
    }
}
