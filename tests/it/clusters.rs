//! What several nodes share in the sealed plan, what each has for itself, and what that does to time.

use engine::Plan;
use engine::units::Rate;
use hopsim::error::render;
use hopsim::platform::Assumed;

use crate::plans;
use crate::small::{SMALL, route, sealed, sealed_at, with};

const GB: u64 = 1_000_000_000;

/// The small scenario with tables before its works.
fn plus(tables: &str) -> String {
    with("[works.gds]", &format!("{tables}\n\n[works.gds]"))
}

fn rate(plan: &Plan, name: &str) -> Option<Rate> {
    plan.capacities.iter().find(|capacity| capacity.name == name).map(|capacity| capacity.rate)
}

fn refusal(text: &str) -> String {
    let sealed = sealed_at(text, Assumed::Value).map(|_| "was not refused".to_string());
    sealed.unwrap_or_else(|fault| render(&fault, false, 100))
}

/// Seconds of the work gds.
fn seconds(text: &str) -> f64 {
    let plan = sealed(text);
    let position = plan.works.iter().position(|work| work.name == "gds").unwrap();
    plans::run(&plan).works[position].duration.seconds()
}

#[test]
fn a_cluster_of_one_node_is_the_node_alone() {
    assert_eq!(sealed(&plus("[cluster]\nnodes = 1")), sealed(SMALL));
    assert_eq!(sealed(&plus("[cluster]")), sealed(SMALL));
}

#[test]
fn each_node_has_its_own_hardware_and_all_share_the_target() {
    let plan = sealed(&plus("[cluster]\nnodes = 3"));
    assert_eq!(plan.works.iter().map(|work| work.lanes.len()).collect::<Vec<_>>(), [12, 12]);
    assert_eq!(
        route(&plan, "bounce", 9),
        "fetch: Storage > Nic: target.read x1, node2.nic0.rx x1\n\
         fetch: Nic > KernelBuffer: node2.nic0.pcie.up x1, node2.switch0.pcie.up x1, node2.dram x1\n\
         copy: KernelBuffer > UserBuffer: node2.dram x3\n\
         upload: UserBuffer > Pcie: node2.dram x0\n\
         upload: Pcie > Hbm: node2.switch0.pcie.down x1, node2.gpu1.pcie.down x1, node2.gpu1.hbm x1"
    );
    let lane = &plan.works[0].lanes[9];
    assert_eq!((lane.node, lane.gpu), (2, 1));
    let pools: Vec<&str> = lane.legs[2].holds.iter().map(|hold| plan.pools[hold.pool].name.as_str()).collect();
    assert_eq!(pools, ["node2.gpu1.copy_engine.to_gpu"]);
    assert_eq!(plan.pools[lane.legs[0].buffers[0].pool].name, "node2.dram.buffers");
}

#[test]
fn uplinks_of_a_leaf_carry_what_its_nics_could_over_the_oversubscription() {
    let plan = sealed(&plus("[cluster]\nnodes = 3\n\n[fabric]\nnodes_a_leaf = 2\noversubscription = 4"));
    // 2 nodes x 2 NICs x 50 GB/s / 4.
    assert_eq!(rate(&plan, "leaf1.uplink.down"), Some(Rate(50 * GB)));
    assert!(route(&plan, "gds", 11).contains("target.read x1, leaf1.uplink.down x1, node2.nic1.rx x1"));
    assert_eq!(rate(&plan, "fabric.down"), None);
    assert_eq!(rate(&plan, "leaf2.uplink.down"), None);
}

#[test]
fn a_leafs_uplinks_bind_where_they_are_the_narrowest() {
    let wide = seconds(&plus("[cluster]\nnodes = 2\n\n[fabric]\nnodes_a_leaf = 1\nleaf_uplink = \"90 GB/s\""));
    let narrow = seconds(&plus("[cluster]\nnodes = 2\n\n[fabric]\nnodes_a_leaf = 1\nleaf_uplink = \"1 GB/s\""));
    assert!(narrow > 0.5 && wide < 0.1, "{narrow} and {wide}");
}

#[test]
fn a_stripe_spreads_a_byte_over_its_data_nodes_and_the_next_gpus_begins_at_the_next() {
    let striped = with(
        "[target]\n",
        "[target]\ndata_nodes = { count = 4, nics = \"25 GB/s\", media_read = \"10 GB/s\" }\nstriping = { width = 2 }\n",
    );
    let plan = sealed(&striped);
    let target = |gpu| route(&plan, "gds", gpu).lines().next().unwrap_or_default().to_string();
    assert_eq!(
        target(1),
        "fetch: Storage > Nic: target.read x1, data_node1.nics.tx x0.5, data_node1.media.read x0.5, \
         data_node2.nics.tx x0.5, data_node2.media.read x0.5, nic0.rx x1"
    );
    assert!(target(3).contains("data_node3.nics.tx x0.5") && target(3).contains("data_node0.nics.tx x0.5"));
}

#[test]
fn the_fullest_data_node_takes_more_than_its_part() {
    let text = "[target]\ndata_nodes = { count = 4, nics = \"25 GB/s\" }\nstriping = { imbalance = 1.6 }\n";
    let plan = sealed(&with("[target]\n", text));
    assert!(route(&plan, "gds", 0).contains("data_node0.nics.tx x0.4, data_node1.nics.tx x0.2"));
}

#[test]
fn a_request_smaller_than_the_stripes_unit_meets_one_data_node_alone() {
    let cap = |unit: &str| {
        let nodes = "data_nodes = { count = 4, nics = \"25 GB/s\", media_read = \"10 GB/s\" }";
        let text = with("[target]\n", &format!("[target]\n{nodes}\nstriping = {{ unit = \"{unit}\" }}\n"));
        let leg = sealed(&text).works[1].lanes[0].legs[0].clone();
        leg.own_cap.map(|cap| (cap.rate, cap.group))
    };
    assert_eq!(cap("1 MiB"), Some((Rate(10 * GB), "data_node".to_string())));
    assert_eq!(cap("512 KiB"), Some((Rate(20 * GB), "data_node".to_string())));
    assert_eq!(cap("64 KiB"), None);
}

#[test]
fn what_a_warm_cache_answers_is_not_read_from_media() {
    let nodes =
        "data_nodes = { count = 2, nics = \"25 GB/s\", media_read = \"10 GB/s\", cache = { read_hits = 0.75 } }";
    let plan = sealed(&with("[target]\n", &format!("[target]\n{nodes}\n")));
    assert!(route(&plan, "gds", 0).contains("data_node0.nics.tx x0.5, data_node0.media.read x0.125"));
}

#[test]
fn what_other_jobs_take_is_not_there_to_share() {
    let background = "[cluster.background.training]\non = \"nic*.rx\"\nrate = \"9 GB/s\"";
    let plan = sealed(&plus(background));
    assert_eq!([rate(&plan, "nic0.rx"), rate(&plan, "nic1.rx")], [Some(Rate(40 * GB)); 2]);
    assert_eq!(rate(&plan, "nic0.tx"), Some(Rate(49 * GB)));
}

#[test]
fn twice_the_nodes_behind_one_target_take_twice_as_long_for_twice_the_bytes() {
    let slow = |nodes: u64, bytes: &str| {
        let text = plus(&format!("[cluster]\nnodes = {nodes}"));
        let text = text.replacen("125 GB/s", "4 GB/s", 1).replacen("bytes = \"1 GB\"", bytes, 1);
        seconds(&text.replacen("size = \"1 MiB\"\n", "size = \"1 MiB\"\ndepth = 4\n", 1))
    };
    let (one, two) = (slow(1, "bytes = \"1 GB\""), slow(2, "bytes = \"2 GB\""));
    assert!((two / one - 2.0).abs() < 0.02, "{one} and {two}");
}

/// Tests named by what is refused: the small scenario with tables before its works.
macro_rules! refused {
    ($($name:ident: $tables:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(refusal(&plus($tables)));
        })*
    };
}

refused! {
    a_cluster_of_no_nodes: "[cluster]\nnodes = 0";
    a_cluster_of_too_many_nodes: "[cluster]\nnodes = 100000";
    half_a_node: "[cluster]\nnodes = 1.5";
    an_unknown_key_of_a_cluster: "[cluster]\nnode = 4";
    a_leaf_without_uplinks: "[fabric]\nnodes_a_leaf = 4";
    uplinks_without_a_leaf: "[fabric]\noversubscription = 2";
    uplinks_told_twice: "[fabric]\nnodes_a_leaf = 4\noversubscription = 2\nleaf_uplink = \"1 TB/s\"";
    background_on_nothing: "[cluster.background.other]\non = \"leaf*.uplink.up\"\nrate = \"1 GB/s\"";
    background_that_takes_all: "[cluster.background.other]\non = \"target.read\"\nrate = \"125 GB/s\"";
    background_without_a_rate: "[cluster.background.other]\non = \"target.read\"";
}

macro_rules! refused_target {
    ($($name:ident: $keys:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(refusal(&with("[target]\n", &format!("[target]\n{}\n", $keys))));
        })*
    };
}

refused_target! {
    a_stripe_over_nothing: "striping = { width = 4 }";
    a_stripe_wider_than_the_target: "data_nodes = { count = 2, nics = \"25 GB/s\" }\nstriping = { width = 4 }";
    an_imbalance_below_one: "data_nodes = { count = 2, nics = \"25 GB/s\" }\nstriping = { imbalance = 0.5 }";
    a_target_of_no_data_nodes: "data_nodes = { count = 0, nics = \"25 GB/s\" }";
    a_stripe_over_devices_of_data_nodes:
        "devices = 2\nstripe = { width = 2, unit = \"1 MiB\" }\ndata_nodes = { count = 2, nics = \"25 GB/s\" }";
    more_hits_than_reads: "data_nodes = { count = 2, nics = \"25 GB/s\", cache = { read_hits = 1.5 } }";
}
