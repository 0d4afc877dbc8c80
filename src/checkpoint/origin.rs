//! Where a key of a generated scenario was told: a place in a person's file, or a flag.
//!
//! Knows texts and dotted keys. Must not know what any key means to a simulation. A person never wrote the scenario that is
//! simulated, so a fault that lies in it is told where they wrote what it is about.

use toml::de::{DeTable, DeValue};

use crate::error::{Fault, Sources, Span};

/// The name of generated scenarios.
pub(super) const GENERATED: &str = "checkpoint";

/// What a person wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Origin {
    /// Files by name, those that come first first.
    pub(super) files: Vec<(String, String)>,
    /// Keys that flags told, with the flags as they were typed.
    pub(super) flags: Vec<(&'static str, String)>,
}

/// A key from the outermost table on, and whether the key itself is meant, not its value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    keys: Vec<String>,
    is_key: bool,
}

impl Origin {
    /// A fault of a generated scenario, told where its cause was written; others as they are.
    pub(super) fn blame(&self, fault: Fault) -> Fault {
        let Some((GENERATED, text, span)) = fault.place() else { return fault };
        let Some(way) = way_at(text, span.start) else { return plain(fault.unplaced()) };
        let way = Way { keys: asked(&way.keys), ..way };
        self.at(&way, plain(fault))
    }

    /// A fault about a key of the ground.
    pub(super) fn fault(&self, key: &str, message: &str, label: &str) -> Fault {
        let way = Way { keys: key.split('.').map(str::to_string).collect(), is_key: false };
        let mut nowhere = Sources::default();
        nowhere.add(GENERATED, "");
        self.at(&way, Fault::at(&nowhere, &(0..0), message, label))
    }

    fn at(&self, way: &Way, fault: Fault) -> Fault {
        let dotted = way.keys.join(".");
        let is_told = |key: &str| dotted == key || dotted.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        if let Some((_, flag)) = self.flags.iter().filter(|(key, _)| is_told(key)).max_by_key(|(key, _)| key.len()) {
            return fault.unplaced().about(flag);
        }
        let found = self.files.iter().find_map(|(shown, text)| Some((shown, text, place(text, way)?)));
        let Some((shown, text, span)) = found else { return fault.unplaced() };
        let mut sources = Sources::default();
        sources.add(shown.clone(), text.clone());
        fault.moved(&sources, &span)
    }
}

/// The key that a person writes for one of a generated scenario: what all works share stands under `save`.
fn asked(keys: &[String]) -> Vec<String> {
    match keys {
        [works, _, key] if works == "works" && key == "bytes" => vec!["model".into()],
        [works, _, target, rest @ ..] if works == "works" && target == "target" => {
            ["local".to_string()].into_iter().chain(rest.iter().cloned()).collect()
        }
        [works, _, rest @ ..] if works == "works" => {
            ["save".to_string()].into_iter().chain(rest.iter().cloned()).collect()
        }
        other => other.to_vec(),
    }
}

/// The dotted key of a place in a text: of the value that lies there, or of the table.
pub(super) fn key_at(text: &str, at: usize) -> Option<String> {
    way_at(text, at).map(|way| way.keys.join("."))
}

/// The message without the names of works, which nobody gave.
fn plain(fault: Fault) -> Fault {
    let message = fault.message().to_string();
    let Some(rest) = message.strip_prefix("works.") else { return fault };
    match rest.split_once(": ").filter(|(name, _)| !name.contains([' ', '.'])) {
        Some((_, said)) => fault.saying(said),
        None => match rest.split_once('.') {
            Some((_, key)) => fault.saying(format!("save.{key}")),
            None => fault,
        },
    }
}

fn way_at(text: &str, at: usize) -> Option<Way> {
    let table = DeTable::parse(text).ok()?;
    within(table.get_ref(), at, &mut Vec::new())
}

/// The innermost key or value around a place.
fn within(table: &DeTable<'_>, at: usize, keys: &mut Vec<String>) -> Option<Way> {
    let mut around = None;
    for (key, value) in table {
        keys.push(key.get_ref().to_string());
        let inner = value.get_ref().as_table().and_then(|inner| within(inner, at, keys));
        let own = || {
            let is_key = key.span().contains(&at);
            (is_key || value.span().contains(&at)).then(|| Way { keys: keys.clone(), is_key })
        };
        let found = inner.or_else(own);
        keys.pop();
        match found {
            // A table's place may reach over others: a nearer one is looked for.
            Some(way) if value.get_ref().is_table() && way.keys.len() == keys.len() + 1 && !way.is_key => {
                around = around.or(Some(way));
            }
            Some(way) => return Some(way),
            None => {}
        }
    }
    around
}

/// Where a key stands in a text, or as much of it as does.
fn place(text: &str, way: &Way) -> Option<Span> {
    let table = DeTable::parse(text).ok()?;
    let mut table = table.get_ref();
    let mut found = None;
    for (depth, name) in way.keys.iter().enumerate() {
        let Some((key, value)) = table.iter().find(|(key, _)| key.get_ref() == name) else { break };
        let is_last = depth + 1 == way.keys.len();
        found = Some(if is_last && way.is_key { key.span() } else { value.span() });
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "schema = 1\n\n[node]\nmodel = \"a\"\ngpu.memory = 5\n\n[works.save]\nthreads = 0\ntarget = { rate = 7 }\n";

    fn key(part: &str) -> Option<String> {
        key_at(TEXT, TEXT.find(part).unwrap())
    }

    #[test]
    fn a_place_has_the_key_of_what_stands_there() {
        assert_eq!(key("\"a\"").unwrap(), "node.model");
        assert_eq!(key("5\n").unwrap(), "node.gpu.memory");
        assert_eq!(key("7 }").unwrap(), "works.save.target.rate");
        assert_eq!(key("threads").unwrap(), "works.save.threads");
    }

    #[test]
    fn a_fault_of_a_generated_scenario_is_told_where_a_person_wrote_its_cause() {
        let mut sources = Sources::default();
        sources.add(GENERATED, TEXT);
        let at = |part: &str| {
            let start = TEXT.find(part).unwrap();
            Fault::at(&sources, &(start..start + 1), "works.save.threads is zero", "here")
        };
        let file = ("mine.toml".to_string(), "[save]\nthreads = 0\n".to_string());
        let origin = Origin { files: vec![file], flags: vec![("node", "--node a".into())] };
        let save = origin.blame(at("0\n"));
        assert_eq!((save.message(), save.place().unwrap().0), ("save.threads is zero", "mine.toml"));
        assert_eq!(&save.place().unwrap().1[save.place().unwrap().2.clone()], "0");
        let node = origin.blame(at("\"a\""));
        assert_eq!((node.message(), node.place().is_none()), ("--node a: save.threads is zero", true));
        assert!(origin.blame(at("schema")).place().is_none());
    }
}
