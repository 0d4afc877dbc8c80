//! A plan made by hand: both paths of a small node, for tests.
//!
//! Knows a plan's fields. Must not know how plans are sealed.

use engine::units::{Bytes, Factor, Rate, Time};
use engine::*;
use engine::{Direction, Mover, Station};

use Station::{Hbm, KernelBuffer, Nic, Pcie, Storage, UserBuffer};

/// A plan with a GDS work and a bounce work.
pub fn plan(direction: Direction) -> Plan {
    let capacity = |name: &str, kind, gb_s: u64, assumed| Capacity {
        soft: None,
        name: name.into(),
        group: name.into(),
        kind,
        rate: Rate(gb_s * 1_000_000_000),
        line_rate: None,
        assumed,
    };
    Plan {
        name: "sample".into(),
        capacities: vec![
            capacity("dram", Kind::Dram, 12, true),
            capacity("gpu0.pcie", Kind::Pcie, 64, false),
            capacity("nic0", Kind::Nic, 50, false),
            capacity("target", Kind::Target, 125, false),
        ],
        pools: vec![pool("cpu.threads", Kind::Cpu), pool("gpu0.copy_engine", Kind::CopyEngine)],
        delays: vec![
            delay("cpu.call", Kind::Cpu, "posts the request", 3, true),
            Delay {
                jitter: Time(5_000_000),
                ..delay("target.media", Kind::Target, "the target reaches its medium", 80, false)
            },
            delay("cpu.complete", Kind::Cpu, "reaps the completion", 2, true),
        ],
        works: vec![work("bounce", direction, bounce(direction)), work("gds", direction, gds(direction))],
        ..Plan::default()
    }
}

fn pool(name: &str, kind: Kind) -> Pool {
    Pool { name: name.into(), group: name.into(), kind, places: 1, is_memory: false, assumed: false }
}

fn delay(name: &str, kind: Kind, what: &str, us: u64, on_core: bool) -> Delay {
    let time = Time(us * 1_000_000);
    let what = what.into();
    Delay {
        name: name.into(),
        kind,
        what,
        time,
        by_size: Vec::new(),
        jitter: Time(0),
        on_core,
        service_of: None,
        assumed: false,
        above: Bytes(0),
        command: None,
    }
}

fn work(name: &str, direction: Direction, legs: Vec<Leg>) -> Work {
    let verb = if direction == Direction::Read { "read" } else { "write" };
    let bounces = name == "bounce";
    let holds = if bounces { vec![hold(0)] } else { Vec::new() };
    Work {
        name: name.into(),
        position: usize::from(bounces),
        direction,
        path_asked: format!("gds-{verb}"),
        path_taken: if bounces { format!("compat-{verb}") } else { format!("gds-{verb}") },
        why: if bounces { vec!["tcp: no peer-to-peer".into()] } else { Vec::new() },
        amount: Amount::Requests(10),
        parts: Vec::new(),
        size: Sizes::Listed(vec![Bytes(1 << 20)]),
        threads: 16,
        depth: 1,
        arrivals: None,
        after: None,
        start: Time(0),
        stagger: Some(Time(0)),
        polls: false,
        cpu_copies: if bounces { 2 } else { 0 },
        pcie_crossings: if bounces { 2 } else { 1 },
        lanes: vec![Lane { node: 0, gpu: 0, session: Vec::new(), holds, legs, cut: Cut::default() }],
        copies: Vec::new(),
    }
}

fn hold(pool: usize) -> Hold {
    Hold::one(pool)
}

/// Reads as they are; writes with every hop and the row of legs turned round.
fn turned(direction: Direction, mut legs: Vec<Leg>) -> Vec<Leg> {
    if direction == Direction::Write {
        legs.reverse();
        for leg in &mut legs {
            leg.hops.reverse();
            leg.hops.iter_mut().for_each(|hop| std::mem::swap(&mut hop.from, &mut hop.to));
        }
    }
    legs
}

fn gds(direction: Direction) -> Vec<Leg> {
    let hops = vec![hop(Storage, Nic, &[(3, 1), (2, 1)]), hop(Nic, Pcie, &[]), hop(Pcie, Hbm, &[(1, 1)])];
    turned(direction, vec![Leg { before: vec![0, 1], after: vec![2], ..leg("dma", Mover::Nic, hops) }])
}

fn bounce(direction: Direction) -> Vec<Leg> {
    let fetch = vec![hop(Storage, Nic, &[(3, 1), (2, 1)]), hop(Nic, KernelBuffer, &[(0, 1)])];
    let copy = vec![hop(KernelBuffer, UserBuffer, &[(0, 3)])];
    let upload = vec![hop(UserBuffer, Pcie, &[(0, 1)]), hop(Pcie, Hbm, &[(1, 1)])];
    let cap = OwnCap { rate: Rate(10_000_000_000), group: "cpu_copy".into(), kind: Kind::Cpu, assumed: false };
    let legs = vec![
        Leg { before: vec![0, 1], ..leg("fetch", Mover::Nic, fetch) },
        Leg { own_cap: Some(cap), ..leg("copy", Mover::Cpu, copy) },
        Leg { holds: vec![hold(1)], after: vec![2], ..leg("upload", Mover::CopyEngine, upload) },
    ];
    turned(direction, legs)
}

fn leg(name: &str, mover: Mover, hops: Vec<Hop>) -> Leg {
    let (holds, buffers, before, after) = Default::default();
    Leg { name: name.into(), mover, holds, buffers, before, hops, own_cap: None, after, served: Vec::new() }
}

fn hop(from: Station, to: Station, crosses: &[(usize, u64)]) -> Hop {
    let crossing = |&(capacity, charge): &(usize, u64)| Crossing {
        capacity,
        charge: Factor(charge * Factor::ONE.0),
        traffic: Traffic::default(),
    };
    Hop { from, to, crosses: crosses.iter().map(crossing).collect() }
}
