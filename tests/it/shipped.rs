//! The scenarios that ship: each is run, and says what it expects.

use hopsim::platform::{Library, load};
use hopsim::report::Report;
use hopsim::study::{self, Options};

fn report(name: &str) -> Report {
    let loaded = load(name, &Library::default(), &[]).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    study::run(&loaded, &Options::default(), None).unwrap_or_else(|fault| panic!("{name}: {fault}"))
}

/// Every expectation of a scenario, with what came out where it does not hold.
fn misses(name: &str) -> Vec<String> {
    let report = report(name);
    assert!(!report.expectations.is_empty(), "{name} expects nothing");
    let missed = report.expectations.iter().filter(|judgement| !judgement.holds);
    missed.map(|j| format!("{}: expected {}, got {}", j.that, j.expected, j.actual)).collect()
}

#[test]
fn load_640gb_textbook_holds_what_it_expects() {
    assert_eq!(misses("load-640gb-textbook"), Vec::<String>::new());
}

#[test]
fn checkpoint_140gb_textbook_holds_what_it_expects() {
    assert_eq!(misses("checkpoint-140gb-textbook"), Vec::<String>::new());
}

#[test]
fn one_at_a_time_textbook_holds_what_it_expects() {
    assert_eq!(misses("one-at-a-time-textbook"), Vec::<String>::new());
}

#[test]
fn load_640gb_holds_what_it_expects() {
    assert_eq!(misses("load-640gb"), Vec::<String>::new());
}

#[test]
fn checkpoint_140gb_holds_what_it_expects() {
    assert_eq!(misses("checkpoint-140gb"), Vec::<String>::new());
}
