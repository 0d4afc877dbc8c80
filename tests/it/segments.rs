//! Paths are composed of a host side and a wire, and files of one's own come before those that ship.

use std::fs;
use std::path::{Path, PathBuf};

use hopsim::platform::{Library, load_text};
use hopsim::report::Report;
use hopsim::study::{Options, run};

const WIRE: &str = r#"name = "string"
title = "Two cans and a string: a made-up wire"
through = "nic"

[read]
submit = [{ what = "speaks into the can", cost = "cpu.submit" }]
before = [{ what = "the string hums", cost = "nic.one_way" }]
complete = [{ what = "listens", cost = "cpu.complete" }]

[write]
submit = [{ what = "speaks into the can", cost = "cpu.submit" }]
after = [{ what = "the other end nods", cost = "nic.one_way" }]
complete = [{ what = "listens", cost = "cpu.complete" }]
"#;

/// A folder of a test's own with one file in it.
fn folder(name: &str, file: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let path = folder.join(file);
    fs::create_dir_all(folder.join("models")).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    folder
}

fn report(folder: Option<&Path>, target: &str, path: &str) -> Report {
    let library = Library { models: folder.map(|folder| folder.join("models")) };
    let text = format!(
        "schema = 1\nnode = {{ model = \"dgx-h100\" }}\n[target]\n{target}\n[works.w]\npath = \"{path}\"\nbytes = \"1 GB\"\nsize = \"1 MiB\"\n"
    );
    run(&load_text("segments", &text, &library, &[]).unwrap(), &Options::default(), None).unwrap()
}

fn taken(target: &str, path: &str) -> String {
    report(None, target, path).works[0].path_taken.clone()
}

#[test]
fn a_new_wire_is_one_file_that_every_host_side_goes_over() {
    let folder = folder("a-new-wire", "scenarios/paths/wires/string.toml", WIRE);
    let takes = |path| report(Some(&folder), "rate = \"20 GB/s\"\nwire = \"string\"", path).works[0].path_taken.clone();
    let paths = ["gds-read", "gds-write", "bounce-read", "bounce-direct-write"].map(takes);
    assert_eq!(paths, ["gds-string-read", "gds-string-write", "bounce-string-read", "bounce-direct-string-write"]);
}

#[test]
fn a_report_names_the_files_that_are_not_built_in() {
    let folder = folder("own-files", "scenarios/paths/wires/string.toml", WIRE);
    let report = report(Some(&folder), "rate = \"20 GB/s\"\nwire = \"string\"", "gds-read");
    assert!(report.warnings.iter().any(|warning| warning.text.contains("string.toml")));
}

#[test]
fn the_target_tells_over_which_wire_a_path_goes() {
    let over = |target| taken(target, "bounce-direct-read");
    assert_eq!(over("model = \"nvme-gen5\""), "bounce-direct-local-read");
    assert_eq!(over("model = \"ddn-ai400x2t\""), "bounce-direct-lustre-read");
    assert_eq!(over("model = \"netapp-a90-x4\""), "bounce-direct-nfs-rdma-read");
    assert_eq!(over("model = \"wekapod\""), "bounce-direct-weka-read");
    assert_eq!(over("model = \"aistore-x3\""), "bounce-direct-object-read");
    assert_eq!(over("model = \"plain-800g\""), "bounce-direct-read");
}

#[test]
fn a_file_in_memory_is_read_without_a_device() {
    assert_eq!(taken("model = \"memory-file\"", "gds-read"), "compat-memory-read");
    assert_eq!(taken("model = \"memory-file\"", "bounce-direct-read"), "bounce-direct-memory-read");
}
