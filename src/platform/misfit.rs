//! From the deserialiser's words to a fault that a person can act on: the key's full name, the known ones, the nearest.
//!
//! Knows how serde phrases what does not fit. Must not know what any key means.

use crate::error::{Fault, Sources, Span, nearest};
use crate::spec::Place;

use super::tree::{Value, path_at};

/// What a tree that does not fit its type is told.
pub(super) fn misfit(error: &toml::de::Error, root: &Value<'_>, sources: &Sources) -> Fault {
    let span = error.span().unwrap_or_else(|| root.span());
    let (path, is_key) = path_at(root, &span).unwrap_or_default();
    let spot = Spot { sources, span, path, is_key };
    let message = error.message();
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return spot.unknown_key(rest);
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        return spot.missing_key(rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return spot.unknown_word(rest);
    }
    spot.wrong_value(message)
}

/// Where it does not fit.
struct Spot<'a> {
    sources: &'a Sources,
    span: Span,
    path: Vec<String>,
    is_key: bool,
}

impl Spot<'_> {
    /// The table that the place lies in, in words.
    fn table(&self) -> String {
        let depth = self.path.len() - usize::from(self.is_key && !self.path.is_empty());
        if depth == 0 { "the scenario".to_string() } else { format!("`{}`", self.path[..depth].join(".")) }
    }

    fn takes_model(&self) -> bool {
        let depth = self.path.len() - usize::from(self.is_key && !self.path.is_empty());
        let place = self.path[..depth].iter().fold(Place::Scenario, |place, key| place.below(key));
        place.model().is_some()
    }

    fn fault(&self, message: String, label: String) -> Fault {
        Fault::at(self.sources, &self.span, message, label)
    }

    fn unknown_key(&self, rest: &str) -> Fault {
        let words = quoted(rest);
        let (key, known) = words.split_first().map_or(("", &[][..]), |(key, known)| (*key, known));
        let known: Vec<&str> = known.iter().copied().chain(self.takes_model().then_some("model")).collect();
        let label = did_you_mean(key, &known, '`').unwrap_or_else(|| "no such key".to_string());
        let message = format!("unknown key `{key}` in {}", self.table());
        self.fault(message, label).help(format!("known keys: {}", known.join(", ")))
    }

    fn missing_key(&self, rest: &str) -> Fault {
        let key = quoted(rest).first().copied().unwrap_or("").to_string();
        let model = if self.takes_model() { ", or `model = \"…\"` to take it from a model" } else { "" };
        let message = format!("missing key `{key}` in {}", self.table());
        self.fault(message, format!("`{key}` is missing here")).help(format!("add `{key} = …`{model}"))
    }

    fn unknown_word(&self, rest: &str) -> Fault {
        let words = quoted(rest);
        let (word, known) = words.split_first().map_or(("", &[][..]), |(word, known)| (*word, known));
        let label = did_you_mean(word, known, '"').unwrap_or_else(|| "no such word".to_string());
        let known: Vec<String> = known.iter().map(|word| format!("\"{word}\"")).collect();
        let message = format!("{}: \"{word}\" is not known", self.value());
        self.fault(message, label).help(format!("one of {}", known.join(", ")))
    }

    /// The value at the place, in words.
    fn value(&self) -> String {
        if self.path.is_empty() { "the scenario".to_string() } else { format!("`{}`", self.path.join(".")) }
    }

    fn wrong_value(&self, message: &str) -> Fault {
        let (problem, expected) = split_expected(message);
        let problem = problem
            .strip_prefix("invalid type: ")
            .or_else(|| problem.strip_prefix("invalid value: "))
            .map_or_else(|| problem.to_string(), |found| format!("found {}", found.replace('`', "")));
        let Some(expected) = expected.map(in_plain_words) else {
            return self.fault(format!("{}: {problem}", self.value()), "here".to_string()).help("see `hopsim schema`");
        };
        let short = expected.split([',', ';']).next().unwrap_or(&expected);
        let short = short.split(" such as ").next().unwrap_or(short).to_string();
        self.fault(format!("{}: {problem}", self.value()), format!("expected {short}"))
            .help(format!("write {expected}"))
    }
}

/// Splits "problem; expected this" or "problem, expected this".
fn split_expected(message: &str) -> (&str, Option<&str>) {
    let split = message.split_once("; expected ").or_else(|| message.split_once(", expected "));
    split.map_or((message, None), |(problem, expected)| (problem, Some(expected)))
}

/// What Rust calls a type, as a person would.
fn in_plain_words(expected: &str) -> String {
    match expected {
        "a string" => "a text in quotes".to_string(),
        "a boolean" => "true or false".to_string(),
        "a sequence" => "a list in brackets".to_string(),
        "a map" => "a table".to_string(),
        "f64" => "a number".to_string(),
        "u64" | "usize" | "i64" => "a whole number of zero or more".to_string(),
        "string or table" => "one of its words in quotes".to_string(),
        struct_ if struct_.starts_with("struct ") => "a table".to_string(),
        other => other.to_string(),
    }
}

/// The words in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn did_you_mean(word: &str, known: &[&str], quote: char) -> Option<String> {
    nearest(word, known.iter().copied()).map(|near| format!("did you mean {quote}{near}{quote}?"))
}
