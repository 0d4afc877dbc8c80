//! `hopsim schema`: JSON Schemas of the TOML files.
//!
//! Knows kinds of files. Must not know their keys.

use super::{Outcome, list, output};
use crate::error::Fault;
use crate::format::{FileKind, schema};

/// Print JSON Schemas of the TOML files, for editors.
///
/// With a KIND, its schema; without one, an object with the schemas of all kinds.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hopsim schema scenario > scenario.schema.json")]
pub(super) struct Args {
    /// scenario, path, node, fabric, target, gpu, nic, cpu, dram or link
    #[arg(value_name = "KIND")]
    kind: Option<String>,
}

/// Prints.
pub(super) fn run(args: &Args) -> Result<Outcome, Fault> {
    let kinds = args.kind.as_deref().map_or(Ok(FileKind::ALL.to_vec()), list::kinds)?;
    let value = match kinds.as_slice() {
        [kind] => schema(*kind),
        kinds => kinds.iter().map(|kind| (kind.word().to_string(), schema(*kind))).collect(),
    };
    // A JSON value cannot fail to be written.
    output::print((serde_json::to_string_pretty(&value).unwrap_or_default() + "\n").as_bytes())?;
    Ok(Outcome::Fine)
}
