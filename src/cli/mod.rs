//! The command line: one file a verb; what was typed becomes what is done, and how it went becomes an exit code.
//!
//! Knows verbs, the terminal and the clock. Must not know physics.

mod calibrate;
mod check;
mod checkpoint;
mod compare;
mod completions;
mod doctor;
mod explain;
mod init;
mod lesson;
mod list;
mod man;
mod merge;
mod options;
mod output;
mod plot;
mod progress;
mod refusal;
mod run;
mod saved;
mod schema;
mod serve;
mod show;
mod sweep;
mod sweep_file;
mod trace;
mod validate;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use console::Term;

use crate::error::{self, Fault};
use crate::export::Style;
use crate::platform::Library;

/// A discrete-event simulator of storage data paths in GPU nodes.
///
/// It answers three questions: how long will this checkpoint or load take, what saturates first, and what happens at each
/// hop. Scenarios, paths and hardware are TOML files; those that ship are inside the binary (`hopsim list`).
///
/// Exit codes: 0 fine; 1 an expectation or a gate failed; 2 wrong input or usage. Results go to standard output, all else to standard
/// error.
#[derive(Debug, Parser)]
#[command(name = "hopsim", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
    #[command(flatten)]
    global: Global,
}

/// Options of every verb.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// Whether to colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    color: Color,
    /// Say nothing but results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Look models up in this folder first (default: the nearest models/ above the scenario)
    #[arg(long, global = true, value_name = "DIR")]
    models: Option<PathBuf>,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The verbs, in the order in which a newcomer needs them.
#[derive(Debug, Subcommand)]
enum Verb {
    /// Run scenarios and report how long, how fast and what limits
    Run(run::Args),
    /// Run a grid of points, one row each
    Sweep(sweep::Args),
    /// Join the tables of a sweep's shards
    Merge(merge::Args),
    /// Set two scenarios, or the works of one, side by side
    Compare(compare::Args),
    /// Answer for a checkpoint: save, stall, memory, restore, interval of every way to save it
    Checkpoint(checkpoint::Args),
    /// Tell the way of one request, step by step
    Explain(explain::Args),
    /// Learn the data paths: a question, your prediction, the run, and why
    Lesson(lesson::Args),
    /// Serve the workshop page
    Serve(serve::Args),
    /// Draw a plot
    Plot(plot::Args),
    /// Hold predictions against measurements, and show the misses
    Validate(validate::Args),
    /// Fit figures of a model to measurements
    Calibrate(calibrate::Args),
    /// Tell whether a throughput is possible
    Check(check::Args),
    /// Tell which path the bytes of a real node take, from its own diagnostics
    Doctor(doctor::Args),
    /// List scenarios, paths and models
    List(list::Args),
    /// Show a model, a path or a whole scenario with the source of every figure
    Show(show::Args),
    /// Copy a scenario or a model out to edit
    Init(init::Args),
    /// Print JSON Schemas of the TOML files, for editors
    Schema(schema::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Print the manual page of hopsim or of a verb
    Man(man::Args),
}

/// How a verb ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// All is well.
    Fine,
    /// An expectation failed.
    Failed,
    /// An input was refused, and that was said.
    Refused,
}

/// What the verbs need to know of the world.
#[derive(Clone, Debug)]
struct World {
    library: Library,
    quiet: bool,
    /// How texts on standard output look.
    style: Style,
    /// Whether messages on standard error are coloured.
    color_messages: bool,
    /// Columns that messages on standard error have.
    message_width: usize,
}

/// Does what was typed.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let world = World::new(&cli.global);
    let outcome = act(cli.verb, &world).unwrap_or_else(|fault| {
        world.say_fault(&fault);
        Outcome::Refused
    });
    ExitCode::from(outcome as u8)
}

fn act(verb: Verb, world: &World) -> Result<Outcome, Fault> {
    match verb {
        Verb::Run(args) => run::run(&args, world),
        Verb::Sweep(args) => sweep::run(&args, world),
        Verb::Merge(args) => merge::run(&args),
        Verb::Compare(args) => compare::run(&args, world),
        Verb::Checkpoint(args) => checkpoint::run(&args, world),
        Verb::Explain(args) => explain::run(&args, world),
        Verb::Lesson(args) => lesson::run(&args, world),
        Verb::Serve(args) => serve::run(&args, world),
        Verb::Plot(args) => plot::run(&args, world),
        Verb::Validate(args) => validate::run(&args, world),
        Verb::Calibrate(args) => calibrate::run(&args, world),
        Verb::Check(args) => check::run(&args, world),
        Verb::Doctor(args) => doctor::run(&args, world),
        Verb::List(args) => list::run(&args, world),
        Verb::Show(args) => show::run(&args, world),
        Verb::Init(args) => init::run(&args, world),
        Verb::Schema(args) => schema::run(&args),
        Verb::Completions(args) => completions::run(&args),
        Verb::Man(args) => man::run(&args),
    }
}

/// Help and version are results; everything else that clap says is a usage error.
fn usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is no failure of ours.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

impl World {
    fn new(global: &Global) -> World {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let color = |terminal: bool| match global.color {
            Color::Auto => terminal && !plain,
            Color::Always => true,
            Color::Never => false,
        };
        World {
            library: Library { models: global.models.clone() },
            quiet: global.quiet,
            style: Style { color: color(std::io::stdout().is_terminal()), width: width(&Term::stdout()) },
            color_messages: color(std::io::stderr().is_terminal()),
            message_width: width(&Term::stderr()),
        }
    }

    /// Says what is wrong on standard error.
    fn say_fault(&self, fault: &Fault) {
        output::message(&error::render(fault, self.color_messages, self.message_width));
    }

    /// Says something by the way on standard error.
    fn say(&self, text: &str) {
        if !self.quiet {
            output::message(&format!("{text}\n"));
        }
    }
}

/// Columns of text: as many as a terminal has, within what can be laid out and what can be read; elsewhere always the most,
/// so that what is piped or written does not depend on the window.
fn width(term: &Term) -> usize {
    const FEWEST: usize = 72;
    const MOST: usize = 100;
    term.size_checked().map_or(MOST, |(_, columns)| usize::from(columns).clamp(FEWEST, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
