//! `hopsim explain`: the way of one request, step by step.
//!
//! Knows what was asked. Must not know how the story comes about.

use super::options::Edits;
use super::{Outcome, World, output};
use crate::error::Fault;
use crate::explain::{Story, explain, text};
use crate::platform::{Assumed, load, seal};

/// Tell the way of one request, alone, step by step.
///
/// Who acts, what it costs, how long the bytes move and what sets the pace, and where they rest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hopsim explain one-at-a-time-textbook --work gds")]
pub(super) struct Args {
    /// A scenario: a file, or the name of one that ships
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// Tell of this work only
    #[arg(long, value_name = "NAME")]
    work: Option<String>,
    #[command(flatten)]
    edits: Edits,
    /// How to write it
    #[arg(long, short, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,
}

/// Explains.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let loaded = load(&args.scenario, &world.library, &args.edits.read()?)?;
    let plan = seal(&loaded.scenario, &loaded.sources, Assumed::Value)?;
    let stories = explain(&plan, args.work.as_deref())?;
    let told = if args.format == "json" { json(&stories) } else { words(&stories, world) };
    output::print(told.as_bytes())?;
    Ok(Outcome::Fine)
}

fn words(stories: &[Story], world: &World) -> String {
    let told: Vec<String> = stories.iter().map(|story| text(story, world.style.color, world.style.width)).collect();
    told.join("\n")
}

fn json(stories: &[Story]) -> String {
    // Plain structs with text keys cannot fail to become JSON.
    serde_json::to_string_pretty(stories).unwrap_or_default() + "\n"
}
