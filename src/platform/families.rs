//! Folders of validation cases: `models/validation/<family>/`, on disk or inside the binary.
//!
//! Knows folders and files. Must not know what a case is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::error::Fault;

use super::library::{Library, MODELS, read_file};

/// The folder below `models/`.
const SHELF: &str = "validation";

/// A family's folder with its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// The folder's name.
    pub name: String,
    /// Its TOML files, by name without the ending.
    pub files: BTreeMap<String, TextFile>,
}

/// A text and what messages call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Where it was found.
    pub shown: String,
    /// Its content.
    pub text: String,
}

impl Library {
    /// All families' folders, sorted by name. A family of a `models/` folder takes the place of the binary's own.
    ///
    /// # Errors
    /// A [`Fault`] if a file cannot be read.
    pub fn families(&self) -> Result<Vec<Folder>, Fault> {
        let mut found = built_in();
        let folder = self.models.as_ref().map(|models| models.join(SHELF));
        for family in folder.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten()) {
            let path = family.path();
            if path.is_dir()
                && let Some(folder) = on_disk(&path)?
            {
                found.insert(folder.name.clone(), folder);
            }
        }
        Ok(found.into_values().collect())
    }
}

fn on_disk(folder: &Path) -> Result<Option<Folder>, Fault> {
    let mut files = BTreeMap::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path()) {
        if let Some(stem) = stem(&path).filter(|_| path.is_file()) {
            files.insert(stem, TextFile { shown: path.display().to_string(), text: read_file(&path)? });
        }
    }
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
    Ok(files.contains_key("family").then_some(Folder { name, files }))
}

fn built_in() -> BTreeMap<String, Folder> {
    let folders = MODELS.get_dir(SHELF).into_iter().flat_map(|shelf| shelf.dirs());
    folders.filter_map(embedded).map(|folder| (folder.name.clone(), folder)).collect()
}

fn embedded(folder: &'static include_dir::Dir<'static>) -> Option<Folder> {
    let file = |file: &'static include_dir::File<'static>| {
        let shown = format!("built-in models/{}", file.path().display());
        Some((stem(file.path())?, TextFile { shown, text: file.contents_utf8()?.to_string() }))
    };
    let name = folder.path().file_name()?.to_str()?.to_string();
    let files: BTreeMap<String, TextFile> = folder.files().filter_map(file).collect();
    files.contains_key("family").then_some(Folder { name, files })
}

/// A TOML file's name without its ending.
fn stem(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.strip_suffix(".toml")?.to_string())
}
