//! The binary: an exit code and nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    hopsim::cli::run(std::env::args_os())
}
