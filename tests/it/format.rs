//! `docs/scenario-format.md` is written from the schemas, and this test holds it to them: `SNAPSHOTS=overwrite cargo test`
//! writes it anew.

use std::fmt::Write;

use hopsim::format::{FileKind, schema};
use hopsim::platform::Library;
use serde_json::Value;

const HEAD: &str = "# The format of the files\n
Written from the types that read the files (`SNAPSHOTS=overwrite cargo test format` writes it anew). The same, for editors: `hopsim schema`.\n
- Every quantity carries its unit: `\"140 GB\"`, `\"1 MiB\"`, `\"400 Gb/s\"`, `\"63 GB/s\"`, `\"2 us\"`, `\"80 %\"`. GB is 10^9 bytes, GiB is 2^30; `b` is a bit, `B` a byte.
- A **figure** may say where it comes from: `{ value = \"48 GB/s\", low = \"23.3 GB/s\", high = \"48 GB/s\", source = \"assumed\", reference = \"…\" }`.
  `source` is one of stated, measured, datasheet, textbook, derived, fitted, assumed. A run is repeated with every assumed figure at its fast and at its slow end.
- Wherever a **model** is taken, its name does (`gpu = \"h100-sxm5-80gb\"`), or a table: `model = \"…\"` and keys to replace, or all keys.
- An unknown key is an error that names the known ones. **Bold** keys are required (unless a `model` brings them).
";

const PATHS: &str = "
## The paths that ship\n
A path is named `method-transport-direction`; without a transport it goes over NVMe-oF by RDMA. `hopsim show NAME` prints one, `hopsim explain SCENARIO` tells
every step of a request with its time.\n
- The **session** (drivers, files, buffers) comes before a work's start and is no part of its duration: `session_s` is its own figure. `works.NAME.session = false`: it stands already.
- A request goes in **commands** of at most 1 MiB. Their queue has 128 places a queue pair (`nic.queue_pairs`, one where nothing is said); over RDMA a queue pair has 16 reads in flight, which writes need.
- Writes up to 4 KiB (RDMA) or 16 KiB (TCP) travel **in the capsule**: no registration, no RDMA READ, no R2T.
- `works.NAME.completion = \"poll\"` takes a poll instead of the interrupt, and keeps the thread's core busy.\n
| path | what it is |
| --- | --- |
";

/// The paths that ship, a line each.
fn paths() -> String {
    let list = Library::default().list(FileKind::Path, None).expect("what ships can be read");
    let row =
        |path: &hopsim::platform::Entry| format!("| `{}` | {} |\n", path.name, path.title.as_deref().unwrap_or(""));
    PATHS.to_string() + &list.iter().map(row).collect::<String>()
}

/// The whole page.
fn page() -> String {
    let mut page = HEAD.to_string();
    for kind in FileKind::ALL {
        let root = schema(kind);
        let _ = writeln!(page, "\n## A {kind}: `{}/*.toml`", kind.folder());
        let seen = FileKind::ALL.map(|kind| kind.word().to_string()).to_vec();
        Tables { root: &root, seen, page: &mut page }.table("", &root);
        if kind == FileKind::Path {
            page += &paths();
        }
    }
    page
}

/// Tables of keys, one below the other.
struct Tables<'a> {
    root: &'a Value,
    /// Definitions that have, or will have, a table.
    seen: Vec<String>,
    page: &'a mut String,
}

impl Tables<'_> {
    fn table(&mut self, place: &str, object: &Value) {
        let required: Vec<&str> = required(object).collect();
        let _ = writeln!(
            self.page,
            "\n{}\n\n| key | takes | what it is |\n| --- | --- | --- |",
            text(object, "description")
        );
        let mut below = Vec::new();
        for (key, value) in object["properties"].as_object().into_iter().flatten() {
            let name = if required.contains(&key.as_str()) { format!("**`{key}`**") } else { format!("`{key}`") };
            let takes = self.takes(value).replace('|', "\\|");
            let _ = writeln!(self.page, "| {name} | {takes} | {} |", text(value, "description").replace('\n', " "));
            below.extend(self.inner(value).map(|(suffix, object)| (format!("{place}{key}{suffix}"), object)));
        }
        for (place, object) in below {
            let _ = writeln!(self.page, "\n### `{place}`");
            self.table(&format!("{place}."), &object);
        }
    }

    /// The object below a key that wants a table of its own, with how one gets there.
    fn inner(&mut self, value: &Value) -> Option<(&'static str, Value)> {
        let value = present(value);
        if figure(value).is_some() {
            return None;
        }
        if let Some(forms) = value.get("anyOf").and_then(Value::as_array) {
            let mut others = forms.iter().filter(|form| form["properties"].get("value").is_none());
            return others.find_map(|form| self.inner(form));
        }
        if let Some(name) = reference(value) {
            let lower = name.to_lowercase();
            let object = self.root["definitions"][name].clone();
            let wanted = object.get("properties").is_some() && !self.seen.contains(&lower);
            self.seen.push(lower);
            return wanted.then_some(("", object));
        }
        let through = |next: &Value, suffix| {
            let next = next.clone();
            move |tables: &mut Self| tables.inner(&next).map(|(_, object)| (suffix, object))
        };
        if let Some(items) = value.get("items") {
            return through(items, "[]")(self);
        }
        if let Some(any) = value.get("additionalProperties").filter(|any| any.is_object()) {
            return through(any, ".NAME")(self);
        }
        value.get("properties").is_some().then(|| ("", value.clone()))
    }

    /// What may stand behind a key, in words.
    fn takes(&self, value: &Value) -> String {
        let value = present(value);
        if let Some(figure) = figure(value) {
            return format!("figure: {}", self.takes(figure));
        }
        if let Some(name) = reference(value) {
            let lower = name.to_lowercase();
            let is_model = FileKind::from_word(&lower).is_some() && !["path", "scenario"].contains(&lower.as_str());
            let is_table = self.root["definitions"][name].get("properties").is_some();
            return match () {
                () if is_model => format!("a {lower}: model or table"),
                () if is_table || lower == "path" => "a table".to_string(),
                () => self.takes(&self.root["definitions"][name]),
            };
        }
        if let Some(words) = words(value) {
            return words;
        }
        if let Some(any) = ["anyOf", "oneOf"].iter().find_map(|key| value.get(key)?.as_array()) {
            return any.iter().map(|one| self.takes(one)).collect::<Vec<_>>().join(", or ");
        }
        self.plain(value)
    }

    fn plain(&self, value: &Value) -> String {
        if let Some(items) = value.get("items") {
            return format!("a list: {}", self.takes(items));
        }
        if let Some(any) = value.get("additionalProperties").filter(|any| any.is_object()) {
            return format!("a table by name: {}", self.takes(any));
        }
        let kind = value["type"].as_array().and_then(|kinds| kinds.first()).unwrap_or(&value["type"]);
        match (kind.as_str(), value.get("description").and_then(Value::as_str)) {
            (Some("object"), _) => "a table".to_string(),
            // A quantity describes how it is written; what else has a description describes what it is.
            (_, Some(how)) if how.starts_with("a") && how.contains("such as") => how.to_string(),
            (Some("string"), _) => "a text".to_string(),
            (Some("integer"), _) => "a whole number".to_string(),
            (Some("number"), _) => "a number".to_string(),
            (Some("boolean"), _) => "true or false".to_string(),
            _ => "a value".to_string(),
        }
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Keys that must be there, also where a model may bring them instead.
fn required(object: &Value) -> impl Iterator<Item = &str> {
    let own = object.get("required").and_then(Value::as_array).into_iter().flatten();
    let either = object.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let either = either.filter_map(|one| one["required"].as_array()).flatten();
    own.chain(either).filter_map(Value::as_str).filter(|key| *key != "model")
}

/// A value without "or nothing".
fn present(value: &Value) -> &Value {
    let only = |list: &'_ Value| -> Option<usize> {
        let list = list.as_array()?;
        let there: Vec<usize> = (0..list.len()).filter(|&at| list[at]["type"] != "null").collect();
        (there.len() == 1).then(|| there[0])
    };
    for key in ["anyOf", "allOf"] {
        if let Some(at) = value.get(key).and_then(only) {
            return present(&value[key][at]);
        }
    }
    value
}

fn reference(value: &Value) -> Option<&str> {
    value.get("$ref")?.as_str()?.strip_prefix("#/definitions/")
}

/// The plain form of a figure: one way to write it, or a table with `value`.
fn figure(value: &Value) -> Option<&Value> {
    let any = value.get("anyOf")?.as_array()?;
    let is_figure = any.len() == 2 && any[1]["properties"].get("value").is_some();
    is_figure.then(|| &any[0])
}

/// The words that may stand there.
fn words(value: &Value) -> Option<String> {
    let listed = value.get("enum").and_then(Value::as_array);
    let each = value.get("oneOf").and_then(Value::as_array);
    let words: Vec<String> = match (listed, each) {
        (Some(words), _) => words.iter().filter_map(|word| Some(format!("`\"{}\"`", word.as_str()?))).collect(),
        (None, Some(each)) => each.iter().map(words_of).collect::<Option<_>>()?,
        (None, None) => vec![words_of(value)?],
    };
    Some(words.join(", "))
}

fn words_of(value: &Value) -> Option<String> {
    let word = value.get("const").or_else(|| value.get("enum")?.get(0))?.as_str()?;
    let what = text(value, "description").trim_end_matches('.');
    Some(if what.is_empty() { format!("`\"{word}\"`") } else { format!("`\"{word}\"` ({what})") })
}

#[test]
fn the_page_of_the_format_says_what_the_schemas_say() {
    snapbox::assert_data_eq!(page(), snapbox::file!["../../docs/scenario-format.md"].raw());
}
