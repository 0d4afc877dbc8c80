//! `hopsim check` as a person meets it: a figure in, a verdict and an exit code out.
//!
//! Knows streams and exit codes. Must not know the library.

use std::process::Command;

/// Runs; exit code, standard output and standard error.
fn check(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    let output = command.arg("check").args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn forty_gibibytes_over_one_link_of_200_gigabits_are_impossible() {
    let (code, text, _) = check(&["40 GiB/s", "--over", "1x200Gb/s"]);
    insta::assert_snapshot!(text);
    assert_eq!(code, Some(1));
    assert!(text.contains("172 % of line rate"), "{text}");
}

#[test]
fn what_fits_its_links_is_possible() {
    assert_eq!(check(&["40 GB/s", "--over", "1x400Gb/s"]).0, Some(0));
}

#[test]
fn above_the_ceiling_what_would_have_to_be_faster_is_named() {
    let (code, text, _) = check(&["120 GB/s", "checkpoint-140gb", "--work", "gds"]);
    insta::assert_snapshot!(text);
    assert_eq!(code, Some(1));
    assert!(text.contains("root_complex"), "{text}");
}

#[test]
fn far_below_what_is_expected_mechanisms_are_named() {
    let (code, text, _) = check(&["42 GB/s", "checkpoint-140gb", "--work", "gds"]);
    insta::assert_snapshot!(text);
    assert_eq!(code, Some(0));
}

#[test]
fn every_figure_of_a_log_is_judged() {
    for (log, wanted) in [
        ("gdsio.txt", "GPUD"),
        ("fio.json", "seq, read"),
        ("nvbandwidth.txt", "host_to_device"),
        ("perftest.txt", "RDMA_Write BW"),
    ] {
        let file = format!("tests/fixtures/captures/{log}");
        let (code, text, errors) = check(&["--log", &file, "load-640gb"]);
        assert!(matches!(code, Some(0 | 1)), "{log}: {errors}");
        assert!(text.contains(wanted), "{log}: {text}");
    }
}

#[test]
fn a_copy_at_half_the_usual_rate_looks_like_a_degraded_link() {
    let (_, text, _) = check(&["--log", "tests/fixtures/captures/nvbandwidth.txt", "load-640gb"]);
    insta::assert_snapshot!(text);
}

#[test]
fn what_is_not_understood_exits_with_2() {
    for arguments in [
        &["fast", "--over", "1x200Gb/s"][..],
        &["40 GB/s", "--over", "a wire"],
        &["40 GB/s"],
        &["40 GB/s", "no-such-scenario"],
        &["--log", "tests/fixtures/captures/lsmod.txt", "load-640gb"],
        &["40 GB/s", "load-640gb", "more"],
    ] {
        let (code, _, errors) = check(arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(!errors.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_json_form_holds_the_verdict() {
    let (_, text, _) = check(&["40 GiB/s", "--over", "1x200Gb/s", "--format", "json"]);
    let judged: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(judged[0]["verdict"], "impossible");
}

/// Judges a log of these lines against a scenario.
fn logged(text: &str, scenario: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.txt");
    std::fs::write(&file, text).unwrap();
    let (code, text, _) = check(&["--log", file.to_str().unwrap(), scenario]);
    (code, text)
}

#[test]
fn one_thread_explains_nothing_where_the_log_shows_many_under_way() {
    let line = "IoType: READ XferType: GPUD Threads: 48 DataSetSize: 294912000/100663296(KiB) IOSize: 1024(KiB) Throughput: 3.0 GiB/sec, Avg_Latency: 15625.0 usecs ops: 288000 total_time 93.0 secs\n";
    let (code, text) = logged(line, "load-640gb");
    assert_eq!(code, Some(0));
    assert!(!text.contains("one thread") && text.contains("48 requests of 1 MiB under way"), "{text}");
}

#[test]
fn a_sum_of_both_directions_is_held_against_both() {
    let log = "                    RDMA_Read Bidirectional BW Test\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n 65536      5000             781.0              780.5              1.4887\n";
    let (code, text) = logged(log, "load-640gb");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("both directions of"), "{text}");
}

#[test]
fn an_amount_in_a_time_over_ethernet_is_judged() {
    assert_eq!(check(&["900 GB in 12 s", "--over", "2x400GbE"]).0, Some(0));
    assert_eq!(check(&["900 GB in 8 s", "--over", "2x400GbE"]).0, Some(1));
}
