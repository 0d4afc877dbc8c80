//! The laws beyond constant rates: soft sharing, delays by size, parts and pieces.

use crate::plans::*;
use engine::units::{Bytes, Factor, Rate, Time};
use engine::{Amount, Cause, Cut, Soft, Traffic};

const GB: u64 = 1_000_000_000;

fn soft_memory() -> engine::Capacity {
    let soft =
        Soft { cpu: Rate(120 * GB), dma_read: Rate(370 * GB), dma_write: Rate(850 * GB), power: Factor::from_f64(1.7) };
    engine::Capacity { soft: Some(soft), ..capacity("dram", 400 * GB) }
}

/// CPU copies of 10 GB/s each, three bytes a byte.
fn copies(threads: u64) -> engine::Plan {
    let mut copy = leg(&[(0, 3.0)]);
    copy.own_cap = Some(own_cap("cpu_copy", 10 * GB));
    let mut work = work("copies", vec![lane(0, vec![copy])], threads, Amount::Requests(2_000 * threads));
    work.stagger = Some(Time(0));
    plan(vec![soft_memory()], vec![], vec![], vec![work])
}

#[test]
fn a_soft_capacity_takes_from_each_flow_what_its_law_says() {
    for threads in [1, 4, 16] {
        let reached = throughput(&only(&copies(threads)));
        let offered = threads as f64 * 10e9;
        let law = offered * (1.0 + (3.0 * offered / 120e9).powf(1.7)).powf(-1.0 / 1.7);
        assert!((reached / law - 1.0).abs() < 1e-4, "{threads} threads: {reached} {law}");
    }
}

#[test]
fn what_the_soft_law_takes_is_charged_to_it_and_the_rest_to_what_set_the_pace() {
    let outcome = only(&copies(16));
    let kept = (1.0 + (480.0_f64 / 120.0).powf(1.7)).powf(-1.0 / 1.7);
    let all: f64 = outcome.charges.iter().map(|c| c.2).sum();
    let memory: f64 = outcome.charges.iter().filter(|c| c.1 == Cause::Capacity(0)).map(|c| c.2).sum();
    assert!((memory / all - (1.0 - kept)).abs() < 1e-3, "{} {}", memory / all, 1.0 - kept);
}

#[test]
fn reads_by_a_device_suffer_less_than_cpu_copies() {
    let pace = |traffic| {
        let mut only_leg = leg(&[(0, 1.0), (1, 1.0)]);
        only_leg.hops[0].crosses[0].traffic = traffic;
        let work = work("w", vec![lane(0, vec![only_leg])], 1, Amount::Requests(10));
        throughput(&only(&plan(vec![soft_memory(), capacity("link", 55 * GB)], vec![], vec![], vec![work])))
    };
    assert!(pace(Traffic::DmaWrite) > pace(Traffic::DmaRead) && pace(Traffic::DmaRead) > pace(Traffic::Cpu));
}

fn sized(bytes: u64) -> Time {
    let mut setup = delay("setup", US);
    setup.by_size = vec![(Bytes(4_096), Time(0)), (Bytes(8_192), Time(4_096)), (Bytes(16_384), Time(4_096))];
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    let mut work = work("w", vec![lane(0, vec![one])], 1, Amount::Requests(1));
    work.size = engine::Sizes::Listed(vec![Bytes(bytes)]);
    only(&plan(vec![capacity("link", 1_000 * GB)], vec![], vec![setup], vec![work])).duration
}

#[test]
fn a_delay_by_size_is_read_on_straight_lines_between_its_points() {
    let moving = |bytes: u64| bytes; // 1,000 GB/s is a byte a picosecond
    for (bytes, extra) in [(1_024, 0), (4_096, 0), (6_144, 2_048), (8_192, 4_096), (32_768, 4_096)] {
        assert_eq!(sized(bytes), Time(US + extra + moving(bytes)), "{bytes} B");
    }
}

fn cut(cut: Cut, places: u64) -> engine::WorkOutcome {
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    let mut lane = lane(0, vec![one]);
    lane.cut = cut;
    let mut work = work("w", vec![lane], 1, Amount::Requests(1));
    work.size = engine::Sizes::Listed(vec![Bytes(32 * MIB)]);
    only(&plan(
        vec![capacity("link", MIB * 1_000)],
        vec![pool("threads", places)],
        vec![delay("setup", 1_000 * US)],
        vec![work],
    ))
}

#[test]
fn parts_go_one_after_the_other_each_with_its_setup() {
    let outcome = cut(Cut { part: Some(Bytes(10 * MIB)), ..Cut::default() }, 1);
    // 32 MiB at 1,000 MiB/s, and four parts (10, 10, 10, 2 MiB) of 1 ms setup.
    assert_eq!((outcome.duration, outcome.requests), (Time((32 + 4) * 1_000 * US), 1));
}

#[test]
fn pieces_go_side_by_side_and_the_request_ends_with_the_last() {
    let pieces = Cut { piece: Some(Bytes(8 * MIB)), most: 4, helpers: vec![hold(0)], part: None };
    // All four share the link; their setups overlap.
    assert_eq!(cut(pieces.clone(), 4).duration, Time(33_000 * US));
    // With one helper thread the other three pieces queue for it: 8 + 8 MiB first, and so on, each with its own setup.
    let one_thread = cut(pieces, 1);
    assert!(one_thread.duration > Time(33_000 * US), "{:?}", one_thread.duration);
    assert_eq!(one_thread.bytes, Bytes(32 * MIB));
}
