//! `hopsim checkpoint`: both paths' times for a size, a node and a target, without a file.
//!
//! Knows what was asked. Must not know how a checkpoint becomes a scenario.

use super::options::Writing;
use super::{Outcome, World, output, progress};
use crate::checkpoint::{Checkpoint, target};
use crate::error::Fault;
use crate::export::Style;
use crate::platform::load_text;
use crate::readable::{gb_s, gib_s, percent, seconds};
use crate::report::{Report, WorkReport};
use crate::study::{self, Options};
use crate::table::{Lean, plain};
use crate::units::Bytes;

/// Time a checkpoint by both paths, without a file.
///
/// Writes SIZE from the GPUs of a node to a target, first by GPUDirect Storage and then through system memory, with requests
/// of 1 MiB and 16 threads a GPU.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hopsim checkpoint 140GB --node dgx-h100 --target 40GB/s")]
pub(super) struct Args {
    /// Payload in all, such as 140GB or 2TiB
    #[arg(value_name = "SIZE")]
    size: String,
    /// The node's model (`hopsim list nodes`)
    #[arg(long, value_name = "NAME", default_value = "dgx-h100")]
    node: String,
    /// The storage target: a rate such as 40GB/s, or a model (`hopsim list targets`)
    #[arg(long, value_name = "RATE|NAME")]
    target: String,
    /// GPUs that write (default: all of the node's)
    #[arg(long, value_name = "N")]
    gpus: Option<u64>,
    #[command(flatten)]
    writing: Writing,
    /// Print the scenario instead of running it
    #[arg(long)]
    scenario: bool,
}

/// Runs.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let format = args.writing.format()?;
    let size: Bytes =
        args.size.parse().map_err(|e| Fault::new(format!("SIZE: {e}")).help("write it as 140GB or 2TiB"))?;
    let target = target(&args.target)?;
    let text = Checkpoint { size, node: args.node.clone(), target, gpus: args.gpus }.scenario();
    if args.scenario {
        output::result(&text, args.writing.out.as_deref())?;
        return Ok(Outcome::Fine);
    }
    let loaded = load_text("checkpoint", &text, &world.library, &[])?;
    let report = progress::shown(world, "checkpoint", |progress| study::run(&loaded, &Options::default(), progress))?;
    let text = match format.name {
        "text" => short(args, &report, world.style.width),
        _ => (format.reports)(std::slice::from_ref(&report), &Style::default()),
    };
    output::result(&text, args.writing.out.as_deref())?;
    Ok(Outcome::Fine)
}

fn short(args: &Args, report: &Report, width: usize) -> String {
    let gpus = args.gpus.map_or("all GPUs".to_string(), |n| format!("{n} GPUs"));
    let head = format!("{} from {gpus} of {} to {}\n\n", args.size, args.node, args.target);
    let columns = [
        ("path taken", Lean::Left),
        ("time", Lean::Right),
        ("fast .. slow end", Lean::Right),
        ("throughput", Lean::Right),
        ("", Lean::Right),
        ("what binds", Lean::Left),
    ];
    let table = plain(&columns, report.works.iter().map(row).collect(), width);
    let warnings: String = report.warnings.iter().map(|w| format!("\n  {}; {}\n", w.text, w.advice)).collect();
    let trust = percent(report.assumed_share);
    format!(
        "{head}{table}\n  {trust} of the answer rests on assumed figures (the ends of their range: fast .. slow end)\n{warnings}"
    )
}

fn row(work: &WorkReport) -> Vec<String> {
    let ends = work.low_s.zip(work.high_s).map(|(low, high)| format!("{} .. {}", seconds(low), seconds(high)));
    let binds = work.binding.iter().take(1).map(|b| format!("{} {}", b.name, percent(b.share))).collect();
    vec![
        work.path_taken.clone(),
        seconds(work.duration_s),
        ends.unwrap_or_default(),
        gb_s(work.throughput_gb_s),
        gib_s(work.throughput_gb_s),
        binds,
    ]
}
