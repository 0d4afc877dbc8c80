//! Where models and scenarios live: those inside the binary, and those of a `models/` folder that comes first.
//!
//! Knows names and folders. Must not know what is in the files, beyond their title.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use include_dir::{Dir, include_dir};

use crate::error::Fault;
use crate::format::FileKind;

pub(super) static MODELS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/models");
static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// The largest file that is read: no scenario comes near it, and an endless one stops here.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The places that models are looked up in.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// `--models DIR`; without it, the nearest `models/` in the scenario's folder (the current one, where it has none) or a
    /// parent of it. The nearest `scenarios/` is found alike.
    pub models: Option<PathBuf>,
}

/// A file of the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it describes.
    pub kind: FileKind,
    /// The name that it is known by.
    pub name: String,
    /// Its one line about itself.
    pub title: Option<String>,
    /// Where it was found: a file's path, or "built-in models/nodes/….toml".
    pub shown: String,
    /// Its text.
    pub text: String,
}

impl Library {
    /// All files of a kind that can be named, sorted by name. `near` is the folder from which `models/` is looked for.
    pub fn list(&self, kind: FileKind, near: Option<&Path>) -> Result<Vec<Entry>, Fault> {
        let shelves = self.shelves(near)?;
        let found: Result<Vec<_>, _> = shelves.names(kind).iter().map(|name| shelves.find(kind, name)).collect();
        Ok(found?.into_iter().flatten().collect())
    }

    /// The file of that kind and name, if there is one.
    pub fn find(&self, kind: FileKind, name: &str, near: Option<&Path>) -> Result<Option<Entry>, Fault> {
        self.shelves(near)?.find(kind, name)
    }

    /// The same library for somebody who stands in `folder`: the `models/` that is nearest there comes first.
    pub fn seen_from(&self, folder: &Path) -> Result<Library, Fault> {
        Ok(Library { models: self.shelves(Some(folder))?.models })
    }

    /// The folders that come before the binary's own.
    pub(super) fn shelves(&self, near: Option<&Path>) -> Result<Shelves, Fault> {
        let models = match &self.models {
            Some(folder) if !folder.is_dir() => {
                return Err(Fault::new(format!("there is no folder `{}`", folder.display()))
                    .help("--models takes a folder that holds nodes/, targets/, fabrics/ and parts/"));
            }
            Some(folder) => Some(folder.clone()),
            None => nearest("models", near.unwrap_or(Path::new("."))),
        };
        let scenarios = match &self.models {
            Some(folder) => folder.parent().map(|beside| beside.join("scenarios")).filter(|folder| folder.is_dir()),
            None => nearest("scenarios", near.unwrap_or(Path::new("."))),
        };
        Ok(Shelves { models, scenarios })
    }
}

/// The nearest folder of a name in a folder or a parent of it.
fn nearest(name: &str, folder: &Path) -> Option<PathBuf> {
    let climbs = folder.components().any(|part| part == Component::ParentDir);
    let whole = if climbs { fs::canonicalize(folder).ok() } else { std::path::absolute(folder).ok() };
    let typed = if climbs { None } else { Some(folder) };
    let all = typed.iter().flat_map(|typed| typed.ancestors()).chain(whole.iter().flat_map(|whole| whole.ancestors()));
    all.map(|parent| parent.join(name)).find(|found| found.is_dir())
}

/// The folders of one scenario: a `models/` and a `scenarios/` that come first, then the binary's own.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelves {
    models: Option<PathBuf>,
    scenarios: Option<PathBuf>,
}

impl Shelves {
    /// The file of that kind and name.
    pub(super) fn find(&self, kind: FileKind, name: &str) -> Result<Option<Entry>, Fault> {
        let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_.+".contains(c));
        if !plain || name.starts_with('.') {
            return Ok(None);
        }
        let on_disk = self.folder(kind).map(|folder| folder.join(format!("{name}.toml"))).filter(|path| path.is_file());
        let on_disk = on_disk.map(|path| Ok((path.display().to_string(), read_file(&path)?))).transpose()?;
        let built_in = built_in(kind).remove(name);
        let (shown, text) = match (on_disk, built_in) {
            // A file that says what the built-in one says is none of its own.
            (Some((shown, text)), built_in) if built_in != Some(text.as_str()) => (shown, text),
            (_, Some(text)) => (format!("built-in {}/{name}.toml", kind.folder()), text.to_string()),
            _ => return Ok(None),
        };
        Ok(Some(Entry { kind, name: name.to_string(), title: title(&text), shown, text }))
    }

    /// The names of all files of a kind, sorted.
    pub(super) fn names(&self, kind: FileKind) -> Vec<String> {
        let folder = self.folder(kind).and_then(|folder| fs::read_dir(folder).ok());
        let on_disk = folder.into_iter().flatten().flatten().map(|file| file.path()).filter(|path| path.is_file());
        let mut names: Vec<String> = on_disk.filter_map(|path| toml_name(&path)).collect();
        names.extend(built_in(kind).into_keys().map(str::to_string));
        names.sort();
        names.dedup();
        names
    }

    /// The folder of a kind beside the `models/` folder that comes first.
    fn folder(&self, kind: FileKind) -> Option<PathBuf> {
        match (kind.folder().strip_prefix("models/"), kind.folder().strip_prefix("scenarios/")) {
            (Some(inner), _) => Some(self.models.as_ref()?.join(inner)),
            (None, Some(inner)) => Some(self.scenarios.as_ref()?.join(inner)),
            (None, None) => self.scenarios.clone(),
        }
    }

    /// Where files of a kind are looked for, in words.
    pub(super) fn looked_in(&self, kind: FileKind) -> String {
        let folder = self.folder(kind).filter(|folder| folder.is_dir());
        let folder = folder.map(|folder| format!("`{}` and ", folder.display())).unwrap_or_default();
        format!("looked in {folder}what ships")
    }
}

/// The files of a kind that are inside the binary.
fn built_in(kind: FileKind) -> BTreeMap<&'static str, &'static str> {
    let (root, inner) = match kind.folder().split_once('/') {
        Some(("models", inner)) => (&MODELS, Some(inner)),
        Some((_, inner)) => (&SCENARIOS, Some(inner)),
        None => (&SCENARIOS, None),
    };
    let folder = match inner {
        Some(inner) => root.get_dir(inner),
        None => Some(root),
    };
    let named = |file: &'static include_dir::File<'static>| {
        let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?;
        Some((name, file.contents_utf8()?))
    };
    folder.into_iter().flat_map(|folder| folder.files()).filter_map(named).collect()
}

fn toml_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.strip_suffix(".toml")?.to_string())
}

fn title(text: &str) -> Option<String> {
    // It stands before the first table, so that the rest need not be read for it.
    let head = text.find("\n[").map_or(text, |end| &text[..end + 1]);
    let table: toml::Table = head.parse().or_else(|_| text.parse()).ok()?;
    Some(table.get("title")?.as_str()?.to_string())
}

/// Reads a text file, with a message for each way in which that goes wrong.
pub fn read_file(path: &Path) -> Result<String, Fault> {
    let shown = path.display();
    if path.is_dir() {
        return Err(is_folder(path));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| not_opened(path, &error))?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| not_opened(path, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(
            Fault::new(format!("`{shown}` is larger than 16 MiB")).help("a scenario or model is a short TOML file")
        );
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
        Fault::new(format!("`{shown}` is not UTF-8 text: the first wrong byte is in line {line}"))
            .help("TOML files are UTF-8; save it again as UTF-8")
    })
}

/// A folder where a file is expected.
pub(super) fn is_folder(path: &Path) -> Fault {
    let mut inside: Vec<String> =
        fs::read_dir(path).into_iter().flatten().flatten().map(|f| f.path()).filter_map(|f| toml_name(&f)).collect();
    inside.sort();
    let example = inside.first().map_or_else(
        || "name a scenario file, such as scenarios/checkpoint-140gb.toml".to_string(),
        |name| format!("name a file in it, such as {}", path.join(format!("{name}.toml")).display()),
    );
    Fault::new(format!("`{}` is a folder; expected a TOML file", path.display())).help(example)
}

fn not_opened(path: &Path, error: &std::io::Error) -> Fault {
    let shown = path.display();
    match error.kind() {
        std::io::ErrorKind::NotFound => Fault::new(format!("there is no file `{shown}`")).help("check the path"),
        kind => Fault::new(format!("`{shown}` cannot be read: {kind}")).help("check the file and its permissions"),
    }
}
