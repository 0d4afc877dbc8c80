//! `hopsim show`: one file with every figure, its range and its source.
//!
//! Knows where files are found. Must not know what a figure does.

mod figures;
mod link;
mod path;

use std::path::Path;

use super::options::Edits;
use super::{Outcome, World, list, output};
use crate::error::Fault;
use crate::format::{FileKind, Place};
use crate::platform::{Entry, load, whole};

/// Show a model, a path or a whole scenario, with the range and the source of every figure.
///
/// Parts that are named are filled in. For links, the way from the signalling rate to the payload rate is shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim show dgx-h100\n  hopsim show gds-read\n  hopsim show load-640gb --toml")]
pub(super) struct Args {
    /// The name of a scenario, path or model, or a scenario's file
    #[arg(value_name = "NAME")]
    name: String,
    /// Its kind, where several kinds have the name
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    #[command(flatten)]
    edits: Edits,
    /// Print the TOML text: of a scenario, the one with every model inside
    #[arg(long)]
    toml: bool,
}

/// Shows.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let is_file = args.kind.is_none() && Path::new(&args.name).is_file();
    let text = if is_file {
        scenario(&args.name, &args.name, args, world)?
    } else {
        let entry = find(&args.name, args.kind.as_deref(), world)?;
        match entry.kind {
            FileKind::Scenario => scenario(&entry.name, &entry.shown, args, world)?,
            FileKind::Lesson => entry.text,
            _ if args.toml => entry.text,
            _ => model(&entry, world)?,
        }
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn scenario(name: &str, shown: &str, args: &Args, world: &World) -> Result<String, Fault> {
    let loaded = load(name, &world.library, &args.edits.read()?)?;
    if args.toml {
        return Ok(loaded.resolved);
    }
    let table = read(shown, &loaded.resolved)?;
    Ok(page(&format!("scenario {name}"), shown, &table, Place::Scenario, world))
}

fn model(entry: &Entry, world: &World) -> Result<String, Fault> {
    let text = whole(entry.kind, &entry.name, &world.library, Some(Path::new(".")))?;
    let table = read(&entry.shown, &text)?;
    let place = if entry.kind == FileKind::Path { Place::Other } else { Place::Part(entry.kind) };
    Ok(page(&format!("{} {}", entry.kind, entry.name), &entry.shown, &table, place, world))
}

fn read(shown: &str, text: &str) -> Result<toml::Table, Fault> {
    text.parse().map_err(|error: toml::de::Error| Fault::new(format!("{shown} is no TOML: {}", error.message())))
}

fn page(name: &str, shown: &str, table: &toml::Table, place: Place, world: &World) -> String {
    let title = table.get("title").and_then(toml::Value::as_str).map(|t| format!("{t}\n")).unwrap_or_default();
    let is_path = table.contains_key("legs");
    let figures = if is_path { String::new() } else { figures::text(table, world.style.width) };
    let paths = path::all(table);
    let links: String = link::all(table, place).concat();
    format!("{name}  ({shown})\n{title}\n{figures}{paths}{links}")
}

/// The file of that name: of the kind that is given, else of the only kind that has it.
pub(super) fn find(name: &str, kind: Option<&str>, world: &World) -> Result<Entry, Fault> {
    let kinds = kind.map_or(Ok(FileKind::ALL.to_vec()), list::kinds)?;
    let here = Path::new(".");
    let found: Result<Vec<Option<Entry>>, Fault> =
        kinds.iter().map(|kind| world.library.find(*kind, name, Some(here))).collect();
    let mut found: Vec<Entry> = found?.into_iter().flatten().collect();
    match found.len() {
        0 => Err(unknown(name, &kinds, world)),
        1 => Ok(found.remove(0)),
        _ => {
            let kinds: Vec<String> = found.iter().map(|entry| entry.kind.to_string()).collect();
            let fault = Fault::new(format!("\"{name}\" is the name of several files: a {}", kinds.join(", a ")));
            Err(fault.help(format!("add --kind {}", kinds.join(" or --kind "))))
        }
    }
}

fn unknown(name: &str, kinds: &[FileKind], world: &World) -> Fault {
    let all = kinds.iter().filter_map(|kind| world.library.list(*kind, Some(Path::new("."))).ok()).flatten();
    let names: Vec<String> = all.map(|entry| entry.name).collect();
    let near = crate::error::nearest(name, names.iter().map(String::as_str));
    let help = near.map_or("`hopsim list` shows all names".to_string(), |near| format!("did you mean \"{near}\"?"));
    Fault::new(format!("there is no scenario, path or model called \"{name}\"")).help(help)
}
