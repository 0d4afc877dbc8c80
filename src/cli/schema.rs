//! `hopsim schema`: JSON Schemas of the TOML files.
//!
//! Knows kinds of files. Must not know their keys.

use super::{Outcome, list, output};
use crate::checkpoint;
use crate::error::Fault;
use crate::format::{FileKind, schema};

/// Print JSON Schemas of the TOML files, for editors.
///
/// With a KIND, its schema; without one, an object with the schemas of all kinds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hopsim schema scenario > scenario.schema.json")]
pub(super) struct Args {
    /// scenario, checkpoint, path, node, fabric, target, gpu, nic, cpu, dram or link
    #[arg(value_name = "KIND")]
    kind: Option<String>,
}

/// The kind that no scenario names: files of `hopsim checkpoint`.
const CHECKPOINT: &str = "checkpoint";

/// Prints.
pub(super) fn run(args: &Args) -> Result<Outcome, Fault> {
    let of_kinds = |kinds: Vec<FileKind>| kinds.into_iter().map(|kind| (kind.word().to_string(), schema(kind)));
    let value = match args.kind.as_deref() {
        Some(CHECKPOINT) => checkpoint::schema(),
        Some(word) => match list::kinds(word)?.as_slice() {
            [kind] => schema(*kind),
            kinds => of_kinds(kinds.to_vec()).collect(),
        },
        None => of_kinds(FileKind::ALL.to_vec()).chain([(CHECKPOINT.to_string(), checkpoint::schema())]).collect(),
    };
    // A JSON value cannot fail to be written.
    output::print((serde_json::to_string_pretty(&value).unwrap_or_default() + "\n").as_bytes())?;
    Ok(Outcome::Fine)
}
