//! `gdsio`: a summary of a run in one line, which some terminals fold into two.
//!
//! Knows its words and its path numbers (`-x`). Must not know how fast a run should have been.

use super::{Figure, Reading, Route, Text, pattern};
use engine::Direction;

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut command = Command::default();
    for (index, line) in text.lines.iter().enumerate() {
        let body = line.body();
        if body.contains("gdsio") && body.contains(" -") {
            command = Command::read(body);
            reading.fact(line.number, super::Fact::Heading);
        }
        let begins = body.contains("IoType:") || (body.contains("Throughput:") && !folded(text, index));
        if !begins || (body.contains("Throughput:") && !body.contains("iB/s") && !body.contains("B/sec")) {
            continue;
        }
        let next = text.lines.get(index + 1).map_or("", |next| next.body());
        let whole = if body.contains("Throughput:") || next.contains("IoType:") {
            body.to_string()
        } else {
            format!("{body} {next}")
        };
        if let Some(mut figure) = summary(line.number, &whole) {
            command.complete(&mut figure);
            reading.figures.push(figure);
        }
    }
}

/// Whether a line is the second half of a summary.
fn folded(text: &Text, index: usize) -> bool {
    let above = index.checked_sub(1).and_then(|above| text.lines.get(above));
    above.is_some_and(|above| above.body().contains("IoType:") && !above.body().contains("Throughput:"))
}

/// What the command says, for what its output leaves out.
#[derive(Default)]
struct Command {
    /// The path's number (`-x`).
    path: Option<usize>,
    /// Reads or writes (`-I`).
    io: Option<usize>,
    size: Option<u64>,
    threads: Option<u64>,
    gpus: Option<u64>,
}

/// The tool's words for its paths, by number.
const PATHS: [&str; 8] =
    ["GPUD", "CPUONLY", "CPU_GPU", "CPU_ASYNC_GPU", "CPU_CACHED_GPU", "GPUD_ASYNC", "GPU_BATCH", "GPU_BATCH_STREAM"];
/// And for what it does.
const WAYS: [&str; 4] = ["READ", "WRITE", "RANDREAD", "RANDWRITE"];

impl Command {
    fn read(body: &str) -> Command {
        let number = |word: &regex::Regex| word.captures(body).and_then(|cells| cells[1].parse::<u64>().ok());
        // `-d` once for each GPU.
        let gpus = Some(pattern!(r"\s-d\s*\d+").find_iter(body).count() as u64).filter(|gpus| *gpus > 0);
        let size = pattern!(r"\s-i\s*(\d+[kKmMgG]?)(?:\s|$)").captures(body);
        Command {
            path: number(pattern!(r"\s-x\s*(\d)(?:\s|$)")).map(|path| path as usize),
            io: number(pattern!(r"\s-I\s*(\d)(?:\s|$)")).map(|io| io as usize),
            size: size.and_then(|cells| super::fio::size(&cells[1])),
            threads: number(pattern!(r"\s-w\s*(\d+)(?:\s|$)"))
                .and_then(|threads| threads.checked_mul(gpus.unwrap_or(1))),
            gpus,
        }
    }

    /// Adds what the output itself does not say.
    fn complete(&self, figure: &mut Figure) {
        let (mut io, mut transfer) = figure.what.split_once(' ').unwrap_or(("?", "?"));
        if transfer == "?"
            && let Some(path) = self.path.and_then(|path| PATHS.get(path))
        {
            transfer = path;
            figure.route = route(path);
        }
        if io == "?"
            && let Some(way) = self.io.and_then(|io| WAYS.get(io))
        {
            io = way;
            figure.direction = direction(way);
        }
        figure.gpus = self.gpus;
        // A whole summary says all of it, and may be of another command.
        if figure.what.starts_with("? ?") {
            figure.size = figure.size.or(self.size);
            figure.threads = figure.threads.or(self.threads);
        }
        figure.what = format!("{io} {transfer}");
    }
}

fn summary(line: usize, whole: &str) -> Option<Figure> {
    let rate = pattern!(r"Throughput:\s*([\d.]+)\s*([KMGT]?i?B)/s").captures(whole)?;
    let rate = rate[1].parse::<f64>().ok()? * unit(&rate[2])?;
    let word = |name: &str| -> Option<&str> {
        let at = whole.find(name)? + name.len();
        whole[at..].trim_start().split([' ', ',', '\t']).next().filter(|word| !word.is_empty())
    };
    let number = |name: &str| word(name)?.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    let (io, transfer) = (word("IoType:").unwrap_or("?"), word("XferType:").unwrap_or("?"));
    let mut figure = Figure::new(line, "gdsio", format!("{io} {transfer}"), route(transfer), rate);
    figure.direction = direction(io);
    figure.threads = number("Threads:").map(|threads| threads as u64);
    figure.depth = number("IoDepth:").map(|depth| depth as u64);
    figure.size = word("IOSize:").and_then(kib);
    figure.bytes = word("DataSetSize:").and_then(|size| kib(size.split('/').next()?));
    figure.seconds = number("total_time");
    figure.latency_s = number("Avg_Latency:").map(|us| us * 1e-6).filter(|latency| *latency > 0.0);
    Some(figure)
}

fn direction(io: &str) -> Option<Direction> {
    match io.to_uppercase().as_str() {
        "READ" | "RANDREAD" => Some(Direction::Read),
        "WRITE" | "RANDWRITE" => Some(Direction::Write),
        _ => None,
    }
}

/// The tool's own words for its paths 0 to 7.
fn route(transfer: &str) -> Route {
    match transfer {
        "CPUONLY" | "CPU_ONLY" => Route::Storage,
        "CPU_GPU" | "CPU_ASYNC_GPU" | "CPUD" => Route::Bounce,
        "CPU_CACHED_GPU" => Route::Cached,
        _ => Route::Gds,
    }
}

/// "1024(KiB)"; a range of sizes has no single one.
fn kib(size: &str) -> Option<u64> {
    size.trim_end_matches("(KiB)").parse::<u64>().ok()?.checked_mul(1024)
}

/// Bytes of a unit.
pub(super) fn unit(unit: &str) -> Option<f64> {
    let power = match unit.chars().next()? {
        'K' | 'k' => 1,
        'M' => 2,
        'G' => 3,
        'T' => 4,
        _ => 0,
    };
    let base: f64 = if unit.contains('i') { 1024.0 } else { 1000.0 };
    Some((0..power).fold(1.0, |product, _| product * base))
}
