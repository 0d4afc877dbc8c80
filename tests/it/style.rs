//! Rules of the code that a reader relies on, each a test over `src/` and `crates/`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::source::{Source, sources};

/// What breaks a rule, a line each; the test passes when there is none.
fn none_of(broken: impl Iterator<Item = String>) {
    let broken: Vec<String> = broken.collect();
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

/// Every file in which one of the words is named, but for those that may.
fn named_outside(words: &'static [&'static str], may: &'static [&'static str]) -> impl Iterator<Item = String> {
    let strangers = sources().into_iter().filter(move |source| !may.iter().any(|path| source.path.starts_with(path)));
    strangers.flat_map(move |source| {
        let named = words.iter().filter(|word| source.names(word));
        named.map(|word| format!("{} names {word}", source.path)).collect::<Vec<_>>()
    })
}

#[test]
fn every_file_says_what_it_is() {
    let headless = sources().into_iter().filter(|source| !source.text.starts_with("//! "));
    none_of(headless.map(|source| format!("{} does not begin with //!", source.path)));
}

#[test]
fn no_file_is_longer_than_400_lines() {
    let long = sources().into_iter().map(|source| (source.text.lines().count(), source.path));
    none_of(long.filter(|(lines, _)| *lines > 400).map(|(lines, path)| format!("{path} has {lines} lines")));
}

#[test]
fn no_function_is_longer_than_60_lines() {
    none_of(functions().into_iter().filter(|f| f.2 > 60).map(|f| format!("{}: {} has {} lines", f.0, f.1, f.2)));
}

#[test]
fn half_of_all_functions_are_shorter_than_10_lines() {
    let mut lines: Vec<usize> = functions().into_iter().map(|f| f.2).collect();
    lines.sort_unstable();
    assert!(lines[lines.len() / 2] < 10, "the median is {}", lines[lines.len() / 2]);
}

/// All functions: file, name, lines of the body with its braces.
fn functions() -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    for Source { path, tokens, .. } in sources() {
        bodies(tokens, &mut |name, lines| found.push((path.clone(), name, lines)));
    }
    found
}

fn bodies(tokens: TokenStream, found: &mut dyn FnMut(String, usize)) {
    let mut name = None;
    let mut last_was_fn = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) if last_was_fn => name = Some(word.to_string()),
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Brace
                    && let Some(name) = name.take()
                {
                    found(name, group.span_close().end().line - group.span_open().start().line + 1);
                }
                bodies(group.stream(), found);
                last_was_fn = false;
                continue;
            }
            // A function without a body, of a trait or a type.
            TokenTree::Punct(ref end) if end.as_char() == ';' => name = None,
            TokenTree::Ident(ref word) if word == "fn" => {
                last_was_fn = true;
                continue;
            }
            _ => {}
        }
        last_was_fn = false;
    }
}

#[test]
fn only_the_kernel_names_desim() {
    none_of(named_outside(&["desim"], &["engine/exact/kernel.rs"]));
}

#[test]
fn only_the_kernel_and_its_process_name_coroutines() {
    none_of(named_outside(&["coroutine", "Coroutine"], &["engine/exact/kernel.rs", "engine/exact/process.rs"]));
}

#[test]
fn no_order_depends_on_a_hash() {
    // What flows.rs keeps in one is looked up and never walked through.
    none_of(named_outside(&["HashMap", "HashSet"], &["cli/", "engine/exact/flows.rs"]));
}

#[test]
fn nothing_below_the_command_line_asks_the_clock_or_the_environment() {
    none_of(named_outside(&["Instant", "SystemTime", "thread_rng", "var_os", "vars"], &["cli/", "main.rs"]));
}

#[test]
fn powers_and_logarithms_go_through_libm() {
    let platforms_own = ["powf", "powi", "ln", "log2", "log10", "exp", "exp2", "ln_1p", "exp_m1"];
    let strangers = sources().into_iter().flat_map(|source| {
        let called = platforms_own.into_iter().filter(|call| source.text.contains(&format!(".{call}(")));
        called.map(|call| format!("{} calls .{call}()", source.path)).collect::<Vec<_>>()
    });
    none_of(strangers);
}
