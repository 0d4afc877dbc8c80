//! What local drives carry to a GPU, by where they hang: below its switch, on its socket, on the other one.

use crate::plans;
use crate::small::{route, sealed, with};

/// A GPU of the small node reads four drives, the first two below the GPU's switch, one on a root port of the other socket, and one
/// on a root port of its own; they alone could do 200 GB/s.
fn text(drives: u64, numbers: [&str; 3]) -> String {
    let [switch, own, other] = numbers;
    let text = with(
        "[[node.sockets]]\n\n[[node.sockets]]",
        &format!("[[node.sockets]]\ndrives = [{own}]\n\n[[node.sockets]]\ndrives = [{other}]"),
    )
    .replace("gpus = [0, 1]", &format!("gpus = [0, 1]\ndrives = [{switch}]"))
    .replace("nics = 2\n", &format!("nics = 2\ndrives = {drives}\n"))
    .replace(
        "root_complex_to_gpu",
        "switch_to_gpu = \"52 GB/s\", root_complex_delay = \"1 us\", across_delay = \"2 us\", root_complex_to_gpu",
    )
    .replace("rate_up = \"20 GB/s\"", "rate_up = \"200 GB/s\", rate_down = \"200 GB/s\"")
    .replace("rate = \"125 GB/s\"", "rate = \"200 GB/s\"")
    .replace(
        "uplink = { raw = \"64 GB/s\" }",
        "uplink = { raw = \"64 GB/s\", rate_down = \"64 GB/s\", rate_up = \"64 GB/s\" }",
    );
    let from = text.find("[works.gds]").expect("the works begin there");
    let read = "[works.read]\npath = \"read\"\ngpus = [0]\nbytes = \"1 GB\"\nsize = \"1 MB\"\nthreads = 64\n\
                [paths.read]\ndirection = \"read\"\nmethod = \"gds\"\nrequires = []\n\
                [[paths.read.legs]]\nname = \"fetch\"\nmover = \"drive\"\n\
                hops = [{ from = \"storage\", to = \"pcie\" }, { from = \"pcie\", to = \"hbm\" }]\n";
    format!("{}{read}", &text[..from])
}

fn gb_s(drives: u64, numbers: [&str; 3]) -> f64 {
    1.0 / plans::run(&sealed(&text(drives, numbers))).works[0].duration.seconds()
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.01, "{found} GB/s, by the formula {expected} GB/s");
}

#[test]
fn drives_below_the_gpus_switch_reach_what_peers_reach_there() {
    close(gb_s(2, ["0, 1", "", ""]), 52.0);
}

#[test]
fn drives_on_the_gpus_socket_go_through_its_root_complex() {
    close(gb_s(2, ["", "0, 1", ""]), 45.0);
}

#[test]
fn drives_of_the_other_socket_cross_the_link_between_them() {
    close(gb_s(2, ["", "", "0, 1"]), 22.0);
}

#[test]
fn of_drives_spread_over_both_sockets_the_far_half_sets_the_pace() {
    // Half of every byte crosses: 22 GB/s for a half.
    close(gb_s(4, ["0", "1", "2, 3"]), 44.0);
    // A third of it.
    close(gb_s(3, ["0", "1", "2"]), f64::min(66.0, 52.0 * 3.0));
}

#[test]
fn only_the_drives_in_use_carry_anything() {
    close(gb_s(1, ["0", "1", "2, 3"]), 52.0);
}

#[test]
fn the_way_from_a_far_drive_takes_longer() {
    let delay = |numbers| {
        let plan = sealed(&text(1, numbers));
        let leg = &plan.works[0].lanes[0].legs[0];
        leg.before.iter().map(|&delay| plan.delays[delay].time.0 / 1_000_000).sum::<u64>()
    };
    assert_eq!([["0", "", ""], ["", "0", ""], ["", "", "0"]].map(delay), [0, 1, 3]);
}

#[test]
fn parts_of_a_byte_that_three_drives_carry_are_one_byte_together() {
    let route = route(&sealed(&text(3, ["0", "1", "2"])), "read", 0);
    let charges = route.matches(" x0.333333333").count() + route.matches(" x0.333333334").count();
    assert!(charges >= 3, "{route}");
}

#[test]
fn drives_that_nobody_placed_go_through_a_root_complex() {
    close(gb_s(0, ["", "", ""]), 45.0);
}
