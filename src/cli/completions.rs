//! `hopsim completions`: a script that completes the command line.
//!
//! Knows shells by name. Must not know the verbs, which clap lists.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Outcome, output};
use crate::error::Fault;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hopsim completions bash > ~/.local/share/bash-completion/completions/hopsim")]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints.
pub(super) fn run(args: &Args) -> Result<Outcome, Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hopsim", &mut script);
    output::print(&script)?;
    Ok(Outcome::Fine)
}
