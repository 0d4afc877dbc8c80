//! What is wrong with an input is said with its place, what was expected and what to do: the whole message.

use std::fs;
use std::path::PathBuf;

use hopsim::error::{Fault, render};
use hopsim::platform::{Edit, Library, load, load_text};

const GOOD: &str = r#"schema = 1
node = "pair"
target = "plain"

[works.gds]
path = "gds-read"
bytes = "1 GB"
size = "1 MiB"
"#;

fn library() -> Library {
    Library { models: Some(PathBuf::from("tests/fixtures/models")) }
}

fn message(fault: &Fault) -> String {
    render(fault, false, 100)
}

/// The message for a scenario's text.
fn refused(text: &str) -> String {
    message(&load_text("question.toml", text, &library(), &[]).expect_err("this should be refused"))
}

/// The message for the good scenario with a line of it replaced, or one added at its end.
fn refused_with(line: &str, instead: &str) -> String {
    assert!(GOOD.contains(line), "the good scenario has no line {line:?}");
    refused(&GOOD.replace(line, instead))
}

fn refused_edit(edit: &str) -> String {
    let read = edit.parse::<Edit>().and_then(|edit| load_text("question.toml", GOOD, &library(), &[edit]));
    message(&read.expect_err("this should be refused"))
}

macro_rules! golden {
    ($($name:ident: $message:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!($message);
        })*
    };
}

#[test]
fn the_good_scenario_is_good() {
    assert!(load_text("question.toml", GOOD, &library(), &[]).is_ok());
}

golden! {
    an_unknown_key_at_the_top: refused_with("schema = 1", "schema = 1\nsed = 4");
    an_unknown_key_in_a_work: refused_with("size = ", "size = \"1 MiB\"\nbite = ");
    an_unknown_key_in_a_part: refused_with("node = \"pair\"", "node = { model = \"pair\", gpu = { hbm_rate = \"1 TB/s\" } }");
    an_unknown_key_in_a_figure: refused_with("\"1 GB\"", "{ value = \"1 GB\", sauce = \"assumed\" }");
    an_unknown_key_beside_a_model: refused_with("target = \"plain\"", "target = { modle = \"plain\" }");
    a_rate_in_bits_without_a_time: refused_with("target = \"plain\"", "target = { model = \"plain\", rate = \"400 Gb\" }");
    a_wrong_unit_in_a_figures_table: refused_with("\"1 GB\"", "{ value = \"1 Gb\", source = \"assumed\" }");
    a_figure_without_a_unit: refused_with("\"1 GB\"", "1000");
    a_size_without_a_unit: refused_with("\"1 MiB\"", "4096");
    a_missing_key_in_a_work: refused_with("size = \"1 MiB\"\n", "");
    a_missing_key_in_a_model: refused_with("node = \"pair\"", "node = { gpus = 2 }");
    a_missing_target: refused_with("target = \"plain\"\n", "");
    a_missing_schema: refused_with("schema = 1\n", "");
    another_schema: refused_with("schema = 1", "schema = 2");
    a_model_that_does_not_exist: refused_with("node = \"pair\"", "node = \"pear\"");
    a_part_that_does_not_exist: refused_with("node = \"pair\"", "node = { model = \"pair\", gpu = \"h1000\" }");
    a_model_name_that_climbs_folders: refused_with("node = \"pair\"", "node = \"../nodes/pair\"");
    a_wrong_unit_in_a_models_file: refused_with("node = \"pair\"", "node = { model = \"pair\", nic = \"broken\" }");
    an_unknown_key_in_a_models_file: refused_with("node = \"pair\"", "node = { model = \"pair\", nic = \"odd\" }");
    a_ring_of_models: refused_with("node = \"pair\"", "node = { model = \"pair\", gpu = \"ring\" }");
    a_path_that_does_not_exist: refused_with("gds-read", "gsd-read");
    a_part_that_is_a_number: refused_with("node = \"pair\"", "node = 3");
    a_text_that_is_a_number: refused_with("path = \"gds-read\"", "path = 3");
    a_work_that_is_no_table: refused("schema = 1\nnode = \"pair\"\ntarget = \"plain\"\nworks = 3\n");
    an_unknown_word: refused_with("size = ", "nic = \"own-soket\"\nsize = ");
    a_negative_count: refused_with("size = ", "depth = -1\nsize = ");
    a_fractional_count: refused_with("size = ", "depth = 1.5\nsize = ");
    a_negative_amount: refused_with("\"1 GB\"", "\"-1 GB\"");
    a_negative_seed: refused_with("schema = 1", "schema = 1\nseed = -1");
    an_infinite_factor: refused_with("\"plain\"", "{ model = \"plain\", striping_efficiency = inf }");
    a_factor_that_is_no_number: refused_with("\"plain\"", "{ model = \"plain\", striping_efficiency = nan }");
    an_amount_that_overflows: refused_with("\"1 GB\"", "\"99999999999 PB\"");
    a_count_that_overflows: refused_with("size = ", "depth = 99999999999999999999999\nsize = ");
    a_count_that_overflows_128_bits: refused_with("size = ", "depth = 9999999999999999999999999999999999999999999\nsize = ");
    an_empty_text_for_a_rate: refused_with("target = \"plain\"", "target = { model = \"plain\", rate = \"\" }");
    an_empty_list_of_sizes: refused_with("\"1 MiB\"", "[]");
    a_wrong_size_in_a_list: refused_with("\"1 MiB\"", "[\"1 MiB\", \"2 Mib\"]");
    a_drawn_size_without_its_ends: refused_with("\"1 MiB\"", "{ draw = \"uniform\", low = \"1 KiB\" }");
    a_date: refused_with("\"1 GB\"", "2026-01-01");
    an_expectation_of_a_list: refused(&format!("{GOOD}[[expect]]\nthat = \"seed\"\nequals = []\n"));
    a_text_without_its_end: refused_with("\"1 GB\"", "\"1 GB");
    a_value_without_quotes: refused_with("\"1 GB\"", "1 GB");
    a_key_twice: refused_with("size = ", "bytes = \"2 GB\"\nsize = ");
    something_that_is_not_toml: refused("<html>\n<body>hello</body>\n</html>\n");
    an_empty_file: refused("");
    a_file_of_comments: refused("# nothing\n");
    an_edit_without_a_value: refused_edit("works.gds.depth");
    an_edit_of_an_unknown_key: refused_edit("works.gds.dept=4");
    an_edit_of_an_unknown_work: refused_edit("works.gsd.depth=4");
    an_edit_of_an_unknown_table: refused_edit("nodes.gpus=4");
    an_edit_of_an_unknown_cost: refused_edit("target.costs.media_raed=4 us");
    an_edit_with_a_wrong_unit: refused_edit("target.rate=40 GB");
    an_edit_with_half_a_list: refused_edit("works.*.size=[\"1 MiB\"");
    an_edit_of_an_unknown_model: refused_edit("node.gpu=smal");
    an_edit_inside_a_value: refused_edit("works.gds.size.low=4 KiB");
    an_edit_with_a_star_that_matches_nothing: refused_edit("node.switches.*.socket=0");
    an_edit_with_an_empty_name: refused_edit("works..depth=4");
    an_edit_of_the_schema: refused_edit("schema=2");
    an_edit_of_an_item_that_is_not_there: refused_edit("node.sockets.3.gpus=[0]");
    an_edit_that_leaves_a_key_out: refused_edit("works.gds.arrivals.kind=poisson");
    an_edit_without_a_key: refused_edit("=4");
    a_missing_file: message(&load("no/such.toml", &library(), &[]).unwrap_err());
    a_folder_for_a_file: message(&load("tests/fixtures/scenarios", &library(), &[]).unwrap_err());
    a_scenario_that_does_not_ship: message(&load("two-work", &library(), &[]).unwrap_err());
    a_models_folder_that_does_not_exist:
        message(&load("two-works", &Library { models: Some("no/models".into()) }, &[]).unwrap_err());
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = format!("schema = 1\nnode = {}", "[".repeat(100_000));
    assert!(load_text("deep.toml", &deep, &library(), &[]).is_err());
}

#[test]
fn a_byte_order_mark_and_line_ends_of_windows_do_no_harm() {
    let text = format!("\u{feff}{}", GOOD.replace('\n', "\r\n"));
    assert!(load_text("windows.toml", &text, &library(), &[]).is_ok());
}

proptest::proptest! {
    #[test]
    fn no_damage_to_a_file_panics(at in 0..GOOD.len(), cut in 0usize..12, put in ".{0,6}") {
        let text = format!("{}{put}{}", &GOOD[..at], &GOOD[(at + cut).min(GOOD.len())..]);
        if let Err(fault) = load_text("damaged.toml", &text, &library(), &[]) {
            proptest::prop_assert!(!message(&fault).is_empty());
        }
    }

    #[test]
    fn no_edit_panics(key in "(works|node|target|fabric|seed|[a-z\"*]{0,3})([.](gds|[*]|gpu|size|costs|model|0|\"|[a-zé]{0,2})){0,4}", value in ".{0,8}") {
        if let Err(fault) = load_text("question.toml", GOOD, &library(), &[Edit { key, value }]) {
            proptest::prop_assert!(!message(&fault).is_empty());
        }
    }
}

#[test]
fn a_file_that_is_not_utf8() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin1.toml");
    fs::write(&path, b"schema = 1\ntitle = \"d\xe9j\xe0 vu\"\n").unwrap();
    let fault = load(path.to_str().unwrap(), &library(), &[]).unwrap_err();
    insta::assert_snapshot!(message(&fault).replace(path.to_str().unwrap(), "latin1.toml"));
}
