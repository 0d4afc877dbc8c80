//! A sealed plan written by hand: one link of 50 GB/s behind a setup of 20 us, at several depths, without any file.
//!
//! `cargo run --example a_plan_by_hand`

use std::sync::Arc;

use engine::units::{Bytes, Factor, Rate, Time};
use engine::{
    self, Amount, Capacity, Crossing, Cut, Delay, Direction, Hop, Kind, Lane, Leg, Mode, Mover, Nobody, Plan, Sizes,
    Station, Stuck, Traffic, Work,
};

const US: u64 = 1_000_000;

fn main() -> Result<(), Stuck> {
    for depth in [1, 2, 4, 8] {
        let (outcome, Nobody) = engine::run(&Arc::new(plan(depth)), Mode::Request, Nobody)?;
        let work = &outcome.works[0];
        let gb_s = work.bytes.0 as f64 / work.duration.seconds() / 1e9;
        println!("depth {depth}: {gb_s:.1} GB/s");
    }
    Ok(())
}

fn plan(depth: u64) -> Plan {
    Plan {
        name: "by hand".into(),
        seed: 1,
        spread: None,
        capacities: vec![Capacity {
            name: "nic0".into(),
            group: "nic".into(),
            kind: Kind::Nic,
            rate: Rate(50_000_000_000),
            line_rate: None,
            soft: None,
            assumed: false,
        }],
        pools: vec![],
        delays: vec![setup()],
        works: vec![work(depth)],
        notes: vec![],
        copies: Default::default(),
    }
}

fn setup() -> Delay {
    Delay {
        name: "setup".into(),
        kind: Kind::Cpu,
        what: "the call, the command and the media".into(),
        time: Time(20 * US),
        by_size: vec![],
        jitter: Time(0),
        on_core: false,
        service_of: None,
        assumed: false,
        above: Bytes(0),
        command: None,
    }
}

/// 10,000 requests of 1 MiB over the one link.
fn work(depth: u64) -> Work {
    let crossing = Crossing { capacity: 0, charge: Factor::ONE, traffic: Traffic::DmaWrite };
    let fetch = Leg {
        name: "fetch".into(),
        mover: Mover::Nic,
        holds: vec![],
        buffers: vec![],
        served: Vec::new(),
        before: vec![0],
        hops: vec![Hop { from: Station::Storage, to: Station::Nic, crosses: vec![crossing] }],
        own_cap: None,
        after: vec![],
    };
    Work {
        name: "read".into(),
        position: 0,
        direction: Direction::Read,
        path_asked: "by hand".into(),
        path_taken: "by hand".into(),
        why: vec![],
        amount: Amount::Requests(10_000),
        parts: Vec::new(),
        size: Sizes::Listed(vec![Bytes(1 << 20)]),
        threads: 1,
        depth,
        arrivals: None,
        after: None,
        start: Time(0),
        stagger: None,
        polls: false,
        cpu_copies: 0,
        pcie_crossings: 1,
        lanes: vec![Lane { node: 0, gpu: 0, session: vec![], holds: vec![], legs: vec![fetch], cut: Cut::default() }],
        copies: Vec::new(),
    }
}
