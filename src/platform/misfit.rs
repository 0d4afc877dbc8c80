//! From the deserialiser's words to a fault that a person can act on: the key's full name, the known ones, the nearest.
//!
//! Knows how serde phrases what does not fit. Must not know what any key means.

use crate::error::{Fault, Sources, Span, nearest};
use crate::format::Place;

use super::tree::{Find, Value, path_at};

/// What a tree that does not fit its type is told; `what` is the whole tree in words.
pub(super) fn misfit(error: &toml::de::Error, root: &Value<'_>, sources: &Sources, what: &'static str) -> Fault {
    let span = error.span().unwrap_or_else(|| root.span());
    let message = error.message();
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let mut path = path_at(root, &span, Find::Key).unwrap_or_default();
        path.pop();
        return Spot { sources, span, path, what }.unknown_key(rest);
    }
    let path = path_at(root, &span, Find::Value).unwrap_or_default();
    let spot = Spot { sources, span, path, what };
    if let Some(rest) = message.strip_prefix("missing field ") {
        return spot.missing_key(rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return spot.unknown_word(rest);
    }
    spot.wrong_value(message)
}

/// Where it does not fit: the place, and the names that lead to the value or to the table of an unknown key.
struct Spot<'a> {
    sources: &'a Sources,
    span: Span,
    path: Vec<String>,
    /// The whole tree in words.
    what: &'static str,
}

impl Spot<'_> {
    /// The value in words.
    fn value(&self) -> String {
        if self.path.is_empty() { self.what.to_string() } else { format!("`{}`", self.path.join(".")) }
    }

    fn place(&self) -> Place {
        self.path.iter().fold(Place::Scenario, |place, key| place.below(key))
    }

    fn fault(&self, message: String, label: String) -> Fault {
        Fault::at(self.sources, &self.span, message, label)
    }

    fn unknown_key(&self, rest: &str) -> Fault {
        let words = quoted(rest);
        let (key, known) = words.split_first().map_or(("", &[][..]), |(key, known)| (*key, known));
        let known: Vec<&str> = known.iter().copied().chain(self.place().model().map(|_| "model")).collect();
        let label = did_you_mean(key, &known, '`').unwrap_or_else(|| "no such key".to_string());
        let message = format!("unknown key `{key}` in {}", self.value());
        self.fault(message, label).help(format!("known keys: {}", known.join(", ")))
    }

    fn missing_key(&self, rest: &str) -> Fault {
        let key = quoted(rest).first().copied().unwrap_or("").to_string();
        let help = match (self.place().below(&key).model(), self.place().model()) {
            (Some(kind), _) => format!("add `{key} = \"…\"`, the name of a {kind} (see `hopsim list`), or a table"),
            (None, Some(kind)) => format!("add `{key} = …`, or `model = \"…\"` to take it from a {kind}'s model"),
            (None, None) => format!("add `{key} = …`"),
        };
        let message = format!("missing key `{key}` in {}", self.value());
        self.fault(message, format!("`{key}` is missing here")).help(help)
    }

    fn unknown_word(&self, rest: &str) -> Fault {
        let words = quoted(rest);
        let (word, known) = words.split_first().map_or(("", &[][..]), |(word, known)| (*word, known));
        let label = did_you_mean(word, known, '"').unwrap_or_else(|| "no such word".to_string());
        let known: Vec<String> = known.iter().map(|word| format!("\"{word}\"")).collect();
        let message = format!("{}: \"{word}\" is not known", self.value());
        self.fault(message, label).help(format!("one of {}", known.join(", ")))
    }

    fn wrong_value(&self, message: &str) -> Fault {
        let (problem, expected) = split_expected(message);
        let problem = problem
            .strip_prefix("invalid type: ")
            .or_else(|| problem.strip_prefix("invalid value: "))
            .map_or_else(|| problem.to_string(), |found| format!("found {}", found.replace('`', "")));
        let expected = match self.place().model() {
            Some(kind) => format!("a table, or the name of a {kind} in quotes"),
            None => in_plain_words(expected),
        };
        let cuts = [", such as ", " such as ", ", as in ", ", or "];
        let short = cuts.iter().fold(expected.as_str(), |text, cut| text.split(cut).next().unwrap_or(text));
        self.fault(format!("{}: {problem}", self.value()), format!("expected {short}"))
            .help(format!("write {expected}"))
    }
}

/// Splits "problem; expected this" or "problem, expected this".
fn split_expected(message: &str) -> (&str, &str) {
    match message {
        "integer number overflowed" | "floating-point number overflowed" => {
            ("the number is too large", "a smaller number")
        }
        _ => {
            let split = message.split_once("; expected ").or_else(|| message.split_once(", expected "));
            split.unwrap_or((message, "something else"))
        }
    }
}

/// What Rust calls a type, as a person would.
fn in_plain_words(expected: &str) -> String {
    match expected {
        "a string" => "a text in quotes".to_string(),
        "a boolean" => "true or false".to_string(),
        "a sequence" => "a list in brackets".to_string(),
        "a map" => "a table".to_string(),
        "f64" => "a number".to_string(),
        "u64" | "usize" | "i64" => "a whole number of zero or more, such as 1".to_string(),
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
