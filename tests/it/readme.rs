//! The README shows what a run prints.
//!
//! Knows the page and the command. Must not know how either comes about.

use std::process::Command;

const README: &str = include_str!("../../README.md");

#[test]
fn the_report_in_the_readme_is_what_the_run_prints() {
    let shown = README.split("```\n").find(|block| block.starts_with("checkpoint-140gb  mode")).expect("a report");
    let run = Command::new(env!("CARGO_BIN_EXE_hopsim"))
        .args(["run", "checkpoint-140gb"])
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    let printed = String::from_utf8(run.stdout).unwrap();
    let mut printed = printed.lines().map(str::trim_end);
    for line in shown.lines().filter(|line| line.trim() != "[…]") {
        assert!(printed.any(|printed| printed == line), "not printed, or not here: {line}");
    }
}
