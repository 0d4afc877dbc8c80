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
fn what_local_drives_will_reach_is_told_too() {
    let report = json(&["lsmod.txt", "gdscheck-1.14.txt", "nvme-local.txt"]);
    assert_eq!(report["verdict"], "all");
    assert_eq!(report["gpus"][0]["hops"], 2);
    let alone = &report["prediction"]["alone"][0];
    assert_eq!(alone["hops"], 2);
    let rate = alone["throughput_gb_s"].as_f64().unwrap();
    assert!((12.0..12.6).contains(&rate), "{rate}");
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
    assert_eq!(report["verdict"], "not_all");
    assert_eq!(report["gpus"][0]["taken"], "compat");
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

/// The diagnosis of a text, as JSON.
fn diagnosed(text: &str) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("node.txt");
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    let output = command.arg("doctor").arg(&file).args(["--format", "json"]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

const READY: &str =
    "nvidia_fs             262144  0\n NFS                : Supported\n NVMe               : Supported\n";

#[test]
fn a_home_over_tcp_does_not_decide_for_data_over_rdma() {
    let mounts =
        "filer:/home on /home type nfs4 (rw,vers=4.1,proto=tcp)\narray:/x on /data type nfs (rw,vers=3,proto=rdma)\n";
    let report = diagnosed(&format!("{READY}{mounts}"));
    assert_eq!((&report["verdict"], &report["gpus"][0]["taken"]), (&"all".into(), &"gds".into()));
    let taken = |place: &str| {
        let places = report["storage"].as_array().unwrap();
        places.iter().find(|one| one["place"] == place).unwrap()["taken"].clone()
    };
    assert_eq!((taken("/home"), taken("/data")), ("compat".into(), "gds".into()));
}

#[test]
fn a_transport_that_nothing_shows_is_not_assumed() {
    for (mount, command) in [
        ("fs on /scratch type wekafs (rw,relatime)", "weka local resources"),
        ("mgs:/fs on /scratch type lustre (rw,flock)", "lctl list_nids"),
        ("gpfs0 on /scratch type gpfs (rw,relatime)", "mmlsconfig verbsRdma"),
        ("array:/x on /scratch type nfs (rw,vers=3)", "nfsstat -m"),
    ] {
        let report = diagnosed(&format!("{READY}{mount}\n"));
        let place = &report["storage"][0];
        assert_eq!(place["taken"], "cannot_tell", "{mount}");
        assert!(place["missing"].to_string().contains(command), "{place}");
    }
    let shown = diagnosed(&format!("{READY}192.0.2.1@o2ib:/fs on /scratch type lustre (rw,flock)\n"));
    assert_eq!(shown["storage"][0]["taken"], "gds");
}

#[test]
fn storage_over_tcp_is_predicted_by_the_path_over_tcp() {
    let report = diagnosed(
        "nvme-subsys3 - NQN=nqn.2019-08.com.example:v\n\\\n +- nvme3 tcp traddr=192.0.2.3,trsvcid=4420 live\n",
    );
    let alone = &report["prediction"]["alone"][0];
    assert_eq!(alone["path"], "compat-tcp-read");
    assert!(alone["throughput_gb_s"].as_f64().unwrap() < 20.0, "{alone}");
}

#[test]
fn what_a_log_says_happened_is_the_verdict() {
    let direct =
        diagnosed("01-03-2026 10:00:00:100 [pid=7 tid=7] DEBUG  cufio_core:2859 gds path taken with ODIRECT fd: 12\n");
    assert_eq!(direct["verdict"], "all");
    let failed = diagnosed("NVFS statistics(ver: 4.0)\nReads : n=12 ok=0 err=12 readMiB=0 io_state_err=0\n");
    assert_eq!(failed["verdict"], "cannot_tell");
    assert!(failed["summary"].as_str().unwrap().contains("12 requests failed"), "{}", failed["summary"]);
}

#[test]
fn drives_never_bring_more_into_a_gpu_than_its_link_carries() {
    let drives: String =
        (0..8).map(|n| format!("nvme-subsys{n} - NQN=nqn.x{n}\n\\\n +- nvme{n} pcie 0000:0{n}:00.0 live\n")).collect();
    let gpu =
        " GPU index 0 NVIDIA RTX 6000 Ada Generation bar:1 bar size (MiB):65536 supports GDS, IOMMU State: Disabled\n";
    let link = "41:00.0 3D controller: NVIDIA Corporation Device 0000 (rev a1)\n\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s, Width x16\n";
    for shown in [gpu, link] {
        let report = diagnosed(&format!("{READY}{drives}{shown}"));
        let rate = report["prediction"]["alone"][0]["throughput_gb_s"].as_f64().unwrap();
        assert!(rate < 31.6, "{rate} GB/s through {shown}");
    }
}

#[test]
fn two_machines_of_a_folder_stay_two() {
    let folder = tempfile::tempdir().unwrap();
    for (node, transport) in [("a", "rdma"), ("b", "tcp")] {
        let inside = folder.path().join(node).join("captures");
        std::fs::create_dir_all(&inside).unwrap();
        let text = format!(
            "{READY} NVMeOF : Supported\nnvme-subsys1 - NQN=nqn.y\n +- nvme1 {transport} traddr=192.0.2.1 live\n"
        );
        std::fs::write(inside.join("all.txt"), text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    let output = command.arg("doctor").arg(folder.path()).args(["--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdicts: Vec<_> =
        report["machines"].as_array().unwrap().iter().map(|one| one["diagnosis"]["verdict"].clone()).collect();
    assert_eq!(verdicts, ["all", "not_all"]);
}

#[test]
fn a_measured_figure_stands_beside_the_same_requests_simulated() {
    let line = "IoType: READ XferType: GPUD Threads: 4 DataSetSize: 62914560/4096000(KiB) IOSize: 1024(KiB) Throughput: 1.0 GiB/sec, Avg_Latency: 3900.0 usecs ops: 30720 total_time 15.0 secs\n";
    let report = diagnosed(&format!("{READY}array:/x on /data type nfs (rw,vers=3,proto=rdma)\n{line}"));
    let held = &report["held"][0];
    assert_eq!(held["apart"], true);
    assert!(held["explanations"].to_string().contains("not too few threads"), "{held}");
}

#[test]
fn no_screen_has_more_than_forty_lines() {
    for name in std::fs::read_dir(CAPTURES).unwrap() {
        let name = name.unwrap().file_name().into_string().unwrap();
        let (_, text) = doctor(&[&name], &[]);
        assert!(text.lines().count() <= 40, "{name}: {text}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_hopsim")).args(["doctor", CAPTURES]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().lines().count() <= 40);
}
