//! The machine as captured diagnostics show it: every fact with the line that shows it, and the questions that findings ask of them.
//!
//! Knows which source to believe first. Must not know what follows from an answer.

use super::Evidence;
use crate::import::{Capture, Fact};

/// Tools whose word counts less: a log may be of another day.
const LOGS: [&str; 2] = ["dmesg", "cufile.log"];

/// A fact with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    pub fact: &'a Fact,
    pub tool: &'static str,
    capture: usize,
    line: usize,
}

/// All facts of all captures.
pub(super) struct Machine<'a> {
    captures: &'a [Capture],
    seen: Vec<Seen<'a>>,
}

impl<'a> Machine<'a> {
    /// All facts: those of a tool that looks at the present state first, then those of logs.
    pub(super) fn new(captures: &'a [Capture]) -> Machine<'a> {
        let of_capture = |(number, capture): (usize, &'a Capture)| {
            let section = move |section: &'a crate::import::Section| {
                let tool = section.importer.name;
                section.reading.facts.iter().map(move |(line, fact)| Seen { fact, tool, capture: number, line: *line })
            };
            capture.sections.iter().flat_map(section)
        };
        let mut seen: Vec<Seen<'a>> = captures.iter().enumerate().flat_map(of_capture).collect();
        seen.sort_by_key(|seen| LOGS.contains(&seen.tool));
        Machine { captures, seen }
    }

    /// All facts, in the order of belief.
    pub(super) fn facts(&self) -> impl Iterator<Item = Seen<'a>> {
        self.seen.iter().copied()
    }

    /// The first fact that something can be read from, with what was read.
    pub(super) fn first<T>(&self, read: impl Fn(&'a Fact) -> Option<T>) -> Option<(T, Seen<'a>)> {
        self.facts().find_map(|seen| Some((read(seen.fact)?, seen)))
    }

    /// All facts that something can be read from.
    pub(super) fn all<T>(&self, read: impl Fn(&'a Fact) -> Option<T>) -> Vec<(T, Seen<'a>)> {
        self.facts().filter_map(|seen| Some((read(seen.fact)?, seen))).collect()
    }

    /// The line that shows a fact.
    pub(super) fn evidence(&self, seen: Seen<'_>) -> Evidence {
        let capture = &self.captures[seen.capture];
        Evidence { file: capture.text.name.clone(), line: seen.line, text: capture.line(seen.line).to_string() }
    }

    /// A setting of cuFile: the last one written counts, as in a file.
    pub(super) fn setting(&self, key: &str) -> Option<(&'a str, Seen<'a>)> {
        let read = |fact: &'a Fact| match fact {
            Fact::Setting { key: other, value } if other == key => Some(value.as_str()),
            _ => None,
        };
        // What gdscheck prints is what cuFile made of file and environment.
        let of = |tool: &str| self.all(read).into_iter().rfind(|(_, seen)| seen.tool == tool);
        of("gdscheck").or_else(|| of("cufile.json"))
    }

    /// A setting that is a truth.
    pub(super) fn truth(&self, key: &str) -> Option<(bool, Seen<'a>)> {
        let (value, seen) = self.setting(key)?;
        match value {
            "true" => Some((true, seen)),
            "false" => Some((false, seen)),
            _ => None,
        }
    }

    /// Whether a module is loaded.
    pub(super) fn module(&self, name: &str) -> Option<(bool, Seen<'a>)> {
        self.first(|fact| match fact {
            Fact::Module { name: other, loaded } if other == name => Some(*loaded),
            _ => None,
        })
    }
}
