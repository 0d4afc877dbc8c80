//! `hopsim checkpoint`: the answer sheet for a file, a workload, a model's name or a size.
//!
//! Knows what was asked. Must not know how a checkpoint becomes a scenario.

mod pictures;

use std::path::{Path, PathBuf};

use super::options::{ModeWord, Writing};
use super::{Outcome, World, output};
use crate::checkpoint::shape::{PRESETS, Preset};
use crate::checkpoint::{self, Checkpoint, Overrides, Question, Scheme, Sheet};
use crate::error::Fault;
use crate::platform::read_file;
use engine::Mode;
use engine::units::{Bytes, LongTime};

/// Answer for a checkpoint: save, stall, memory, restore, interval and goodput of every way to save it.
///
/// WHAT is a file of ours (.toml), a workload file of DLIO or MLPerf Storage (.yaml), a model (llama3-8b, llama3-70b,
/// llama3-405b, llama3-1t), a size, or a number of parameters such as 70B. Without --cluster, --node and --target, it is saved from DGX H100 nodes, as many as the
/// ranks need, to a target of NVIDIA's best guidance for so many.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim checkpoint 140GB --node dgx-h100 --target 40GB/s\n  \
                        hopsim checkpoint 140GB --node dgx-h100-textbook --node dgx-h100 --target textbook\n  \
                        hopsim checkpoint llama3-405b --what-if\n  \
                        hopsim checkpoint workload.yaml --cluster mine.toml --format json")]
pub(super) struct Args {
    /// A .toml or .yaml file, a model's name, a size such as 140GB, or parameters such as 70B
    #[arg(value_name = "WHAT")]
    what: String,
    /// The node's model (`hopsim list nodes`); repeat it for several in one sheet
    #[arg(long, value_name = "NAME")]
    node: Vec<String>,
    /// The storage target: a rate such as 40GB/s, or a model (`hopsim list targets`)
    #[arg(long, value_name = "RATE|NAME", allow_hyphen_values = true)]
    target: Option<String>,
    /// A file with `node`, `cluster`, `fabric`, `target`, `local`, `[save]`, `[failures]` and the like
    #[arg(long, value_name = "FILE")]
    cluster: Option<PathBuf>,
    /// GPUs of a node that write (default: all of the node's)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    gpus: Option<u64>,
    /// Nodes that the ranks lie on, as even as they come (default: as many as they need)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Ranks that hold the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    ranks: Option<u64>,
    /// Mean time between failures of one node, such as 6300h or 5y
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    mtbf: Option<String>,
    /// When the job failed: a CSV file with a column such as time_h or interval_min
    #[arg(long, value_name = "FILE")]
    failures: Option<PathBuf>,
    /// Only this way to save: gds, bounce, pinned, pageable, local-gds, local-bounce; repeatable
    #[arg(long, value_name = "NAME")]
    scheme: Vec<String>,
    /// List single changes by what they would gain
    #[arg(long)]
    what_if: bool,
    /// Draw a picture too: timeline, interval, nodes or ranks to a .svg, .png or .json file; repeatable
    #[arg(long, value_name = "NAME=FILE")]
    plot: Vec<String>,
    /// Simulate every request, or stop when throughput has settled (default: by the size)
    #[arg(long, value_enum)]
    mode: Option<ModeWord>,
    #[command(flatten)]
    writing: Writing,
    /// Print a scenario of both synchronous paths instead of answering (a size and a target are needed)
    #[arg(long)]
    scenario: bool,
}

/// Runs.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let format = args.writing.format()?;
    if args.scenario {
        output::result(&scenario(args)?, args.writing.out.as_deref())?;
        return Ok(Outcome::Fine);
    }
    let is_json = match format.name {
        "text" => false,
        "json" => true,
        other => {
            let message = format!("--format {other}: a checkpoint's sheet is text or json");
            return Err(Fault::new(message).help("leave --format out, or write --format json"));
        }
    };
    let pictures = args.plot.iter().map(|asked| pictures::split(asked).map(|(_, file)| Path::new(file)));
    let pictures = pictures.collect::<Result<Vec<_>, _>>()?;
    output::places(args.writing.out.as_deref().into_iter().chain(pictures))?;
    let question = question(args)?;
    let sheet = Sheet::answer(&question, &world.library, args.what_if)?;
    let text = if is_json { checkpoint::json(&sheet) } else { checkpoint::text(&sheet, world.style.width) };
    args.plot.iter().try_for_each(|asked| pictures::draw(asked, &question, &sheet, world))?;
    output::result(&text, args.writing.out.as_deref())?;
    Ok(Outcome::Fine)
}

/// What is asked, by what WHAT is.
fn question(args: &Args) -> Result<Question, Fault> {
    let told = told(args)?;
    let path = Path::new(&args.what);
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    match ending {
        "toml" => Question::of_toml(&args.what, &stem, &read_file(path)?, &told),
        "yaml" | "yml" => Question::of_yaml(&args.what, &read_file(path)?, &told),
        _ => match Preset::named(&args.what) {
            Some(preset) => Question::of_preset(preset, &told),
            None => match billions(&args.what) {
                Some(count) => Question::of_parameters(count, &told),
                None => Question::of_size(size(&args.what)?, &told),
            },
        },
    }
}

/// Parameters, where they are counted as models' names count them: 70B is 70 billion, since no checkpoint has 70 bytes.
fn billions(what: &str) -> Option<u64> {
    let count: f64 = what.strip_suffix(['B', 'b'])?.trim_end().parse().ok()?;
    (count > 0.0 && count < 100_000.0).then(|| (count * 1e9).round() as u64)
}

fn size(what: &str) -> Result<Bytes, Fault> {
    if billions(what).is_some() {
        let message = format!("WHAT: {what} is a number of parameters, and --scenario needs a size");
        return Err(Fault::new(message).help("give a size such as 140GB: parameters times the bytes of each"));
    }
    let size: Result<Bytes, _> = what.parse();
    if size == Ok(Bytes(0)) {
        return Err(
            Fault::new(format!("WHAT: {what} is nothing to save")).help("give a size above zero, such as 140GB")
        );
    }
    size.map_err(|error| {
        let models: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let help =
            format!("write a size as 140GB or 2TiB, a model as {}, or name a .toml or .yaml file", models.join(", "));
        Fault::new(format!("WHAT: {error}")).help(help)
    })
}

fn told(args: &Args) -> Result<Overrides, Fault> {
    let named = |flag: &str, file: &PathBuf| {
        let text = read_file(file).map_err(|fault| fault.about(flag))?;
        Ok::<_, Fault>((file.display().to_string(), text))
    };
    Ok(Overrides {
        ranks: args.ranks,
        node_models: args.node.clone(),
        gpus: args.gpus,
        nodes: args.nodes,
        target: args.target.as_deref().map(checkpoint::target).transpose()?,
        cluster: args.cluster.as_ref().map(|file| named("--cluster", file)).transpose()?,
        mtbf: args.mtbf.as_deref().map(mtbf).transpose()?,
        trace: args.failures.as_ref().map(|file| named("--failures", file)).transpose()?,
        schemes: args.scheme.iter().map(|name| Scheme::named(name)).collect::<Result<_, _>>()?,
        mode: args.mode.map(Mode::from),
    })
}

fn mtbf(text: &str) -> Result<LongTime, Fault> {
    let help = "write it as 6300h or 5y";
    let time: LongTime = text.parse().map_err(|error| Fault::new(format!("--mtbf: {error}")).help(help))?;
    match time.0 {
        0 => Err(Fault::new(format!("--mtbf {text}: something that always fails never trains")).help(help)),
        _ => Ok(time),
    }
}

/// Both synchronous paths as a scenario to start from.
fn scenario(args: &Args) -> Result<String, Fault> {
    let Some(target) = &args.target else {
        return Err(Fault::new("--scenario needs --target").help("add --target 40GB/s, or a target's name"));
    };
    let node = args.node.first().cloned().unwrap_or_else(|| "dgx-h100".to_string());
    Ok(Checkpoint { size: size(&args.what)?, node, target: checkpoint::target(target)?, gpus: args.gpus }.scenario())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventy_b_are_billions_of_parameters_and_never_bytes() {
        let all = [billions("70B"), billions("1.5B"), billions("8 b")];
        assert_eq!(all, [Some(70_000_000_000), Some(1_500_000_000), Some(8_000_000_000)]);
        assert_eq!([billions("140GB"), billions("140000000000B"), billions("0B"), billions("-7B")], [None; 4]);
        assert!(size("70B").is_err());
    }
}
