//! What is refused when a scenario is sealed, each with its whole message.

use hopsim::error::render;
use hopsim::platform::Assumed;

use crate::small::{SMALL, sealed_at, with};

/// The whole message.
fn refusal(text: &str) -> String {
    let sealed = sealed_at(text, Assumed::Value).map(|_| "was not refused".to_string());
    sealed.unwrap_or_else(|fault| render(&fault, false, 100))
}

/// Tests named by what is refused: the small scenario with one text replaced by another.
macro_rules! refused {
    ($($name:ident: $old:expr => $new:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(refusal(&with($old, $new)));
        })*
    };
}

refused! {
    a_rate_of_zero: r#"rate = "125 GB/s""# => r#"rate = "0 GB/s""#;
    a_rate_whose_low_end_is_zero: r#"low = "20 GB/s""# => r#"low = "0 GB/s""#;
    services_that_vary_by_more_than_their_mean: "spread = 0" => "spread = 7";
    a_node_without_gpus_in_use: "gpus = 4" => "gpus = 0";
    a_size_of_zero: r#"size = "1 MiB""# => r#"size = "0 B""#;
    an_amount_of_zero: r#"bytes = "1 GB""# => r#"bytes = "0 GB""#;
    more_gpus_than_are_attached: "gpus = 4" => "gpus = 5";
    more_nics_than_are_attached: "nics = 2" => "nics = 3";
    a_gpu_listed_twice: "gpus = [2, 3]" => "gpus = [2, 1]";
    a_drive_listed_twice: "gpus = [2, 3]" => "gpus = [2, 3]\ndrives = [0, 0]";
    more_drives_than_are_attached: "gpus = 4" => "gpus = 4\ndrives = 1";
    a_dirty_ratio_above_one: r#"memory = "1 TB""# => "memory = \"1 TB\"\npage_cache = { dirty_ratio = 1.5 }";
    a_write_back_of_what_is_in_no_kernel_buffer: "mover = \"copy_engine\"" => "mover = \"copy_engine\"\nwrite_back = true";
    a_write_back_with_steps: "direction = \"read\"\nmethod = \"gds\"\n\n[[paths.gds.legs]]\nname = \"fetch\"\nmover = \"nic\"\n\
         before = [{ what = \"the call\", cost = \"cpu.call\" }, { what = \"media\", cost = \"target.media\" }]\n"
        => "direction = \"write\"\nmethod = \"bounce\"\n\n[[paths.gds.legs]]\nname = \"copy\"\nmover = \"cpu\"\n\
            hops = [{ from = \"user buffer\", to = \"kernel buffer\" }]\n\n[[paths.gds.legs]]\nname = \"fetch\"\nmover = \"nic\"\n\
            write_back = true\nhops = [{ from = \"kernel buffer\", to = \"nic\" }, { from = \"nic\", to = \"storage\" }]\n\
            after = [{ what = \"media\", cost = \"target.media\" }]\n#";
    a_gpu_under_no_socket: "gpus = [2, 3]" => "gpus = [2, 7]";
    a_switch_that_leads_nowhere: "socket = 0" => "socket = 2";
    a_hop_that_touches_nothing: r#"{ from = "kernel buffer", to = "user buffer" }"#
        => r#"{ from = "kernel buffer", to = "kernel buffer" }"#;
    a_hop_without_a_way: r#"{ from = "storage", to = "nic" }, { from = "nic", to = "pcie" }, { from = "pcie", to = "hbm" }"#
        => r#"{ from = "storage", to = "nic" }, { from = "nic", to = "pcie" }, { from = "pcie", to = "nic" }, { from = "nic", to = "hbm" }"#;
    a_hop_past_the_nic: r#"{ from = "storage", to = "nic" }, { from = "nic", to = "pcie" }, { from = "pcie", to = "hbm" }"#
        => r#"{ from = "storage", to = "hbm" }"#;
    hops_that_do_not_meet: r#"{ from = "nic", to = "pcie" }"# => r#"{ from = "user buffer", to = "pcie" }"#;
    legs_that_do_not_meet: r#"{ from = "kernel buffer", to = "user buffer" }"#
        => r#"{ from = "user buffer", to = "kernel buffer" }"#;
    a_leg_that_ends_where_bytes_cannot_rest: r#"to = "nic" }, { from = "nic", to = "kernel buffer" }]"#
        => "to = \"nic\" }]\n\n[[paths.bounce.legs]]\nname = \"land\"\nmover = \"nic\"\nhops = [{ from = \"nic\", to = \"kernel buffer\" }]";
    a_read_that_ends_elsewhere: r#"direction = "read""# => r#"direction = "write""#;
    a_leg_without_hops: r#"hops = [{ from = "kernel buffer", to = "user buffer" }]"# => "hops = []";
    a_mover_without_hops: "name = \"upload\""
        => "name = \"submit\"\nmover = \"cpu\"\nbefore = [{ what = \"calls\", cost = \"cpu.call\" }]\n\n[[paths.bounce.legs]]\nname = \"upload\"";
    a_slot_taken_twice: r#"mover = "cpu""#
        => "mover = \"cpu\"\nholds = [{ slot = \"lock\", per = \"gpu\" }, { slot = \"lock\", per = \"gpu\" }]";
    hops_that_nobody_moves: r#"mover = "cpu""# => r#"mover = "none""#;
    a_path_that_ends_at_the_nic: r#", { from = "nic", to = "pcie" }, { from = "pcie", to = "hbm" }]"# => "]";
    a_slot_without_a_name: r#"mover = "cpu""# => "mover = \"cpu\"\nholds = [{ slot = \"\", per = \"gpu\" }]";
    a_slot_without_places: r#"mover = "cpu""# => "mover = \"cpu\"\nholds = [{ slot = \"lock\", per = \"gpu\", places = 0 }]";
    a_slot_of_two_minds: "mover = \"nic\"\nhops = [{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"kernel"
        => "mover = \"nic\"\nholds = [{ slot = \"lock\", per = \"gpu\" }]\nafter = [{ what = \"calls\", cost = \"cpu.call\" }]\n\
            hops = [{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"kernel buffer\" }]\n\n[[paths.bounce.legs]]\n\
            name = \"wait\"\nmover = \"none\"\nholds = [{ slot = \"lock\", per = \"gpu\", places = 2 }]\n\
            before = [{ what = \"calls\", cost = \"cpu.call\" }]\n#";
    a_slot_per_moon: r#"mover = "cpu""# => "mover = \"cpu\"\nholds = [{ slot = \"lock\", per = \"moon\" }]";
    helpers_without_pieces: "[paths.bounce]\n" => "[paths.bounce]\ncut = { part = \"1 MiB\", helpers = 4 }\n";
    parts_of_nothing: "[paths.bounce]\n" => "[paths.bounce]\ncut = { part = \"0 B\" }\n";
    a_table_whose_sizes_do_not_ascend: r#"copy_rate = "10 GB/s""#
        => r#"copy_rate = { by_size = [["1 MiB", "5 GB/s"], ["4 KiB", "3 GB/s"]] }"#;
    a_table_without_points: r#"copy_rate = "10 GB/s""# => r#"copy_rate = { by_size = [] }"#;
    a_table_with_ends_of_its_own: r#"copy_rate = "10 GB/s""#
        => r#"copy_rate = { by_size = [["4 KiB", "3 GB/s"]], low = "2 GB/s" }"#;
    a_point_without_a_value: r#"copy_rate = "10 GB/s""# => r#"copy_rate = { by_size = [["4 KiB"]] }"#;
    a_table_that_stands_still: r#"copy_rate = "10 GB/s""# => r#"copy_rate = { by_size = [["4 KiB", "0 GB/s"]] }"#;
    costs_by_size_without_a_unit: r#"costs = { call = "1 us" }"#
        => r#"costs_by_size = { call = { points = [["4 KiB", 3]] } }"#;
    soft_memory_without_a_bend: r#"memory = "1 TB""#
        => "soft = { cpu = \"120 GB/s\", dma_read = \"370 GB/s\", dma_write = \"850 GB/s\", power = 0 }";
    a_cache_of_nothing: r#"memory = "1 TB""#
        => "cache = { size = \"0 B\", dma_write = 0, dma_read = 0, cpu_copy_in = 1, cpu_copy_out = 1 }";
    a_server_without_places: r#"rate = "125 GB/s""#
        => "rate = \"125 GB/s\"\nread_server = { places = 0, service = \"10 us\", rate = \"2 GB/s\" }";
    protection_that_saves_bytes: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\nwrite_overhead = 0.8";
    files_of_another_kind: r#"path = "bounce""# => "path = \"bounce\"\nfiles = \"two\"";
    a_mover_that_cannot_reach_its_hops: r#"mover = "cpu""# => r#"mover = "copy_engine""#;
    a_step_of_no_part: r#"cost = "cpu.call""# => r#"cost = "disk.call""#;
    a_step_with_an_unknown_cost: r#"cost = "cpu.call""# => r#"cost = "cpu.cal""#;
    a_step_of_a_fabric_that_is_not_there: r#"cost = "cpu.call""# => r#"cost = "fabric.one_way""#;
    a_path_that_is_not_there: r#"path = "gds""# => r#"path = "gsd""#;
    two_amounts: r#"bytes = "1 GB""# => "bytes = \"1 GB\"\nrequests = 10";
    no_amount: "bytes = \"1 GB\"\n" => "";
    a_warm_up_without_a_run_time: r#"bytes = "1 GB""# => "bytes = \"1 GB\"\nwarm_up = \"1 s\"";
    a_warm_up_as_long_as_the_run: r#"bytes = "1 GB""# => "run_time = \"1 s\"\nwarm_up = \"1 s\"";
    an_efficiency_above_one: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\nstriping_efficiency = 1.25";
    an_efficiency_of_zero: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\nstriping_efficiency = 0";
    a_low_end_above_the_value: r#"low = "20 GB/s""# => r#"low = "46 GB/s""#;
    a_high_end_below_the_value: r#"high = "50 GB/s""# => r#"high = "44 GB/s""#;
    too_many_requests_in_flight: "threads = 2" => "threads = 1000000\ndepth = 2";
    requests_in_flight_that_overflow: "threads = 2" => "threads = \"9000000000000000000\"\ndepth = 4";
    arrivals_together_with_depth: "threads = 2" => "depth = 2\narrivals = { rate = \"100 /s\" }";
    a_request_larger_than_memory: "size = \"1 MiB\"\nthreads = 2" => "size = \"2 TB\"";
    more_bytes_than_can_be_counted: "bytes = \"1 GB\"\nsize = \"1 MiB\"\nthreads = 2" => "bytes = \"18000 PB\"\nsize = \"1 MiB\"";
    a_run_beyond_the_clock: r#"rate = "125 GB/s""# => r#"rate = "10 B/s""#;
    a_name_with_a_dot: "[works.gds]" => "[works.\"gds.1\"]";
    a_name_with_a_star: "[works.gds]" => "[works.\"gds*\"]";
    a_work_after_one_that_is_not_there: r#"after = "gds""# => r#"after = "gdx""#;
    a_work_after_itself: r#"after = "gds""# => r#"after = "bounce""#;
    commands_of_nothing: "[paths.bounce]\n" => "[paths.bounce]\ncommand = \"0 B\"\n";
    capsules_of_nothing: "[paths.bounce]\n" => "[paths.bounce]\ninline = \"0 B\"\n";
    a_slot_of_commands_that_are_not_cut: r#"mover = "cpu""#
        => "mover = \"cpu\"\nholds = [{ slot = \"queue\", per = \"gpu\", each = \"command\" }]";
    a_step_of_commands_that_are_not_cut: r#"cost = "cpu.call" }"# => r#"cost = "cpu.call", each = "command" }"#;
    a_slot_taken_for_each_packet: r#"mover = "cpu""#
        => "mover = \"cpu\"\nholds = [{ slot = \"queue\", per = \"gpu\", each = \"packet\" }]";
    a_slot_held_until_tomorrow: r#"mover = "cpu""#
        => "mover = \"cpu\"\nholds = [{ slot = \"queue\", per = \"gpu\", until = \"tomorrow\" }]";
    a_step_left_out_of_capsules_that_are_not_there: r#"cost = "cpu.call" }"#
        => r#"cost = "cpu.call", unless_inline = true }"#;
    a_slot_of_a_nic_far_from_it: r#"mover = "cpu""# => "mover = \"cpu\"\nholds = [{ slot = \"queue\", per = \"queue pair\" }]";
    a_step_for_a_completion_that_nobody_knows: r#"cost = "cpu.call" }"# => r#"cost = "cpu.call", when = "signal" }"#;
    a_completion_that_nobody_knows: r#"path = "gds""# => "path = \"gds\"\ncompletion = \"signal\"";
    polling_where_no_step_polls: r#"path = "gds""# => "path = \"gds\"\ncompletion = \"poll\"";
    a_session_that_costs_nothing_known: "[paths.gds]\n"
        => "[paths.gds]\nsession = [{ what = \"opens the driver\", cost = \"cpu.driver_opens\" }]\n";
    a_session_per_moon: "[paths.gds]\n"
        => "[paths.gds]\nsession = [{ what = \"opens the driver\", cost = \"cpu.call\", per = \"moon\" }]\n";
    a_session_that_is_a_number: r#"path = "gds""# => "path = \"gds\"\nsession = 2";
    works_that_wait_in_a_ring: r#"path = "gds""# => "path = \"gds\"\nafter = \"bounce\"";
    a_rule_that_names_an_unknown_capability: r#"method = "gds""# => "method = \"gds\"\nrequires = [\"nvidia_fs\", \"tcp\"]";
    a_companion_that_is_not_there: r#"method = "gds""# => "method = \"gds\"\ncompat = \"compat-red\"";
    a_companion_that_leads_elsewhere: r#"method = "gds""# => "method = \"gds\"\ncompat = \"gds-write\"";
    a_transport_that_the_target_does_not_speak: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\ntransport = \"tcp\"\nspeaks = [\"rdma\"]";
    a_transport_that_nobody_knows: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\ntransport = \"fibre channel\"";
    a_path_of_another_transport_than_the_targets: r#"method = "gds""# => "method = \"gds\"\ntransport = \"tcp\"";
    a_path_through_a_nic_to_drives_in_the_node: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\ntransport = \"local\"";
    a_stripe_wider_than_the_target: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\ndevices = 4\nstripe = { width = 8, unit = \"1 MiB\" }";
    a_stripe_over_devices_that_nobody_counted: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\nstripe = { width = 8, unit = \"1 MiB\" }";
    a_stripe_of_nothing: r#"rate = "125 GB/s""# => "rate = \"125 GB/s\"\ndevices = 4\nstripe = { width = 2, unit = \"0 B\" }";
    a_gpu_that_is_not_there: r#"path = "gds""# => "path = \"gds\"\ngpus = [1, 4]";
    a_gpu_named_twice: r#"path = "gds""# => "path = \"gds\"\ngpus = [1, 1]";
    a_work_on_no_gpu: r#"path = "gds""# => "path = \"gds\"\ngpus = []";
    a_gpu_that_trained_down_and_is_not_there: "gpus = 4" => "gpus = 4\ntrained_down = [{ gpu = 4, lanes = 8 }]";
    a_link_that_trained_down_of_no_device: "gpus = 4" => "gpus = 4\ntrained_down = [{ lanes = 8 }]";
    a_link_that_trained_to_more_lanes_than_it_has: "gpus = 4" => "gpus = 4\ntrained_down = [{ nic = 0, lanes = 32 }]";
    a_link_wider_than_its_lanes: r#"link = { raw = "64 GB/s", encoding = 0.5"# => r#"link = { raw = "64 GB/s", width = 32, encoding = 0.5"#;
    software_that_nobody_knows: "gpus = 4" => "gpus = 4\nsoftware = { nvidiafs = true }";
    a_compatibility_mode_that_nobody_knows: "gpus = 4" => "gpus = 4\nsoftware = { compat = \"maybe\" }";
    a_work_that_is_not_eligible_where_nothing_else_is_allowed: "gpus = 4" => "gpus = 4\nsoftware = { nvidia_fs = false, compat = \"off\" }";
    a_work_that_is_not_eligible_on_a_path_that_names_no_other: "gpus = 4" => "gpus = 4\nsoftware = { nvidia_fs = false }";
    routing_by_a_path_that_has_none: "gpus = 4" => "gpus = 4\nsoftware = { routing = \"system-memory\" }";
}

#[test]
fn a_scenario_without_works() {
    let works = SMALL.find("[works.gds]").zip(SMALL.find("[paths.gds]"));
    let text = works.map(|(from, to)| format!("{}{}", &SMALL[..from], &SMALL[to..])).unwrap_or_default();
    insta::assert_snapshot!(refusal(&text));
}

#[test]
fn nics_of_no_model() {
    let nic = SMALL.find("[node.nic]").zip(SMALL.find("[node.cpu]"));
    let text = nic.map(|(from, to)| format!("{}{}", &SMALL[..from], &SMALL[to..])).unwrap_or_default();
    insta::assert_snapshot!(refusal(&text));
}

#[test]
fn a_choice_that_leaves_a_gpu_without_a_nic() {
    let text = with("nics = 2", "nics = 1").replacen("path = \"gds\"", "path = \"gds\"\nnic = \"other-socket\"", 1);
    insta::assert_snapshot!(refusal(&text));
}
