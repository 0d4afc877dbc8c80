//! How a link's payload rate comes about: signalling rate, line coding, packet headers, what was measured.
//!
//! Knows the arithmetic of packets. Must not know which link it is.

use toml::{Table, Value};

use crate::format::{FileKind, Place};
use engine::units::{Bytes, Factor, Quantity, Rate, significant};

/// The ways of all links in a file, one text each.
pub(super) fn all(table: &Table, place: Place) -> Vec<String> {
    let mut found = Vec::new();
    walk("", table, place, &mut found);
    found
}

fn walk(name: &str, table: &Table, place: Place, found: &mut Vec<String>) {
    if place == Place::Part(FileKind::Link) {
        found.extend(way(name, table));
    }
    for (key, value) in table {
        let below = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        let place = place.below(key);
        match value {
            Value::Table(table) => walk(&below, table, place, found),
            Value::Array(items) => items.iter().enumerate().for_each(|(index, item)| {
                if let Value::Table(table) = item {
                    walk(&format!("{below}.{index}"), table, place.below(""), found);
                }
            }),
            _ => {}
        }
    }
}

/// The way from the signalling rate of a link to its payload rate.
fn way(name: &str, link: &Table) -> Option<String> {
    let raw: Rate = figure(link, "raw")?;
    let mut lines = vec![("raw signalling rate".to_string(), raw.gb_s())];
    let mut rate = raw.gb_s();
    if let Some(encoding) = figure::<Factor>(link, "encoding") {
        rate *= encoding.as_f64();
        lines.push((format!("after {} (x {})", coding(encoding), significant(encoding.as_f64())), rate));
    }
    if let (Some(payload), Some(overhead)) = (figure::<Bytes>(link, "max_payload"), figure(link, "packet_overhead")) {
        rate *= packet_share(payload, overhead);
        lines.push((format!("after packet headers ({} B with {} B payload)", overhead.0, payload.0), rate));
    }
    for (key, words) in [("rate_down", "towards the device"), ("rate_up", "from the device")] {
        if let Some(rate) = figure::<Rate>(link, key) {
            lines.push((format!("{} {words}", source(link, key)), rate.gb_s()));
        }
    }
    Some(told(name, &lines))
}

fn told(name: &str, lines: &[(String, f64)]) -> String {
    let width = lines.iter().map(|line| line.0.chars().count()).max().unwrap_or(0);
    let name = if name.is_empty() { "the link" } else { name };
    let lines = lines.iter().map(|(words, rate)| format!("  {words:width$}  {:>7} GB/s\n", significant(*rate)));
    format!("how the rate of {name} comes about, each direction\n{}\n", lines.collect::<String>())
}

/// The share of a packet that is payload.
fn packet_share(payload: Bytes, overhead: Bytes) -> f64 {
    payload.0 as f64 / (payload.0 + overhead.0) as f64
}

/// The name of a line code by what it leaves.
fn coding(encoding: Factor) -> &'static str {
    match encoding.0 / 100_000 {
        9846 => "128b/130b coding",
        8000 => "8b/10b coding",
        _ => "line coding",
    }
}

fn source(link: &Table, key: &str) -> String {
    let source = link.get(key).and_then(|figure| figure.get("source")).and_then(Value::as_str);
    source.unwrap_or("stated").to_string()
}

/// A figure of the link, bare or in its long form.
fn figure<T: Quantity>(link: &Table, key: &str) -> Option<T> {
    let value = link.get(key)?;
    match value.get("value").unwrap_or(value) {
        Value::String(text) => T::from_text(text).ok(),
        Value::Integer(number) => T::from_number(*number as f64).ok(),
        Value::Float(number) => T::from_number(*number).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_a_gen5_link_is_told_in_four_steps() {
        let text = "raw = \"64 GB/s\"\nencoding = 0.984615385\nmax_payload = \"256 B\"\npacket_overhead = \"26 B\"\n\
                    rate_down = { value = \"55.3 GB/s\", source = \"measured\" }";
        insta::assert_snapshot!(all(&text.parse().unwrap(), Place::Part(FileKind::Link)).concat());
    }

    #[test]
    fn links_deep_inside_a_node_are_found() {
        let text = "[gpu.link]\nraw = \"64 GB/s\"\n[[switches]]\n[switches.uplink]\nraw = \"32 GB/s\"";
        assert_eq!(all(&text.parse().unwrap(), Place::Part(FileKind::Node)).len(), 2);
    }
}
