//! GPUs that do not share a work evenly.
//!
//! Knows the library's front. Must not know how a lane is counted.

use engine::Mode;
use hopsim::error::{Fault, render};
use hopsim::platform::{Edit, Library, load};
use hopsim::report::WorkReport;
use hopsim::study::{Options, run};

/// The first work of the shipped checkpoint, smaller, with that set.
fn tried(edits: &[&str], mode: Mode) -> Result<WorkReport, Fault> {
    let all = ["works.*.bytes=4 GB"].iter().chain(edits);
    let edits: Vec<Edit> = all.map(|edit| edit.parse().unwrap()).collect();
    let options = Options { mode: Some(mode), skip_ends: true, ..Options::default() };
    Ok(run(&load("checkpoint-140gb", &Library::default(), &edits)?, &options, None)?.works.remove(0))
}

fn work(edits: &[&str], mode: Mode) -> WorkReport {
    tried(edits, mode).unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100)))
}

#[test]
fn a_gpu_that_has_all_the_shares_moves_all_the_bytes_as_if_it_were_alone() {
    for mode in [Mode::Request, Mode::Fluid] {
        let (alone, all) = (work(&["works.gds.gpus=[0]"], mode), work(&["works.gds.shares=[1,0,0,0,0,0,0,0]"], mode));
        assert_eq!((all.bytes, all.requests), (alone.bytes, alone.requests));
        assert!((all.duration_s / alone.duration_s - 1.0).abs() < 0.01, "{} {}", all.duration_s, alone.duration_s);
    }
}

#[test]
fn a_work_takes_as_long_as_its_fullest_gpu_and_the_report_says_when_the_others_were_done() {
    for mode in [Mode::Request, Mode::Settled, Mode::Fluid] {
        let work = work(&["works.gds.shares=[3,1,1,1,1,1,1,1]"], mode);
        let done = work.gpus_done_s.unwrap();
        assert_eq!(work.bytes, 4_000_000_000);
        assert!(done.first < done.mean && done.mean < done.last && done.last <= work.duration_s, "{done:?}");
        // The first GPU's NIC has 6 of 10 parts to carry through a root complex of 48 GB/s.
        assert!((work.duration_s / 0.05 - 1.0).abs() < 0.05, "{}", work.duration_s);
    }
}

#[test]
fn even_shares_are_no_shares() {
    let even = work(&["works.gds.shares=[7]"], Mode::Request);
    let plain = work(&[], Mode::Request);
    assert_eq!((even.duration_s, even.bytes), (plain.duration_s, plain.bytes));
}

#[test]
fn shares_that_cannot_be_are_refused() {
    for (name, edits) in [
        ("shares-that-do-not-go-round", &["works.gds.shares=[1,2,3]"][..]),
        ("shares-of-nothing", &["works.gds.shares=[0]"]),
        ("no-shares", &["works.gds.shares=[]"]),
        ("shares-beyond-counting", &["works.gds.shares=[9223372036854775807]"]),
    ] {
        insta::assert_snapshot!(name, render(&tried(edits, Mode::Request).unwrap_err(), false, 100));
    }
}
