//! `fio`: its JSON (3.x), and what its JSON and its text have in common.
//!
//! Knows jobs, their options and their counters. Must not know how fast a job should have been.

use super::json::{self, Node};
use super::{Figure, Reading, Route, Text, fio_text};
use engine::Direction;
use engine::units::Bytes;

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for document in json::documents(text) {
        let jobs = document.get("jobs").or(document.get("client_stats")).map(Node::items).unwrap_or_default();
        let global = document.get("global options");
        let mut figures: Vec<(f64, Figure)> = Vec::new();
        for job in jobs {
            let group = job.number_at("groupid").unwrap_or(0.0);
            let of_job = of_job(job, global);
            figures.extend(of_job.into_iter().map(|figure| (group, figure)));
        }
        reading.figures.extend(grouped(&figures));
    }
    fio_text::read(text, reading);
}

/// Jobs of one group ran together: those of one direction, size and depth are one figure.
fn grouped(figures: &[(f64, Figure)]) -> Vec<Figure> {
    let key =
        |(group, figure): &(f64, Figure)| (*group as u64, figure.direction, figure.size, figure.depth, figure.route);
    let mut out = Vec::new();
    for (at, one) in figures.iter().enumerate() {
        if figures[..at].iter().any(|other| key(other) == key(one)) {
            continue;
        }
        let alike: Vec<Figure> =
            figures.iter().filter(|other| key(other) == key(one)).map(|other| other.1.clone()).collect();
        out.extend(together(&alike));
    }
    out
}

/// Figures of jobs that ran at one time as one: rates and bytes added, latencies weighed by requests.
pub(super) fn together(jobs: &[Figure]) -> Option<Figure> {
    let (first, more) = jobs.split_first()?;
    if more.is_empty() {
        return Some(first.clone());
    }
    let rate: f64 = jobs.iter().map(|job| job.bytes_per_s).sum();
    let mut all = first.clone();
    all.bytes_per_s = rate;
    all.threads = Some(jobs.len() as u64);
    all.bytes = jobs.iter().map(|job| job.bytes).try_fold(0u64, |sum, bytes| sum.checked_add(bytes?));
    all.seconds = jobs.iter().filter_map(|job| job.seconds).reduce(f64::max);
    all.iops = jobs.iter().map(|job| job.iops).sum();
    let weighed: Option<f64> = jobs.iter().map(|job| Some(job.latency_s? * job.bytes_per_s)).sum();
    all.latency_s = weighed.map(|sum| sum / rate);
    Some(all)
}

fn of_job(job: &Node, global: Option<&Node>) -> Vec<Figure> {
    let name = job.text_at("jobname").unwrap_or("job");
    // A total of all clients counts the same bytes once more.
    if name == "All clients" {
        return Vec::new();
    }
    let mut figures = Vec::new();
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
        figure.iops = side.number_at("iops").filter(|iops| *iops > 0.0);
        figure.direct = option("direct").map(|direct| direct != "0");
        figure.latency_s =
            side.get("lat_ns").or(side.get("clat_ns")).and_then(|lat| lat.number_at("mean")).map(|ns| ns * 1e-9);
        if option("ioengine") == Some("libcufile") {
            figure.route = Route::Gds;
        }
        figures.push(figure);
    }
    figures
}

/// What the counters say of the size: the option may have been read as another one than was meant.
fn mean_size(side: &Node) -> Option<u64> {
    let (bytes, requests) =
        (side.number_at("io_bytes")?, side.number_at("total_ios").filter(|requests| *requests > 0.0)?);
    Some((bytes / requests).round() as u64).filter(|size| *size > 0)
}

/// An option's size: fio's `k`, `m` and `g` are powers of two.
pub(super) fn size(option: &str) -> Option<u64> {
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
