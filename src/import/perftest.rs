//! perftest's bandwidth tests (`ib_write_bw` and its kin): their tables and their JSON.
//!
//! Knows its columns and units; `MB/sec` means 2^20 bytes. Must not know what a port should carry.

use super::json::{self, Node};
use super::{Figure, Reading, Route, Text, pattern};

/// What the lines above a table say.
#[derive(Clone, Default)]
struct Setup {
    test: String,
    device: String,
    pairs: Option<u64>,
    depth: Option<u64>,
    /// Bytes a second of one of the table's units.
    unit: f64,
    /// The column of the mean.
    mean: usize,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut setup = Setup::default();
    for line in &text.lines {
        let body = line.body();
        notes(body, &mut setup);
        if body.contains("#bytes") {
            heading(body, &mut setup);
        } else if setup.unit > 0.0 {
            reading.figures.extend(row(line.number, body, &setup));
        }
    }
    json::documents(text).iter().for_each(|document| of_document(document, reading));
}

fn notes(body: &str, setup: &mut Setup) {
    if let Some(cells) = pattern!(
        r"\b((?:RDMA_)?(?:Write|Read|Send|Atomic)\w*(?: Bidirectional)? (?:BW|Latency) Test|\w+ Bidirectional BW Test)"
    )
    .captures(body)
    {
        *setup = Setup { test: cells[1].to_string(), ..Setup::default() };
    }
    if let Some(cells) = pattern!(r"\bDevice\s*:\s*(\w+)").captures(body) {
        setup.device = cells[1].to_string();
    }
    if let Some(cells) = pattern!(r"Number of qps\s*:\s*(\d+)").captures(body) {
        setup.pairs = cells[1].parse().ok();
    }
    if let Some(cells) = pattern!(r"TX depth\s*:\s*(\d+)").captures(body) {
        setup.depth = cells[1].parse().ok();
    }
}

/// The units stand in the heading; a duration of its own leaves the peak out.
fn heading(body: &str, setup: &mut Setup) {
    let Some(cells) = pattern!(r"BW average\s*\[\s*([A-Za-z]+)/s(?:ec)?\s*\]").captures(body) else {
        setup.unit = 0.0;
        return;
    };
    setup.mean = if body.contains("BW peak") { 3 } else { 2 };
    setup.unit = unit(&cells[1]);
}

/// Bytes of a unit: perftest's MB and GB are powers of two, its Gb and Mb are bits of powers of ten.
fn unit(word: &str) -> f64 {
    match word {
        "MB" | "MiB" => (1u64 << 20) as f64,
        "GB" | "GiB" => (1u64 << 30) as f64,
        "Gb" | "Gbit" => 1e9 / 8.0,
        "Mb" | "Mbit" => 1e6 / 8.0,
        _ => 0.0,
    }
}

fn row(line: usize, body: &str, setup: &Setup) -> Option<Figure> {
    let words: Vec<&str> = body.split_whitespace().collect();
    let size = words.first()?.parse::<u64>().ok()?;
    let iterations = words.get(1)?.parse::<u64>().ok()?;
    let mean: f64 = words.get(setup.mean)?.parse().ok().filter(|mean: &f64| mean.is_finite() && *mean > 0.0)?;
    let what = [setup.test.trim_end_matches(" Test"), setup.device.as_str()]
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    let what = if what.is_empty() { "RDMA".to_string() } else { what };
    let mut figure = Figure::new(line, "perftest", what, Route::Network, mean * setup.unit);
    figure.both_directions = setup.test.contains("Bidirectional");
    figure.size = Some(size);
    figure.threads = setup.pairs;
    figure.depth = setup.depth;
    figure.bytes = size.checked_mul(iterations);
    Some(figure)
}

fn of_document(document: &Node, reading: &mut Reading) {
    let test = document.get("test_info");
    let results = document.get("results");
    let rows =
        results.map(|results| if results.items().is_empty() { std::slice::from_ref(results) } else { results.items() });
    for row in rows.unwrap_or_default() {
        let (Some(size), Some(mean)) = (row.get("MsgSize").and_then(Node::whole), row.number_at("BW_average")) else {
            continue;
        };
        let said = test.and_then(|test| test.text_at("test")).unwrap_or("RDMA");
        let Some(rate) = rate(size, mean, row.number_at("MsgRate")).filter(|rate| *rate > 0.0) else { continue };
        let device = test.and_then(|test| test.text_at("Device"));
        let what = device.map_or(said.trim_end_matches(" Test").to_string(), |device| {
            format!("{}, {device}", said.trim_end_matches(" Test"))
        });
        let mut figure = Figure::new(row.line, "perftest", what, Route::Network, rate);
        figure.both_directions = said.contains("Bidirectional");
        figure.size = Some(size);
        let count =
            |keys: [&str; 2]| keys.iter().find_map(|key| test.and_then(|test| test.get(key)).and_then(Node::whole));
        figure.threads = count(["Number_of_qps", "Number of qps"]);
        figure.depth = count(["TX_depth", "TX depth"]);
        reading.figures.push(figure);
    }
}

/// The JSON does not say its unit; the rate of messages does.
fn rate(size: u64, mean: f64, millions: Option<f64>) -> Option<f64> {
    let by_messages = millions.map(|millions| millions * 1e6 * size as f64).filter(|rate| *rate > 0.0);
    let candidates = [unit("Gb"), unit("MB"), unit("Mb")].map(|unit| mean * unit);
    match by_messages {
        Some(rate) => {
            let off = |candidate: &f64| libm::log(candidate / rate).abs();
            candidates.into_iter().filter(|rate| *rate > 0.0).min_by(|a, b| off(a).total_cmp(&off(b)))
        }
        None => Some(candidates[0]),
    }
}
