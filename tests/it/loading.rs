//! Scenarios are put together from files, models and edits.

use std::path::PathBuf;

use engine::units::{Bytes, Factor, Rate};
use hopsim::error::Fault;
use hopsim::format::{FileKind, Size, schema};
use hopsim::platform::{Edit, Library, Loaded, load, load_text, whole};

const TWO_WORKS: &str = "tests/fixtures/scenarios/two-works.toml";

fn library() -> Library {
    Library { models: Some(PathBuf::from("tests/fixtures/models")) }
}

fn edits(all: &[&str]) -> Vec<Edit> {
    all.iter().map(|edit| edit.parse().unwrap()).collect()
}

fn edited(all: &[&str]) -> Result<Loaded, Fault> {
    load(TWO_WORKS, &Library::default(), &edits(all))
}

#[test]
fn a_models_keys_come_with_its_name_and_the_keys_beside_it_replace_them() {
    let scenario = edited(&[]).unwrap().scenario;
    assert_eq!(scenario.target.rate.value, Rate(125_000_000_000));
    assert_eq!(scenario.target.striping_efficiency.unwrap().value, Factor(800_000_000));
    assert_eq!(scenario.node.nic.unwrap().link.max_payload.unwrap().value, Bytes(512));
    assert_eq!(scenario.node.gpu.link.max_payload.unwrap().value, Bytes(256));
    assert_eq!(scenario.node.gpu.name.as_deref(), Some("small"));
}

#[test]
fn the_nearest_models_folder_is_found_from_the_scenarios_own() {
    let climbing = load("tests/it/../fixtures/scenarios/two-works.toml", &Library::default(), &[]);
    assert_eq!(climbing.unwrap().resolved, edited(&[]).unwrap().resolved);
}

#[test]
fn works_keep_the_order_of_the_file_and_their_names() {
    let loaded = edited(&[]).unwrap();
    assert_eq!(loaded.scenario.works.keys().collect::<Vec<_>>(), ["later", "earlier"]);
    assert_eq!(loaded.scenario.name.as_deref(), Some("two-works"));
}

#[test]
fn a_works_own_target_is_the_scenarios_with_keys_replaced() {
    let scenario = edited(&["target.rate=40 GB/s"]).unwrap().scenario;
    let target = scenario.works["earlier"].value.target.as_ref().unwrap();
    assert_eq!(target.rate.value, Rate(40_000_000_000));
    assert_eq!(target.striping_efficiency.as_ref().unwrap().value, Factor(500_000_000));
    assert!(scenario.works["later"].value.target.is_none());
}

#[test]
fn an_edit_gives_a_work_a_target_of_its_own() {
    let scenario = edited(&["works.later.target.striping_efficiency=0.25"]).unwrap().scenario;
    let target = scenario.works["later"].value.target.as_ref().unwrap();
    assert_eq!(target.striping_efficiency.as_ref().unwrap().value, Factor(250_000_000));
    assert_eq!(target.rate.value, Rate(125_000_000_000));
    assert_eq!(scenario.target.striping_efficiency.unwrap().value, Factor(800_000_000));
}

#[test]
fn a_star_edits_all_works() {
    let loaded = edited(&["works.*.depth=7", "seed=3"]).unwrap();
    assert!(loaded.scenario.works.values().all(|work| work.value.depth.value == 7));
    assert_eq!(loaded.scenario.seed, 3);
    assert!(loaded.edited);
}

#[test]
fn an_edit_may_name_another_model() {
    let memory = |edit: &str| edited(&[edit]).unwrap().scenario.node.gpu.memory.unwrap().value;
    assert_eq!(memory("node.gpu.model=large"), Bytes(141_000_000_000));
    assert_eq!(memory("node.gpu=large"), Bytes(141_000_000_000));
    assert_eq!(memory("node.gpu={model=\"small\", memory=\"1 GB\"}"), Bytes(1_000_000_000));
    assert_eq!(memory("node.gpu.memory=2 GB"), Bytes(2_000_000_000));
    assert_eq!(edited(&["node.model=pair", "node.gpus=1"]).unwrap().scenario.node.gpus.value, 1);
    assert_eq!(edited(&["works.*.path=gds-read"]).unwrap().scenario.paths.len(), 1);
}

#[test]
fn an_edit_may_name_the_link_of_a_switch() {
    let text = std::fs::read_to_string(TWO_WORKS).unwrap();
    let switch = "node = { model = \"pair\", switches = [{ socket = 0, uplink = \"gen5\", gpus = [0] }] }";
    let text = text.replace("node = \"pair\"", switch);
    let uplink = |edit: &str| {
        let node = load_text("switched", &text, &library(), &edits(&[edit])).unwrap().scenario.node;
        let uplink = node.switches[0].uplink.clone();
        (uplink.name.unwrap(), uplink.max_payload.unwrap().value)
    };
    assert_eq!(uplink("node.switches.0.uplink=gen4"), ("gen4".to_string(), Bytes(128)));
    assert_eq!(uplink("node.switches.*.uplink.model=gen4"), ("gen4".to_string(), Bytes(128)));
    assert_eq!(uplink("node.switches.0.uplink.max_payload=512 B"), ("gen5".to_string(), Bytes(512)));
}

#[test]
fn an_edit_replaces_a_figure_with_its_source() {
    let cpu = edited(&["node.cpu.copy_rate=5 GB/s"]).unwrap().scenario.node.cpu;
    assert!(!cpu.copy_rate.is_assumed());
}

#[test]
fn the_later_of_two_edits_holds() {
    assert_eq!(edited(&["node.gpus=1", "node.gpus=2"]).unwrap().scenario.node.gpus.value, 2);
}

#[test]
fn a_size_may_be_one_a_list_or_drawn() {
    let size = |typed: &str| {
        edited(&[&format!("works.later.size={typed}")]).unwrap().scenario.works["later"].value.size.value.clone()
    };
    assert!(matches!(size("4 KiB"), Size::Fixed(figure) if figure.value == Bytes(4096) && figure.span.start > 0));
    assert!(matches!(size("[\"4 KiB\", \"8 KiB\"]"), Size::Listed(list) if list.len() == 2));
    assert!(matches!(size("{ value = \"4 KiB\", source = \"assumed\" }"), Size::Fixed(figure) if figure.is_assumed()));
    assert!(matches!(size("{ draw = \"exponential\", mean = \"4 KiB\" }"), Size::Exponential { .. }));
    assert!(matches!(size("{ draw = \"uniform\", low = \"1 KiB\", high = \"4 KiB\" }"), Size::Uniform { .. }));
}

#[test]
fn the_resolved_text_loads_to_itself() {
    for edit in [&[][..], &["works.*.depth=3", "node.gpu=large", "works.later.target.rate=1 GB/s"]] {
        let first = edited(edit).unwrap();
        let again = load_text("again", &first.resolved, &Library::default(), &[]).unwrap();
        assert_eq!(again.resolved, first.resolved);
        assert_eq!(again.canonical, first.canonical);
        assert!(!first.resolved.contains("model ="));
    }
}

#[test]
fn the_resolved_text_reads_well() {
    insta::assert_snapshot!(edited(&[]).unwrap().resolved);
}

#[test]
fn the_order_of_works_does_not_change_the_canonical_text() {
    let text = std::fs::read_to_string(TWO_WORKS).unwrap();
    let (head, works) = text.split_once("[works.later]").unwrap();
    let (later, rest) = works.split_once("[works.earlier]").unwrap();
    let (earlier, expect) = rest.split_once("[[expect]]").unwrap();
    let swapped = format!("{head}[works.earlier]{earlier}[works.later]{later}[[expect]]{expect}");
    let loaded = load_text("two-works", &swapped, &library(), &[]).unwrap();
    assert_eq!(loaded.canonical, edited(&[]).unwrap().canonical);
    assert_ne!(loaded.resolved, edited(&[]).unwrap().resolved);
}

#[test]
fn a_library_lists_its_files_with_their_titles() {
    let gpus = library().list(FileKind::Gpu, None).unwrap();
    let small = gpus.iter().find(|entry| entry.name == "small").unwrap();
    assert_eq!(small.title.as_deref(), Some("A small GPU"));
    assert_eq!(small.shown, "tests/fixtures/models/parts/gpu/small.toml");
    assert!(library().list(FileKind::Path, None).unwrap().iter().any(|entry| entry.name == "gds-read"));
    assert!(library().list(FileKind::Scenario, None).unwrap().iter().any(|entry| entry.name == "two-works"));
}

#[test]
fn a_model_is_shown_whole() {
    let large = whole(FileKind::Gpu, "large", &library(), None).unwrap();
    assert!(large.contains("memory = \"141 GB\"") && large.contains("[link]") && !large.contains("model ="));
    assert!(whole(FileKind::Gpu, "small-er", &library(), None).unwrap_err().advice().unwrap().contains("small"));
}

#[test]
fn a_shipped_scenario_needs_no_path() {
    assert_eq!(load("two-works", &library(), &[]).unwrap().resolved, edited(&[]).unwrap().resolved);
}

#[test]
fn the_schema_lets_a_name_stand_for_a_part() {
    let schema = schema(FileKind::Scenario);
    let node = &schema["definitions"]["Node"]["anyOf"];
    assert_eq!(node[0]["type"], "string");
    assert_eq!(node[1]["properties"]["model"]["type"], "string");
    assert_eq!(node[1]["required"], serde_json::Value::Null);
}

#[test]
fn every_kind_of_file_has_a_schema() {
    for kind in FileKind::ALL {
        assert!(schema(kind)["properties"].is_object(), "{kind}");
    }
}

#[test]
fn every_scenario_that_ships_loads_and_its_resolved_text_loads_to_itself() {
    for entry in Library::default().list(FileKind::Scenario, None).unwrap() {
        let first = load(&entry.name, &Library::default(), &[]).unwrap_or_else(|fault| panic!("{fault:?}"));
        let again = load_text(&entry.name, &first.resolved, &Library::default(), &[]).unwrap();
        assert_eq!(again.resolved, first.resolved, "{}", entry.name);
    }
}
