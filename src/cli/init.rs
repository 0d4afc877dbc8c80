//! `hopsim init`: copies a scenario or a model out to edit.
//!
//! Knows where a copy goes so that it is found again. Must not know what is in it.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::{Outcome, World, output, show};
use crate::error::Fault;
use crate::format::FileKind;
use crate::platform::Entry;

/// Copy a scenario or a model out to edit; never overwrites.
///
/// A scenario becomes DIR/NAME.toml. A model becomes DIR/models/…/NAME.toml, where scenarios in DIR find it before the one
/// that ships.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim init checkpoint-140gb\n  hopsim init dgx-h100 my-cluster")]
pub(super) struct Args {
    /// The name of a scenario, path or model (`hopsim list`)
    #[arg(value_name = "NAME")]
    name: String,
    /// The folder to copy it to
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Its kind, where several kinds have the name
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
}

/// Copies.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let entry = show::find(&args.name, args.kind.as_deref(), world)?;
    let file = place(&args.folder, &entry);
    if let Some(folder) = file.parent() {
        output::make_folder(folder)?;
    }
    let mut draft = output::draft(&file, "")?;
    let written = draft.write_all(entry.text.as_bytes());
    written.map_err(|error| Fault::new(format!("{} cannot be written: {error}", file.display())))?;
    output::keep_new(draft, &file)?;
    output::print(format!("{}\n", file.display()).as_bytes())?;
    Ok(Outcome::Fine)
}

fn place(folder: &Path, entry: &Entry) -> PathBuf {
    let name = format!("{}.toml", entry.name);
    match entry.kind {
        FileKind::Scenario => folder.join(name),
        kind => folder.join(kind.folder()).join(name),
    }
}
