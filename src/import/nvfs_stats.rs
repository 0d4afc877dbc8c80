//! `/proc/driver/nvidia-fs/stats`: that the driver is loaded, and what it has moved.
//!
//! Knows its counters. Must not know which of them are alarming.

use super::{Fact, Level, Reading, Text, Way, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in &text.lines {
        let body = line.body();
        let facts = [driver(body), moved(body), errors(body)];
        facts.into_iter().flatten().for_each(|fact| reading.fact(line.number, fact));
        if let Some(cells) = pattern!(r"^\s*GDS Version\s*:\s*([\d.]+)").captures(body) {
            reading.fact(line.number, Fact::Version { of: "gds", version: cells[1].to_string() });
        }
        if let Some(cells) = pattern!(r"NVFS Driver\s*\(version\s*:\s*([\d.]+)\)").captures(body) {
            reading.fact(line.number, Fact::Version { of: "nvidia_fs", version: cells[1].to_string() });
        }
    }
}

/// The file exists while the driver is loaded, and not otherwise.
fn driver(body: &str) -> Option<Fact> {
    let missing = pattern!(r"/proc/driver/nvidia-fs\S*['’]?: No such file").is_match(body);
    let there = pattern!(r"^\s*NVFS (?:statistics|Driver)\s*\(ver").is_match(body);
    (missing || there).then(|| Fact::Module { name: "nvidia_fs".into(), loaded: there })
}

/// Reads and writes; without statistics of requests, the ones under way.
fn moved(body: &str) -> Option<Fact> {
    let cells =
        pattern!(r"^\s*(?:Reads|Writes)\s*:\s*n=(\d{1,18})\b(?:\s+ok=(\d{1,18})\s+err=(\d{1,18}))?").captures(body)?;
    let number = |group: usize| cells.get(group).and_then(|cell| cell.as_str().parse().ok());
    let requests = number(2).or(number(1))?;
    Some(Fact::Moved { gpu: None, way: Way::Nvfs, requests, failed: number(3).unwrap_or(0) })
}

fn errors(body: &str) -> Option<Fact> {
    let counts = pattern!(r"^\s*(?:Reads|Writes|Batches|Mmap|Bar1-map|Error)\s*:\s*(.*)$").captures(body)?;
    let bad = pattern!(r"\b(?:err|io_state_err|cpu-gpu-pages|sg-ext|dma-map|dma-ref)=([1-9]\d*)").is_match(&counts[1]);
    if bad {
        return Some(Fact::Logged {
            matter: None,
            level: Level::Error,
            text: body.split_whitespace().collect::<Vec<_>>().join(" "),
        });
    }
    counts[1].contains('=').then_some(Fact::Heading)
}
