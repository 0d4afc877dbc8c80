//! The same inputs give the same bytes: twice, at any number of threads, whatever order things are declared in.

use std::process::Command;

use hopsim::platform::{Library, load_text};
use hopsim::report::Report;
use hopsim::study::{Options, run};

use crate::small::{SMALL, with};

/// The report of a shipped scenario in JSON, from the binary, with so many threads.
fn report(scenario: &str, threads: &str) -> Vec<u8> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    let output =
        command.args(["run", scenario, "--format", "json"]).env("RAYON_NUM_THREADS", threads).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn a_run_gives_the_same_bytes_twice_and_with_one_or_four_threads() {
    let once = report("one-at-a-time-textbook", "1");
    assert!(!once.is_empty());
    for threads in ["1", "4", "4"] {
        assert!(once == report("one-at-a-time-textbook", threads), "{threads} threads");
    }
}

fn ran(text: &str) -> Report {
    let loaded = load_text("small.toml", text, &Library::default(), &[]).unwrap();
    run(&loaded, &Options::default(), None).unwrap()
}

/// The works of a report by name, as JSON.
fn works_by_name(report: &Report) -> Vec<String> {
    let mut works: Vec<String> = report.works.iter().map(|work| serde_json::to_string(work).unwrap()).collect();
    works.sort();
    works
}

/// The small scenario with both works at once.
fn at_once() -> String {
    with("after = \"gds\"", "")
}

/// A text whose first part, up to a line, stands behind its second part.
fn swapped(text: &str, from: &str, between: &str, to: &str) -> String {
    let place = |line: &str| text.find(line).unwrap();
    let (from, between, to) = (place(from), place(between), place(to));
    [&text[..from], &text[between..to], &text[from..between], &text[to..]].concat()
}

#[test]
fn the_order_of_works_changes_no_figure_and_no_fingerprint() {
    let text = at_once();
    let other = swapped(&text, "[works.gds]", "[works.bounce]", "[paths.gds]");
    let (one, two) = (ran(&text), ran(&other));
    assert_ne!(one.works[0].name, two.works[0].name);
    assert_eq!((works_by_name(&one), one.fingerprint), (works_by_name(&two), two.fingerprint));
}

#[test]
fn the_order_of_tables_changes_no_byte_of_the_report() {
    let text = at_once();
    let json = |text: &str| serde_json::to_string(&ran(text)).unwrap();
    let whole = json(&text);
    for (from, between, to) in [
        ("[target]", "[node]", "[[node.sockets]]"),
        ("[node.gpu]", "[node.nic]", "[node.cpu]"),
        ("[node.cpu]", "[node.dram]", "[works.gds]"),
    ] {
        assert_eq!(whole, json(&swapped(&text, from, between, to)), "{from} after {between}");
    }
    assert_eq!(whole, json(&paths_swapped(&text)), "paths");
}

fn paths_swapped(text: &str) -> String {
    let (head, paths) = text.split_at(text.find("[paths.gds]").unwrap());
    let (gds, bounce) = paths.split_at(paths.find("[paths.bounce]").unwrap());
    format!("{head}{bounce}\n{gds}")
}

#[test]
fn the_order_in_which_a_socket_lists_its_gpus_changes_no_figure() {
    let other = at_once().replace("gpus = [2, 3]", "gpus = [3, 2]");
    assert_eq!(works_by_name(&ran(&at_once())), works_by_name(&ran(&other)));
}

#[test]
fn another_seed_changes_nothing_where_nothing_is_drawn() {
    let other = SMALL.replacen("schema = 1", "schema = 1\nseed = 99", 1);
    assert_eq!(works_by_name(&ran(SMALL)), works_by_name(&ran(&other)));
}
