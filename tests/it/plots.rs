//! Plots as a person asks for them, and the knee where the closed form puts it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::plans::*;
use engine::units::Bytes;
use engine::{Amount, Sizes};
use hopsim::plot::{Curve, Point};

const GB: u64 = 1_000_000_000;

/// A loop of `depth` requests on a mover of 10 GB/s after 100 us, over a link of 40 GB/s, started as scenarios do.
fn loop_of(depth: u64, size: u64) -> f64 {
    let mut one = leg(&[(0, 1.0)]);
    one.before = vec![0];
    one.own_cap = Some(own_cap("mover", 10 * GB));
    let mut work = work("w", vec![lane(0, vec![one])], depth, Amount::Requests(400 * depth));
    work.size = Sizes::Listed(vec![Bytes(size)]);
    work.stagger = None;
    throughput(&only(&plan(vec![capacity("link", 40 * GB)], vec![], vec![delay("setup", 100 * US)], vec![work])))
}

fn knee(curve: impl Iterator<Item = f64>) -> Option<usize> {
    let point = |y| Point { x: 0.0, x_text: String::new(), y, binds: String::new(), note: None };
    Curve::find_knee(&curve.map(point).collect::<Vec<_>>())
}

#[test]
fn the_knee_is_within_a_step_of_where_the_closed_form_meets_the_ceiling() {
    for size in [64 * 1024, 1 << 20, 4 << 20] {
        let depths: Vec<u64> = (0..11).map(|n| 1 << n).collect();
        let found = knee(depths.iter().map(|&depth| loop_of(depth, size) / 1e9)).unwrap();
        let pace = |depth: u64| depth as f64 * size as f64 / (100e-6 + size as f64 / 10e9);
        let meets = depths.iter().position(|&depth| pace(depth) >= 40e9).unwrap();
        assert!(found.abs_diff(meets) <= 1, "{size} bytes: knee at {}, formula {}", depths[found], depths[meets]);
    }
}

#[test]
fn a_curve_that_still_grows_has_no_knee() {
    assert_eq!(knee([1.0, 2.0, 4.0].into_iter()), None);
    assert_eq!(knee([1.0, 2.0, 2.0, 2.0].into_iter()), Some(1));
}

fn hopsim(folder: &Path, arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_hopsim")).current_dir(folder).args(arguments).output().unwrap()
}

const SCENARIO: &str = "one-at-a-time-textbook";

/// The words of an SVG, in the order in which they are drawn.
fn words(svg: &str) -> String {
    let mut words = String::new();
    for part in svg.split("<text").skip(1) {
        let text = part.split_once('>').and_then(|(_, rest)| rest.split_once("</text>")).map_or("", |(text, _)| text);
        words += text.trim();
        words.push('\n');
    }
    words
}

#[test]
fn every_plot_says_what_its_golden_file_says() {
    let folder = tempfile::tempdir().unwrap();
    for plot in ["saturation", "timeline", "hops", "latency", "compare"] {
        let vary = ["--vary", "works.*.size=64KiB..16MiB:x4"];
        let vary = if plot == "saturation" { &vary[..] } else { &[] };
        for ending in ["svg", "png", "json"] {
            let file = format!("{plot}.{ending}");
            let run = hopsim(folder.path(), &[&["plot", plot, SCENARIO, "-o", &file][..], vary].concat());
            assert!(run.status.success(), "{plot}: {}", String::from_utf8_lossy(&run.stderr));
        }
        let svg = fs::read_to_string(folder.path().join(format!("{plot}.svg"))).unwrap();
        insta::assert_snapshot!(format!("words-{plot}"), words(&svg));
    }
    for plot in ["saturation", "hops", "compare"] {
        let data = fs::read_to_string(folder.path().join(format!("{plot}.json"))).unwrap();
        insta::assert_snapshot!(format!("data-{plot}"), data);
    }
}

#[test]
fn measured_points_lie_over_the_curve_and_wrong_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let plot = |table: &str, file: &str| {
        fs::write(folder.path().join("points.csv"), table).unwrap();
        let vary = ["--vary", "works.*.size=64KiB..1MiB:x4", "--overlay", "points.csv", "-o", file];
        hopsim(folder.path(), &[&["plot", "saturation", SCENARIO][..], &vary].concat())
    };
    assert!(plot("x,y,name\n64 KiB,3.1,fio\n1 MiB,9.5,fio\n", "a.svg").status.success());
    let svg = fs::read_to_string(folder.path().join("a.svg")).unwrap();
    assert!(words(&svg).contains("fio"));
    // A benchmark's own output is a table as well.
    let perftest = fs::read_to_string("tests/fixtures/captures/perftest.txt").unwrap();
    assert!(plot(&perftest, "c.svg").status.success());
    assert!(words(&fs::read_to_string(folder.path().join("c.svg")).unwrap()).contains("perftest"));
    for (name, table) in [("columns", "size,rate\n1,2\n"), ("unit", "x,y\n64,3\n"), ("number", "x,y\n64 KiB,fast\n")] {
        let run = plot(table, "b.svg");
        assert_eq!(run.status.code(), Some(2));
        insta::assert_snapshot!(format!("overlay-{name}"), String::from_utf8(run.stderr).unwrap());
    }
}

#[test]
fn the_terminal_shows_the_curve_and_what_binds() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        hopsim(folder.path(), &["plot", "saturation", SCENARIO, "--vary", "works.*.size=64KiB..16MiB:x4", "--term"]);
    insta::assert_snapshot!("terminal", String::from_utf8(run.stdout).unwrap());
}
