//! `gds_stats`, levels 1 to 3: how fast, and how many requests of each GPU went through system memory after all.
//!
//! Knows its sections. Must not know what is too many.

use super::{Fact, Figure, Level, Reading, Route, Text, Way, pattern};
use engine::Direction;

/// Bytes of a GiB.
const GIB: f64 = (1u64 << 30) as f64;

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in &text.lines {
        let body = line.body();
        if let Some(figure) = bandwidth(line.number, body) {
            reading.figures.push(figure);
        }
        let facts = gpu(body).into_iter().chain(errors(body)).chain(heading(body));
        facts.for_each(|fact| reading.fact(line.number, fact));
    }
    latencies(text, reading);
}

fn bandwidth(line: usize, body: &str) -> Option<Figure> {
    let cells = pattern!(r"\b(Read|Write) BandWidth\s*(?:\(GiB/s\))?\s*:\s*([\d.]+)").captures(body)?;
    let rate: f64 = cells[2].parse().ok().filter(|rate| *rate > 0.0)?;
    let read = &cells[1] == "Read";
    let mut figure = Figure::new(line, "gds_stats", format!("{} of a process", &cells[1]), Route::Gds, rate * GIB);
    figure.direction = Some(if read { Direction::Read } else { Direction::Write });
    Some(figure)
}

/// Adds the latency that stands on a line of its own to the figure above it.
fn latencies(text: &Text, reading: &mut Reading) {
    for line in text.with("Latency (us)") {
        let found = pattern!(r"Avg (Read|Write) Latency \(us\)\s*:\s*([\d.]+)").captures(line.body());
        let Some((cells, us)) = found.and_then(|cells| Some((cells[1].to_string(), cells[2].parse::<f64>().ok()?)))
        else {
            continue;
        };
        let direction = if cells == "Read" { Direction::Read } else { Direction::Write };
        let above = reading.figures.iter_mut().rev();
        let mut above = above.take(8).filter(|figure| figure.line < line.number && figure.direction == Some(direction));
        if let Some(figure) = above.next() {
            figure.latency_s = Some(us * 1e-6);
        }
    }
}

/// "GPU 2 Read: bw=6.3 … n=78193 posix=0 … Write: …": later releases also count `nvfs=` and `p2pdma=`.
fn gpu(body: &str) -> Vec<Fact> {
    let Some(cells) = pattern!(r"\bGPU\s+(\d+)(?:\([^)]*\))?\s+Read:\s*(.*)$").captures(body) else {
        return Vec::new();
    };
    let gpu = Some(format!("GPU{}", &cells[1]));
    let requests = &cells[2].split("BufRegister").next().unwrap_or_default();
    let sum = |word: &str| -> u64 {
        let counts = requests
            .split_whitespace()
            .filter_map(|item| item.strip_prefix(word)?.strip_prefix('=')?.parse::<u64>().ok());
        counts.fold(0, u64::saturating_add)
    };
    let (posix, p2pdma) = (sum("posix"), sum("p2pdma"));
    let direct = sum("n").saturating_sub(posix).saturating_sub(p2pdma);
    let moved = |way, requests| Fact::Moved { gpu: gpu.clone(), way, requests, failed: 0 };
    vec![moved(Way::Nvfs, direct), moved(Way::P2pdma, p2pdma), moved(Way::Compat, posix)]
}

fn errors(body: &str) -> Option<Fact> {
    let cells = pattern!(r"Total (?:Read|Write) Errors\s*:\s*(\d+)").captures(body)?;
    let text = body.trim().to_string();
    if cells[1].bytes().all(|digit| digit == b'0') {
        return Some(Fact::Heading);
    }
    Some(Fact::Logged { matter: None, level: Level::Error, text })
}

fn heading(body: &str) -> Option<Fact> {
    const SECTIONS: &str = r"cuFile STATS VERSION|^\s*GLOBAL STATS\s*:|READ-WRITE SIZE HISTOGRAM|^\s*PER_GPU (?:STATS|POOL|POSIX|RDMA)|^\s*RDMA MRSTATS|Total (?:Files|Read Size|Write Size)\b.*:";
    pattern!(SECTIONS).is_match(body).then_some(Fact::Heading)
}
