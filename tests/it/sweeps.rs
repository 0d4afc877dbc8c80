//! Sweeps as a person runs them: killed and resumed, sharded and merged, at any number of threads, on bad input.
//!
//! Knows streams, files and exit codes. Must not know the library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Nine points of a small scenario that takes a moment each.
const QUESTION: &str = r#"schema = 1
name = "question"
node = "pair"
target = "plain"

[works.gds]
path = "gds-read"
bytes = "20 GB"
size = "64 KiB"

[sweep]
vary = ["works.gds.size=16KiB..256KiB:x4", "works.gds.depth=1..4:x2"]
"#;

fn folder_with(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("question.toml"), text).unwrap();
    folder
}

fn folder() -> TempDir {
    folder_with(QUESTION)
}

fn hopsim(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.current_dir(folder).args(arguments).env("COLUMNS", "100").env("NO_COLOR", "1");
    command.arg("--models").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models"));
    command
}

fn done(folder: &Path, arguments: &[&str]) -> Output {
    let output = hopsim(folder, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// What is said on standard error of what must be refused.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = hopsim(folder, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

fn read(folder: &Path, file: &str) -> Vec<u8> {
    fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The one journal below `output/`.
fn journal(folder: &Path) -> PathBuf {
    let inside = |folder: &Path| fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    inside(&folder.join("output/question")).join("journal.jsonl")
}

/// Starts a sweep and kills it once its journal has so many lines.
fn kill_after(folder: &Path, lines: usize) {
    let mut child =
        hopsim(folder, &["sweep", "question.toml", "--journal", "j.jsonl"]).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    let written = || fs::read(folder.join("j.jsonl")).map_or(0, |text| text.iter().filter(|b| **b == b'\n').count());
    while written() < lines && child.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_micros(200));
    }
    // On Unix this is SIGKILL: nothing is cleaned up.
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_sweep_killed_at_any_moment_and_resumed_writes_the_same_bytes() {
    let undisturbed = folder();
    done(undisturbed.path(), &["sweep", "question.toml", "-o", "table.csv"]);
    done(undisturbed.path(), &["sweep", "question.toml", "-o", "table.jsonl"]);
    for lines in [0, 1, 2, 4, 7] {
        let folder = folder();
        kill_after(folder.path(), lines);
        let resumed = ["sweep", "question.toml", "--journal", "j.jsonl", "--resume"];
        done(folder.path(), &[&resumed[..], &["-o", "table.csv"]].concat());
        done(folder.path(), &[&resumed[..], &["-o", "table.jsonl"]].concat());
        for table in ["table.csv", "table.jsonl"] {
            assert!(read(folder.path(), table) == read(undisturbed.path(), table), "{table} after {lines} lines");
        }
    }
}

#[test]
fn a_torn_last_line_is_run_again() {
    let folder = folder();
    done(folder.path(), &["sweep", "question.toml", "-o", "whole.csv"]);
    let journal = journal(folder.path());
    let text = fs::read(&journal).unwrap();
    for kept in [text.len() - 1, text.len() / 2, 10, 0] {
        fs::write(&journal, &text[..kept]).unwrap();
        done(folder.path(), &["sweep", "question.toml", "--resume", "-o", "again.csv"]);
        assert!(read(folder.path(), "again.csv") == read(folder.path(), "whole.csv"), "{kept} bytes kept");
    }
}

#[test]
fn an_interrupted_sweep_is_not_thrown_away_unasked() {
    let folder = folder();
    done(folder.path(), &["sweep", "question.toml", "-o", "whole.csv"]);
    let journal = journal(folder.path());
    let text = fs::read_to_string(&journal).unwrap();
    let begun: String = text.lines().take(4).map(|line| format!("{line}\n")).collect();
    fs::write(&journal, &begun).unwrap();
    let said = refused(folder.path(), &["sweep", "question.toml"]);
    assert!(said.contains("after 3 of 9") && said.contains("--resume"), "{said}");
    assert_eq!(fs::read_to_string(&journal).unwrap(), begun);
    done(folder.path(), &["sweep", "question.toml", "--restart"]);
}

#[test]
fn a_journal_of_another_sweep_is_refused_and_kept() {
    let folder = folder();
    done(folder.path(), &["sweep", "question.toml", "--journal", "j.jsonl"]);
    let before = read(folder.path(), "j.jsonl");
    for (other, said) in [
        (&["--vary", "works.gds.depth=1,2"][..], "its grid is"),
        (&["--seed", "7"], "its seed is 0, not 7"),
        (&["--mode", "request"], "its mode is settled, not request"),
        (&["--shard", "1/2"], "its shard is 1/1, not 1/2"),
        (&["--set", "works.gds.bytes=21GB"], "its scenario or models have changed"),
    ] {
        let resume = ["sweep", "question.toml", "--journal", "j.jsonl", "--resume"];
        let message = refused(folder.path(), &[&resume[..], other].concat());
        assert!(message.contains(said), "{message}");
    }
    assert!(read(folder.path(), "j.jsonl") == before);
}

#[test]
fn the_table_is_the_same_at_any_number_of_threads() {
    let tables = ["1", "4"].map(|threads| {
        let folder = folder();
        let run =
            hopsim(folder.path(), &["sweep", "question.toml"]).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(run.status.success());
        String::from_utf8(run.stdout).unwrap()
    });
    assert_eq!(tables[0], tables[1]);
}

#[test]
fn shards_merge_into_the_table_of_the_whole_sweep() {
    let folder = folder();
    for ending in ["csv", "jsonl"] {
        done(folder.path(), &["sweep", "question.toml", "-o", &format!("whole.{ending}")]);
        for shard in 1..=3 {
            let (shard, file) = (format!("{shard}/3"), format!("{shard}.{ending}"));
            done(folder.path(), &["sweep", "question.toml", "--shard", &shard, "-o", &file]);
        }
        let files = ["3", "1", "2"].map(|shard| format!("{shard}.{ending}"));
        let merged = format!("merged.{ending}");
        done(folder.path(), &["merge", &files[0], &files[1], &files[2], "-o", &merged]);
        assert!(read(folder.path(), &merged) == read(folder.path(), &format!("whole.{ending}")), "{ending}");
    }
}

#[test]
fn gaps_overlaps_and_mixtures_are_not_merged() {
    let folder = folder();
    for shard in ["1/2", "2/2"] {
        let file = format!("{}.csv", &shard[..1]);
        done(folder.path(), &["sweep", "question.toml", "--shard", shard, "-o", &file]);
    }
    done(folder.path(), &["sweep", "question.toml", "--seed", "9", "--shard", "2/2", "-o", "other.csv"]);
    fs::write(folder.path().join("torn.csv"), &read(folder.path(), "2.csv")[..900]).unwrap();
    for (name, files) in [
        ("gap", &["1.csv"][..]),
        ("overlap", &["1.csv", "2.csv", "1.csv"]),
        ("mixture", &["1.csv", "other.csv"]),
        ("torn", &["1.csv", "torn.csv"]),
        ("no-table", &["question.toml"]),
        ("no-file", &["1.csv", "3.csv"]),
    ] {
        let said = refused(folder.path(), &[&["merge"][..], files].concat());
        let said = without_digests(&said);
        insta::assert_snapshot!(format!("merge-{name}"), said);
    }
}

/// Digests change with every change of the models.
fn without_digests(text: &str) -> String {
    let is_digest = |word: &str| word.len() == 16 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let words = text.split_inclusive(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| {
            let bare = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            if is_digest(bare) { word.replace(bare, "DIGEST") } else { word.to_string() }
        })
        .collect()
}

#[test]
fn what_is_wrong_with_a_sweep_is_said_as_the_golden_files_say() {
    let folder = folder();
    for (name, arguments) in [
        ("no-such-key", &["--vary", "works.gds.dept=1,2"][..]),
        ("no-such-work", &["--vary", "works.gsd.depth=1,2"]),
        ("wrong-value", &["--vary", "works.gds.depth=1,0"]),
        ("empty-range", &["--vary", "works.gds.depth="]),
        ("backwards", &["--vary", "works.gds.depth=8..1"]),
        ("uneven", &["--zip", "works.gds.depth=1,2", "--zip", "works.gds.threads=1,2,3"]),
        ("twice", &["--vary", "works.gds.depth=1,2", "--vary", "works.gds.depth=4"]),
        ("too-many", &["--vary", "works.gds.depth=1..1001", "--vary", "works.gds.threads=1..1000"]),
        ("bad-shard", &["--shard", "3/2"]),
        ("no-table", &["-o", "table.pdf"]),
    ] {
        let said = refused(folder.path(), &[&["sweep", "question.toml"][..], arguments].concat());
        insta::assert_snapshot!(format!("sweep-{name}"), said);
    }
    assert!(!folder.path().join("output").exists(), "nothing is begun");
}

#[test]
fn what_is_wrong_in_the_file_is_said_with_its_place() {
    for (name, line, instead) in [
        ("file-backwards", "depth=1..4:x2", "depth=4..1"),
        ("file-no-range", "works.gds.depth=1..4:x2", "works.gds.depth"),
        ("file-unknown-key", "vary =", "very ="),
        ("file-no-such-key", "gds.depth=", "gds.dept="),
    ] {
        let folder = folder_with(&QUESTION.replace(line, instead));
        insta::assert_snapshot!(format!("sweep-{name}"), refused(folder.path(), &["sweep", "question.toml"]));
    }
}

#[test]
fn without_a_grid_there_is_no_sweep() {
    let folder = folder_with(QUESTION.split("[sweep]").next().unwrap());
    insta::assert_snapshot!("sweep-no-grid", refused(folder.path(), &["sweep", "question.toml"]));
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = folder();
    fs::write(folder.path().join("output"), "a file, where a folder is wanted").unwrap();
    let said = refused(folder.path(), &["sweep", "question.toml"]);
    assert!(said.contains("output/question") && said.contains("cannot be written"), "{said}");
}

/// `/dev/full` refuses every byte, as a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_what_is_finished_is_kept() {
    let folder = folder();
    let table =
        hopsim(folder.path(), &["sweep", "question.toml"]).stdout(fs::File::create("/dev/full").unwrap()).output();
    let table = table.unwrap();
    assert_eq!(table.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&table.stderr).contains("No space left"), "{table:?}");
    // The points are in the journal all the same.
    let lines = fs::read_to_string(journal(folder.path())).unwrap().lines().count();
    assert_eq!(lines, 10);
    done(folder.path(), &["sweep", "question.toml", "--resume", "-o", "table.csv"]);
}

#[test]
fn the_table_has_a_row_for_every_point_with_inputs_results_and_interval() {
    let folder = folder();
    let table = done(folder.path(), &["sweep", "question.toml", "--replicates", "2"]).stdout;
    let mut reader = csv::Reader::from_reader(table.as_slice());
    let names = reader.headers().unwrap().clone();
    for name in ["works.gds.size", "works.gds.depth", "seed", "gds.throughput_gb_s", "gds.binding", "gds.half_width"] {
        assert!(names.iter().any(|column| column == name), "{name} in {names:?}");
    }
    assert_eq!(reader.records().count(), 18);
}

#[test]
fn a_saved_sweep_is_a_folder_of_its_own() {
    let folder = folder();
    done(folder.path(), &["sweep", "question.toml", "--save"]);
    let inside = fs::read_dir(folder.path().join("output/question")).unwrap().next().unwrap().unwrap().path();
    let mut files: Vec<_> =
        fs::read_dir(inside).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    for file in ["points.csv", "points.jsonl", "resolved.toml", "summary.txt"] {
        assert!(files.iter().any(|other| other == file), "{file} in {files:?}");
    }
}
