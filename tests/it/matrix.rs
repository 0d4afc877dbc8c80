//! Everything that ships runs with everything: each node, target and path answers, or one line says why physics forbids it.

use std::sync::Arc;

use engine::{Mode, Nobody};
use hopsim::error::Fault;
use hopsim::format::{FileKind, Scenario};
use hopsim::platform::{Assumed, Library, Loaded, load_text, seal};
use rayon::prelude::*;

/// Why bytes cannot go a way at all, in the words of the refusal.
const PHYSICS: [&str; 5] = [
    "the node has no storage NIC",
    " speaks ",
    "no NIC reaches HBM",
    "does no GPUDirect Storage here",
    // Of paths that are only taken where GPUDirect Storage is possible, on a GPU that it does not serve.
    "nvidia-fs: the module is not loaded",
];

fn names(kind: FileKind) -> Vec<String> {
    Library::default().list(kind, None).unwrap().into_iter().map(|entry| entry.name).collect()
}

/// A node and a target with a work on every path.
fn ground(node: &str, target: &str, paths: &[String]) -> Result<Loaded, Fault> {
    let head = format!("schema = 1\nnode = {{ model = \"{node}\" }}\ntarget = {{ model = \"{target}\" }}\n");
    let work = |path| format!("[works.{path}]\npath = \"{path}\"\nbytes = \"64 MiB\"\nsize = \"1 MiB\"\nthreads = 2\n");
    let works: String = paths.iter().map(work).collect();
    load_text("matrix", &format!("{head}{works}"), &Library::default(), &[])
}

/// The scenario with one of its works alone.
fn only(scenario: &Scenario, path: &str) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.works.retain(|name, _| name == path);
    scenario
}

/// Why a path gives no answer, if it gives none.
fn refusal(loaded: &Loaded, path: &str) -> Option<String> {
    let plan = match seal(&only(&loaded.scenario, path), &loaded.sources, Assumed::Value) {
        Ok(plan) => plan,
        Err(fault) => return Some(fault.message().to_string()),
    };
    let stuck = engine::run(&Arc::new(plan), Mode::Fluid, Nobody).err()?;
    Some(format!("{stuck:?}"))
}

/// Refusals of all paths between a node and a target that physics does not explain.
fn unexplained(node: &str, target: &str, paths: &[String]) -> Vec<String> {
    let loaded = match ground(node, target, paths) {
        Ok(loaded) => loaded,
        Err(fault) => return vec![format!("{node} and {target}: {}", fault.message())],
    };
    let refused = paths.iter().filter_map(|path| Some((path, refusal(&loaded, path)?)));
    let unexplained = refused.filter(|(_, why)| !PHYSICS.iter().any(|reason| why.contains(reason)));
    unexplained.map(|(path, why)| format!("{node} and {target} by {path}: {why}")).collect()
}

#[test]
fn every_node_runs_every_path_to_every_target_or_physics_says_why_not() {
    let (nodes, targets, paths) = (names(FileKind::Node), names(FileKind::Target), names(FileKind::Path));
    let grounds: Vec<(&String, &String)> =
        nodes.iter().flat_map(|node| targets.iter().map(move |target| (node, target))).collect();
    let unexplained: Vec<String> =
        grounds.par_iter().flat_map_iter(|(node, target)| unexplained(node, target, &paths)).collect();
    assert_eq!(unexplained, Vec::<String>::new());
}
