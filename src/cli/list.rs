//! `hopsim list`: what can be named.
//!
//! Knows kinds of files. Must not know what is in them beyond their title.

use super::{Outcome, World, output};
use crate::error::Fault;
use crate::format::FileKind;
use crate::platform::Entry;
use crate::readable::wrap;

/// List scenarios, paths and models, by kind, with their titles.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this kind: scenarios, paths, nodes, fabrics, targets, parts (or gpu, nic, cpu, dram, link)
    #[arg(value_name = "KIND")]
    kind: Option<String>,
    /// How to write it
    #[arg(long, short, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,
}

/// Lists.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let kinds = args.kind.as_deref().map_or(Ok(FileKind::ALL.to_vec()), kinds)?;
    let here = std::path::Path::new(".");
    let entries: Result<Vec<Vec<Entry>>, Fault> =
        kinds.into_iter().map(|kind| world.library.list(kind, Some(here))).collect();
    let entries: Vec<Entry> = entries?.into_iter().flatten().collect();
    let text = if args.format == "json" { json(&entries) } else { table(&entries, world.style.width) };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// The kinds that a word means.
pub(super) fn kinds(word: &str) -> Result<Vec<FileKind>, Fault> {
    use FileKind::{Cpu, Dram, Gpu, Link, Nic};
    if matches!(word, "part" | "parts") {
        return Ok(vec![Gpu, Nic, Cpu, Dram, Link]);
    }
    FileKind::from_word(word).or_else(|| FileKind::from_word(word.strip_suffix('s')?)).map(|k| vec![k]).ok_or_else(
        || {
            let known: Vec<&str> = FileKind::ALL.iter().map(|kind| kind.word()).collect();
            Fault::new(format!("\"{word}\" is no kind of file")).help(format!("kinds are: {}, parts", known.join(", ")))
        },
    )
}

fn table(entries: &[Entry], width: usize) -> String {
    let names = entries.iter().map(|e| e.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for kind in FileKind::ALL {
        let lines: String = entries.iter().filter(|e| e.kind == kind).map(|e| line(e, names, width)).collect();
        if !lines.is_empty() {
            text.push_str(&format!("{kind}\n{lines}\n"));
        }
    }
    text
}

fn line(entry: &Entry, names: usize, width: usize) -> String {
    let title = entry.title.as_deref().unwrap_or_default();
    format!("{}\n", wrap(&format!("  {:names$}  {title}", entry.name), width, names + 4).trim_end())
}

fn json(entries: &[Entry]) -> String {
    let entry =
        |e: &Entry| serde_json::json!({ "kind": e.kind.word(), "name": e.name, "title": e.title, "file": e.shown });
    serde_json::to_string_pretty(&entries.iter().map(entry).collect::<Vec<_>>()).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_by_one_or_by_many() {
        assert_eq!(kinds("node").unwrap(), kinds("nodes").unwrap());
        assert_eq!(kinds("parts").unwrap().len(), 5);
        assert!(kinds("bolts").is_err());
    }
}
