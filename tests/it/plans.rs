//! Small sealed plans, written down directly, for tests of the simulation alone.

use std::sync::Arc;

use engine::units::{Bytes, Factor, Rate, Time};
use engine::*;
use engine::{self, Direction, Mode, Mover, Nobody, Outcome, Station, WorkOutcome};

pub const MIB: u64 = 1 << 20;
pub const US: u64 = 1_000_000;

pub fn capacity(name: &str, bytes_per_s: u64) -> Capacity {
    let rate = Rate(bytes_per_s);
    Capacity {
        name: name.into(),
        group: name.into(),
        kind: Kind::Other,
        rate,
        line_rate: None,
        soft: None,
        assumed: false,
    }
}

pub fn pool(name: &str, places: u64) -> Pool {
    Pool { name: name.into(), group: name.into(), kind: Kind::Other, places, is_memory: false, assumed: false }
}

pub fn delay(name: &str, ps: u64) -> Delay {
    Delay {
        name: name.into(),
        kind: Kind::Other,
        what: name.into(),
        time: Time(ps),
        by_size: Vec::new(),
        jitter: Time(0),
        on_core: false,
        service_of: None,
        assumed: false,
        above: Bytes(0),
        command: None,
    }
}

/// A leg of one hop over capacities with charges.
pub fn leg(crosses: &[(usize, f64)]) -> Leg {
    let crosses = crosses
        .iter()
        .map(|&(capacity, charge)| Crossing { capacity, charge: Factor::from_f64(charge), traffic: Traffic::Cpu })
        .collect();
    Leg {
        name: "leg".into(),
        mover: Mover::Nic,
        holds: Vec::new(),
        buffers: Vec::new(),
        before: Vec::new(),
        served: Vec::new(),
        hops: vec![Hop { from: Station::Storage, to: Station::Nic, crosses }],
        own_cap: None,
        after: Vec::new(),
    }
}

pub fn own_cap(group: &str, bytes_per_s: u64) -> OwnCap {
    OwnCap { rate: Rate(bytes_per_s), group: group.into(), kind: Kind::Cpu, assumed: false }
}

pub fn hold(pool: usize) -> Hold {
    Hold::one(pool)
}

pub fn lane(gpu: u64, legs: Vec<Leg>) -> Lane {
    Lane { node: 0, gpu, session: Vec::new(), holds: Vec::new(), legs, cut: Cut::default() }
}

/// A closed loop of 1 MiB requests.
pub fn work(name: &str, lanes: Vec<Lane>, depth: u64, amount: Amount) -> Work {
    Work {
        name: name.into(),
        position: 0,
        direction: Direction::Read,
        path_asked: "test".into(),
        path_taken: "test".into(),
        why: Vec::new(),
        amount,
        parts: Vec::new(),
        size: Sizes::Listed(vec![Bytes(MIB)]),
        threads: 1,
        depth,
        arrivals: None,
        after: None,
        start: Time(0),
        stagger: Some(Time(0)),
        polls: false,
        cpu_copies: 0,
        pcie_crossings: 0,
        lanes,
        copies: Vec::new(),
    }
}

pub fn plan(capacities: Vec<Capacity>, pools: Vec<Pool>, delays: Vec<Delay>, works: Vec<Work>) -> Plan {
    Plan {
        name: "test".into(),
        seed: 1,
        spread: None,
        capacities,
        pools,
        delays,
        works,
        notes: Vec::new(),
        copies: AllCopies::default(),
    }
}

pub fn run(plan: &Plan) -> Outcome {
    engine::run(&Arc::new(plan.clone()), Mode::Request, Nobody).expect("the plan runs to its end").0
}

pub fn only(plan: &Plan) -> WorkOutcome {
    run(plan).works.remove(0)
}

/// Bytes per second.
pub fn throughput(work: &WorkOutcome) -> f64 {
    work.bytes.0 as f64 / work.duration.seconds()
}
