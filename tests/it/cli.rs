//! The command line as a person meets it: each test runs the binary in an empty folder of its own.
//!
//! Knows streams and exit codes. Must not know the library.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder with a small library of models and a scenario.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("models/parts/link/gen5-x16.toml", LINK),
        ("models/parts/nic/one-port.toml", "title = \"A NIC\"\nline_rate = \"400 Gb/s\"\nlink = \"gen5-x16\"\n"),
    ] {
        let file = folder.path().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

const LINK: &str = "title = \"PCIe 5.0 x16\"
raw = { value = \"64 GB/s\", source = \"datasheet\", reference = \"PCI Express 5.0\" }
encoding = 0.984615385
max_payload = \"256 B\"
packet_overhead = \"26 B\"
rate_down = { value = \"55.3 GB/s\", low = \"54 GB/s\", high = \"56 GB/s\", source = \"measured\" }
";

fn hopsim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.current_dir(folder).args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1").output().unwrap()
}

/// Exit code, standard output and standard error.
fn told(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = hopsim(folder, arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn help_of_every_verb_reads_as_its_golden_file_says() {
    let folder = folder();
    for verb in [
        "",
        "run",
        "sweep",
        "merge",
        "compare",
        "checkpoint",
        "explain",
        "lesson",
        "plot",
        "serve",
        "validate",
        "calibrate",
        "check",
        "doctor",
        "list",
        "show",
        "init",
        "schema",
        "completions",
        "man",
    ] {
        let arguments: Vec<&str> = [verb, "--help"].into_iter().filter(|a| !a.is_empty()).collect();
        let (code, out, err) = told(folder.path(), &arguments);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{verb}");
        insta::assert_snapshot!(format!("help-{}", if verb.is_empty() { "hopsim" } else { verb }), out);
    }
}

#[test]
fn the_manual_page_reads_as_its_golden_file_says() {
    let folder = folder();
    for (name, arguments) in [("man", &["man"][..]), ("man-run", &["man", "run"])] {
        let (code, out, _) = told(folder.path(), arguments);
        assert_eq!(code, Some(0));
        insta::assert_snapshot!(name, out.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }
}

#[test]
fn every_shell_gets_a_completion_script() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (code, out, _) = told(folder.path(), &["completions", shell]);
        assert_eq!(code, Some(0), "{shell}");
        assert!(out.contains("hopsim") && out.contains("checkpoint"), "{shell}");
    }
}

#[test]
fn usage_errors_go_to_standard_error_with_exit_code_2() {
    let folder = folder();
    for arguments in [
        &["run"][..],
        &["fly"],
        &["run", "x", "--format", "pdf"],
        &["run", "x", "--seed", "-1"],
        &["run", "x", "--out", "report"],
        &["run", "no-such-scenario"],
        &["run", "x.toml", "--set", "works"],
        &["compare", "no-such-scenario"],
        &["explain", "no-such-scenario"],
        &["plot", "saturation", "x", "--vary", "depth", "-o", "a.svg"],
        &["plot", "saturation", "x", "--vary", "depth=1,2", "-o", "a.gif"],
        &["plot", "pie", "x", "--vary", "depth=1,2", "-o", "a.svg"],
        &["checkpoint", "140", "--target", "40GB/s"],
        &["checkpoint", "140GB", "--target", "40GB"],
        &["show", "no-such-model"],
        &["init", "no-such-model"],
        &["list", "bolts"],
        &["schema", "bolt"],
        &["man", "fly"],
        &["validate", "no-such-family"],
        &["validate", "--without", "gravity"],
        &["validate", "--jobs", "0"],
        &["calibrate", "no-such-scenario", "--data", "no-such.csv", "--fit", "target.rate=1GB/s..2GB/s"],
    ] {
        let (code, out, err) = told(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}\n{err}");
        assert!(!err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn messages_of_wrong_usage_read_as_their_golden_files_say() {
    let folder = folder();
    for (name, arguments) in [
        ("no-ending", &["run", "x", "--out", "report"][..]),
        ("no-range", &["plot", "saturation", "x", "--vary", "depth", "-o", "a.svg"]),
        ("no-model", &["show", "gen5-x61"]),
        ("no-rate", &["checkpoint", "140GB", "--target", "40GB"]),
        ("no-kind", &["list", "bolts"]),
    ] {
        insta::assert_snapshot!(format!("wrong-{name}"), told(folder.path(), arguments).2);
    }
}

#[test]
fn list_names_what_is_in_the_folder() {
    let folder = folder();
    let (code, out, _) = told(folder.path(), &["list", "links"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("gen5-x16") && out.contains("PCIe 5.0 x16"), "{out}");
}

#[test]
fn show_tells_the_source_of_every_figure_and_how_a_link_gets_its_rate() {
    let folder = folder();
    let (code, out, _) = told(folder.path(), &["show", "one-port"]);
    assert_eq!(code, Some(0));
    insta::assert_snapshot!("show-nic", out);
}

#[test]
fn init_copies_a_model_to_where_it_is_found_and_never_overwrites() {
    let folder = folder();
    let (code, out, _) = told(folder.path(), &["init", "one-port", "mine"]);
    assert_eq!((code, out.as_str()), (Some(0), "mine/models/parts/nic/one-port.toml\n"));
    let copy = folder.path().join("mine/models/parts/nic/one-port.toml");
    std::fs::write(&copy, "edited").unwrap();
    let (code, _, err) = told(folder.path(), &["init", "one-port", "mine"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("exists"), "{err}");
    assert_eq!(std::fs::read_to_string(copy).unwrap(), "edited");
}

#[test]
fn schema_prints_json_of_one_kind_or_of_all() {
    let folder = folder();
    let (_, one, _) = told(folder.path(), &["schema", "scenario"]);
    let (_, all, _) = told(folder.path(), &["schema"]);
    let one: serde_json::Value = serde_json::from_str(&one).unwrap();
    let all: serde_json::Value = serde_json::from_str(&all).unwrap();
    assert_eq!(all["scenario"], one);
    assert!(all["link"].is_object());
}

#[test]
fn checkpoint_can_print_its_scenario_instead_of_running_it() {
    let folder = folder();
    let arguments = ["checkpoint", "140GB", "--node", "dgx-h100", "--target", "40GB/s", "--scenario"];
    let (code, out, _) = told(folder.path(), &arguments);
    assert_eq!(code, Some(0));
    assert!(out.contains("[works.gds]") && out.contains("[works.bounce]") && out.contains("140 GB"), "{out}");
}

#[test]
fn a_closed_pipe_is_success() {
    let folder = folder();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    let mut child = command.current_dir(folder.path()).arg("schema").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_scenario_that_must_be_refused_exits_with_0_only_when_it_is_refused_with_its_message() {
    let folder = folder();
    let file = folder.path().join("bad.toml");
    std::fs::write(&file, "schema = 1\ncolour = 1\n[[expect]]\nerror = \"colour\"\n").unwrap();
    let (code, out, err) = told(folder.path(), &["run", "bad.toml"]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "{err}");
    assert!(err.contains("refused, as it must be"), "{err}");
    std::fs::write(&file, "schema = 1\ncolour = 1\n[[expect]]\nerror = \"another\"\n").unwrap();
    assert_eq!(told(folder.path(), &["run", "bad.toml"]).0, Some(1));
    std::fs::write(&file, "schema = 1\ncolour = 1\n").unwrap();
    assert_eq!(told(folder.path(), &["run", "bad.toml"]).0, Some(2));
}

/// The scenario of one request at a time, copied out, with a line more.
fn copy_of_a_scenario(folder: &Path, more: &str) -> String {
    let (code, out, _) = told(folder, &["init", "one-at-a-time-textbook"]);
    assert_eq!(code, Some(0));
    let file = folder.join(out.trim());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text + more).unwrap();
    out.trim().to_string()
}

const MUST_FAIL: &str = "\n[[expect]]\nthat = \"works.gds.requests\"\nequals = 1\nwhy = \"it must not hold\"\n";

#[test]
fn a_run_whose_expectations_hold_exits_with_0_and_one_that_fails_with_1() {
    let folder = folder();
    assert_eq!(told(folder.path(), &["run", "one-at-a-time-textbook"]).0, Some(0));
    let file = copy_of_a_scenario(folder.path(), MUST_FAIL);
    let (code, out, err) = told(folder.path(), &["run", &file]);
    assert_eq!(code, Some(1));
    assert!(out.contains("FAIL") && err.contains("expectations failed"), "{out}{err}");
}

#[test]
fn a_run_that_is_not_the_plain_one_is_not_judged() {
    let folder = folder();
    let file = copy_of_a_scenario(folder.path(), MUST_FAIL);
    for change in [["--set", "works.*.depth=2"], ["--seed", "7"], ["--mode", "settled"], ["--mode", "stream"]] {
        let (code, out, err) = told(folder.path(), &["run", &file, change[0], change[1]]);
        assert_eq!(code, Some(0), "{change:?} {err}");
        assert!(out.contains("not judged") && !out.contains("FAIL"), "{change:?}");
    }
}

#[test]
fn a_scenario_that_must_be_refused_but_runs_exits_with_1() {
    let folder = folder();
    let file = copy_of_a_scenario(folder.path(), "\n[[expect]]\nerror = \"no such thing\"\nwhy = \"a test\"\n");
    assert_eq!(told(folder.path(), &["run", &file]).0, Some(1));
}

#[test]
fn a_refused_scenario_does_not_keep_the_others_from_running() {
    let folder = folder();
    let (code, out, err) = told(folder.path(), &["run", "no-such-scenario", "one-at-a-time-textbook"]);
    assert_eq!(code, Some(2));
    assert!(out.starts_with("one-at-a-time-textbook") && err.contains("no-such-scenario"), "{err}");
}

#[test]
fn the_ending_of_the_file_sets_the_format_and_nothing_else_is_left_behind() {
    let folder = folder();
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    for (file, begins) in [("a.json", "{"), ("a.csv", "scenario,"), ("a.md", "# "), ("a.txt", "one-at-a-time")] {
        let (code, out, _) = told(folder.path(), &["run", "one-at-a-time-textbook", "--out", file]);
        assert_eq!((code, out.as_str()), (Some(0), ""), "{file}");
        assert!(std::fs::read_to_string(folder.path().join(file)).unwrap().starts_with(begins), "{file}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before + 4);
}

#[test]
fn several_scenarios_become_one_json_array_in_their_order() {
    let folder = folder();
    let names = ["one-at-a-time-textbook", "checkpoint-140gb-textbook"];
    let (_, out, _) = told(folder.path(), &["run", names[0], names[1], "--mode", "settled", "--format", "json"]);
    let reports: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!([&reports[0]["scenario"], &reports[1]["scenario"]], names);
}

#[test]
fn a_stream_is_a_report_without_latencies_and_says_so() {
    let folder = folder();
    let (code, out, err) =
        told(folder.path(), &["run", "one-at-a-time-textbook", "--mode", "stream", "--format", "json"]);
    assert_eq!(code, Some(0), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let report = report.get(0).unwrap_or(&report);
    assert_eq!(report["mode"], "stream");
    assert!(report["works"][0]["latency_us"].is_null() && report["works"][0]["legs"][0]["moving_s"].is_number());
}

#[test]
fn a_cluster_that_is_typed_runs_as_one_that_is_written() {
    let folder = folder();
    let cluster = ["run", "checkpoint-140gb", "--set", "cluster.nodes=4", "--mode", "stream", "--format", "json"];
    let (code, out, err) = told(folder.path(), &cluster);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("\"node3.nic1.tx\"") && !out.contains("\"nic1.tx\""));
}

#[test]
fn a_saved_run_comes_again_from_what_it_saved() {
    let folder = folder();
    let (code, _, err) = told(folder.path(), &["run", "one-at-a-time-textbook", "--save"]);
    assert_eq!(code, Some(0), "{err}");
    let saved = folder.path().join(err.trim().strip_prefix("saved in ").unwrap());
    assert!(saved.join("summary.txt").is_file());
    let resolved = saved.join("resolved.toml");
    let (_, again, _) = told(folder.path(), &["run", resolved.to_str().unwrap(), "--format", "json"]);
    assert_eq!(std::fs::read_to_string(saved.join("report.json")).unwrap(), again);
}

#[test]
fn explain_tells_three_hops_and_five() {
    let folder = folder();
    let (code, out, _) = told(folder.path(), &["explain", "one-at-a-time-textbook"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("3 hops, 0 host buffers") && out.contains("5 hops, 2 host buffers"), "{out}");
}

#[test]
fn explain_reads_as_its_golden_files_say_at_once_step_by_step_and_as_a_hand_out() {
    let folder = folder();
    for (name, more) in [("together", None), ("step", Some("--step")), ("markdown", Some("--markdown"))] {
        let arguments: Vec<&str> = ["explain", "one-at-a-time-textbook"].into_iter().chain(more).collect();
        let (code, out, err) = told(folder.path(), &arguments);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{name}");
        insta::assert_snapshot!(format!("explain-{name}"), out);
    }
}

#[test]
fn explain_draws_its_picture_beside_the_text() {
    let folder = folder();
    let (code, out, err) = told(folder.path(), &["explain", "one-at-a-time-textbook", "--svg", "hops.svg"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("side by side") && err.contains("hops.svg"), "{out}{err}");
    insta::assert_snapshot!("explain-svg", std::fs::read_to_string(folder.path().join("hops.svg")).unwrap());
}

#[test]
fn compare_sets_the_works_of_one_scenario_side_by_side() {
    let folder = folder();
    let (code, out, _) = told(folder.path(), &["compare", "one-at-a-time-textbook", "--format", "csv"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("one-at-a-time-textbook / gds,one-at-a-time-textbook / bounce,duration_s,"), "{out}");
}

#[test]
fn checkpoint_prints_the_times_of_both_paths() {
    let folder = folder();
    let (code, out, err) = told(folder.path(), &["checkpoint", "1GB", "--target", "40GB/s", "--gpus", "2"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("gds-write") && out.contains("bounce-write"), "{out}");
}

#[test]
fn a_plot_is_a_picture_or_its_data_and_the_same_bytes_come_twice() {
    let folder = folder();
    let plot = |file: &str| {
        let vary = ["--vary", "works.*.depth=1,2,4"];
        let arguments = ["plot", "saturation", "one-at-a-time-textbook", vary[0], vary[1], "-o", file];
        let (code, _, err) = told(folder.path(), &arguments);
        assert_eq!(code, Some(0), "{err}");
        std::fs::read(folder.path().join(file)).unwrap()
    };
    assert!(plot("a.png").starts_with(b"\x89PNG"));
    assert!(plot("a.svg").starts_with(b"<svg"));
    assert_eq!(plot("a.svg"), plot("b.svg"));
    let data: serde_json::Value = serde_json::from_slice(&plot("a.json")).unwrap();
    assert_eq!(data["curves"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_result_that_cannot_be_kept_is_refused_before_anything_is_computed() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "one-at-a-time-textbook";
    for arguments in [
        vec!["run", scenario, "--trace", "no/t.json"],
        vec!["run", scenario, "--save", "-o", "no/r.json"],
        vec!["sweep", scenario, "--vary", "works.*.depth=1,2", "-o", "no/p.csv"],
        vec!["checkpoint", "1GB", "--plot", "interval=no/i.svg"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
        let output = command.current_dir(folder.path()).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("there is no folder no"), "{arguments:?}");
        // Neither a report nor what a run or a sweep would have left behind.
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
    }
}
