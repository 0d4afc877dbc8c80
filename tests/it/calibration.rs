//! Figures fitted to measurements: what made the data is found again, and what the data leave open is said.

use std::path::Path;

use hopsim::calibrate::{Calibration, Question, calibrate, patch, text};
use hopsim::error::render;
use hopsim::import::csv::{Measurement, measurements};
use hopsim::platform::{Edit, Library, load};
use hopsim::report::value_at;
use hopsim::study::{Options, run};

const SCENARIO: &str = "tests/fixtures/models/validation/bounds/small.toml";
const KEY: &str = "works.gds.throughput_gb_s";

fn library() -> Library {
    Library { models: Some(Path::new("tests/fixtures/models").to_path_buf()) }
}

fn edit(text: &str) -> Edit {
    text.parse().unwrap()
}

/// Points that the simulator itself makes with some figures.
fn made(truth: &[&str], settings: &[[&str; 2]]) -> Vec<Measurement> {
    let table: String = settings
        .iter()
        .map(|[size, threads]| {
            let mut edits: Vec<Edit> = truth.iter().map(|text| edit(text)).collect();
            edits.extend([edit(&format!("works.gds.size={size}")), edit(&format!("works.gds.threads={threads}"))]);
            let loaded = load(SCENARIO, &library(), &edits).unwrap();
            let report = run(&loaded, &Options { skip_ends: true, ..Options::default() }, None).unwrap();
            let value = value_at(&serde_json::to_value(&report).unwrap(), KEY).unwrap();
            format!("{size},{threads},{value}\n")
        })
        .collect();
    measurements("made.csv", &format!("set:works.gds.size,set:works.gds.threads,measured\n{table}"), Some(KEY)).unwrap()
}

fn fitted(points: Vec<Measurement>, fit: &[&str]) -> Calibration {
    let library = library();
    let parameters = fit.iter().map(|fit| fit.parse().unwrap()).collect();
    let edits = Vec::new();
    let question =
        Question { scenario: SCENARIO, library: &library, edits, parameters, points, data: "made.csv".to_string() };
    calibrate(&question, &|_| {}).unwrap()
}

const SETTINGS: [[&str; 2]; 4] = [["4 KiB", "1"], ["1 MiB", "1"], ["1 MiB", "4"], ["4 MiB", "8"]];
const TRUTH: [&str; 2] = ["target.costs.media_read=63us", "target.rate=21GB/s"];
const FIT: [&str; 2] = ["target.costs.media_read=20us..200us", "target.rate=5GB/s..50GB/s"];

#[test]
fn what_made_the_data_is_found_again() {
    let calibration = fitted(made(&TRUTH, &SETTINGS), &FIT);
    let number = |index: usize| calibration.fitted[index].value.split(' ').next().unwrap().parse::<f64>().unwrap();
    assert!((number(0) / 63.0 - 1.0).abs() < 0.01, "{:?}", calibration.fitted);
    assert!((number(1) / 21.0 - 1.0).abs() < 0.01, "{:?}", calibration.fitted);
    assert!(calibration.residuals.iter().all(|r| (r.after / r.measured - 1.0).abs() < 0.005));
    assert_eq!(calibration.likeness.mixtures.len(), 0);
}

#[test]
fn a_calibration_reads_as_its_golden_files_say_and_its_patch_has_its_source() {
    let calibration = fitted(made(&TRUTH, &SETTINGS), &FIT);
    insta::assert_snapshot!("calibration", text(&calibration));
    insta::assert_snapshot!("patch-of-a-scenario", patch(&calibration, None, ""));
    insta::assert_snapshot!("patch-of-a-model", patch(&calibration, Some("plain"), "target."));
}

#[test]
fn two_delays_of_one_sum_cannot_be_told_apart() {
    let fit = ["target.costs.media_read=20us..200us", "node.cpu.costs.read_call=1us..100us"];
    let calibration = fitted(made(&TRUTH[..1], &[["4 KiB", "1"], ["8 KiB", "1"], ["16 KiB", "1"]]), &fit);
    assert_eq!(calibration.likeness.mixtures.len(), 1, "{:?}", calibration.likeness);
    assert!(text(&calibration).contains("the data cannot tell apart: "));
}

#[test]
fn a_key_that_no_point_answers_to_is_named() {
    let fit = ["target.costs.media_read=20us..200us", "target.rate=100GB/s..500GB/s"];
    let calibration = fitted(made(&TRUTH[..1], &[["4 KiB", "1"], ["8 KiB", "1"]]), &fit);
    assert_eq!(calibration.likeness.silent, [1]);
}

#[test]
fn the_same_calibration_comes_twice() {
    let points = made(&TRUTH[..1], &SETTINGS[..2]);
    let at = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fitted(points.clone(), &FIT[..1]))
    };
    assert_eq!(at(1), at(4));
}

#[test]
fn fewer_points_than_keys_and_points_that_cannot_be_run_are_refused() {
    let library = library();
    let refused = |fit: &[&str], points: Vec<Measurement>| {
        let parameters = fit.iter().map(|fit| fit.parse().unwrap()).collect();
        let data = "made.csv".to_string();
        let question = Question { scenario: SCENARIO, library: &library, edits: Vec::new(), parameters, points, data };
        render(&calibrate(&question, &|_| {}).unwrap_err(), false, 100)
    };
    let point =
        |set: &str, key: &str| measurements("made.csv", &format!("set:{set},measured\n4,1\n"), Some(key)).unwrap();
    insta::assert_snapshot!("fewer-points-than-keys", refused(&FIT, point("works.gds.depth", KEY)));
    insta::assert_snapshot!("a-point-with-an-unknown-key", refused(&FIT[..1], point("works.gds.dept", KEY)));
    insta::assert_snapshot!("a-point-of-nothing", refused(&FIT[..1], point("works.gds.depth", "works.gsd.duration_s")));
    insta::assert_snapshot!("a-key-that-is-not-there", refused(&["target.rat=1..2"], point("works.gds.depth", KEY)));
}

#[test]
fn a_patch_stands_on_its_model_and_neither_it_nor_a_model_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let models = Path::new("tests/fixtures/models").canonicalize().unwrap();
    let scenario = Path::new(SCENARIO).canonicalize().unwrap();
    std::fs::write(folder.path().join("points.csv"), "set:works.gds.threads,measured\n1,0.06\n2,0.12\n").unwrap();
    let calibrate = |more: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hopsim"));
        command.current_dir(folder.path()).arg("--models").arg(&models).args(["calibrate", "plain", "--scenario"]);
        command.arg(&scenario).args(["--data", "points.csv", "--measure", KEY]);
        let output = command.args(["--fit", "costs.media_read=20us..200us"]).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(calibrate(&["-o", "patch.toml"]).0, Some(0));
    let patch = std::fs::read_to_string(folder.path().join("patch.toml")).unwrap();
    assert!(patch.contains("model = \"plain\"") && patch.contains("fitted on 2 points of points.csv"), "{patch}");
    let (code, err) = calibrate(&["-o", "patch.toml"]);
    assert!(code == Some(2) && err.contains("exists, and is left as it is"), "{err}");
    assert_eq!(calibrate(&["-o", "patch.toml", "--force"]).0, Some(0));
    let model = models.join("targets/plain.toml");
    let (code, err) = calibrate(&["-o", model.to_str().unwrap(), "--force"]);
    assert!(code == Some(2) && err.contains("is what is being calibrated"), "{err}");
}

/// Runs in a folder of its own on some data; exit code and all that was said.
fn calibrated(data: &str, more: &[&str]) -> (Option<i32>, String, bool) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.txt"), data).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.current_dir(folder.path()).arg("calibrate").args(more).args(["--data", "data.txt", "-o", "patch.toml"]);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code(), said, folder.path().join("patch.toml").exists())
}

fn gdsio(io: &str, gib_s: f64) -> String {
    format!(
        "IoType: {io} XferType: GPUD Threads: 4 DataSetSize: 62914560/4096000(KiB) IOSize: 2048(KiB) Throughput: {gib_s} GiB/sec, Avg_Latency: 2000.0 usecs ops: 30720 total_time 15.0 secs\n"
    )
}

#[test]
fn one_line_of_gdsio_fits_a_load_of_a_whole_node() {
    let fit = ["load-640gb", "--measure", "works.gds.throughput_gb_s", "--fit", "target.rate=1GB/s..50GB/s"];
    let (code, said, written) = calibrated(&gdsio("READ", 4.0), &fit);
    assert!(code == Some(0) && written, "{said}");
    assert!(said.contains("1 point: before"), "{said}");
}

#[test]
fn a_measured_write_is_no_point_of_a_work_that_reads() {
    let fit = ["load-640gb", "--measure", "works.gds.throughput_gb_s", "--fit", "target.rate=1GB/s..50GB/s"];
    let (code, said, _) = calibrated(&(gdsio("READ", 4.0) + &gdsio("WRITE", 2.0)), &fit);
    assert!(code == Some(0) && said.contains("line 2: gdsio WRITE GPUD is of another direction"), "{said}");
    let (code, said, written) = calibrated(&gdsio("WRITE", 2.0), &fit);
    assert!(code == Some(2) && !written && said.contains("no figure in data.txt"), "{said}");
}

#[test]
fn where_nothing_is_nearer_than_the_model_nothing_is_written() {
    let fit = ["load-640gb", "--measure", "works.gds.throughput_gb_s", "--fit", "target.rate=1GB/s..2GB/s"];
    let (code, said, written) = calibrated(&gdsio("READ", 500.0), &fit);
    assert!(code == Some(0) && !written, "{said}");
    assert!(said.contains("it is left as it is"), "{said}");
}
