//! `hopsim doctor`: which path the bytes of a real node take, from captured diagnostics.
//!
//! Knows files, folders, standard input and exit codes. Must not know what a line means.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use super::{Outcome, World, output};
use crate::doctor::{self, Diagnosis, Verdict};
use crate::error::Fault;
use crate::import::Capture;

/// The most that is read of one file.
const MOST_BYTES: u64 = 64 << 20;
/// The most files that are read of a folder.
const MOST_FILES: usize = 1000;

/// Tell which path the bytes of a real node will take, from its own diagnostics.
///
/// Reads captured output of lsmod, gdscheck -p, nvme list-subsys and show-topology, dmesg, nvidia-smi topo, lspci, ibdev2netdev,
/// /proc/driver/nvidia-fs/stats, cufile.json, cufile.log, mount and gds_stats, told apart by content: files, folders, or standard input;
/// several outputs may stand in one file. For each prerequisite of GPUDirect Storage it answers yes, no or cannot tell, with the
/// line that shows it and what to do; then the path of each GPU's bytes, and what the simulator says it will reach.
///
/// Exit codes: 0 GDS will be used for all GPUs; 1 not for all, or cannot tell; 2 no line understood.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim doctor --collect > collect.sh\n  sudo sh collect.sh | hopsim doctor\n  hopsim doctor captures/ cufile.json"
)]
pub(super) struct Args {
    /// Captured output: files or folders (default: standard input)
    #[arg(value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Print the read-only shell script that captures all of it on a node
    #[arg(long, conflicts_with = "files")]
    collect: bool,
    /// How to write the result
    #[arg(long, short, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,
}

/// Diagnoses.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    if args.collect {
        output::print(doctor::SCRIPT.as_bytes())?;
        return Ok(Outcome::Fine);
    }
    let diagnosis = doctor::diagnose(&captures(&args.files)?, &world.library)?;
    output::print(written(&diagnosis, args, world).as_bytes())?;
    Ok(match diagnosis.verdict {
        Verdict::All => Outcome::Fine,
        Verdict::NotAll | Verdict::CannotTell => Outcome::Failed,
        Verdict::NothingUnderstood => Outcome::Refused,
    })
}

fn written(diagnosis: &Diagnosis, args: &Args, world: &World) -> String {
    match args.format.as_str() {
        "json" => serde_json::to_string_pretty(diagnosis).unwrap_or_default() + "\n",
        _ => doctor::text(diagnosis, world.style.width),
    }
}

/// All captured texts, in the order in which they were named; a folder's by name.
pub(super) fn captures(files: &[PathBuf]) -> Result<Vec<Capture>, Fault> {
    if files.is_empty() {
        return Ok(vec![standard_input()?]);
    }
    let mut captures = Vec::new();
    for file in files {
        match file.as_os_str() == "-" {
            true => captures.push(standard_input()?),
            false => captures.extend(named(file)?),
        }
    }
    Ok(captures)
}

fn standard_input() -> Result<Capture, Fault> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Err(Fault::new("no files are named, and standard input is a terminal")
            .help("name captured output, or pipe it in: `hopsim doctor --collect` prints a script that captures it"));
    }
    let bytes = read(input.lock()).map_err(|error| Fault::new(format!("standard input cannot be read: {error}")))?;
    Ok(Capture::read("standard input", &bytes))
}

fn named(path: &Path) -> Result<Vec<Capture>, Fault> {
    let fault = |error: std::io::Error| {
        Fault::new(format!("{} cannot be read: {error}", path.display())).help("name captured output: files or folders")
    };
    if !path.is_dir() {
        let file = std::fs::File::open(path).map_err(fault)?;
        return Ok(vec![Capture::read(&path.display().to_string(), &read(file).map_err(fault)?)]);
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(path).map_err(fault)? {
        let entry = entry.map_err(fault)?.path();
        if entry.is_file() && files.len() < MOST_FILES {
            files.push(entry);
        }
    }
    files.sort();
    files
        .iter()
        .map(|file| named(file))
        .collect::<Result<Vec<_>, Fault>>()
        .map(|captures| captures.into_iter().flatten().collect())
}

fn read(source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
