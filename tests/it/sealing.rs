//! What a sealed plan looks like: routes, choices, ends, order.

use engine::Plan;
use engine::units::{Factor, Rate, Time};
use hopsim::platform::Assumed;

use crate::small::{SMALL, lane, route, sealed, sealed_at, with};

fn capacity(plan: &Plan, name: &str) -> engine::Capacity {
    plan.capacities.iter().find(|capacity| capacity.name == name).expect("the plan has it").clone()
}

#[test]
fn below_one_switch_no_uplink_and_no_root_complex_is_crossed() {
    assert_eq!(
        route(&sealed(SMALL), "gds", 0),
        "fetch: Storage > Nic: target.read x1, nic0.rx x1\n\
         fetch: Nic > Pcie: nic0.pcie.up x1\n\
         fetch: Pcie > Hbm: gpu0.pcie.down x1, gpu0.hbm x1"
    );
}

#[test]
fn on_root_ports_of_one_socket_its_root_complex_is_crossed() {
    assert_eq!(
        route(&sealed(SMALL), "gds", 2),
        "fetch: Storage > Nic: target.read x1, nic1.rx x1\n\
         fetch: Nic > Pcie: nic1.pcie.up x1, root_complex.gpu2.to_gpu x1\n\
         fetch: Pcie > Hbm: gpu2.pcie.down x1, gpu2.hbm x1"
    );
}

#[test]
fn between_sockets_peers_cross_both_and_a_switch_its_uplink() {
    let far = with("path = \"gds\"", "path = \"gds\"\nnic = \"other-socket\"");
    assert_eq!(
        route(&sealed(&far), "gds", 0),
        "fetch: Storage > Nic: target.read x1, nic1.rx x1\n\
         fetch: Nic > Pcie: nic1.pcie.up x1, root_complex.gpu0.to_gpu x1, root_complex.across.1to0 x1\n\
         fetch: Pcie > Hbm: switch0.pcie.down x1, gpu0.pcie.down x1, gpu0.hbm x1"
    );
}

#[test]
fn a_bounce_touches_memory_three_times_and_is_charged_as_the_files_say() {
    assert_eq!(
        route(&sealed(SMALL), "bounce", 1),
        "fetch: Storage > Nic: target.read x1, nic0.rx x1\n\
         fetch: Nic > KernelBuffer: nic0.pcie.up x1, switch0.pcie.up x1, dram x1\n\
         copy: KernelBuffer > UserBuffer: dram x3\n\
         upload: UserBuffer > Pcie: dram x0\n\
         upload: Pcie > Hbm: switch0.pcie.down x1, gpu1.pcie.down x1, gpu1.hbm x1"
    );
}

#[test]
fn a_staged_copy_from_a_far_nic_crosses_the_sockets_link() {
    let far = with("path = \"bounce\"", "path = \"bounce\"\nnic = \"other-socket\"");
    assert!(
        route(&sealed(&far), "bounce", 2).contains("nic0.pcie.up x1, switch0.pcie.up x1, socket_link.0to1 x1, dram x1")
    );
}

#[test]
fn a_bounce_has_five_hops_and_gds_three() {
    let plan = sealed(SMALL);
    let hops = |work| lane(&plan, work, 0).legs.iter().map(|leg| leg.hops.len()).sum::<usize>();
    assert_eq!((hops("bounce"), hops("gds")), (5, 3));
}

#[test]
fn copies_and_crossings_are_counted_by_legs() {
    let plan = sealed(SMALL);
    let counts: Vec<(&str, u64, u64)> =
        plan.works.iter().map(|work| (work.name.as_str(), work.cpu_copies, work.pcie_crossings)).collect();
    assert_eq!(counts, [("bounce", 2, 2), ("gds", 0, 1)]);
}

#[test]
fn a_gpu_without_a_nic_on_its_socket_uses_the_others() {
    let one = with("nics = 2", "nics = 1");
    assert!(
        route(&sealed(&one), "gds", 3)
            .contains("nic0.pcie.up x1, switch0.pcie.up x1, root_complex.gpu3.to_gpu x1, root_complex.across.0to1")
    );
}

#[test]
fn spread_deals_nics_by_gpu_number() {
    let spread = with("path = \"gds\"", "path = \"gds\"\nnic = \"spread\"");
    let plan = sealed(&spread);
    let nics: Vec<bool> = (0..4).map(|gpu| route(&plan, "gds", gpu).contains("nic1.rx")).collect();
    assert_eq!(nics, [false, true, false, true]);
}

#[test]
fn assumed_rates_and_delays_move_to_their_ends_and_others_stay() {
    let at = |assumed| {
        let plan = sealed_at(SMALL, assumed).expect("the small scenario is fine");
        let media = plan.delays.iter().find(|delay| delay.name == "target.media").map(|delay| delay.time);
        let copy = lane(&plan, "bounce", 0).legs[1].hops[0].crosses[0].charge;
        let to = capacity(&plan, "root_complex.gpu2.to_gpu").rate;
        (to, media, copy, capacity(&plan, "nic1.rx").rate, plan.works[0].threads)
    };
    let nic = Rate(49_000_000_000);
    let us = |us: u64| Some(Time(us * 1_000_000));
    let times = |n: u64| Factor(n * Factor::ONE.0);
    assert_eq!(at(Assumed::Value), (Rate(45_000_000_000), us(10), times(3), nic, 2));
    assert_eq!(at(Assumed::Fast), (Rate(50_000_000_000), us(5), times(2), nic, 2));
    assert_eq!(at(Assumed::Slow), (Rate(20_000_000_000), us(20), times(4), nic, 2));
}

#[test]
fn a_link_gives_what_coding_and_packets_leave_unless_it_was_measured() {
    let plan = sealed(SMALL);
    let down = capacity(&plan, "gpu0.pcie.down");
    assert_eq!((down.rate, down.line_rate), (Rate(25_600_000_000), Some(Rate(32_000_000_000))));
    assert_eq!(capacity(&plan, "gpu0.pcie.up").rate, Rate(20_000_000_000));
}

#[test]
fn striping_is_a_charge_rounded_up_and_another_rate_a_target_of_its_own() {
    let striped = with(
        "path = \"gds\"",
        "path = \"gds\"\ntarget = { rate = \"125 GB/s\", striping_efficiency = 0.6, costs = { media = \"1 us\" } }",
    );
    assert!(route(&sealed(&striped), "gds", 0).contains("target.read x1.666666667"));
    let slower =
        with("path = \"gds\"", "path = \"gds\"\ntarget = { rate = \"60 GB/s\", costs = { media = \"1 us\" } }");
    assert!(route(&sealed(&slower), "gds", 0).contains("target.read (gds) x1"));
}

#[test]
fn a_copy_engine_is_held_with_its_start_as_its_own_service() {
    let plan = sealed(SMALL);
    let upload = &lane(&plan, "bounce", 1).legs[2];
    let pool = upload.holds[0].pool;
    assert_eq!(plan.pools[pool].name, "gpu1.copy_engine.to_gpu");
    let start = &plan.delays[upload.before[0]];
    assert_eq!((start.time, start.service_of), (Time(1_000_000), Some(pool)));
    assert_eq!(upload.own_cap.as_ref().map(|cap| cap.rate), Some(Rate(55_000_000_000)));
}

#[test]
fn a_buffered_call_keeps_its_thread_and_no_core_for_the_whole_request() {
    let deep = sealed(&SMALL.replace("[works.bounce]\n", "[works.bounce]\ndepth = 4\n"));
    let held = |plan: &Plan, work| {
        let holds = lane(plan, work, 0).holds.iter().map(|hold| &plan.pools[hold.pool]);
        holds.map(|pool| (pool.group.clone(), pool.places)).collect::<Vec<_>>()
    };
    let threads = deep.works.iter().find(|work| work.name == "bounce").map_or(0, |work| work.threads);
    assert_eq!(held(&deep, "bounce"), [("calling thread".to_string(), threads)]);
    assert!(held(&sealed(SMALL), "bounce").is_empty(), "one call a thread waits for no thread");
}

#[test]
fn buffers_lie_where_a_leg_ends_in_memory() {
    let plan = sealed(SMALL);
    let rests: Vec<usize> = lane(&plan, "bounce", 0).legs.iter().map(|leg| leg.buffers.len()).collect();
    assert_eq!(rests, [1, 1, 0]);
}

#[test]
fn the_order_of_declarations_changes_nothing_but_positions() {
    let mut shuffled = with("gpus = [2, 3]", "gpus = [3, 2]");
    let gds = shuffled.find("[works.gds]").expect("it is there");
    let bounce = shuffled.find("[works.bounce]").expect("it is there");
    let work = shuffled[gds..bounce].to_string();
    shuffled.replace_range(gds..bounce, "");
    shuffled.push_str(&work);
    let mut plan = sealed(&shuffled);
    assert_eq!(plan.works.iter().map(|work| work.position).collect::<Vec<_>>(), [0, 1]);
    for (work, position) in plan.works.iter_mut().zip([1, 0]) {
        work.position = position;
    }
    assert_eq!(plan, sealed(SMALL));
}

#[test]
fn works_come_by_name_and_wait_by_number() {
    let plan = sealed(SMALL);
    let order: Vec<(&str, usize, Option<usize>)> =
        plan.works.iter().map(|work| (work.name.as_str(), work.position, work.after)).collect();
    assert_eq!(order, [("bounce", 1, Some(1)), ("gds", 0, None)]);
}
