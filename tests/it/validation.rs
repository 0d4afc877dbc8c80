//! Predictions held against cases: a table that says what hits, what misses and what was fitted.

use std::path::{Path, PathBuf};

use hopsim::error::{Fault, render};
use hopsim::platform::Library;
use hopsim::validate::{FORMS, Mechanism, Running, Table, by_name, families, validate};

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

/// The small families copied to a folder, with a text of the cases replaced.
fn refused(text: &str, instead: &str) -> Vec<Fault> {
    let folder = tempfile::tempdir().unwrap();
    copy(Path::new("tests/fixtures"), folder.path());
    let cases = folder.path().join("models/validation/bounds/cases.toml");
    let old = std::fs::read_to_string(&cases).unwrap();
    assert!(old.contains(text), "{text:?} is not in the cases");
    std::fs::write(&cases, old.replace(text, instead)).unwrap();
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
    let faults = refused("scenario = \"small\"", "scenario = \"small\"\nset = { \"works.gds.size\" = \"4 parsecs\" }");
    let all: Vec<&str> = faults.iter().map(Fault::message).collect();
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[0].starts_with("b-1: ") && all[2].starts_with("b-3: "), "{all:?}");
}

#[test]
fn a_key_that_is_not_in_the_report_is_said_with_the_works_that_are() {
    let faults = refused("works.gds.latency_us.mean", "works.gsd.latency_us.mean");
    insta::assert_snapshot!(render(&faults[0], false, 100));
}

#[test]
fn an_unknown_family_is_refused_with_the_known_ones() {
    let library = library(Path::new("tests/fixtures/models"));
    let fault = families(&library, &["P02".to_string()]).unwrap_err();
    assert!(fault.advice().is_some_and(|advice| advice.contains("did you mean P01?")), "{fault:?}");
}
