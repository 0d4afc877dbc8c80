//! Stream mode: against request mode, against formulas, and against its ceiling.

use std::sync::Arc;

use engine::units::{Bytes, Factor, Rate, Time};
use engine::{self, Amount, Arrivals, Cut, Hold, Mode, Nobody, Outcome, Plan, Sizes, Soft, Work, WorkOutcome};
use proptest::prelude::*;

use crate::plans::{self, MIB, US, capacity, delay, hold, lane, leg, own_cap, plan, pool, work};

const GB: u64 = 1_000_000_000;

fn stream(plan: &Plan) -> Outcome {
    engine::run(&Arc::new(plan.clone()), Mode::Fluid, Nobody).expect("the plan runs to its end").0
}

fn only(plan: &Plan) -> WorkOutcome {
    stream(plan).works.remove(0)
}

fn mib(count: u64) -> Amount {
    Amount::Bytes(Bytes(count * MIB))
}

/// A work whose requests start apart, as those of real threads do.
fn apart(work: Work) -> Work {
    Work { stagger: Some(Time(7 * US)), ..work }
}

/// What stream mode takes longer than request mode, as a share, work by work.
fn errors(plan: &Plan) -> Vec<f64> {
    let (fast, slow) = (stream(plan), plans::run(plan));
    let pairs = fast.works.iter().zip(&slow.works);
    pairs.map(|(fast, slow)| fast.duration.seconds() / slow.duration.seconds() - 1.0).collect()
}

#[track_caller]
fn near(plan: &Plan, tolerance: f64) {
    let errors = errors(plan);
    assert!(errors.iter().all(|error| error.abs() < tolerance), "{errors:?}");
}

#[test]
fn a_shallow_loop_takes_its_delays_and_its_motion_round_after_round() {
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    let plan = plan(
        vec![capacity("link", 10 * GB)],
        vec![],
        vec![delay("setup", 500 * US)],
        vec![work("w", vec![lane(0, vec![one])], 2, mib(1000))],
    );
    let round = 500e-6 + MIB as f64 / 10e9;
    assert!((only(&plan).duration.seconds() / (500.0 * round) - 1.0).abs() < 1e-6);
}

#[test]
fn a_deep_loop_fills_its_capacity_and_passes_its_delays_once() {
    let mut one = leg(&[(0, 2.0)]);
    one.before = vec![0];
    let plan = plan(
        vec![capacity("link", 10 * GB)],
        vec![],
        vec![delay("setup", 100 * US)],
        vec![apart(work("w", vec![lane(0, vec![one])], 16, mib(1000)))],
    );
    let seconds = 2000.0 * MIB as f64 / 10e9 + 100e-6;
    assert!((only(&plan).duration.seconds() / seconds - 1.0).abs() < 1e-6);
    near(&plan, 0.002);
}

#[test]
fn an_engine_that_serves_one_at_a_time_holds_its_line_back() {
    let mut copy = leg(&[(0, 1.0)]);
    copy.holds = vec![hold(0)];
    copy.before = vec![0];
    copy.own_cap = Some(own_cap("engine", 20 * GB));
    let plan = plan(
        vec![capacity("link", 50 * GB)],
        vec![pool("engine", 1)],
        vec![delay("start", 10 * US)],
        vec![work("w", vec![lane(0, vec![copy])], 8, mib(2000))],
    );
    let each = 10e-6 + MIB as f64 / 20e9;
    let out = only(&plan);
    assert!((out.duration.seconds() / (2000.0 * each) - 1.0).abs() < 1e-6);
    let line: f64 = out.spent[0].line as f64 / 1e12 / 2000.0;
    assert!((line / (7.0 * each) - 1.0).abs() < 1e-3, "seven of eight are in line: {line}");
    near(&plan, 0.002);
}

#[test]
fn a_slot_that_is_queued_for_has_the_time() {
    let mut copy = leg(&[(0, 1.0)]);
    copy.holds = vec![hold(0)];
    copy.before = vec![0];
    let plan = plan(
        vec![capacity("link", 10 * GB)],
        vec![pool("slot", 1)],
        vec![delay("start", 10 * US)],
        vec![work("w", vec![lane(0, vec![copy])], 8, mib(2000))],
    );
    // While the holder's bytes move, request mode sees the link full as well: 10 us and half of 105 us of each 115.
    for (out, least) in [(only(&plan), 0.99), (plans::only(&plan), 0.54)] {
        let slot: f64 = out.charges.iter().filter(|c| c.1 == engine::Cause::Pool(0)).map(|c| c.2).sum();
        let all: f64 = out.charges.iter().map(|charge| charge.2).sum();
        assert!(slot / all > least, "{:?}", out.charges);
    }
}

#[test]
fn a_line_that_empties_the_memory_behind_it_comes_to_rest() {
    // An engine's transfers share memory with copies: more in line, fewer in motion, faster transfers.
    let mut upload = leg(&[(0, 1.0)]);
    upload.holds = vec![hold(0)];
    let mut copy = leg(&[(0, 3.0)]);
    copy.own_cap = Some(own_cap("cpu", 5 * GB));
    let plan = plan(
        vec![capacity("dram", 40 * GB)],
        vec![pool("engine", 1)],
        vec![],
        vec![work("w", vec![lane(0, vec![copy, upload])], 32, mib(4000))],
    );
    let out = only(&plan);
    let seconds = 4.0 * 4000.0 * MIB as f64 / 40e9;
    assert!((out.duration.seconds() / seconds - 1.0).abs() < 0.001, "{} and {seconds}", out.duration.seconds());
    let dram: f64 = out.charges.iter().filter(|c| c.1 == engine::Cause::Capacity(0)).map(|c| c.2).sum();
    let all: f64 = out.charges.iter().map(|c| c.2).sum();
    assert!(
        (dram / all - 0.5).abs() < 0.01,
        "memory and the engine's queue, both full, share the time: {}",
        dram / all
    );
}

#[test]
fn uneven_lanes_leave_their_room_to_the_others_when_they_are_done() {
    let lanes = vec![lane(0, vec![leg(&[(0, 1.0)])]), lane(1, vec![leg(&[(0, 1.0), (1, 1.0)])])];
    let capacities = vec![capacity("link", 10 * GB), capacity("slow", 2 * GB)];
    let plan = plan(capacities, vec![], vec![], vec![work("w", lanes, 4, mib(4000))]);
    // The first goes at 8 while both are under way, the second at 2 from first to last.
    let seconds = 2000.0 * MIB as f64 / 2e9;
    assert!((only(&plan).duration.seconds() / seconds - 1.0).abs() < 1e-6);
    near(&plan, 0.005);
}

#[test]
fn a_work_that_starts_later_shares_from_then_on() {
    let one = |name: &str| work(name, vec![lane(0, vec![leg(&[(0, 1.0)])])], 4, mib(1000));
    let late = Work { start: Time(50_000 * US), ..one("b") };
    let plan = plan(vec![capacity("link", 10 * GB)], vec![], vec![], vec![one("a"), late]);
    near(&plan, 0.005);
}

#[test]
fn a_work_after_another_starts_when_that_has_ended() {
    let one = |name: &str| work(name, vec![lane(0, vec![leg(&[(0, 1.0)])])], 4, mib(100));
    let next = Work { after: Some(0), start: Time(7 * US), ..one("b") };
    let out = stream(&plan(vec![capacity("link", 10 * GB)], vec![], vec![], vec![one("a"), next]));
    assert_eq!(out.works[1].start.0, out.works[0].duration.0 + 7 * US);
}

#[test]
fn an_open_loop_moves_what_is_offered() {
    let arrivals = Some(Arrivals { gap: Time(1000 * US), poisson: false });
    let one = Work { arrivals, ..work("w", vec![lane(0, vec![leg(&[(0, 1.0)])])], 1, Amount::Requests(1000)) };
    let plan = plan(vec![capacity("link", 10 * GB)], vec![], vec![], vec![one]);
    near(&plan, 0.002);
    let idle: f64 = only(&plan).charges.iter().filter(|c| c.1 == engine::Cause::NoWork).map(|c| c.2).sum();
    assert!((0.85..0.92).contains(&idle), "nothing is under way for nine tenths of a second: {idle}");
}

#[test]
fn an_open_loop_above_capacity_moves_what_gets_through_beside_what_is_left_over() {
    let arrivals = Some(Arrivals { gap: Time(10 * US), poisson: false });
    let one = Work { arrivals, ..work("w", vec![lane(0, vec![leg(&[(0, 1.0)])])], 1, Amount::Requests(1000)) };
    let plan = plan(vec![capacity("link", 10 * GB)], vec![], vec![], vec![one]);
    near(&plan, 0.002);
    let moving = |out: WorkOutcome| out.spent[0].moving as f64;
    let error = moving(only(&plan)) / moving(plans::only(&plan)) - 1.0;
    assert!(error.abs() < 0.01, "{error}");
}

#[test]
fn a_request_larger_than_what_a_lane_moves_is_as_large_as_that() {
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    let large = Sizes::Listed(vec![Bytes(100_000 * MIB)]);
    let works = vec![Work { size: large, ..work("w", vec![lane(0, vec![one])], 16, mib(1000)) }];
    near(&plan(vec![capacity("link", 10 * GB)], vec![], vec![delay("setup", 50 * US)], works), 1e-6);
}

#[test]
fn unlike_requests_before_one_slot_take_turns() {
    let serve = |size: u64, depth: u64, name: &str| {
        let mut copy = leg(&[(0, 1.0)]);
        copy.holds = vec![hold(0)];
        let size = Sizes::Listed(vec![Bytes(size * MIB)]);
        Work { size, ..work(name, vec![lane(0, vec![copy])], depth, Amount::Requests(2000 * depth)) }
    };
    for depths in [(1, 1), (1, 8), (4, 4)] {
        let works = vec![serve(1, depths.0, "a"), serve(9, depths.1, "b")];
        near(&plan(vec![capacity("link", 10 * GB)], vec![pool("engine", 1)], vec![], works), 0.01);
    }
}

#[test]
fn a_run_time_moves_what_there_is_time_for() {
    let timed = Amount::RunTime { run: Time(1_000_000 * US), warm_up: Time(200_000 * US) };
    let plan = plan(
        vec![capacity("link", 10 * GB)],
        vec![],
        vec![],
        vec![work("w", vec![lane(0, vec![leg(&[(0, 1.0)])])], 4, timed)],
    );
    let (fast, slow) = (only(&plan), plans::only(&plan));
    assert_eq!((fast.start, fast.duration), (slow.start, slow.duration));
    assert!((fast.bytes.0 as f64 / slow.bytes.0 as f64 - 1.0).abs() < 0.001);
}

#[test]
fn pieces_go_side_by_side_and_parts_one_after_another() {
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    one.own_cap = Some(own_cap("stream", GB));
    let cut = Cut { part: Some(Bytes(MIB / 8)), piece: Some(Bytes(MIB / 2)), most: 2, helpers: vec![] };
    let cut_lane = engine::Lane { cut, ..lane(0, vec![one]) };
    let works = vec![work("w", vec![cut_lane], 2, mib(500))];
    near(&plan(vec![capacity("link", 40 * GB)], vec![], vec![delay("each", 20 * US)], works), 0.005);
}

#[test]
fn soft_memory_slows_a_stream_as_it_slows_requests() {
    let law =
        Soft { cpu: Rate(20 * GB), dma_read: Rate(40 * GB), dma_write: Rate(40 * GB), power: Factor(1_700_000_000) };
    let memory = engine::Capacity { soft: Some(law), ..capacity("dram", 1000 * GB) };
    let mut copy = leg(&[(0, 2.0)]);
    copy.own_cap = Some(own_cap("cpu", 5 * GB));
    copy.before = vec![0];
    for depth in [1, 8] {
        let works = vec![work("w", vec![lane(0, vec![copy.clone()])], depth, mib(1000))];
        near(&plan(vec![memory.clone()], vec![], vec![delay("call", 2 * US)], works), 0.01);
    }
}

#[test]
fn buffers_that_fill_memory_hold_a_stream_back() {
    let mut fetch = leg(&[(0, 1.0)]);
    fetch.buffers = vec![Hold::bytes(0)];
    let mut drain = leg(&[]);
    drain.own_cap = Some(own_cap("cpu", GB));
    let mut memory = pool("buffers", MIB);
    memory.is_memory = true;
    let works = vec![work("w", vec![lane(0, vec![fetch, drain])], 16, mib(1000))];
    let plan = plan(vec![capacity("link", 10 * GB)], vec![memory], vec![], works);
    near(&plan, 0.01);
}

#[test]
fn lanes_that_are_alike_fare_as_if_each_were_looked_at() {
    // One lane differs by a byte a second: nothing is alike any more, and next to nothing changes.
    let fleet = |odd: u64| {
        let mut capacities = vec![capacity("target", 20 * GB)];
        capacities.extend((0..8).map(|nic| capacity(&format!("nic{nic}"), 5 * GB + odd * nic)));
        let mut one = |nic: usize| {
            let mut one = leg(&[(nic + 1, 1.0), (0, 1.25)]);
            one.before = vec![0];
            lane(nic as u64, vec![one])
        };
        let lanes = (0..8).map(&mut one).collect();
        plan(capacities, vec![], vec![delay("setup", 50 * US)], vec![work("w", lanes, 4, mib(8000))])
    };
    let (alike, odd) = (only(&fleet(0)), only(&fleet(1)));
    assert!((alike.duration.seconds() / odd.duration.seconds() - 1.0).abs() < 1e-6);
}

#[test]
fn the_same_plan_gives_the_same_outcome() {
    let lanes = (0..4).map(|gpu| lane(gpu, vec![leg(&[(0, 1.0), (gpu as usize % 2 + 1, 1.0)])])).collect();
    let capacities = vec![capacity("a", 9 * GB), capacity("b", 7 * GB), capacity("c", 3 * GB)];
    let plan = plan(capacities, vec![], vec![], vec![work("w", lanes, 3, mib(300))]);
    assert_eq!(format!("{:?}", stream(&plan)), format!("{:?}", stream(&plan)));
}

prop_compose! {
    fn systems()(
        rates in proptest::collection::vec(GB..60 * GB, 4),
        ways in proptest::collection::vec((0usize..4, 0usize..4, 1u64..4, 0u64..200, any::<bool>()), 1..6),
        depth in 1u64..24,
        requests in 100u64..400,
    ) -> Plan {
        system(&rates, &ways, depth, requests)
    }
}

/// A lane's two capacities, what the first is charged for a byte, microseconds of delay, whether the second has an engine.
type Two = (usize, usize, u64, u64, bool);

/// Lanes of two legs over some of several capacities, with an engine on the second.
fn system(rates: &[u64], ways: &[Two], depth: u64, requests: u64) -> Plan {
    let capacities = rates.iter().enumerate().map(|(n, &rate)| capacity(&format!("c{n}"), rate)).collect();
    let delays = ways.iter().map(|way| delay("setup", way.3 * US)).collect();
    let pools = (0..ways.len()).map(|n| pool(&format!("engine{n}"), 1)).collect();
    let lanes = ways.iter().enumerate().map(|(n, &(a, b, charge, _, engine))| {
        let (mut first, mut second) = (leg(&[(a, charge as f64)]), leg(&[(b, 1.0)]));
        first.before = vec![n];
        second.holds = if engine { vec![hold(n)] } else { vec![] };
        lane(n as u64, vec![first, second])
    });
    let lanes: Vec<_> = lanes.collect();
    let amount = mib(requests * lanes.len() as u64);
    plan(capacities, pools, delays, vec![apart(work("w", lanes, depth, amount))])
}

#[test]
fn limits_of_which_one_is_passed_by_a_hair_come_to_rest() {
    // Demand on the third capacity is 57.13 of 57.02 GB/s where the others are full: one of those must not be.
    let rates = [27_808_371_418, 3_533_626_244, 57_018_629_599, 12_422_335_960];
    let ways = [(2, 1, 3, 142, true), (2, 3, 3, 127, false), (0, 2, 3, 152, true)];
    assert!(only(&system(&rates, &ways, 6, 300)).duration.seconds() > 0.0);
    // An engine's line and what it moves over are full together, before two more that answer for each other.
    let rates = [56_474_056_024, 9_299_140_180, 13_982_588_486, 37_970_229_430];
    let ways = [(0, 3, 2, 32, true), (1, 0, 3, 22, true), (3, 2, 2, 0, false), (2, 0, 3, 0, true), (0, 2, 1, 0, true)];
    assert!(only(&system(&rates, &ways, 22, 100)).duration.seconds() > 0.0);
}

/// Places of a pool for whole trips, of one inside it and of one inside that; outstanding requests and lanes; microseconds
/// of delay and GB/s of the link.
type Nest = ([u64; 3], u64, u64, u64, u64);

fn nests() -> impl Strategy<Value = Nest> {
    ([1u64..300, 1u64..200, 1u64..100], 1u64..2000, 1u64..9, 0u64..200, 1u64..100)
}

/// A copy by a core, then a leg over one link whose places lie inside each other, all inside a pool for whole trips.
fn nested(([outer, middle, inner], outstanding, lanes, delayed, link): Nest) -> Plan {
    let mut copy = leg(&[]);
    copy.own_cap = Some(own_cap("cpu", 10 * GB));
    let mut send = leg(&[(0, 1.0)]);
    send.holds = vec![hold(1), hold(2)];
    send.before = vec![0];
    let way = |gpu| engine::Lane { holds: vec![hold(0)], ..lane(gpu, vec![copy.clone(), send.clone()]) };
    let pools = vec![pool("outer", outer), pool("middle", middle), pool("inner", inner)];
    let works = vec![work("w", (0..lanes).map(way).collect(), outstanding, mib(1_000_000))];
    plan(vec![capacity("link", link * GB)], pools, vec![delay("setup", delayed * US)], works)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn pools_inside_pools_let_as_much_through_as_the_narrowest_of_all(nest in nests()) {
        let ([outer, middle, inner], outstanding, lanes, delayed, link) = nest;
        let size = MIB as f64;
        let held = delayed as f64 * 1e-6 + size / (link * GB) as f64;
        let trip = held + size / 10e9;
        let loops = outer.min(outstanding * lanes) as f64 / trip;
        let rate = loops.min(middle.min(inner) as f64 / held).min((link * GB) as f64 / size);
        let seconds = only(&nested(nest)).duration.seconds();
        prop_assert!((seconds * rate / 1e6 - 1.0).abs() < 0.005, "{seconds} s, not {} s", 1e6 / rate);
    }

    #[test]
    fn no_stream_passes_what_a_capacity_carries(plan in systems()) {
        let out = only(&plan);
        for (index, capacity) in plan.capacities.iter().enumerate() {
            let lanes = plan.works[0].lanes.iter().zip(&out.lane_bytes);
            let charged: f64 = lanes.map(|(lane, &bytes)| {
                lane.legs.iter().flat_map(engine::charges).filter(|c| c.0 == index).map(|c| c.1 as f64 / 1e9 * bytes as f64).sum::<f64>()
            }).sum();
            prop_assert!(charged <= capacity.rate.0 as f64 * out.duration.seconds());
        }
    }

    #[test]
    fn all_that_requests_did_is_the_time_that_they_spent(plan in systems()) {
        let out = only(&plan);
        let charged: f64 = out.doing.iter().map(|charge| charge.2).sum();
        let spent: f64 = out.spent.iter().map(|s| (s.line + s.setup + s.moving) as f64 / 1e12).sum();
        prop_assert!((charged / spent - 1.0).abs() < 1e-6, "{charged} and {spent}");
    }

    #[test]
    fn a_lane_alone_is_never_slower_as_a_stream(plan in systems()) {
        // Lanes together may march in a way that leaves the slowest of them more room; one alone can only lose by it.
        let mut alone = plan;
        alone.works[0].lanes.truncate(1);
        let error = errors(&alone)[0];
        prop_assert!(error < 0.01, "{error}");
    }
}
