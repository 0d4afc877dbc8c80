//! A YAML file as a tree whose every key and value knows its place.
//!
//! Knows YAML. Must not know what any key means.

use saphyr::{LoadableYamlNode, MarkedYaml, Scalar, YamlData};

use crate::error::{Fault, Sources, Span, nearest};

/// A file that was read.
pub(super) struct Document<'a> {
    root: MarkedYaml<'a>,
    sources: Sources,
    /// Where each character begins, in bytes: the reader of YAML counts characters.
    begins: Vec<usize>,
}

/// A value with the dotted name that leads to it.
pub(super) struct Node<'a> {
    document: &'a Document<'a>,
    yaml: &'a MarkedYaml<'a>,
    pub(super) name: String,
}

impl<'a> Document<'a> {
    /// Reads a text.
    pub(super) fn read(shown: &str, text: &'a str) -> Result<Document<'a>, Fault> {
        let mut sources = Sources::default();
        sources.add(shown, text);
        let begins: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let load = MarkedYaml::load_from_str(text).map_err(|error| {
            let at = begins.get(error.marker().index()).copied().unwrap_or(text.len());
            Fault::at(&sources, &(at..at + 1), format!("this is no YAML: {}", error.info()), "here")
                .help("see https://yaml.org/spec/1.2.2 for the format")
        });
        let root = load?.into_iter().next();
        let Some(root) = root.filter(|root| root.data.as_mapping().is_some()) else {
            return Err(Fault::at(&sources, &(0..1), "the file says nothing", "expected keys")
                .help("a workload file of DLIO has a `model` and a `checkpoint`"));
        };
        Ok(Document { root, sources, begins })
    }

    /// The file itself.
    pub(super) fn root(&'a self) -> Node<'a> {
        Node { document: self, yaml: &self.root, name: String::new() }
    }

    fn span(&self, yaml: &MarkedYaml<'_>) -> Span {
        let at = |index: usize| self.begins.get(index).or(self.begins.last()).copied().unwrap_or(0);
        let (start, end) = (at(yaml.span.start.index()), at(yaml.span.end.index()));
        start..end.max(start + 1)
    }
}

impl<'a> Node<'a> {
    /// The value of a key, if it is there and not empty.
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        let yaml = self.yaml.data.as_mapping_get(key)?;
        let empty = matches!(yaml.data, YamlData::Value(Scalar::Null));
        (!empty).then(|| Node { document: self.document, yaml, name: self.below(key) })
    }

    fn below(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_string() } else { format!("{}.{key}", self.name) }
    }

    /// All keys, as they are written.
    pub(super) fn keys(&self) -> Vec<String> {
        let map = self.yaml.data.as_mapping().into_iter().flat_map(|map| map.keys());
        map.map(|key| key.data.as_str().map_or_else(|| "?".to_string(), str::to_string)).collect()
    }

    /// Whether it is a table.
    pub(super) fn is_table(&self) -> bool {
        self.yaml.data.as_mapping().is_some()
    }

    /// A whole number of zero or more.
    pub(super) fn count(&self) -> Result<u64, Fault> {
        let number = self.yaml.data.as_integer().and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| self.wrong("a whole number of zero or more"))
    }

    /// A whole number above zero.
    pub(super) fn positive(&self) -> Result<u64, Fault> {
        match self.yaml.data.as_integer() {
            Some(number) if number < 1 => {
                let message = format!("`{}` is {number}", self.name);
                Err(self
                    .fault(&message, "must be above zero")
                    .help("there is at least one: write how many, or leave it out"))
            }
            _ => self.count(),
        }
    }

    /// As many as there are: DLIO writes -1 for it.
    pub(super) fn is_all(&self) -> bool {
        self.yaml.data.as_integer() == Some(-1)
    }

    /// A number of zero or more.
    pub(super) fn number(&self) -> Result<f64, Fault> {
        let whole = self.yaml.data.as_integer().map(|number| number as f64);
        let number = whole.or_else(|| self.yaml.data.as_floating_point());
        number.filter(|n| n.is_finite() && *n >= 0.0).ok_or_else(|| self.wrong("a number of zero or more"))
    }

    /// True or false.
    pub(super) fn switch(&self) -> Result<bool, Fault> {
        let word = self.yaml.data.as_str().map(str::to_lowercase);
        let typed = self.yaml.data.as_bool().or(match word.as_deref() {
            Some("true" | "yes" | "on") => Some(true),
            Some("false" | "no" | "off") => Some(false),
            _ => None,
        });
        typed.ok_or_else(|| self.wrong("True or False"))
    }

    /// A text.
    pub(super) fn text(&self) -> Result<&'a str, Fault> {
        self.yaml.data.as_str().ok_or_else(|| self.wrong("a text"))
    }

    /// A list of whole numbers.
    pub(super) fn counts(&self) -> Result<Vec<u64>, Fault> {
        let list = self.yaml.data.as_sequence().ok_or_else(|| self.wrong("a list of whole numbers"))?;
        let node = |yaml| Node { document: self.document, yaml, name: self.name.clone() };
        list.iter().map(|yaml| node(yaml).count()).collect()
    }

    fn wrong(&self, expected: &str) -> Fault {
        self.fault(&format!("`{}` is not {expected}", self.name), &format!("expected {expected}"))
    }

    /// What is wrong with this value.
    pub(super) fn fault(&self, message: &str, label: &str) -> Fault {
        Fault::at(&self.document.sources, &self.document.span(self.yaml), message, label)
    }

    /// A key that nobody knows.
    pub(super) fn unknown(&self, key: &str, known: &[&str]) -> Fault {
        let keys = self.yaml.data.as_mapping().into_iter().flat_map(|map| map.keys());
        let yaml = keys.into_iter().find(|yaml| yaml.data.as_str() == Some(key)).unwrap_or(self.yaml);
        let label = nearest(key, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let message = format!("unknown key `{}`: neither DLIO's nor ours", self.below(key));
        let label = label.unwrap_or_else(|| "no such key".to_string());
        Fault::at(&self.document.sources, &self.document.span(yaml), message, label)
            .help(format!("known keys: {}", known.join(", ")))
    }
}
