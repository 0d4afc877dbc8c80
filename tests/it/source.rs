//! The project's own source as tokens, for the tests that read it.
//!
//! Knows files, modules and tokens. Must not know which rules are held against them.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// A file of `src/`, or of a crate below `crates/`.
pub struct Source {
    /// Its path below `src/`, with slashes; a crate's files begin with its folder's name: `engine/share.rs`.
    pub path: String,
    /// All of it.
    pub text: String,
    /// All of it as tokens: comments are gone, macros are not.
    pub tokens: TokenStream,
}

impl Source {
    /// The modules that lead to it, from the crate's root: `sim`, `world`.
    pub fn modules(&self) -> Vec<&str> {
        let path = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        path.split('/').filter(|part| !["mod", "lib", "main"].contains(part)).collect()
    }

    /// Whether the file names an identifier anywhere.
    pub fn names(&self, word: &str) -> bool {
        any(self.tokens.clone(), &|token| matches!(token, TokenTree::Ident(ident) if ident == word))
    }
}

fn any(tokens: TokenStream, found: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.into_iter().any(|token| {
        found(&token)
            || match token {
                TokenTree::Group(group) => any(group.stream(), found),
                _ => false,
            }
    })
}

/// All files of `src/` and of the crates, in order of their paths.
pub fn sources() -> Vec<Source> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(top.join("crates")).expect("the crates are there");
    let mut folders: Vec<(String, PathBuf)> = crates
        .map(|entry| entry.expect("the folder is readable").path())
        .map(|path| (format!("{}/", path.file_name().unwrap_or_default().to_string_lossy()), path.join("src")))
        .collect();
    folders.push((String::new(), top.join("src")));
    let mut sources: Vec<Source> = folders.iter().flat_map(|(prefix, root)| below(prefix, root)).collect();
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn below(prefix: &str, root: &Path) -> Vec<Source> {
    let mut files = Vec::new();
    gather(root, &mut files);
    files.iter().map(|file| read(prefix, root, file)).collect()
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder is readable").path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

fn read(prefix: &str, root: &Path, file: &Path) -> Source {
    let text = fs::read_to_string(file).expect("the file is readable");
    let path = file.strip_prefix(root).expect("it is below the root").to_string_lossy().replace('\\', "/");
    let path = format!("{prefix}{path}");
    let tokens = text.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    Source { path, text, tokens }
}
