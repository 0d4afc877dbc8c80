//! `nvbandwidth` 0.2 to 0.10: copies between system memory and GPUs, and between GPUs; text, its matrices alone, or JSON.
//!
//! Knows the matrices. Must not know what a healthy link carries.

use super::json;
use super::{Figure, Reading, Route, Text, pattern};
use engine::Direction;

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut test: Option<Test> = None;
    for line in &text.lines {
        let body = line.body();
        if let Some(name) = running(body) {
            reading.figures.extend(test.take().and_then(Test::figure));
            test = Some(Test::new(line.number, name));
        } else if let Some(figure) = named_row(line.number, body) {
            reading.figures.push(figure);
        } else if let Some(open) = &mut test
            && !open.takes(line.number, body)
        {
            reading.figures.extend(test.take().and_then(Test::figure));
        }
    }
    reading.figures.extend(test.take().and_then(Test::figure));
    json::documents(text).iter().for_each(|document| of_document(document, reading));
}

fn running(body: &str) -> Option<&str> {
    let cells = pattern!(r"(?i)^\s*running\s+(\w*(?:memcpy|copy|latency|host|device)\w*)\.?\s*$").captures(body)?;
    cells.get(1).map(|name| name.as_str())
}

/// A test whose matrix is being read.
struct Test {
    name: String,
    line: usize,
    /// Whether its cells are GB/s.
    is_rate: bool,
    cells: Vec<f64>,
    /// The sum that the tool prints.
    sum: Option<f64>,
}

impl Test {
    fn new(line: usize, name: &str) -> Test {
        Test { name: name.to_string(), line, is_rate: true, cells: Vec::new(), sum: None }
    }

    /// Takes a line that belongs to the test; whether it did.
    fn takes(&mut self, number: usize, body: &str) -> bool {
        let words: Vec<&str> = body.split_whitespace().collect();
        match words[..] {
            [] => true,
            ["SUM", name, sum, ..] if name == self.name => {
                self.sum = sum.parse().ok();
                true
            }
            ["COEFFICIENT_OF_VARIATION", ..] | ["Waived:", ..] => true,
            _ if body.contains("(row)")
                || body.contains("(column)")
                || body.contains("bandwidth (")
                || body.contains("latency (") =>
            {
                self.is_rate = !body.contains("(ns)");
                true
            }
            // The columns' numbers, then rows that begin with their own.
            _ if words.iter().all(|word| word.parse::<u32>().is_ok()) => true,
            [first, ..] if first.parse::<u32>().is_ok() => {
                if self.cells.is_empty() {
                    self.line = number;
                }
                self.cells
                    .extend(words[1..].iter().filter_map(|word| word.parse::<f64>().ok()).filter(|rate| *rate > 0.0));
                true
            }
            _ => false,
        }
    }

    fn figure(self) -> Option<Figure> {
        if !self.is_rate {
            return None;
        }
        figure(self.line, &self.name, &self.cells, self.sum)
    }
}

/// The mean of the cells: what one copy reaches.
fn figure(line: usize, name: &str, cells: &[f64], sum: Option<f64>) -> Option<Figure> {
    let mean = match cells.len() {
        0 => sum?,
        count => cells.iter().sum::<f64>() / count as f64,
    };
    let (route, direction) = meaning(name);
    let mut figure = Figure::new(line, "nvbandwidth", name, route, mean * 1e9);
    figure.direction = direction;
    figure.gpus = (route == Route::Copy && !cells.is_empty()).then_some(cells.len() as u64);
    Some(figure).filter(|figure| figure.bytes_per_s.is_finite() && figure.bytes_per_s > 0.0)
}

fn meaning(name: &str) -> (Route, Option<Direction>) {
    match name {
        _ if name.starts_with("host_to") || name.starts_with("all_from_host") => (Route::Copy, Some(Direction::Read)),
        _ if name.starts_with("device_to_host") || name.starts_with("all_to_host") => {
            (Route::Copy, Some(Direction::Write))
        }
        _ => (Route::Peer, None),
    }
}

/// A test's name and its values in one line, as people note them down.
fn named_row(line: usize, body: &str) -> Option<Figure> {
    let cells = pattern!(r"^\s*((?:host|device|all)\w*_(?:memcpy|local|latency)\w*)\s*[:=]?\s+~?(\d+\.?\d*(?:\s+~?\d+\.?\d*)*)\s*(?:\(|GB/s|every|$)").captures(body)?;
    let rates: Vec<f64> =
        cells[2].split_whitespace().filter_map(|word| word.trim_start_matches('~').parse().ok()).collect();
    figure(line, &cells[1], &rates, None)
}

fn of_document(document: &json::Node, reading: &mut Reading) {
    let Some(tests) = document.get("nvbandwidth").and_then(|root| root.get("testcases")) else { return };
    for test in tests.items() {
        let Some(name) = test.text_at("name") else { continue };
        if test.text_at("bandwidth_description").is_some_and(|what| what.contains("(ns)")) {
            continue;
        }
        let rows = test.get("bandwidth_matrix").map(json::Node::items).unwrap_or_default();
        let cells: Vec<f64> =
            rows.iter().flat_map(json::Node::items).filter_map(json::Node::number).filter(|rate| *rate > 0.0).collect();
        let line = rows.first().map_or(test.line, |row| row.line);
        reading.figures.extend(figure(line, name, &cells, test.number_at("sum")));
    }
}
