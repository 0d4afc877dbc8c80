//! A small plan: two GPUs read over one link, one request at a time each.
//!
//! Knows a plan's fields. Must not know what a run makes of it.

use super::*;

/// Two flows over a link of 10 GB/s: two GPUs read ten requests of 1 MB each, one after the other, each after 50 us of latency.
pub fn two_flows() -> Plan {
    Plan {
        capacities: vec![link()],
        delays: vec![latency()],
        works: vec![read(vec![lane(0), lane(1)])],
        ..Plan::default()
    }
}

fn link() -> Capacity {
    Capacity {
        name: "link".into(),
        group: "link".into(),
        kind: Kind::Nic,
        rate: Rate(10_000_000_000),
        line_rate: None,
        soft: None,
        assumed: false,
    }
}

fn latency() -> Delay {
    Delay {
        name: "latency".into(),
        kind: Kind::Target,
        what: "the medium answers".into(),
        time: Time(50_000_000),
        by_size: Vec::new(),
        jitter: Time(0),
        on_core: false,
        service_of: None,
        assumed: false,
        above: Bytes(0),
        command: None,
    }
}

fn lane(gpu: u64) -> Lane {
    let crosses = vec![Crossing { capacity: 0, charge: Factor::ONE, traffic: Traffic::DmaWrite }];
    let leg = Leg {
        name: "fetch".into(),
        mover: Mover::Nic,
        holds: Vec::new(),
        buffers: Vec::new(),
        before: vec![0],
        served: Vec::new(),
        hops: vec![Hop { from: Station::Storage, to: Station::Hbm, crosses }],
        own_cap: None,
        after: Vec::new(),
    };
    Lane { node: 0, gpu, session: Vec::new(), holds: Vec::new(), legs: vec![leg], cut: Cut::default() }
}

fn read(lanes: Vec<Lane>) -> Work {
    Work {
        name: "read".into(),
        position: 0,
        direction: Direction::Read,
        path_asked: "read".into(),
        path_taken: "read".into(),
        why: Vec::new(),
        amount: Amount::Requests(20),
        parts: Vec::new(),
        copies: Vec::new(),
        size: Sizes::Listed(vec![Bytes(1_000_000)]),
        threads: 1,
        depth: 1,
        arrivals: None,
        after: None,
        start: Time(0),
        stagger: Some(Time(0)),
        polls: false,
        cpu_copies: 0,
        pcie_crossings: 1,
        lanes,
    }
}
