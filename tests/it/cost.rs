//! What a run costs: memory that does not grow with the number of requests, and settled runs that stay in their interval.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use engine::units::{Bytes, Time};
use engine::{self, Amount, Leg, Mode, Plan, Sizes};
use hopsim::report::Recorder;

use crate::plans::{US, capacity, delay, hold, lane, leg, own_cap, plan, pool, work};

thread_local! {
    /// Bytes that this thread holds, and the most that it held.
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

/// The system's allocator, counting for each thread by itself, so that tests beside this one do not disturb it.
struct Counting;

fn count(bytes: isize) {
    // A thread that is ending counts no more.
    let _ = HELD.try_with(|held| {
        let now = held.get().0 + bytes;
        held.set((now, held.get().1.max(now)));
    });
}

// SAFETY: every call goes on to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that doing something held beyond what was held before.
fn peak(something: impl FnOnce()) -> isize {
    let before = HELD.get().0;
    HELD.set((before, before));
    something();
    HELD.get().1 - before
}

/// Four GPUs on a path of three legs, with a drawn delay if asked.
fn three_legs(requests: u64, jitter: u64) -> Plan {
    let way = |gpu: usize| {
        let mut fetch = leg(&[(0, 1.0), (1, 1.0)]);
        fetch.before = vec![0];
        let mut copy = leg(&[(1, 3.0)]);
        copy.own_cap = Some(own_cap("cpu_copy", 5_000_000_000));
        let mut upload = leg(&[(1, 1.0), (2 + gpu, 1.0)]);
        upload.holds = vec![hold(gpu)];
        lane(gpu as u64, vec![fetch, copy, upload])
    };
    let gb = 1_000_000_000;
    let mut capacities = vec![capacity("nic", 50 * gb), capacity("dram", 200 * gb)];
    capacities.extend((0..4).map(|gpu| capacity(&format!("gpu{gpu}.pcie"), 55 * gb)));
    let pools = (0..4).map(|gpu| pool(&format!("gpu{gpu}.copy_engine"), 1)).collect();
    let mut media = delay("media", 90 * US);
    media.jitter = Time(jitter);
    let mut work = work("three", (0..4).map(way).collect(), 8, Amount::Requests(requests));
    work.stagger = None;
    plan(capacities, pools, vec![media], vec![work])
}

#[test]
fn memory_does_not_grow_with_the_number_of_requests() {
    let peak_of = |requests: u64| {
        let plan = Arc::new(three_legs(requests, 0));
        peak(|| drop(engine::run(&plan, Mode::Request, Recorder::new(1)).unwrap()))
    };
    let (few, many) = (peak_of(10_000), peak_of(100_000));
    assert!(few > 0 && many <= few + few / 10, "{few} bytes for 10^4 requests, {many} for 10^5");
}

#[test]
fn memory_stays_within_bounds_when_no_two_requests_are_alike() {
    let plan = Arc::new(three_legs(100_000, 40 * US));
    let most = peak(|| drop(engine::run(&plan, Mode::Request, Recorder::new(1)).unwrap()));
    assert!(most < 32 << 20, "{most} bytes for 10^5 requests");
}

#[test]
fn a_settled_run_lies_within_its_interval_of_the_whole_one() {
    for jitter in [0, 40 * US] {
        let plan = Arc::new(three_legs(60_000, jitter));
        let [whole, settled] = [Mode::Request, Mode::Settled]
            .map(|mode| engine::run(&plan, mode, Recorder::new(1)).unwrap().0.works.remove(0));
        let half_width = settled.half_width.expect("it settles");
        assert!(settled.simulated_requests * 2 < whole.requests, "{} simulated", settled.simulated_requests);
        assert_eq!((whole.bytes, whole.requests), (settled.bytes, settled.requests));
        let apart = (settled.duration.seconds() / whole.duration.seconds() - 1.0).abs();
        assert!(apart <= half_width.max(engine::HALF_WIDTH), "jitter {jitter}: {apart} apart, {half_width}");
    }
}

/// Three GPUs, two of them on one NIC: its lanes take twice as long as the third.
fn uneven(requests: u64) -> Arc<Plan> {
    let way = |gpu: usize| lane(gpu as u64, vec![leg(&[(gpu / 2, 1.0)])]);
    let nics = vec![capacity("nic0", 50_000_000_000), capacity("nic1", 50_000_000_000)];
    Arc::new(plan(nics, vec![], vec![], vec![work("uneven", (0..3).map(way).collect(), 8, Amount::Requests(requests))]))
}

#[test]
fn a_settled_run_of_uneven_lanes_goes_on_with_those_that_are_left_and_ends_with_the_whole_one() {
    let [whole, settled] = [Mode::Request, Mode::Settled]
        .map(|mode| engine::run(&uneven(30_000), mode, Recorder::new(1)).unwrap().0.works.remove(0));
    assert!(settled.simulated_requests * 2 < whole.requests, "{} simulated", settled.simulated_requests);
    assert_eq!((settled.requests, &settled.lane_bytes), (whole.requests, &whole.lane_bytes));
    let apart = (settled.duration.seconds() / whole.duration.seconds() - 1.0).abs();
    assert!(apart < 1e-3, "{apart} apart");
}

#[test]
fn what_was_left_out_of_a_settled_run_is_charged_as_the_whole_one_charges_it() {
    let [whole, settled] = [Mode::Request, Mode::Settled]
        .map(|mode| engine::run(&uneven(30_000), mode, Recorder::new(1)).unwrap().0.works.remove(0));
    assert_eq!(settled.charges.len(), whole.charges.len());
    for (settled, whole) in settled.charges.iter().zip(&whole.charges) {
        assert_eq!((settled.0, settled.1), (whole.0, whole.1));
        assert!((settled.2 / whole.2 - 1.0).abs() < 0.01, "{settled:?} of {whole:?}");
    }
}

/// Requests of unequal sizes that fill a link, with calls before and after that move nothing.
fn between_calls(requests: u64) -> Arc<Plan> {
    let call = || Leg { before: vec![0], hops: Vec::new(), ..leg(&[]) };
    let way = |gpu: u64| lane(gpu, vec![call(), leg(&[(0, 1.0)]), call()]);
    let mut work = work("calls", (0..4).map(way).collect(), 32, Amount::Requests(requests));
    work.size = Sizes::Uniform(Bytes(64 << 10), Bytes(4 << 20));
    work.stagger = None;
    Arc::new(plan(vec![capacity("link", 50_000_000_000)], vec![], vec![delay("call", 3 * US)], vec![work]))
}

#[test]
fn steps_that_move_nothing_are_no_progress_so_that_a_settled_run_keeps_to_the_link() {
    let settled = engine::run(&between_calls(100_000), Mode::Settled, Recorder::new(1)).unwrap().0.works.remove(0);
    assert!(settled.half_width.is_some());
    let rate = settled.bytes.0 as f64 / settled.duration.seconds();
    assert!((rate / 50e9 - 1.0).abs() < 1e-3, "{rate} of 50e9 bytes a second");
}
