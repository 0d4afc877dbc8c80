//! `ior`: the most that it wrote and read.
//!
//! Knows its summary and options; it gives both units on one line. Must not know how a file system should do.

use super::{Figure, Reading, Route, Text, gdsio, pattern};
use engine::Direction;

/// What the options above the summary say.
#[derive(Default)]
struct Setup {
    size: Option<u64>,
    tasks: Option<u64>,
    direct: Option<bool>,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut setup = Setup::default();
    for line in &text.lines {
        let body = line.body();
        options(body, &mut setup);
        let summary = pattern!(r"^\s*Max (Write|Read)\s*:\s+([\d.]+) ([KMGT]?i?B)/s(?:ec)?\b");
        let Some(cells) = summary.captures(body) else { continue };
        let rate = cells[2].parse::<f64>().ok().zip(gdsio::unit(&cells[3])).map(|(rate, unit)| rate * unit);
        let Some(rate) = rate.filter(|rate| *rate > 0.0) else { continue };
        let mut figure = Figure::new(line.number, "IOR", cells[1].to_lowercase(), Route::Storage, rate);
        figure.direction = Some(if &cells[1] == "Read" { Direction::Read } else { Direction::Write });
        (figure.size, figure.threads, figure.direct) = (setup.size, setup.tasks, setup.direct);
        reading.figures.push(figure);
    }
}

/// "xfersize : 1 MiB", "tasks : 64", and the command itself.
fn options(body: &str, setup: &mut Setup) {
    if let Some(cells) = pattern!(r"^\s*xfersize\s*[:=]\s*([\d.]+) (bytes|[KMGT]iB)").captures(body) {
        let unit = if &cells[2] == "bytes" { Some(1.0) } else { gdsio::unit(&cells[2]) };
        setup.size = cells[1].parse::<f64>().ok().zip(unit).map(|(size, unit)| (size * unit) as u64);
    }
    if let Some(cells) = pattern!(r"^\s*(?:tasks|clients)\s*[:=]\s*(\d+)").captures(body) {
        setup.tasks = cells[1].parse().ok();
    }
    if pattern!(r"^\s*Command line\s*:.*\s(?:--posix\.odirect|-B)\b").is_match(body) {
        setup.direct = Some(true);
    }
}
