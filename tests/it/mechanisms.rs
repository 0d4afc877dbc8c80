//! What each key of a mechanism does to the sealed plan, and that it does to time what it says.

use engine::units::{Bytes, Rate, Time};
use engine::{Capacity, Each, Leg, Plan, Pool, Traffic};
use hopsim::platform::Assumed;

use crate::plans;
use crate::small::{lane, route, sealed, sealed_at, with};

const GB: u64 = 1_000_000_000;
const US: u64 = 1_000_000;

fn capacity<'a>(plan: &'a Plan, name: &str) -> &'a Capacity {
    plan.capacities.iter().find(|capacity| capacity.name == name).expect("the plan has it")
}

fn pool<'a>(plan: &'a Plan, name: &str) -> &'a Pool {
    plan.pools.iter().find(|pool| pool.name == name).expect("the plan has it")
}

fn bounce(plan: &Plan) -> Vec<Leg> {
    lane(plan, "bounce", 0).legs.clone()
}

/// Seconds of a work.
fn seconds(plan: &Plan, work: &str) -> f64 {
    let position = plan.works.iter().position(|one| one.name == work).expect("the plan has it");
    plans::run(plan).works[position].duration.seconds()
}

/// The small scenario with keys added to a table of it.
fn plus(table: &str, keys: &str) -> String {
    with(&format!("[{table}]\n"), &format!("[{table}]\n{keys}\n"))
}

fn held(plan: &Plan, leg: &Leg) -> Vec<String> {
    leg.held().map(|pool| plan.pools[pool].name.clone()).collect()
}

#[test]
fn soft_memory_knows_who_writes_who_reads_and_who_copies() {
    let law = "soft = { cpu = { value = \"120 GB/s\", low = \"100 GB/s\", high = \"150 GB/s\", source = \"assumed\" }, \
               dma_read = \"370 GB/s\", dma_write = \"850 GB/s\", power = 1.7 }";
    let text = plus("node.dram", law);
    let plan = sealed(&text);
    let base = |assumed| capacity(&sealed_at(&text, assumed).unwrap(), "dram").soft.unwrap().cpu;
    assert_eq!([Assumed::Slow, Assumed::Fast].map(base), [Rate(100 * GB), Rate(150 * GB)]);
    assert!(capacity(&plan, "dram").assumed);
    let dram = plan.capacities.iter().position(|one| one.name == "dram").unwrap();
    let crossings = bounce(&plan).into_iter().flat_map(|leg| leg.hops).flat_map(|hop| hop.crosses);
    let traffic: Vec<Traffic> = crossings.filter(|one| one.capacity == dram).map(|one| one.traffic).collect();
    assert_eq!(traffic, [Traffic::DmaWrite, Traffic::Cpu, Traffic::DmaRead]);
}

#[test]
fn a_copy_into_the_user_buffer_is_charged_by_its_own_figure() {
    let plan = sealed(&plus("node.dram", "cpu_copy_in = 2\ncpu_copy_out = 4"));
    assert!(route(&plan, "bounce", 0).contains("KernelBuffer > UserBuffer: dram x2\n"));
}

#[test]
fn of_buffers_as_large_as_the_cache_half_are_charged_as_resident() {
    // 4 GPUs x 2 threads x 1 MiB.
    let cache = "cache = { size = \"8 MiB\", dma_write = 0, dma_read = 0, cpu_copy_in = 1, cpu_copy_out = 1 }";
    let plan = sealed(&plus("node.dram", cache));
    let route = route(&plan, "bounce", 0);
    assert!(route.contains("KernelBuffer > UserBuffer: dram x2\n"), "{route}");
    assert!(route.contains("Nic > KernelBuffer: nic0.pcie.up x1, switch0.pcie.up x1, dram x0.5"), "{route}");
}

#[test]
fn hot_lines_add_to_the_engine_what_their_rate_takes_longer() {
    let text = with(
        "overhead_to_gpu = \"1 us\"",
        "hot_lines = { rate = \"20 GB/s\", size = \"1 MiB\" }, overhead_to_gpu = \"1 us\"",
    );
    let start = |text: &str| {
        let plan = sealed(text);
        plan.delays[bounce(&plan)[2].before[0]].clone()
    };
    let adds = start(&text).ps(1 << 20) as f64 / 1e6 - 1.0;
    let law = (1u64 << 20) as f64 * (1.0 - (-1.0f64).exp()) * (1.0 / 20e3 - 1.0 / 55e3);
    assert!((adds / law - 1.0).abs() < 1e-6, "{adds} {law}");
    let cold = text.replace("name = \"upload\"", "name = \"upload\"\nhot = false");
    assert_eq!(start(&cold).ps(1 << 20), US);
}

const LOCK: &str = "[[paths.bounce.legs]]\nname = \"submit\"\nmover = \"none\"\n\
                    holds = [{ slot = \"driver lock\", per = \"gpu\" }]\nbefore = [{ what = \"submits\", cost = \"cpu.call\" }]\n\n\
                    [[paths.bounce.legs]]\nname = \"upload\"";

fn locked() -> String {
    with("[[paths.bounce.legs]]\nname = \"upload\"", LOCK)
}

#[test]
fn a_leg_without_hops_holds_its_slot_and_its_steps_are_the_slots_service() {
    let plan = sealed(&locked());
    let submit = &bounce(&plan)[2];
    let lock = submit.holds[0].pool;
    assert_eq!((plan.pools[lock].name.as_str(), plan.pools[lock].places), ("gpu0.driver lock", 1));
    assert_eq!(plan.delays[submit.before[0]].service_of, Some(lock));
    assert!(submit.hops.is_empty());
}

#[test]
fn a_lock_lets_one_through_after_the_other() {
    let slow = locked().replace("costs = { call = \"1 us\" }", "costs = { call = \"1 ms\" }");
    let four = slow.replace("threads = 2", "threads = 4");
    let plan = sealed(&four);
    // 954 requests on 4 GPUs, a millisecond each under a lock per GPU.
    let takes = seconds(&plan, "bounce");
    assert!((0.238..0.245).contains(&takes), "{takes}");
    let report = hopsim::explain::explain(&plan, Some("bounce")).unwrap();
    let told = hopsim::explain::text(&report[0], false, 200);
    assert!(told.contains("takes a place of gpu0.driver lock until the steps of \"submit\" are over"), "{told}");
}

#[test]
fn an_open_file_has_one_slot_where_threads_share_it_and_one_a_thread_else() {
    let inode = "name = \"copy\"\nholds = [{ slot = \"inode lock\", per = \"file\" }]";
    let text = with("name = \"copy\"", inode);
    let apart = sealed(&text);
    assert_eq!(apart.pools[bounce(&apart)[1].holds[0].pool].places, 2, "two threads, two files");
    let shared = text.replace("path = \"bounce\"", "path = \"bounce\"\nfiles = \"one\"");
    let plan = sealed(&shared);
    assert_eq!(held(&plan, &bounce(&plan)[1])[0], "inode lock (bounce)");
    assert_eq!(held(&plan, &lane(&plan, "bounce", 3).legs[1])[0], "inode lock (bounce)");
}

#[test]
fn slots_per_thread_have_a_place_for_each_and_those_of_the_target_are_one() {
    let slots = "name = \"copy\"\nholds = [{ slot = \"turn\", per = \"thread\" }, { slot = \"tokens\", per = \"target\", places = 3 }, \
                 { slot = \"big lock\", per = \"node\" }]";
    let plan = sealed(&with("name = \"copy\"", slots));
    let places: Vec<u64> =
        ["gpu0.turn (bounce)", "target.tokens", "big lock"].map(|name| pool(&plan, name).places).into();
    assert_eq!(places, [2, 3, 1]);
}

#[test]
fn copies_have_a_rate_for_each_way_by_the_size_that_moves() {
    let rates = "copy_rate_in = { by_size = [[\"64 KiB\", \"3 GB/s\"], [\"4 MiB\", \"6 GB/s\", \"5 GB/s\", \"7 GB/s\"]], source = \"assumed\" }";
    let text = plus("node.cpu", rates);
    let rate = |text: &str, assumed| bounce(&sealed_at(text, assumed).unwrap())[1].own_cap.clone().unwrap().rate;
    assert_eq!(rate(&text, Assumed::Value), Rate(5 * GB));
    let parts = text.replace("[paths.bounce]\n", "[paths.bounce]\ncut = { part = \"64 KiB\" }\n");
    assert_eq!(rate(&parts, Assumed::Value), Rate(3 * GB));
    assert!(rate(&text, Assumed::Fast) > Rate(5 * GB) && rate(&text, Assumed::Slow) < Rate(5 * GB));
}

#[test]
fn the_driver_stages_pageable_copies_one_at_a_time_and_copies_once_more() {
    let pageable =
        "pageable = { to_gpu = \"8 GB/s\", from_gpu = \"6 GB/s\", serial_above_to_gpu = \"64 KiB\" }, rate_to_gpu";
    let text = with("rate_to_gpu", pageable).replace("mover = \"copy_engine\"", "mover = \"staging\"");
    let plan = sealed(&text);
    let upload = &bounce(&plan)[2];
    assert_eq!(held(&plan, upload), ["gpu0.staging.to_gpu"]);
    assert_eq!(upload.own_cap.as_ref().map(|cap| (cap.rate, cap.group.as_str())), Some((Rate(8 * GB), "staging")));
    assert!(route(&plan, "bounce", 0).contains("UserBuffer > Pcie: dram x0, dram x3"));
    assert_eq!(plan.works[0].cpu_copies, 3);
    let small = sealed(&text.replace("size = \"1 MiB\"\nthreads = 2", "size = \"64 KiB\"\nthreads = 2"));
    assert!(held(&small, &bounce(&small)[2]).is_empty());
}

#[test]
fn a_cut_has_parts_pieces_and_helpers() {
    let cut = "[paths.bounce]\ncut = { part = \"1 MiB\", piece = \"8 MiB\", most = 4, helpers = 3, helpers_per = \"node\" }\n";
    let plan =
        sealed(&with("[paths.bounce]\n", cut).replace("size = \"1 MiB\"\nthreads", "size = \"64 MiB\"\nthreads"));
    let cut = &lane(&plan, "bounce", 0).cut;
    assert_eq!((cut.part, cut.piece, cut.pieces(64 << 20)), (Some(Bytes(1 << 20)), Some(Bytes(8 << 20)), 4));
    assert_eq!((pool(&plan, "helpers (bounce)").places, cut.helpers[0].each), (3, Each::One));
    let story = &hopsim::explain::explain(&plan, Some("bounce")).unwrap()[0];
    assert_eq!(story.cut.as_ref().map(|cut| (cut.pieces, cut.parts, cut.part_bytes)), Some((4, 16, 1 << 20)));
}

const DISK: &str = "read_server = { places = 1, service = \"10 us\", rate = \"2 GB/s\" }";

#[test]
fn a_disk_is_a_delay_of_its_own_and_a_server_that_is_held_after_it() {
    let plan = sealed(&plus("target", DISK));
    let fetch = &lane(&plan, "gds", 0).legs[0];
    let server = fetch.served[0];
    assert_eq!((plan.pools[server.hold.pool].name.as_str(), server.keeps), ("target.server.read", true));
    assert_eq!((plan.delays[server.delay].time, fetch.before.len()), (Time(10 * US), 2));
    assert_eq!(fetch.own_cap.as_ref().map(|cap| cap.rate), Some(Rate(2 * GB)));
}

#[test]
fn a_disk_serves_one_after_the_other_while_its_delay_overlaps() {
    let text = plus("target", DISK).replace("path = \"gds\"\n", "path = \"gds\"\nthreads = 8\n");
    // 954 requests: 10 us and 1 MiB at 2 GB/s each; media and call are hidden.
    let takes = seconds(&sealed(&text), "gds");
    let law = 954.0 * 10e-6 + 1e9 / 2e9;
    assert!((takes / law - 1.0).abs() < 0.002, "{takes} {law}");
}

#[test]
fn nobody_passes_the_ceiling_of_a_server_or_a_lock() {
    let disk = sealed(&plus("target", DISK).replace("path = \"gds\"\n", "path = \"gds\"\nthreads = 8\n"));
    let lock = sealed(&locked().replace("costs = { call = \"1 us\" }", "costs = { call = \"1 ms\" }"));
    for (plan, work, by) in [(disk, "gds", "target_server"), (lock, "bounce", "driver lock")] {
        let report = hopsim::report::works(&plan, &plans::run(&plan), &hopsim::report::Recorder::new(plan.works.len()));
        let work = report.iter().find(|one| one.name == work).unwrap();
        assert_eq!((work.ceiling_by.as_str(), work.binding[0].name.as_str()), (by, by));
        let reached = work.throughput_gb_s / work.ceiling_gb_s;
        assert!((0.97..=1.0).contains(&reached), "{by}: {reached}");
    }
}

#[test]
fn a_request_a_node_and_protection_have_figures_of_their_own_at_the_target() {
    let keys =
        "stream_cap = \"3 GB/s\"\nstream_cap_read = \"2 GB/s\"\nclient_cap_read = \"20 GB/s\"\nwrite_overhead = 1.25";
    let plan = sealed(&plus("target", keys));
    let fetch = &lane(&plan, "gds", 0).legs[0];
    assert_eq!(fetch.own_cap.as_ref().map(|cap| (cap.rate, cap.group.as_str())), Some((Rate(2 * GB), "target_stream")));
    assert!(route(&plan, "gds", 0).contains("target.read x1, target.client.read x1, nic0.rx x1"));
    let write = "[paths.gds]\ndirection = \"write\"";
    let turned = plus("target", keys)
        .replace("[paths.gds]\ndirection = \"read\"", write)
        .replace("before = [{ what = \"the call\"", "before = [{ what = \"the same call\"")
        .replace(
            "{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"pcie\" }, { from = \"pcie\", to = \"hbm\" }",
            "{ from = \"hbm\", to = \"pcie\" }, { from = \"pcie\", to = \"nic\" }, { from = \"nic\", to = \"storage\" }",
        );
    let plan = sealed(&turned);
    assert!(route(&plan, "gds", 0).contains("target.write x1.25"), "{}", route(&plan, "gds", 0));
    assert_eq!(lane(&plan, "gds", 0).legs[0].own_cap.as_ref().map(|cap| cap.rate), Some(Rate(3 * GB)));
}

#[test]
fn a_work_that_meets_another_server_has_one_of_its_own() {
    let own = format!(
        "{DISK}\n[works.gds.target]\nrate = \"125 GB/s\"\ncosts = {{ media = \"1 us\" }}\nread_server = {{ places = 8, service = \"1 us\", rate = \"2 GB/s\" }}\n"
    );
    let text = plus("target", DISK);
    let own = own.trim_start_matches(DISK);
    let plan = sealed(&text.replace("[works.bounce]", &format!("{own}\n[works.bounce]")));
    let names = ["gds", "bounce"].map(|work| held(&plan, &lane(&plan, work, 0).legs[0]));
    assert_eq!(names, [["target.server.read (gds)"], ["target.server.read"]]);
}

/// The small scenario without NICs: drives on the GPUs' socket.
fn local() -> String {
    let text = plus("target", "link = { raw = \"32 GB/s\" }")
        .replace("nics = 2\n", "")
        .replace("nics = [1]\n", "")
        .replace("nics = [0]\n", "")
        .replace(
            "{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"pcie\" }",
            "{ from = \"storage\", to = \"pcie\" }",
        )
        .replace(
            "{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"kernel buffer\" }",
            "{ from = \"storage\", to = \"pcie\" }, { from = \"pcie\", to = \"kernel buffer\" }",
        )
        .replace("mover = \"nic\"", "mover = \"drive\"");
    let (from, to) = (text.find("[node.nic]").unwrap(), text.find("[node.cpu]").unwrap());
    format!("{}{}", &text[..from], &text[to..])
}

#[test]
fn local_drives_cross_their_link_and_no_nic() {
    let plan = sealed(&local());
    assert_eq!(
        route(&plan, "gds", 2),
        "fetch: Storage > Pcie: target.read x1, target.link.up x1, root_complex.gpu2.to_gpu x1\nfetch: Pcie > Hbm: gpu2.pcie.down x1, gpu2.hbm x1"
    );
    assert!(route(&plan, "bounce", 2).contains("fetch: Pcie > KernelBuffer: dram x1\n"));
    assert_eq!(plan.works.iter().map(|work| work.pcie_crossings).collect::<Vec<_>>(), [2, 1]);
    assert!(seconds(&plan, "gds") > 0.031, "at most 32 GB/s");
}

#[test]
fn a_step_takes_its_cost_and_what_the_size_adds() {
    let table = "costs_by_size = { call = { points = [[\"4 KiB\", \"1 us\"], [\"1 MiB\", \"21 us\"]] }, reap = { points = [[\"1 B\", \"2 us\"]] } }";
    let text = plus("node.cpu", table)
        .replace("{ what = \"media\", cost = \"target.media\" }", "{ what = \"reaps\", cost = \"cpu.reap\" }");
    let plan = sealed(&text);
    let before: Vec<u64> =
        lane(&plan, "gds", 0).legs[0].before.iter().map(|&one| plan.delays[one].ps(1 << 20)).collect();
    assert_eq!(before, [22 * US, 2 * US]);
}

#[test]
fn both_directions_cross_one_more_capacity() {
    let text = plus("node.gpu", "both_directions = \"96 GB/s\"")
        .replace("[node.nic]\n", "[node.nic]\nboth_directions = \"90 GB/s\"\n");
    let plan = sealed(&text);
    assert!(route(&plan, "gds", 0).contains("nic0.rx x1, nic0.both x1"));
    assert!(route(&plan, "bounce", 0).contains("gpu0.pcie.down x1, gpu0.pcie.both x1, gpu0.hbm x1"));
    assert_eq!(capacity(&plan, "gpu0.pcie.both").rate, Rate(96 * GB));
}

#[test]
fn a_queue_pair_takes_one_message_after_another_and_lets_their_bytes_overlap() {
    let text = plus("node.nic", "message_service = \"100 us\"\nstream_cap = \"3 GB/s\"")
        .replace("path = \"gds\"\n", "path = \"gds\"\nthreads = 8\n");
    let plan = sealed(&text);
    let fetch = &lane(&plan, "gds", 0).legs[0];
    assert_eq!(
        (plan.pools[fetch.served[0].hold.pool].name.as_str(), fetch.served[0].keeps),
        ("nic0.queue_pair", false)
    );
    assert_eq!(fetch.own_cap.as_ref().map(|cap| cap.group.as_str()), Some("nic_stream"));
    // 954 messages on two NICs, 100 us each.
    let takes = seconds(&plan, "gds");
    assert!((takes / 0.0477 - 1.0).abs() < 0.02, "{takes}");
}

#[test]
fn a_path_may_begin_in_the_page_cache() {
    let text = with(
        "hops = [{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"kernel buffer\" }]",
        "hops = [{ from = \"kernel buffer\", to = \"user buffer\" }]",
    )
    .replace(
        "name = \"fetch\"\nmover = \"nic\"\nhops = [{ from = \"kernel",
        "name = \"fetch\"\nmover = \"cpu\"\nhops = [{ from = \"kernel",
    );
    let from = text.find("[[paths.bounce.legs]]\nname = \"copy\"").unwrap();
    let to = text.find("[[paths.bounce.legs]]\nname = \"upload\"").unwrap();
    let plan = sealed(&format!("{}{}", &text[..from], &text[to..]));
    assert!(route(&plan, "bounce", 0).starts_with("fetch: KernelBuffer > UserBuffer: dram x3\n"));
}
