//! Runs a scenario that ships, with one key changed, and prints what limited each work.
//!
//! `cargo run --example run_a_scenario`

use hopsim::error::Fault;
use hopsim::platform::{Edit, Library, load};
use hopsim::study::{Options, run};

fn main() -> Result<(), Fault> {
    let edits = ["works.*.depth=4".parse::<Edit>()?];
    let loaded = load("one-at-a-time-textbook", &Library::default(), &edits)?;
    let report = run(&loaded, &Options::default(), None)?;
    for work in &report.works {
        let binds = work.binding.first().map_or("nothing", |entry| entry.name.as_str());
        println!("{}: {:.3} s at {:.1} GB/s, bound by {binds}", work.name, work.duration_s, work.throughput_gb_s);
    }
    Ok(())
}
