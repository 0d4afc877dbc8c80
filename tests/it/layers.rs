//! Imports point down: a test of every `crate::` and `super::` in `src/`, in macros and tests as well. What the engine may
//! import is kept by its being a crate of its own.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::source::{Source, sources};

/// The layers, the highest first. Modules of one layer do not import each other.
const LAYERS: &[&[&str]] = &[
    &["main"],
    &["cli"],
    &["workshop", "lesson"],
    &["export", "plot", "explain", "calibrate", "doctor", "check", "checkpoint", "validate"],
    &["study", "import"],
    &["report", "trace"],
    &["platform"],
    &["format"],
    &["table", "statistics"],
    &["readable"],
    &["error"],
];

/// The layer of a module of the crate's root; the top one is 0.
fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The modules of the crate's root that a file names.
fn imports(source: &Source) -> Vec<String> {
    let mut found = Vec::new();
    walk(source.tokens.clone(), source.modules().len(), &mut found);
    found.sort();
    found.dedup();
    found
}

/// Walks tokens inside a module so many steps below the crate's root.
fn walk(tokens: TokenStream, depth: usize, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(word) if word == "crate" => named_after(&tokens[at + 1..], found),
            TokenTree::Ident(word) if word == "super" => {
                let steps = supers(&tokens[at..]);
                // `super`, two colons, and so on: what follows is named from the crate's root.
                at += (steps - 1) * 3;
                if steps >= depth {
                    named_after(&tokens[at + 1..], found);
                }
            }
            TokenTree::Group(group) => walk(group.stream(), depth + usize::from(is_module(&tokens[..at])), found),
            _ => {}
        }
        at += 1;
    }
}

/// How many `super::` follow each other.
fn supers(tokens: &[TokenTree]) -> usize {
    let is_super = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "super");
    tokens.iter().step_by(3).take_while(|token| is_super(token)).count()
}

/// Whether the group behind these tokens is the body of `mod name`.
fn is_module(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(word), TokenTree::Ident(_)] if word == "mod")
}

/// What stands behind `crate`: `::name`, or `::{name, name}`.
fn named_after(tokens: &[TokenTree], found: &mut Vec<String>) {
    let [TokenTree::Punct(colon), TokenTree::Punct(_), what, ..] = tokens else { return };
    match what {
        _ if colon.as_char() != ':' => {}
        TokenTree::Ident(name) => found.push(name.to_string()),
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            found.extend(inner.split(is_comma).filter_map(|tree| tree.first()).map(TokenTree::to_string));
        }
        _ => {}
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(comma) if comma.as_char() == ',')
}

/// What is wrong with a file's imports, a line each.
fn wrong(source: &Source) -> Vec<String> {
    let modules = source.modules();
    let Some(&own) = modules.first().filter(|own| **own != "engine") else { return Vec::new() };
    let Some(height) = layer(own) else { return vec![format!("{}: {own} stands on no layer", source.path)] };
    let judge = |other: String| match layer(&other) {
        _ if other == own => None,
        // Not a module: something of the crate's root itself.
        None if other.chars().next().is_some_and(char::is_uppercase) => None,
        None => Some(format!("{}: {other} stands on no layer", source.path)),
        Some(its) if its > height => None,
        Some(its) if its == height => Some(format!("{}: {own} imports its sibling {other}", source.path)),
        Some(_) => Some(format!("{}: {own} imports {other}, which stands above it", source.path)),
    };
    imports(source).into_iter().filter_map(judge).collect()
}

#[test]
fn imports_point_down() {
    let wrong: Vec<String> = sources().iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn file(path: &str, text: &str) -> Source {
    Source { path: path.into(), text: text.into(), tokens: text.parse().unwrap() }
}

#[test]
fn an_upward_import_is_found_however_it_is_written() {
    for text in [
        "use crate::cli::run;",
        "use crate::{readable::seconds, cli};",
        "fn f() { crate::cli::run() }",
        "fn f() { println!(\"{}\", crate::cli::run()) }",
        "use super::super::cli;",
        "mod tests { use super::super::super::cli; }",
    ] {
        assert_eq!(wrong(&file("platform/world.rs", text)).len(), 1, "{text}");
    }
}

#[test]
fn a_sideways_import_is_found() {
    assert_eq!(
        wrong(&file("plot/mod.rs", "use crate::explain::Step;")),
        ["plot/mod.rs: plot imports its sibling explain"]
    );
}

#[test]
fn imports_from_below_and_from_within_are_fine() {
    for text in ["use engine::Plan;", "use super::calendar::Key;", "mod tests { use super::*; }", "// crate::cli\n"] {
        assert_eq!(wrong(&file("platform/world.rs", text)), Vec::<String>::new(), "{text}");
    }
}
