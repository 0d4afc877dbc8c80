//! `nvidia-smi topo -m` and `-mp`: how far GPUs and NICs are apart, and which NUMA node each GPU is of.
//!
//! Knows the matrix, whole, elided or cut, and its legends. Must not know which NIC leads to storage.

use super::{Fact, Line, Reach, Reading, Text, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut heading: Option<Vec<String>> = None;
    for line in &text.lines {
        let words: Vec<&str> = line.body().split_whitespace().collect();
        if let Some(labels) = labels(&words) {
            reading.fact(line.number, Fact::Heading);
            heading = Some(labels);
        } else if words.first().is_some_and(|word| is_device(word)) {
            match &heading {
                Some(labels) => row(line.number, &words, labels, reading),
                None => row(line.number, &words, &guessed(text), reading),
            }
        }
        legend(line, reading);
    }
}

fn is_gpu(word: &str) -> bool {
    word.strip_prefix("GPU").is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// A label of a row or a column.
fn is_device(word: &str) -> bool {
    is_gpu(word)
        || pattern!(
            r"^(?:NIC\d+|(?:mlx|mthca|bnxt_re|irdma|hfi1_|qib|efa_|rdmap|roce|rocep|ibp|ib|erdma_|ionic_)\w*\d\w*)$"
        )
        .is_match(word)
}

/// The columns of a heading: labels, and dots where some were left out.
fn labels(words: &[&str]) -> Option<Vec<String>> {
    let label = |word: &&&str| is_device(word) || matches!(**word, "." | "..." | "…");
    let labels: Vec<String> = words.iter().take_while(label).map(ToString::to_string).collect();
    // A row begins with one label; a heading has the GPUs before all else.
    let cells_follow = words.get(labels.len()).is_some_and(|word| cell(word).is_some());
    (labels.first().is_some_and(|first| is_gpu(first)) && !cells_follow).then_some(labels)
}

/// The columns of a matrix whose heading was cut off: the GPUs that have rows, then NICs.
fn guessed(text: &Text) -> Vec<String> {
    let number = |line: &Line| -> Option<usize> {
        let mut words = line.body().split_whitespace();
        let number = words.next()?.strip_prefix("GPU")?.parse().ok()?;
        words.next().and_then(cell).map(|_| number)
    };
    let gpus = text.with("GPU").filter_map(number).max().map_or(0, |last| (last + 1).min(64));
    let nics = (0..64).map(|nic| format!("NIC{nic}"));
    (0..gpus).map(|gpu| format!("GPU{gpu}")).chain(nics).collect()
}

/// What a cell says: nothing for the diagonal or an elision.
#[derive(Clone, Copy)]
enum Cell {
    Blank,
    Reach(Reach),
}

fn cell(word: &str) -> Option<Cell> {
    match word {
        "X" | "." | "..." | "…" | "N/A" => Some(Cell::Blank),
        _ => Reach::read(word).map(Cell::Reach),
    }
}

fn row(number: usize, words: &[&str], labels: &[String], reading: &mut Reading) {
    let from = words[0];
    let cells: Vec<Cell> = words[1..].iter().take(labels.len()).map_while(|word| cell(word)).collect();
    if cells.is_empty() {
        return;
    }
    for (cell, to) in cells.iter().zip(labels) {
        if let (Cell::Reach(reach), true) = (cell, is_device(to)) {
            reading.fact(number, Fact::Distance { from: from.to_string(), to: to.clone(), reach: *reach });
        }
    }
    // Behind a whole row: the CPUs, then the NUMA node.
    let rest = &words[1 + cells.len()..];
    let node = rest.get(1).or(rest.first()).and_then(|word| word.parse().ok());
    if let (true, true, Some(node)) = (is_gpu(from), cells.len() == labels.len(), node) {
        reading.fact(number, Fact::Numa { device: from.to_string(), node });
    }
}

fn legend(line: &Line, reading: &mut Reading) {
    let body = line.body();
    if let Some(cells) = pattern!(r"^\s*(NIC\d+)\s*:\s*(\w+)\s*$").captures(body) {
        reading.fact(line.number, Fact::NicName { label: cells[1].to_string(), device: cells[2].to_string() });
    } else if pattern!(r"^\s*(?:NIC )?Legend\s*:|\b(?:SYS|NODE|PHB|PXB|PIX|NV#)\s*=\s*Connection\b").is_match(body) {
        reading.fact(line.number, Fact::Heading);
    }
}
