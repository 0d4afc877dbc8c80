//! Predictions held against cases: a table that says what hits, what misses and what was fitted.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use hopsim::error::{Fault, render};
use hopsim::platform::Library;
use hopsim::validate::{FORMS, Mechanism, Running, Table, Use, ablation, ablation_text, by_name, families, validate};

fn library(models: &Path) -> Library {
    Library { models: Some(models.to_path_buf()) }
}

/// The table of the two small families that the tests bring.
fn small(without: &[&'static Mechanism]) -> Table {
    let library = library(Path::new("tests/fixtures/models"));
    let asked = ["P01".to_string(), "bounds".to_string()];
    let families = families(&library, &asked).unwrap();
    validate(&families, &Running { library: &library, without, progress: None }).unwrap()
}

fn written(table: &Table, form: &str) -> String {
    (FORMS.iter().find(|f| f.name == form).unwrap().write)(table)
}

#[test]
fn the_table_reads_as_its_golden_files_say() {
    let table = small(&[]);
    for form in ["text", "markdown", "json"] {
        insta::assert_snapshot!(format!("table-{form}"), written(&table, form));
    }
}

#[test]
fn what_a_mechanism_brings_is_told_only_where_a_model_has_it() {
    let library = library(Path::new("tests/fixtures/models"));
    let families = families(&library, &["P01".to_string()]).unwrap();
    let brought = ablation(&families, &Running { library: &library, without: &[], progress: None }).unwrap();
    insta::assert_snapshot!(ablation_text(&brought));
}

#[test]
fn the_table_is_the_same_at_one_thread_and_at_many() {
    let at = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        written(&pool.install(|| small(&[])), "json")
    };
    assert_eq!(at(1), at(5));
}

#[test]
fn a_mechanism_that_a_model_does_not_have_changes_nothing_when_it_is_left_out() {
    let without = small(&[by_name("soft-dram").unwrap()]);
    assert_eq!(without.families, small(&[]).families);
    assert_eq!(without.without, ["soft-dram"]);
}

#[test]
fn a_mechanism_that_is_left_out_changes_the_predictions() {
    let without = small(&[by_name("engine-overhead").unwrap()]);
    assert_ne!(without.families, small(&[]).families);
}

/// What is said of the small families with texts of their cases replaced.
fn refused(changes: &[[&str; 2]]) -> Vec<Fault> {
    let folder = tempfile::tempdir().unwrap();
    copy(Path::new("tests/fixtures"), folder.path());
    let cases = folder.path().join("models/validation/bounds/cases.toml");
    let mut all = std::fs::read_to_string(&cases).unwrap();
    for [text, instead] in changes {
        assert!(all.contains(text), "{text:?} is not in the cases");
        all = all.replace(text, instead);
    }
    std::fs::write(&cases, all).unwrap();
    let library = library(&folder.path().join("models"));
    let families = families(&library, &["bounds".to_string()]).unwrap();
    validate(&families, &Running { library: &library, without: &[], progress: None }).unwrap_err()
}

fn copy(from: &Path, to: &Path) {
    for file in std::fs::read_dir(from).unwrap().map(|file| file.unwrap().path()) {
        let copied: PathBuf = to.join(file.file_name().unwrap());
        if file.is_dir() {
            std::fs::create_dir_all(&copied).unwrap();
            copy(&file, &copied);
        } else {
            std::fs::copy(&file, &copied).unwrap();
        }
    }
}

#[test]
fn every_case_that_cannot_be_run_is_named_not_only_the_first() {
    let depth = |depth: &str| format!("\nset = {{ \"works.gds.depth\" = \"{depth}\" }}");
    let changed = [("measured = 80", depth("some")), ("measured = 84", depth("many"))];
    let changed = changed.map(|(line, set)| [line.to_string(), format!("{line}{set}")]);
    let faults = refused(&changed.each_ref().map(|[line, instead]| [line.as_str(), instead.as_str()]));
    let all: Vec<&str> = faults.iter().map(Fault::message).collect();
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].starts_with("b-1: ") && all[1].starts_with("b-3: "), "{all:?}");
}

#[test]
fn a_key_that_is_not_in_the_report_is_said_with_the_works_that_are() {
    let faults = refused(&[["works.gds.latency_us.mean", "works.gsd.latency_us.mean"]]);
    insta::assert_snapshot!(render(&faults[0], false, 100));
}

#[test]
fn an_unknown_family_is_refused_with_the_known_ones() {
    let library = library(Path::new("tests/fixtures/models"));
    let fault = families(&library, &["P001".to_string()]).unwrap_err();
    assert!(fault.advice().is_some_and(|advice| advice.contains("did you mean P01?")), "{fault:?}");
}

/// The table of all families that ship, run once for the tests that look at it. `None` while none ships.
static SHIPPED: LazyLock<Option<Table>> = LazyLock::new(|| {
    let library = library(Path::new("models"));
    let families = families(&library, &[]).ok()?;
    let table = validate(&families, &Running { library: &library, without: &[], progress: None });
    Some(table.unwrap_or_else(|faults| panic!("{}", render(&faults[0], false, 100))))
});

#[test]
fn the_errors_of_all_families_that_ship_are_those_of_the_golden_file() {
    if let Some(table) = SHIPPED.as_ref() {
        insta::assert_snapshot!("shipped", written(table, "text"));
    }
}

#[test]
fn the_page_in_the_docs_shows_the_errors_as_they_are() {
    if let Some(table) = SHIPPED.as_ref() {
        let page = std::fs::read_to_string("docs/validation.md").unwrap_or_default();
        let now = written(table, "markdown");
        assert!(page == now, "write it again: hopsim validate --markdown -o docs/validation.md");
    }
}

#[test]
fn every_gated_family_meets_its_gate() {
    if let Some(table) = SHIPPED.as_ref() {
        let missed: Vec<&str> =
            table.families.iter().filter(|f| f.meets_gate == Some(false)).map(|f| f.family.as_str()).collect();
        assert_eq!(missed, Vec::<&str>::new());
    }
}

/// The predicted points whose names begin like this, with their errors, where one is more than 10 %.
fn more_than_10_percent(begin: &str) -> (usize, Vec<String>) {
    let families = SHIPPED.iter().flat_map(|table| &table.families);
    let points = families.flat_map(|family| &family.points);
    let points: Vec<_> = points.filter(|p| p.id.starts_with(begin) && p.usage == Use::Predicted).collect();
    let off = points.iter().filter(|point| point.error_percent.abs() > 10.0);
    (points.len(), off.map(|point| format!("{}: {} %", point.id, point.error_percent)).collect())
}

#[test]
fn reads_of_4_kib_by_threads_are_littles_law_with_about_150_us_within_10_percent() {
    assert_eq!(more_than_10_percent("A01-0"), (5, Vec::new()));
}

#[test]
fn one_nic_by_request_size_is_within_10_percent_with_one_in_flight_and_with_128() {
    assert_eq!(more_than_10_percent("one-nic-"), (8, Vec::new()));
}

#[test]
fn the_exit_code_says_whether_every_gate_is_met() {
    let folder = tempfile::tempdir().unwrap();
    copy(Path::new("tests/fixtures"), folder.path());
    let family = folder.path().join("models/validation/plain/family.toml");
    let text = std::fs::read_to_string(&family).unwrap();
    let code = |gate: &str| {
        std::fs::write(&family, text.replace("{ median = 10, p90 = 30 }", gate)).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hopsim"));
        let output = command.current_dir(folder.path()).args(["validate", "P01", "--jobs", "1"]).output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(out.lines().last().is_some_and(|line| line.starts_with("total: 8 predicted points")), "{out}");
        output.status.code()
    };
    assert_eq!(code("{ median = 1000, p90 = 1000 }"), Some(0));
    assert_eq!(code("{ median = 0.1, p90 = 1000 }"), Some(1));
}
