//! `fio`: its JSON (3.x) and the summary lines of its text.
//!
//! Knows jobs, their options and their counters. Must not know how fast a job should have been.

use super::json::{self, Node};
use super::{Figure, Reading, Route, Text, gdsio, pattern};
use engine::Direction;
use engine::units::Bytes;

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for document in json::documents(text) {
        let jobs = document.get("jobs").or(document.get("client_stats")).map(Node::items).unwrap_or_default();
        let global = document.get("global options");
        jobs.iter().for_each(|job| of_job(job, global, reading));
    }
    for line in text.with(": bw=") {
        reading.figures.extend(summary(line.number, line.body()));
    }
}

fn of_job(job: &Node, global: Option<&Node>, reading: &mut Reading) {
    let name = job.text_at("jobname").unwrap_or("job");
    // A total of all clients counts the same bytes once more.
    if name == "All clients" {
        return;
    }
    let option = |key: &str| {
        job.get("job options")
            .and_then(|options| options.text_at(key))
            .or(global.and_then(|options| options.text_at(key)))
    };
    for (key, direction) in [("read", Direction::Read), ("write", Direction::Write)] {
        let Some(side) = job.get(key) else { continue };
        let bytes_per_s = side.number_at("bw_bytes").or(side.number_at("bw").map(|kib| kib * 1024.0));
        let Some(rate) = bytes_per_s.filter(|rate| *rate > 0.0) else { continue };
        let mut figure = Figure::new(side.line, "fio", format!("{name}, {key}"), Route::Storage, rate);
        figure.direction = Some(direction);
        figure.bytes = side.get("io_bytes").and_then(Node::whole);
        figure.seconds = side.number_at("runtime").map(|ms| ms / 1e3);
        figure.size = mean_size(side).or(option("bs").and_then(size));
        figure.threads = option("numjobs").and_then(|jobs| jobs.parse().ok());
        figure.depth = option("iodepth").and_then(|depth| depth.parse().ok());
        figure.direct = option("direct").map(|direct| direct != "0");
        figure.latency_s =
            side.get("lat_ns").or(side.get("clat_ns")).and_then(|lat| lat.number_at("mean")).map(|ns| ns * 1e-9);
        if option("ioengine") == Some("libcufile") {
            figure.route = Route::Gds;
        }
        reading.figures.push(figure);
    }
}

/// What the counters say of the size: the option may have been read as another one than was meant.
fn mean_size(side: &Node) -> Option<u64> {
    let (bytes, requests) =
        (side.number_at("io_bytes")?, side.number_at("total_ios").filter(|requests| *requests > 0.0)?);
    Some((bytes / requests).round() as u64).filter(|size| *size > 0)
}

/// An option's size: fio's `k`, `m` and `g` are powers of two.
fn size(option: &str) -> Option<u64> {
    let first = option.split([',', '-']).next()?.trim().to_lowercase();
    let digits = first.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match first[digits.len()..].trim_end_matches("ib").trim_end_matches('b') {
        "" => "B",
        "k" => "KiB",
        "m" => "MiB",
        "g" => "GiB",
        _ => return None,
    };
    format!("{digits} {unit}").parse::<Bytes>().ok().map(|bytes| bytes.0)
}

/// "   READ: bw=1234MiB/s (1294MB/s), …": a group of jobs together.
fn summary(line: usize, body: &str) -> Option<Figure> {
    let cells = pattern!(r"^\s*(READ|WRITE|read|write)\s*: bw=([\d.]+)([KMGT]?i?B)/s").captures(body)?;
    let rate = cells[2].parse::<f64>().ok()? * gdsio::unit(&cells[3])?;
    let direction = if cells[1].eq_ignore_ascii_case("read") { Direction::Read } else { Direction::Write };
    let mut figure = Figure::new(line, "fio", cells[1].to_string(), Route::Storage, rate);
    figure.direction = Some(direction);
    (rate > 0.0).then_some(figure)
}
