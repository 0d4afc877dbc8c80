//! A figure to be judged: as a person writes it, or as a benchmark measured it.
//!
//! Knows spellings of rates. Must not know limits.

use crate::error::Fault;
use crate::import::{Figure, Route};
use engine::Direction;
use engine::units::Rate;

/// A figure with what is known of how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// As it was written.
    pub written: String,
    /// The line that shows it, in a log.
    pub line: Option<usize>,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// The way that the bytes went, where it is known.
    pub route: Option<Route>,
    /// From storage to the GPU or the other way, where it is known.
    pub direction: Option<Direction>,
    /// The size of a request.
    pub size: Option<u64>,
    /// Threads a GPU.
    pub threads: Option<u64>,
    /// Outstanding requests a thread.
    pub depth: Option<u64>,
    /// GPUs that took part.
    pub gpus: Option<u64>,
    /// Whether the page cache was left out.
    pub direct: Option<bool>,
}

impl Claim {
    /// A figure of which nothing else is known.
    ///
    /// # Errors
    /// A [`Fault`] if the text is no rate.
    pub fn read(text: &str) -> Result<Claim, Fault> {
        let bytes_per_s = rate(text)?.0 as f64;
        if bytes_per_s == 0.0 {
            return Err(Fault::new(format!("\"{text}\" moves nothing")).help("give a figure above zero"));
        }
        Ok(Claim {
            written: text.trim().to_string(),
            line: None,
            bytes_per_s,
            route: None,
            direction: None,
            size: None,
            threads: None,
            depth: None,
            gpus: None,
            direct: None,
        })
    }

    /// A benchmark's figure.
    pub fn of(figure: &Figure) -> Claim {
        Claim {
            written: format!("{} {}", figure.tool, figure.what),
            line: Some(figure.line),
            bytes_per_s: figure.bytes_per_s,
            route: Some(figure.route),
            direction: figure.direction,
            size: figure.size,
            threads: figure.threads,
            depth: figure.depth,
            gpus: figure.gpus,
            direct: figure.direct,
        }
    }

    /// The figure in 10^9 bytes a second.
    pub fn gb_s(&self) -> f64 {
        self.bytes_per_s / 1e9
    }
}

/// Reads a rate as people write it: `40 GiB/s`, `320Gbps`, `40 GB per second`, `5 Gbit/s`.
///
/// # Errors
/// A [`Fault`] that names the ways to write one.
pub fn rate(text: &str) -> Result<Rate, Fault> {
    let plain: String = text.trim().replace([',', '_'], "").replace('\u{a0}', " ");
    let end = plain.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(plain.len());
    let (number, unit) = plain.split_at(end);
    let read = format!("{number} {}", spelled(unit.trim())).parse::<Rate>();
    read.map_err(|_| {
        Fault::new(format!("\"{text}\" is no throughput"))
            .help("write a number and a unit: \"40 GiB/s\" (2^30 bytes), \"40 GB/s\" (10^9 bytes) or \"320 Gb/s\" (10^9 bits)")
    })
}

/// A unit in the one spelling that is read: `B` is a byte, `b` a bit.
fn spelled(unit: &str) -> String {
    let unit = unit.to_string();
    let second = [" per second", " per sec", "/second", "/sec", "/s", "ps", " / s"];
    let quantity = second.iter().find_map(|end| unit.strip_suffix(end)).unwrap_or(&unit).trim();
    let words = [
        ("bytes", "B"),
        ("byte", "B"),
        ("Bytes", "B"),
        ("Byte", "B"),
        ("bits", "b"),
        ("bit", "b"),
        ("Bits", "b"),
        ("Bit", "b"),
    ];
    let quantity =
        words.iter().find_map(|(word, sign)| quantity.strip_suffix(word).map(|rest| format!("{}{sign}", rest.trim())));
    let quantity = quantity
        .unwrap_or_else(|| second.iter().find_map(|end| unit.strip_suffix(end)).unwrap_or(&unit).trim().to_string());
    // A unit without its second is an amount, not a rate: it stays one.
    if second.iter().any(|end| unit.ends_with(end)) { format!("{quantity}/s") } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_read_in_the_spellings_of_people() {
        for (text, bytes) in [
            ("40 GiB/s", 40 << 30),
            ("40GiB/s", 40 << 30),
            ("320 Gb/s", 40_000_000_000),
            ("320Gbps", 40_000_000_000),
            ("320 Gbit/s", 40_000_000_000),
            ("40 GBps", 40_000_000_000),
            ("40 GB per second", 40_000_000_000),
            ("1,500 MB/sec", 1_500_000_000),
            ("6.5 GBytes/s", 6_500_000_000),
        ] {
            assert_eq!(rate(text).map(|rate| rate.0).ok(), Some(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        for text in ["", "fast", "40", "40 GB", "-4 GB/s", "40 parsecs"] {
            assert!(rate(text).is_err(), "{text}");
        }
        assert!(Claim::read("0 GB/s").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,24}") {
            let _ = Claim::read(&text);
        }
    }
}
