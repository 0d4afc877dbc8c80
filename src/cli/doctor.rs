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
/// The most folders within each other.
const MOST_DEPTH: usize = 8;

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
    /// Show every prerequisite with its line, instead of one screen
    #[arg(long)]
    all: bool,
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
    let machines = machines(&args.files)?;
    let mut diagnoses = Vec::new();
    for (name, captures) in &machines {
        diagnoses.push((name.clone(), doctor::diagnose(captures, &world.library)?));
    }
    output::print(written(&diagnoses, args, world).as_bytes())?;
    let verdicts = || diagnoses.iter().map(|(_, diagnosis)| diagnosis.verdict);
    Ok(match () {
        () if verdicts().all(|verdict| verdict == Verdict::All) => Outcome::Fine,
        () if verdicts().all(|verdict| verdict == Verdict::NothingUnderstood) => Outcome::Refused,
        () => Outcome::Failed,
    })
}

fn written(diagnoses: &[(String, Diagnosis)], args: &Args, world: &World) -> String {
    let width = world.style.width;
    match (args.format.as_str(), diagnoses) {
        ("json", [(_, one)]) => serde_json::to_string_pretty(one).unwrap_or_default() + "\n",
        ("json", several) => {
            let machines: Vec<serde_json::Value> = several
                .iter()
                .map(|(name, diagnosis)| serde_json::json!({ "machine": name, "diagnosis": diagnosis }))
                .collect();
            serde_json::to_string_pretty(&serde_json::json!({ "schema": 1, "machines": machines })).unwrap_or_default()
                + "\n"
        }
        (_, [(_, one)]) if args.all => doctor::text(one, width),
        (_, [(_, one)]) => doctor::brief(one, width),
        (_, several) if args.all => {
            several.iter().map(|(name, one)| format!("== {name}\n{}\n", doctor::text(one, width))).collect()
        }
        (_, several) => overview(several, width),
    }
}

/// Several machines on one screen: a verdict each.
fn overview(several: &[(String, Diagnosis)], width: usize) -> String {
    let mut out = format!("{} machines, each by itself (name one folder, or --all, for the whole)\n", several.len());
    let most = 18;
    for (name, one) in several.iter().take(most) {
        let text: String = format!("  {name}: {}", one.summary).chars().take(2 * width - 8).collect();
        out.push_str(&(crate::readable::wrap(&text, width, 4) + "\n"));
    }
    if several.len() > most {
        out.push_str(&format!("  … and {} more: --all\n", several.len() - most));
    }
    out
}

/// The captured texts of each machine: a folder that holds what another folder holds too is a machine of its own, and so is a
/// host that lines name.
fn machines(files: &[PathBuf]) -> Result<Vec<(String, Vec<Capture>)>, Fault> {
    let mut folders: Vec<(String, Vec<Capture>)> = Vec::new();
    for capture in captures(files)? {
        let folder = Path::new(&capture.text.name).parent().map(|folder| folder.display().to_string());
        let name = capture.host.clone().or(folder).unwrap_or_default();
        match folders.iter_mut().find(|(other, _)| *other == name) {
            Some((_, captures)) => captures.push(capture),
            None => folders.push((name, vec![capture])),
        }
    }
    let tools = |captures: &[Capture]| -> Vec<&'static str> {
        captures.iter().flat_map(|capture| &capture.sections).map(|section| section.importer.name).collect()
    };
    let hosts = folders.iter().filter(|(_, captures)| captures[0].host.is_some()).count();
    let repeated = folders.iter().enumerate().any(|(at, (_, one))| {
        folders[..at].iter().any(|(_, other)| tools(one).iter().any(|tool| tools(other).contains(tool)))
    });
    if folders.len() > 1 && (repeated || hosts > 1) {
        return Ok(folders);
    }
    Ok(vec![(String::new(), folders.into_iter().flat_map(|(_, captures)| captures).collect())])
}

/// All captured texts, in the order in which they were named; a folder's by name.
pub(super) fn captures(files: &[PathBuf]) -> Result<Vec<Capture>, Fault> {
    if files.is_empty() {
        return standard_input();
    }
    let mut captures = Vec::new();
    for file in files {
        match file.as_os_str() == "-" {
            true => captures.extend(standard_input()?),
            false => captures.extend(named(file)?),
        }
    }
    Ok(captures)
}

fn standard_input() -> Result<Vec<Capture>, Fault> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Err(Fault::new("no files are named, and standard input is a terminal")
            .help("name captured output, or pipe it in: `hopsim doctor --collect` prints a script that captures it"));
    }
    let bytes = read(input.lock()).map_err(|error| Fault::new(format!("standard input cannot be read: {error}")))?;
    Ok(Capture::by_host("standard input", &bytes))
}

fn named(path: &Path) -> Result<Vec<Capture>, Fault> {
    let fault = |path: &Path, error: std::io::Error| {
        Fault::new(format!("{} cannot be read: {error}", path.display())).help("name captured output: files or folders")
    };
    let mut files = Vec::new();
    if path.is_dir() {
        walk(path, 0, &mut files).map_err(|error| fault(path, error))?;
    } else {
        files.push(path.to_path_buf());
    }
    let mut captures = Vec::new();
    for file in files {
        let bytes = std::fs::File::open(&file).and_then(read).map_err(|error| fault(&file, error))?;
        captures.extend(Capture::by_host(&file.display().to_string(), &bytes));
    }
    Ok(captures)
}

/// All files below a folder, by name; what links lead to is left out.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_file() && files.len() < MOST_FILES {
            files.push(entry);
        } else if entry.is_dir() && !entry.is_symlink() && depth < MOST_DEPTH {
            walk(&entry, depth + 1, files)?;
        }
    }
    Ok(())
}

fn read(source: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}
