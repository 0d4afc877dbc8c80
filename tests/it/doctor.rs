//! `hopsim doctor` as a person meets it: captured output in, a report and an exit code out.
//!
//! Knows streams and exit codes. Must not know the library.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const CAPTURES: &str = "tests/fixtures/captures";

/// Runs on some captured outputs; exit code and standard output.
fn doctor(files: &[&str], more: &[&str]) -> (Option<i32>, String) {
    let files = files.iter().map(|file| Path::new(CAPTURES).join(file));
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.arg("doctor").args(files).args(more).env("COLUMNS", "100").env("NO_COLOR", "1");
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// Runs on a text from standard input.
fn told(text: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.arg("doctor").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn json(files: &[&str]) -> serde_json::Value {
    serde_json::from_str(&doctor(files, &["--format", "json"]).1).unwrap()
}

/// The answer to a prerequisite.
fn answer<'a>(report: &'a serde_json::Value, word: &str) -> &'a serde_json::Value {
    report["prerequisites"].as_array().unwrap().iter().find(|one| one["word"] == word).unwrap()
}

const GOOD: [&str; 5] = ["lsmod.txt", "gdscheck-1.14.txt", "nvme-rdma-1x.txt", "topo-dgx-h100.txt", "ibdev2netdev.txt"];

#[test]
fn a_dgx_h100_with_rdma_storage_reads_as_its_golden_file_says() {
    let (code, text) = doctor(&GOOD, &[]);
    insta::assert_snapshot!(text);
    assert_eq!(code, Some(0));
}

#[test]
fn storage_nics_of_a_dgx_h100_are_node_to_four_gpus_and_sys_to_the_other_four() {
    let report = json(&GOOD);
    let distance = answer(&report, "root complex");
    assert_eq!(distance["answer"], "no");
    let says = distance["says"].as_str().unwrap();
    assert!(says.contains("NIC1 (mlx5_1): NODE from GPU0-3, SYS from GPU4-7"), "{says}");
    assert!(says.contains("NIC7 (mlx5_7): SYS from GPU0-3, NODE from GPU4-7"), "{says}");
    assert!(says.contains("never under a GPU's switch"), "{says}");
    let advice = distance["advice"].as_str().unwrap();
    assert!(advice.contains("own socket"), "{advice}");
}

#[test]
fn over_tcp_the_bytes_take_five_hops_silently() {
    let (code, text) = doctor(&["lsmod.txt", "gdscheck-1.14.txt", "nvme-tcp-2x.txt", "topo-dgx-h100.txt"], &[]);
    insta::assert_snapshot!(text);
    assert_eq!(code, Some(1));
    let report = json(&["lsmod.txt", "gdscheck-1.14.txt", "nvme-tcp-2x.txt", "topo-dgx-h100.txt"]);
    let gpus = report["gpus"].as_array().unwrap();
    assert_eq!(gpus.len(), 8);
    assert!(gpus.iter().all(|gpu| gpu["taken"] == "compat" && gpu["hops"] == 5 && gpu["silent"] == true), "{gpus:#?}");
}

#[test]
fn over_tcp_with_the_compatibility_mode_off_opening_fails() {
    let report = json(&["lsmod.txt", "nvme-tcp-2x.txt", "cufile.json"]);
    assert_eq!(report["verdict"], "not_all");
    assert_eq!(report["gpus"][0]["taken"], "refused");
    assert!(report["summary"].as_str().unwrap().contains("opening a file"), "{}", report["summary"]);
}

#[test]
fn what_is_missing_is_said_and_the_exit_code_is_1() {
    let (code, text) = doctor(&["lsmod.txt"], &[]);
    assert_eq!(code, Some(1));
    assert!(text.contains("To tell, capture: nvme list-subsys, mount; gdscheck -p."), "{text}");
}

#[test]
fn a_node_without_the_driver_goes_through_system_memory() {
    let report = json(&["gdscheck-no-driver.txt", "nvme-rdma-1x.txt"]);
    assert_eq!(answer(&report, "nvidia-fs")["answer"], "no");
    assert_eq!(report["gpus"][0]["taken"], "compat");
}

#[test]
fn local_drives_by_p2pdma_need_no_driver() {
    let report = json(&["gdscheck-no-driver.txt"]);
    assert_eq!(answer(&report, "nvidia-fs")["answer"], "yes");
    assert_eq!(answer(&report, "p2pdma")["answer"], "yes");
    assert_eq!(report["verdict"], "all");
}

#[test]
fn trained_down_links_acs_packets_and_errors_are_found() {
    let (_, text) = doctor(&["lspci-vv.txt", "dmesg.txt", "gds_stats.txt"], &[]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_log_that_tells_of_a_fall_back_outweighs_good_prerequisites() {
    let files = ["lsmod.txt", "gdscheck-1.14.txt", "nvme-rdma-1x.txt", "cufile.log"];
    let report = json(&files);
    assert_eq!(report["verdict"], "cannot_tell");
    assert!(report["gpus"][0]["why"][0].as_str().unwrap().starts_with("log:"));
}

#[test]
fn a_text_that_is_not_understood_names_the_known_formats_and_exits_with_2() {
    let (code, text) = told("Dear all,\nthe node is slow.\n");
    assert_eq!(code, Some(2));
    assert!(text.contains("No line was understood") && text.contains("nvidia-smi topo -m"), "{text}");
}

#[test]
fn several_outputs_from_standard_input_are_one_diagnosis() {
    let text: String = GOOD
        .iter()
        .map(|file| format!("$ x\n{}\n", std::fs::read_to_string(Path::new(CAPTURES).join(file)).unwrap()))
        .collect();
    let (code, text) = told(&text);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_folder_is_read_whole() {
    let output = Command::new(env!("CARGO_BIN_EXE_hopsim")).args(["doctor", CAPTURES]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_script_that_collects_changes_nothing() {
    let output = Command::new(env!("CARGO_BIN_EXE_hopsim")).args(["doctor", "--collect"]).output().unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    assert!(script.starts_with("#!/bin/sh"));
    for harmful in ["rm ", "modprobe ", "setpci", "> /", "tee ", "mount -", "sysctl -w"] {
        assert!(!script.contains(harmful), "{harmful}");
    }
}
