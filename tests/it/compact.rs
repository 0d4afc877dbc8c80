//! Clusters in stream mode: one node of each kind is sealed, and fares as all of them listed do.

use std::sync::Arc;

use engine::{Copies, Mode, Nobody, Outcome, Plan};
use hopsim::error::render;
use hopsim::platform::{Assumed, Edit, Library, Loaded, load_text, seal, seal_compact};

/// Eight nodes of a DGX H100 before a target of data nodes.
const EIGHT: &str = include_str!("../fixtures/eight-nodes.toml");

/// Edits that set nodes apart in one way or another.
const CASES: &[&[&str]] = &[
    &[],
    &["cluster.nodes=128", "target.data_nodes.count=64"],
    &["cluster.nodes=5", "target.data_nodes.count=12", "target.striping.width=3"],
    &["target.striping.imbalance=1.5"],
    &["fabric.nodes_a_leaf=3", "fabric.leaf_uplink=20 GB/s"],
    &["works.*.shares=[3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"],
    &["works.gds.gpus=[0, 1, 5]", "works.*.bytes=33333333333 B"],
];

const JOBS: &str = "[cluster.background.one]\non = \"node3.nic0.tx\"\nrate = \"20 GB/s\"\n\n\
                    [cluster.background.two]\non = \"data_node1.*\"\nrate = \"5 GB/s\"\n\n[node]";

fn loaded(text: &str, edits: &[&str]) -> Loaded {
    let edits: Vec<Edit> = edits.iter().map(|edit| edit.parse().unwrap()).collect();
    load_text("eight-nodes.toml", text, &Library::default(), &edits)
        .unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100)))
}

fn both(loaded: &Loaded) -> [Plan; 2] {
    let (scenario, sources) = (&loaded.scenario, &loaded.sources);
    let plans = [seal(scenario, sources, Assumed::Value), seal_compact(scenario, sources, Assumed::Value)];
    plans.map(|plan| plan.unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100))))
}

fn stream(plan: &Plan) -> Outcome {
    engine::run(&Arc::new(plan.clone()), Mode::Fluid, Nobody).expect("the plan runs to its end").0
}

/// Bytes over all capacities of a kind, and seconds of the fullest.
fn loads(plan: &Plan, outcome: &Outcome) -> Vec<f64> {
    let of_work = |(work, out): (&engine::Work, &engine::WorkOutcome)| {
        let charged = engine::bounds::charged_bytes(plan, work, &out.lane_bytes);
        let all: f64 =
            charged.iter().map(|(&capacity, bytes)| bytes * plan.capacity_copies(capacity).count() as f64).sum();
        let floors = charged.iter().map(|(&capacity, bytes)| bytes / plan.capacities[capacity].rate.0 as f64);
        let ceiling = engine::bounds::ceiling(plan, work, out).map_or(0.0, |limit| limit.bytes_per_s);
        let spent: f64 = out.spent.iter().map(|s| (s.line + s.setup + s.moving) as f64 / 1e12).sum();
        [out.duration.seconds(), out.bytes.0 as f64, all, floors.fold(0.0, f64::max), ceiling, spent]
    };
    plan.works.iter().zip(&outcome.works).flat_map(of_work).collect()
}

#[track_caller]
fn fare_alike(text: &str, edits: &[&str]) {
    let plans = both(&loaded(text, edits));
    let [listed, compact] = plans.each_ref().map(|plan| loads(plan, &stream(plan)));
    let alike = listed.iter().zip(&compact).all(|(a, b)| (a / b - 1.0).abs() < 1e-6);
    assert!(alike, "{edits:?}\n{listed:?}\n{compact:?}");
    assert_eq!(plans[0].works[0].lane_count(), plans[1].works[0].lane_count());
}

#[test]
fn one_node_of_each_kind_fares_as_all_of_them_listed() {
    CASES.iter().for_each(|edits| fare_alike(EIGHT, edits));
}

#[test]
fn what_other_jobs_take_of_one_node_sets_it_apart() {
    let text = EIGHT.replacen("[node]", JOBS, 1);
    fare_alike(&text, &[]);
    let compact = &both(&loaded(&text, &[]))[1];
    let nodes = compact.works[0].lanes.iter().map(|lane| lane.node).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(nodes.into_iter().collect::<Vec<_>>(), [0, 3]);
}

#[test]
fn requests_that_do_not_divide_go_to_the_first_lanes() {
    let text = EIGHT.replace("bytes = \"32 GiB\"", "requests = 2571");
    fare_alike(&text, &[]);
    let compact = &both(&loaded(&text, &[]))[1];
    assert_eq!(compact.works[0].of_all_lanes(&compact.works[0].parts), 2571);
}

#[test]
fn a_compact_plan_does_not_grow_with_the_cluster() {
    let [few, many] = ["cluster.nodes=16", "cluster.nodes=4096"].map(|nodes| {
        let loaded = loaded(EIGHT, &[nodes, "target.data_nodes.count=8"]);
        seal_compact(&loaded.scenario, &loaded.sources, Assumed::Value).unwrap()
    });
    assert_eq!((few.capacities.len(), few.works[0].lanes.len()), (many.capacities.len(), many.works[0].lanes.len()));
    let nic = many.capacities.iter().position(|capacity| capacity.name == "node0.nic0.tx").unwrap();
    let media = many.capacities.iter().position(|capacity| capacity.name == "data_node1.media.write").unwrap();
    assert_eq!(many.capacity_copies(nic), Copies::Each(4096));
    assert_eq!(many.capacity_copies(media), Copies::Striped(7));
}

#[test]
fn eighty_thousand_gpus_are_a_plan_of_a_few() {
    let edits = ["cluster.nodes=10000", "works.*.bytes=123416 GiB", "target.data_nodes.count=4000"];
    let loaded = loaded(EIGHT, &edits);
    let plan = seal_compact(&loaded.scenario, &loaded.sources, Assumed::Value).unwrap();
    assert_eq!((plan.works[0].lane_count(), plan.works[0].lanes.len()), (80_000, 8));
    let out = stream(&plan);
    let ceiling = engine::bounds::ceiling(&plan, &plan.works[0], &out.works[0]).unwrap();
    let pace = out.works[0].bytes.0 as f64 / out.works[0].duration.seconds();
    assert!(pace <= ceiling.bytes_per_s && pace > 0.99 * ceiling.bytes_per_s, "{pace} of {}", ceiling.bytes_per_s);
}
