//! The models and scenarios that ship: what they cross, and that each comes out as it expects.

use engine::Plan;
use hopsim::error::{Fault, render};
use hopsim::platform::{Assumed, Library, load, seal};
use hopsim::study::{Options, run};

use crate::small::route;

const SCENARIOS: [&str; 20] = [
    "load-640gb-textbook",
    "checkpoint-140gb-textbook",
    "one-at-a-time-textbook",
    "load-640gb",
    "checkpoint-140gb",
    "random-4k",
    "nvme-tcp",
    "no-nvidia-fs",
    "unaligned",
    "far-socket",
    "same-switch",
    "one-nic",
    "degraded-link",
    "shared-file",
    "registered-or-not",
    "train-and-save",
    "eight-gpus-two-nics",
    "local-raid",
    "page-cache",
    "superpod-node",
];

fn shown<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100)))
}

fn sealed(name: &str) -> Plan {
    let loaded = shown(load(name, &Library::default(), &[]));
    shown(seal(&loaded.scenario, &loaded.sources, Assumed::Value))
}

/// What a run of a scenario says against its expectations, a line each.
fn broken(name: &str) -> Vec<String> {
    let loaded = shown(load(name, &Library::default(), &[]));
    let report = shown(run(&loaded, &Options::default(), None));
    assert!(!report.expectations.is_empty(), "{name} expects nothing");
    let broken = report.expectations.iter().filter(|judged| !judged.holds);
    broken.map(|judged| format!("{}: expected {}, got {}", judged.that, judged.expected, judged.actual)).collect()
}

macro_rules! as_expected {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            assert_eq!(broken($name), Vec::<String>::new());
        })*
    };
}

as_expected! {
    the_textbooks_load_comes_out_as_expected: "load-640gb-textbook";
    the_textbooks_checkpoint_comes_out_as_expected: "checkpoint-140gb-textbook";
    one_at_a_time_comes_out_as_expected: "one-at-a-time-textbook";
    the_measured_load_comes_out_as_expected: "load-640gb";
    the_measured_checkpoint_comes_out_as_expected: "checkpoint-140gb";
    small_random_reads_come_out_as_expected: "random-4k";
    nvme_over_tcp_comes_out_as_expected: "nvme-tcp";
    a_node_without_nvidia_fs_comes_out_as_expected: "no-nvidia-fs";
    unaligned_requests_come_out_as_expected: "unaligned";
    the_far_socket_comes_out_as_expected: "far-socket";
    a_shared_switch_comes_out_as_expected: "same-switch";
    one_nic_for_eight_gpus_comes_out_as_expected: "one-nic";
    a_link_that_trained_down_comes_out_as_expected: "degraded-link";
    a_shared_file_comes_out_as_expected: "shared-file";
    registered_buffers_or_not_come_out_as_expected: "registered-or-not";
    a_training_step_beside_a_checkpoint_comes_out_as_expected: "train-and-save";
    eight_gpus_over_two_nics_come_out_as_expected: "eight-gpus-two-nics";
    drives_in_the_node_come_out_as_expected: "local-raid";
    writes_into_the_page_cache_come_out_as_expected: "page-cache";
    a_node_of_a_superpod_comes_out_as_expected: "superpod-node";
}

#[test]
fn every_shipped_scenario_seals_at_both_ends() {
    for name in SCENARIOS {
        let loaded = shown(load(name, &Library::default(), &[]));
        for end in [Assumed::Fast, Assumed::Slow] {
            shown(seal(&loaded.scenario, &loaded.sources, end));
        }
    }
}

#[test]
fn gds_on_the_textbooks_machine_crosses_links_alone() {
    insta::assert_snapshot!(route(&sealed("load-640gb-textbook"), "gds", 0));
}

#[test]
fn a_bounce_on_the_textbooks_machine_is_charged_twice_in_memory() {
    insta::assert_snapshot!(route(&sealed("load-640gb-textbook"), "bounce", 7));
}

#[test]
fn gds_on_the_measured_machine_crosses_a_root_complex() {
    insta::assert_snapshot!(route(&sealed("load-640gb"), "gds", 7));
}

#[test]
fn a_bounce_on_the_measured_machine_is_charged_five_times_in_memory() {
    insta::assert_snapshot!(route(&sealed("load-640gb"), "bounce", 0));
}

#[test]
fn a_gds_write_goes_the_same_way_back() {
    insta::assert_snapshot!(route(&sealed("checkpoint-140gb"), "gds", 4));
}

#[test]
fn a_buffered_write_downloads_copies_and_sends() {
    insta::assert_snapshot!(route(&sealed("checkpoint-140gb"), "bounce", 4));
}
