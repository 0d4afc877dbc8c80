//! Many flows that all depend on each other: each crosses three of a few links, and each end changes the rates of the others.
//!
//! `cargo run --release -p hopsim-engine --example coupled -- 4096`

use std::sync::Arc;

use hopsim_engine::plan::sample::two_flows;
use hopsim_engine::units::{Bytes, Factor, Rate};
use hopsim_engine::{Amount, Capacity, Crossing, Mode, Nobody, Sizes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flows: u64 = std::env::args().nth(1).map_or(Ok(4096), |count| count.parse())?;
    let links = (flows / 16).max(3);
    let mut plan = two_flows();
    let (link, lane) = (plan.capacities.remove(0), plan.works[0].lanes.remove(0));
    let mut state = 88_172_645_463_325_252u64;
    let mut drawn = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let one = |number: u64| Capacity { name: format!("link{number}"), rate: Rate(10_000_000_000), ..link.clone() };
    plan.capacities = (0..links).map(one).collect();
    plan.delays.clear();
    let mut sizes = Vec::new();
    plan.works[0].lanes = (0..flows)
        .map(|gpu| {
            let mut lane = lane.clone();
            lane.gpu = gpu;
            let mut crossed: Vec<usize> = (0..3).map(|_| drawn(links) as usize).collect();
            crossed.sort_unstable();
            crossed.dedup();
            let traffic = lane.legs[0].hops[0].crosses[0].traffic;
            let crosses = crossed.iter().map(|&capacity| Crossing { capacity, charge: Factor::ONE, traffic });
            lane.legs[0].hops[0].crosses = crosses.collect();
            lane.legs[0].before.clear();
            sizes.push(1_000_000 + drawn(1_000_000_000));
            lane
        })
        .collect();
    plan.works[0].amount = Amount::Bytes(Bytes(sizes.iter().sum()));
    plan.works[0].parts = sizes;
    plan.works[0].size = Sizes::Listed(vec![Bytes(2_000_000_000)]);
    let (outcome, Nobody) = hopsim_engine::run(&Arc::new(plan), Mode::Request, Nobody)?;
    println!("{flows} flows over {links} links end after {}", outcome.end);
    Ok(())
}
