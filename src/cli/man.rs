//! `hopsim man`: manual pages.
//!
//! Knows roff by way of clap_mangen. Must not know what the verbs do.

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::{Cli, Outcome, output};
use crate::error::Fault;

/// Print the manual page of hopsim, or of a verb, as roff.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  hopsim man > hopsim.1\n  hopsim man run > hopsim-run.1\n  hopsim man | man -l -")]
pub(super) struct Args {
    /// The verb
    #[arg(value_name = "VERB")]
    verb: Option<String>,
}

/// Prints.
pub(super) fn run(args: &Args) -> Result<Outcome, Fault> {
    let mut command = Cli::command();
    command.build();
    let command = match &args.verb {
        Some(verb) => page_of(&command, verb)?,
        None => command,
    };
    let mut page = Vec::new();
    let written = Man::new(command).render(&mut page);
    written.map_err(|error| Fault::new(format!("the manual page could not be written: {error}")))?;
    output::print(&page)?;
    Ok(Outcome::Fine)
}

fn page_of(command: &Command, verb: &str) -> Result<Command, Fault> {
    let found = command.find_subcommand(verb).cloned();
    found.ok_or_else(|| {
        let known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        Fault::new(format!("\"{verb}\" is no verb")).help(format!("verbs are: {}", known.join(", ")))
    })
}
