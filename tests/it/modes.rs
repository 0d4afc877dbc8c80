//! `docs/modes.md` prints what stream mode misses; this test runs it anew and holds the page to it:
//! `SNAPSHOTS=overwrite cargo test modes` writes it.

use std::fmt::Write;

use engine::Mode;
use hopsim::error::render;
use hopsim::platform::{Edit, Library, Loaded, load, load_text};
use hopsim::report::Report;
use hopsim::study::{Options, run};

/// Eight nodes of a DGX H100 before a target of data nodes.
const EIGHT: &str = include_str!("../fixtures/eight-nodes.toml");

const HEAD: &str = include_str!("../fixtures/modes-head.md");

/// What is compared: what the page calls it, a scenario, edits.
const CASES: &[(&str, &str, &[&str])] = &[
    ("the textbook's load, 16 GB", "load-640gb-textbook", &["works.*.bytes=16 GB"]),
    ("the same, one thread a GPU", "load-640gb-textbook", &["works.*.bytes=4 GB", "works.*.threads=1"]),
    ("the same, four threads a GPU", "load-640gb-textbook", &["works.*.bytes=8 GB", "works.*.threads=4"]),
    ("the same, requests of 64 KiB", "load-640gb-textbook", &["works.*.bytes=2 GB", "works.*.size=64 KiB"]),
    ("the textbook's checkpoint, 14 GB", "checkpoint-140gb-textbook", &["works.*.bytes=14 GB"]),
    (
        "the same, 32 requests a thread, 28 GB",
        "checkpoint-140gb-textbook",
        &["works.*.bytes=28 GB", "works.*.depth=32"],
    ),
    ("one at a time", "one-at-a-time-textbook", &[]),
    ("the measured load, 16 GB", "load-640gb", &["works.*.bytes=16 GB"]),
    ("the same, one thread a GPU", "load-640gb", &["works.*.bytes=4 GB", "works.*.threads=1"]),
    ("the same, four threads a GPU", "load-640gb", &["works.*.bytes=8 GB", "works.*.threads=4"]),
    ("the same, copies that move 2 bytes a byte", "load-640gb", &["works.*.bytes=16 GB", "node.dram.cpu_copy=2"]),
    ("the measured checkpoint, 14 GB", "checkpoint-140gb", &["works.*.bytes=14 GB"]),
    ("eight nodes, 32 GiB", "eight", &[]),
    ("the same, leaves of two nodes with uplinks of 25 GB/s", "eight", LEAVES),
    ("the same, every eighth GPU with three times the bytes", "eight", &["works.*.shares=[3, 1, 1, 1, 1, 1, 1, 1]"]),
    ("the same, each GPU's files on three of four data nodes", "eight", &["target.striping.width=3"]),
];

/// Four leaves that carry less than the target takes.
const LEAVES: &[&str] = &["fabric.nodes_a_leaf=2", "fabric.leaf_uplink=25 GB/s"];

/// A relative error in per cent; what is rounded to nothing has no sign.
fn percent(error: f64) -> String {
    let text = format!("{:+.2} %", error * 100.0);
    if text.trim_start_matches(['+', '-']) == "0.00 %" { "0.00 %".to_string() } else { text }
}

fn loaded(name: &str, edits: &[&str]) -> Loaded {
    let edits: Vec<Edit> = edits.iter().map(|edit| edit.parse().unwrap()).collect();
    let loaded = match name {
        "eight" => load_text("eight-nodes.toml", EIGHT, &Library::default(), &edits),
        _ => load(name, &Library::default(), &edits),
    };
    loaded.unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100)))
}

fn report(loaded: &Loaded, mode: Mode) -> Report {
    let options = Options { mode: Some(mode), skip_ends: true, ..Options::default() };
    run(loaded, &options, None).unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100)))
}

/// A row for each work of a case, and the errors.
fn rows(what: &str, name: &str, edits: &[&str]) -> Vec<(String, f64)> {
    let loaded = loaded(name, edits);
    let (slow, fast) = (report(&loaded, Mode::Request), report(&loaded, Mode::Fluid));
    let pairs = slow.works.iter().zip(&fast.works);
    pairs
        .map(|(slow, fast)| {
            assert!(fast.throughput_gb_s <= fast.ceiling_gb_s, "{what}, {}: above the ceiling", fast.name);
            assert!(fast.latency_us.is_none(), "a stream knows no latencies");
            let error = fast.duration_s / slow.duration_s - 1.0;
            let binds = |work: &hopsim::report::WorkReport| {
                work.binding.first().map(|b| format!("{} {:.0} %", b.name, b.share * 100.0)).unwrap_or_default()
            };
            let march = if slow.closed_form_s.is_some_and(|s| slow.duration_s > 1.03 * s) { "yes" } else { "" };
            let row = format!(
                "| {what} | {} | {:.4} s | {:.4} s | {} | {} | {} | {march} |",
                slow.name,
                slow.duration_s,
                fast.duration_s,
                percent(error),
                binds(slow),
                binds(fast)
            );
            (row, error)
        })
        .collect()
}

#[test]
fn the_page_of_modes_prints_what_streams_miss() {
    let mut page = HEAD.to_string();
    for (what, name, edits) in CASES {
        for (row, error) in rows(what, name, edits) {
            let _ = writeln!(page, "{row}");
            assert!(*name != "eight" || error.abs() < 0.01, "{row}");
        }
    }
    snapbox::assert_data_eq!(page, snapbox::file!["../../docs/modes.md"].raw());
}

#[test]
fn a_thousand_ranks_are_a_stream_of_their_own() {
    let ranks = loaded("eight", &["cluster.nodes=128", "works.*.bytes=15427 GiB", "target.data_nodes.count=64"]);
    let report = report(&ranks, Mode::Fluid);
    let work = &report.works[0];
    assert!(work.throughput_gb_s <= work.ceiling_gb_s && work.throughput_gb_s > 0.999 * work.ceiling_gb_s);
    assert_eq!((work.bytes, work.requests), (15427 << 30, 15427 << 10));
    assert_eq!(work.binding[0].name, work.ceiling_by);
}
