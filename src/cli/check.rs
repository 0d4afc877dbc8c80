//! `hopsim check`: whether a figure can be true.
//!
//! Knows what was asked and exit codes. Must not know limits.

use std::path::{Path, PathBuf};

use super::options::Edits;
use super::{Outcome, World, doctor, output};
use crate::check::{self, Claim, Judged, Over, Question, Verdict};
use crate::error::Fault;
use crate::import::{self, Capture, Figure};

/// Tell whether a throughput is possible.
///
/// The figure is a text such as "40 GiB/s", or comes from a benchmark's output (--log: gdsio, fio, nvbandwidth, perftest or
/// gds_stats). It is held against links (--over) or against a scenario, which then says what would have to be faster, or how far below
/// the expected figure it is and which mechanisms could explain it. A figure's own size, threads and depth are laid over the scenario.
///
/// Exit codes: 0 possible; 1 impossible; 2 not understood.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim check \"40 GiB/s\" --over \"1x200Gb/s\"\n  hopsim check \"60 GB/s\" checkpoint-140gb --work gds\n  \
                        hopsim check --log gdsio.txt load-640gb"
)]
pub(super) struct Args {
    /// The figure, then the scenario (a file, or the name of one that ships); with --log the scenario alone
    #[arg(value_name = "FIGURE|SCENARIO", required_unless_present = "log")]
    words: Vec<String>,
    /// Links that carried it, as 2x400Gb/s or PCIe 5.0 x16
    #[arg(long, value_name = "LINKS")]
    over: Option<String>,
    /// A benchmark's output to take figures from; repeatable
    #[arg(long, value_name = "FILE")]
    log: Vec<PathBuf>,
    /// The scenario's work that the figure speaks of (default: each that fits)
    #[arg(long, value_name = "NAME")]
    work: Option<String>,
    #[command(flatten)]
    edits: Edits,
    /// How to write the result
    #[arg(long, short, value_name = "FORMAT", value_parser = ["text", "json"], default_value = "text")]
    format: String,
}

/// What figures are held against.
struct Against<'a> {
    over: Option<Over>,
    question: Option<Question<'a>>,
}

/// Judges.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let (claims, scenario) = claims(args)?;
    let library = world.library.seen_from(Path::new("."))?;
    let question = match scenario {
        Some(scenario) => {
            Some(Question { scenario, library: &library, edits: args.edits.read()?, work: args.work.as_deref() })
        }
        None => None,
    };
    let over = args.over.as_deref().map(check::over).transpose()?;
    if over.is_none() && question.is_none() {
        return Err(Fault::new("nothing to hold the figure against")
            .help("add --over \"1x200Gb/s\" or the name of a scenario (`hopsim list`)"));
    }
    let judged = judged(&claims, &Against { over, question })?;
    output::print(written(&judged, args, world).as_bytes())?;
    Ok(outcome(&judged))
}

/// The figures, and the scenario if one is named.
fn claims(args: &Args) -> Result<(Vec<Claim>, Option<&str>), Fault> {
    let mut words = args.words.iter().map(String::as_str);
    let claims = match args.log.is_empty() {
        true => vec![Claim::read(words.next().unwrap_or_default())?],
        false => logged(&args.log)?,
    };
    let scenario = words.next();
    match words.next() {
        Some(word) => Err(Fault::new(format!("\"{word}\" is one word too many"))
            .help("a figure and a scenario are wanted; put a figure with spaces in quotation marks")),
        None => Ok((claims, scenario)),
    }
}

fn logged(files: &[PathBuf]) -> Result<Vec<Claim>, Fault> {
    let captures = doctor::captures(files)?;
    let claims: Vec<Claim> = captures.iter().flat_map(|capture| fastest_of_sweeps(capture)).map(Claim::of).collect();
    if claims.is_empty() {
        let names = captures.iter().map(|capture| capture.text.name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(
            Fault::new(format!("no figure was found in {names}")).help(format!("known formats: {}", import::known()))
        );
    }
    Ok(claims)
}

/// A network test goes through all sizes: its fastest speaks for it.
fn fastest_of_sweeps(capture: &Capture) -> Vec<&Figure> {
    let mut kept: Vec<&Figure> = Vec::new();
    for figure in capture.figures() {
        let alike =
            |other: &&mut &Figure| other.tool == "perftest" && other.tool == figure.tool && other.what == figure.what;
        match kept.iter_mut().find(alike) {
            Some(other) if figure.bytes_per_s > other.bytes_per_s => *other = figure,
            Some(_) => {}
            None => kept.push(figure),
        }
    }
    kept
}

fn judged(claims: &[Claim], against: &Against<'_>) -> Result<Vec<Judged>, Fault> {
    let mut judged = Vec::new();
    for claim in claims {
        judged.extend(against.over.as_ref().map(|over| over.judge(claim)));
        if let Some(question) = &against.question {
            judged.extend(check::judge(claim, question)?);
        }
    }
    Ok(judged)
}

/// A figure that no work of the scenario bears out is impossible; one that fits any is possible.
fn outcome(judged: &[Judged]) -> Outcome {
    let key = |one: &Judged| (one.line, one.claim.clone(), one.against.starts_with("works."));
    let refuted = |one: &&Judged| one.verdict == Verdict::Impossible;
    let borne_out =
        |one: &Judged| judged.iter().any(|other| key(other) == key(one) && other.verdict == Verdict::Possible);
    match judged.iter().filter(refuted).any(|one| !borne_out(one)) {
        true => Outcome::Failed,
        false => Outcome::Fine,
    }
}

fn written(judged: &[Judged], args: &Args, world: &World) -> String {
    match args.format.as_str() {
        "json" => serde_json::to_string_pretty(judged).unwrap_or_default() + "\n",
        _ => check::text(judged, world.style.width),
    }
}
