//! `fio`'s text: the command, the heading of a job, the line of each job's direction, and the group's summary.
//!
//! Knows how these belong together: one run is one figure a direction. Must not know JSON.

use super::{Fact, Figure, Line, Reading, Route, Text, fio, gdsio, pattern};
use engine::Direction;

/// What the lines above a figure say of the run.
#[derive(Clone, Debug, Default)]
struct Setup {
    size: Option<u64>,
    depth: Option<u64>,
    jobs: Option<u64>,
    direct: Option<bool>,
    engine: Option<String>,
    name: Option<String>,
}

/// A run: what was set, the figures of its jobs, and those of the whole group.
#[derive(Default)]
struct Run {
    setup: Setup,
    jobs: Vec<Figure>,
    groups: Vec<Figure>,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut run = Run::default();
    for line in &text.lines {
        let body = line.body();
        let again = body.starts_with("Run status group 0") && !run.groups.is_empty();
        if again || (begins(body) && !(run.jobs.is_empty() && run.groups.is_empty())) {
            std::mem::take(&mut run).close(reading);
        }
        options(body, &mut run.setup);
        heading(body, &mut run.setup);
        if let Some(figure) = job(line, &run.setup) {
            // A job line after the group's summary is of the next run.
            if !run.groups.is_empty() {
                let setup = run.setup.clone();
                std::mem::take(&mut run).close(reading);
                run.setup = setup;
            }
            run.jobs.push(figure);
        } else if let Some(figure) = summary(line.number, body) {
            run.groups.push(figure);
        } else if let (Some(latency), Some(figure)) = (latency(body), run.jobs.last_mut()) {
            figure.latency_s = Some(latency);
        }
        if detail(body) {
            reading.fact(line.number, Fact::Heading);
        }
    }
    run.close(reading);
}

/// Lines of a run that belong to it and give no figure.
fn detail(body: &str) -> bool {
    pattern!(
        r"^\s*(?:(?:slat|clat|lat) (?:\((?:n|u|m)sec\)|percentiles)|bw \(\s*[KMG]iB/s\)|iops\s+: min=|cpu\s+: usr=|IO depths\s+:|submit\s+: 0=|complete\s+: 0=|issued (?:rwts|r/w)|\|\s+\d+\.\d+th=|Jobs: \d+ \(f=|Starting \d+ (?:process|thread)|fio-\d\.\d+\s*$|Run status group|\S+: \(g=\d+\): rw=|\S+: \(groupid=\d+)"
    )
    .is_match(body)
}

/// A new command, or the heading of the next run.
fn begins(body: &str) -> bool {
    pattern!(r"(?:^|[\s;/])fio\s+[\w./-]*").is_match(body) && body.contains("fio ") || body.contains(": (g=0): rw=")
}

/// Options of a command.
fn options(body: &str, setup: &mut Setup) {
    if !body.contains("--") || !body.contains("fio") {
        return;
    }
    let option = |name: &str| {
        let found =
            body.split_whitespace().position(|word| word.trim_start_matches("--").split('=').next() == Some(name));
        let mut words = body.split_whitespace().skip(found?);
        let word = words.next()?;
        Some(word.split_once('=').map_or_else(|| words.next().unwrap_or(""), |(_, value)| value).to_string())
    };
    let number = |name: &str| option(name)?.parse().ok();
    *setup = Setup {
        size: option("bs").or(option("blocksize")).and_then(|size| fio::size(&size)),
        depth: number("iodepth"),
        jobs: number("numjobs").or(Some(1)),
        direct: option("direct").map(|direct| direct != "0"),
        engine: option("ioengine"),
        name: option("name"),
    };
}

/// "seq: (g=0): rw=read, bs=(R) 512KiB-512KiB, …, ioengine=libaio, iodepth=8" and what follows it.
fn heading(body: &str, setup: &mut Setup) {
    if let Some(cells) =
        pattern!(r"^\s*(\S+): \(g=\d+\): rw=(?:[\w,()]+), bs=(\S+) ?(\S*),.*ioengine=(\w+)(?:, iodepth=(\d+))?")
            .captures(body)
    {
        setup.name = Some(cells[1].to_string());
        let sizes = if cells[2].starts_with('(') { &cells[3] } else { &cells[2] };
        setup.size = equal_ends(sizes).or(setup.size);
        setup.engine = Some(cells[4].to_string());
        setup.depth = cells.get(5).and_then(|depth| depth.as_str().parse().ok()).or(setup.depth);
    }
    if let Some(cells) = pattern!(r"^\s*Starting (\d+) (?:process|thread)").captures(body) {
        setup.jobs = cells[1].parse().ok();
    }
    if let Some(cells) = pattern!(r"^\s*(\S+): \(groupid=\d+, jobs=(\d+)\)").captures(body) {
        (setup.name, setup.jobs) = (Some(cells[1].to_string()), cells[2].parse().ok());
    }
}

/// "512KiB-512KiB": one size only where both ends are the same.
fn equal_ends(range: &str) -> Option<u64> {
    let (low, high) = range.split(['/', ',']).next()?.split_once('-')?;
    (low == high).then(|| fio::size(low)).flatten()
}

/// "  read: IOPS=176k, BW=85.9GiB/s (92.2GB/s)(5153GiB/60010msec)", and the older "  read : io=10240MB, bw=1021.1MB/s, iops=1021".
fn job(line: &Line, setup: &Setup) -> Option<Figure> {
    let body = line.body();
    let new = pattern!(
        r"^\s*(read|write)\s*: IOPS=([\d.]+[kMG]?), BW=([\d.]+)([KMGT]?i?B)/s(?:\s*\([^)]*\))?(?:\(([\d.]+)([KMGT]?i?B)/(\d+)msec\))?"
    );
    let old = pattern!(r"^\s*(read|write)\s*: ?io=[\d.]+[KMGT]?B?, bw=([\d.]+)([KMGT]?)B/s, iops=([\d.]+[kMG]?)");
    let (word, rate, iops, moved) = if let Some(cells) = new.captures(body) {
        let moved = cells.get(5).and_then(|_| {
            let seconds = cells[7].parse::<f64>().ok()? / 1e3;
            Some((cells[5].parse::<f64>().ok()? * gdsio::unit(&cells[6])?, seconds))
        });
        (cells[1].to_string(), cells[3].parse::<f64>().ok()? * gdsio::unit(&cells[4])?, number(&cells[2]), moved)
    } else {
        let cells = old.captures(body)?;
        // Releases before 3 write MB for 2^20 bytes.
        let unit = gdsio::unit(&format!("{}iB", &cells[3])).filter(|_| !cells[3].is_empty()).unwrap_or(1.0);
        (cells[1].to_string(), cells[2].parse::<f64>().ok()? * unit, number(&cells[4]), None)
    };
    let name = setup.name.as_deref().unwrap_or("job");
    let mut figure = Figure::new(line.number, "fio", format!("{name}, {word}"), Route::Storage, rate);
    figure.direction = Some(direction(&word));
    figure.bytes = moved.map(|(bytes, _)| bytes as u64);
    figure.seconds = moved.map(|(_, seconds)| seconds);
    figure.size = setup.size.or(iops.filter(|iops| *iops > 0.0).map(|iops| nearest_power(rate / iops)));
    figure.iops = iops;
    figure.threads = setup.jobs;
    figure.depth = setup.depth;
    figure.direct = setup.direct;
    if setup.engine.as_deref() == Some("libcufile") {
        figure.route = Route::Gds;
    }
    (rate > 0.0).then_some(figure)
}

/// "176k".
pub(super) fn number(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match &text[digits.len()..] {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return None,
    };
    Some(digits.parse::<f64>().ok()? * power)
}

/// Counters are rounded, sizes are powers of two: the nearest one where it is within 3 %.
fn nearest_power(size: f64) -> u64 {
    let power = libm::exp2(libm::round(libm::log2(size.max(1.0))));
    if (size / power - 1.0).abs() < 0.03 { power as u64 } else { size.round() as u64 }
}

/// "     lat (usec): min=327, max=538135, avg=5820.58, …".
fn latency(body: &str) -> Option<f64> {
    let cells = pattern!(r"^\s*lat \((nsec|usec|msec)\)\s*: min=.*\bavg=\s*([\d.]+)").captures(body)?;
    let unit = match &cells[1] {
        "nsec" => 1e-9,
        "usec" => 1e-6,
        _ => 1e-3,
    };
    Some(cells[2].parse::<f64>().ok()? * unit)
}

/// "   READ: bw=1234MiB/s (1294MB/s), …": a group of jobs together.
fn summary(line: usize, body: &str) -> Option<Figure> {
    let cells =
        pattern!(r"^\s*(READ|WRITE|read|write)\s*: (?:bw|io=\S+ aggrb)=([\d.]+)([KMGT]?i?B)/s").captures(body)?;
    let rate = cells[2].parse::<f64>().ok()? * gdsio::unit(&cells[3])?;
    let mut figure = Figure::new(line, "fio", cells[1].to_string(), Route::Storage, rate);
    figure.direction = Some(direction(&cells[1]));
    (rate > 0.0).then_some(figure)
}

fn direction(word: &str) -> Direction {
    if word.eq_ignore_ascii_case("read") { Direction::Read } else { Direction::Write }
}

impl Run {
    /// One figure for each direction: the job's own line where there is one, else all jobs together.
    fn close(self, reading: &mut Reading) {
        for direction in [Direction::Read, Direction::Write] {
            let of = |figures: &[Figure]| -> Vec<Figure> {
                figures.iter().filter(|figure| figure.direction == Some(direction)).cloned().collect()
            };
            let (jobs, groups) = (of(&self.jobs), of(&self.groups));
            match (jobs.as_slice(), groups.as_slice()) {
                ([], groups) => reading.figures.extend(groups.iter().cloned()),
                (jobs, groups) if groups.len() < 2 => reading.figures.extend(fio::together(jobs)),
                // Several groups ran one after another: their jobs stay apart.
                (jobs, _) => reading.figures.extend(jobs.iter().cloned()),
            }
        }
    }
}
