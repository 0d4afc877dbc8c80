//! Truths that a hand can check: one request, deep queues, queueing theory, conservation.

use crate::plans::*;
use engine::units::{Bytes, Time};
use engine::{Amount, Arrivals, Plan, Sizes, Work, WorkOutcome};

/// Mean time of a request in the system, in picoseconds.
fn mean_ps(work: &WorkOutcome) -> f64 {
    let all: u128 = work.spent.iter().map(|spent| spent.line + spent.setup + spent.moving).sum();
    all as f64 / work.simulated_requests as f64
}

fn mean_line_ps(work: &WorkOutcome) -> f64 {
    let all: u128 = work.spent.iter().map(|spent| spent.line).sum();
    all as f64 / work.simulated_requests as f64
}

#[test]
fn one_request_alone_takes_setup_plus_bytes_over_rate_plus_latency_to_the_picosecond() {
    let mut one = leg(&[(0, 1.0), (1, 3.0)]);
    one.before = vec![0];
    one.after = vec![1];
    let work = work("one", vec![lane(0, vec![one])], 1, Amount::Requests(1));
    let capacities = vec![capacity("link", 7_000_000_000), capacity("memory", 10_000_000_001)];
    let outcome =
        only(&plan(capacities, vec![], vec![delay("before", 2 * US), delay("after", 3 * US + 7)], vec![work]));
    // Three bytes a byte of a memory of 10,000,000,001 B/s: 1 MiB at 3,333,333,333.66 B/s, rounded up.
    let moving = (MIB as u128 * 3 * 1_000_000_000_000).div_ceil(10_000_000_001) as u64;
    assert_eq!(outcome.duration, Time(2 * US + moving + 3 * US + 7));
}

/// A loop of requests over one leg of 50 GB/s after a setup of 20 us.
fn one_leg(depth: u64, stagger: Option<u64>) -> f64 {
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    let mut work = work("deep", vec![lane(0, vec![one])], depth, Amount::Requests(20_000));
    work.stagger = stagger.map(Time);
    throughput(&only(&plan(vec![capacity("link", 50_000_000_000)], vec![], vec![delay("setup", 20 * US)], vec![work])))
}

#[test]
fn a_leg_alone_never_passes_the_closed_form_whatever_the_start() {
    for depth in [1, 2, 3, 8, 64] {
        let closed_form = (depth as f64 * MIB as f64 / (20e-6 + MIB as f64 / 50e9)).min(50e9);
        for stagger in [None, Some(0), Some(US), Some(10 * US), Some(21 * US)] {
            let reached = one_leg(depth, stagger);
            assert!(
                reached <= closed_form * 1.000_001,
                "depth {depth}, stagger {stagger:?}: {reached} > {closed_form}"
            );
        }
    }
}

#[test]
fn a_leg_alone_reaches_its_rate_once_the_queue_covers_the_delay_unless_all_start_together() {
    let covers = (1.0 + 20e-6 * 50e9 / MIB as f64).ceil() as u64;
    for depth in [covers, covers + 1, 8, 16, 64] {
        assert!(one_leg(depth, None) > 0.98 * 50e9, "depth {depth}: {}", one_leg(depth, None));
    }
}

#[test]
fn a_leg_alone_started_together_waits_for_its_setup_once_a_round() {
    let depth = 8.0;
    close(one_leg(8, Some(0)), depth * MIB as f64 / (20e-6 + depth * MIB as f64 / 50e9), 0.001);
}

#[test]
fn a_mover_spreads_requests_out_so_that_legs_in_series_reach_the_slowest() {
    for depth in [3, 4, 8, 32] {
        let mut upload = leg(&[(1, 1.0)]);
        upload.holds = vec![hold(0)];
        let legs = vec![leg(&[(0, 1.0)]), upload];
        let series = work("series", vec![lane(0, legs)], depth, Amount::Requests(20_000));
        let capacities = vec![capacity("nic", 50_000_000_000), capacity("pcie", 55_000_000_000)];
        let reached = throughput(&only(&plan(capacities, vec![pool("engine", 1)], vec![], vec![series])));
        assert!(reached > 0.98 * 50e9 && reached <= 50e9, "depth {depth}: {reached}");
    }
}

/// One server of 1 GB/s with requests of mean 1 MB at 80 % load; a slot makes it first come first served.
fn server(slot: bool, size: Sizes) -> WorkOutcome {
    let mut one = leg(&[(0, 1.0)]);
    if slot {
        one.holds = vec![hold(0)];
    }
    let mut open = work("open", vec![lane(0, vec![one])], 1, Amount::Requests(400_000));
    open.size = size;
    open.arrivals = Some(Arrivals { gap: Time(1_250 * US), poisson: true });
    only(&plan(vec![capacity("disk", 1_000_000_000)], vec![pool("server", 1)], vec![], vec![open]))
}

fn close(actual: f64, expected: f64, share: f64) {
    assert!((actual / expected - 1.0).abs() < share, "{actual} is not within {share} of {expected}");
}

#[test]
fn a_slot_with_poisson_arrivals_and_equal_sizes_waits_as_m_d_1_says() {
    let outcome = server(true, Sizes::Listed(vec![Bytes(1_000_000)]));
    close(mean_line_ps(&outcome), 0.8 / (2.0 * 0.2) * 1e9, 0.03);
}

#[test]
fn a_slot_with_poisson_arrivals_and_exponential_sizes_waits_as_m_m_1_says() {
    let outcome = server(true, Sizes::Exponential(Bytes(1_000_000)));
    close(mean_line_ps(&outcome), 0.8 / 0.2 * 1e9, 0.04);
}

#[test]
fn a_shared_capacity_is_processor_sharing_whatever_the_sizes() {
    for size in [Sizes::Listed(vec![Bytes(1_000_000)]), Sizes::Exponential(Bytes(1_000_000))] {
        let outcome = server(false, size);
        close(mean_ps(&outcome), 1e9 / (1.0 - 0.8), 0.04);
    }
}

#[test]
fn requests_in_the_system_are_arrivals_times_their_mean_time() {
    let outcome = server(true, Sizes::Exponential(Bytes(1_000_000)));
    let doing: f64 = outcome.doing.iter().map(|c| c.2).sum();
    let in_system = doing / outcome.duration.seconds();
    let rate = outcome.requests as f64 / outcome.duration.seconds();
    close(in_system, rate * mean_ps(&outcome) / 1e12, 1e-6);
}

fn three_legs() -> Plan {
    let mut fetch = leg(&[(0, 1.0), (1, 1.0)]);
    fetch.before = vec![0];
    let mut copy = leg(&[(1, 3.0)]);
    copy.own_cap = Some(own_cap("cpu_copy", 5_000_000_000));
    let mut upload = leg(&[(1, 1.0), (2, 1.0)]);
    upload.holds = vec![hold(0)];
    upload.before = vec![1];
    let capacities =
        vec![capacity("nic", 50_000_000_000), capacity("dram", 200_000_000_000), capacity("pcie", 55_000_000_000)];
    let mut engine = delay("engine", 3 * US);
    engine.service_of = Some(0);
    let work = work("three", vec![lane(0, vec![fetch, copy, upload])], 16, Amount::Bytes(Bytes(10_000_000_001)));
    plan(capacities, vec![pool("copy_engine", 1)], vec![delay("media", 90 * US), engine], vec![work])
}

#[test]
fn bytes_are_conserved_down_to_the_short_last_request() {
    let outcome = only(&three_legs());
    assert_eq!(outcome.bytes, Bytes(10_000_000_001));
    assert_eq!(outcome.requests, 10_000_000_001_u64.div_ceil(MIB));
}

#[test]
fn an_idle_part_changes_nothing() {
    let before = only(&three_legs());
    let mut with = three_legs();
    with.capacities.push(capacity("idle link", 1_000));
    with.pools.push(pool("idle pool", 1));
    with.delays.push(delay("idle delay", 1));
    let after = only(&with);
    assert_eq!((before.duration, before.charges), (after.duration, after.charges));
}

#[test]
fn all_time_of_the_gpu_that_is_done_last_belongs_to_something() {
    let outcome = only(&three_legs());
    let charged: f64 = outcome.charges.iter().map(|c| c.2).sum();
    close(charged, outcome.duration.seconds(), 1e-9);
}

#[test]
fn all_time_of_all_requests_is_told_by_what_they_did() {
    let outcome = only(&three_legs());
    let doing: f64 = outcome.doing.iter().map(|c| c.2).sum();
    let spent: u128 = outcome.spent.iter().map(|s| s.line + s.setup + s.moving).sum();
    close(doing, spent as f64 / 1e12, 1e-9);
}

#[test]
fn the_same_plan_gives_the_same_outcome_twice() {
    let (one, two) = (format!("{:?}", run(&three_legs())), format!("{:?}", run(&three_legs())));
    assert_eq!(one, two);
}

/// A loop over two legs in series without movers, all started together.
fn two_legs_without_movers(stagger: u64) -> WorkOutcome {
    let legs = vec![leg(&[(0, 1.0)]), leg(&[(1, 1.0)])];
    let mut work: Work = work("march", vec![lane(0, legs)], 32, Amount::Requests(20_000));
    work.stagger = Some(Time(stagger));
    only(&plan(vec![capacity("a", 50_000_000_000), capacity("b", 60_000_000_000)], vec![], vec![], vec![work]))
}

#[test]
fn two_legs_without_movers_started_together_march_in_step() {
    let outcome = two_legs_without_movers(0);
    close(throughput(&outcome), 1.0 / (1.0 / 50e9 + 1.0 / 60e9), 0.01);
}
