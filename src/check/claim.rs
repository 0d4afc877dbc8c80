//! A figure to be judged: as a person writes it, or as a benchmark measured it.
//!
//! Knows spellings of rates. Must not know limits.

use crate::error::Fault;
use crate::import::{Figure, Route};
use engine::Direction;
use engine::units::{Bytes, Rate};

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
    /// Mean latency of a request, in seconds.
    pub latency_s: Option<f64>,
    /// Whether bytes of both directions are added up in it.
    pub both_directions: bool,
}

impl Claim {
    /// A figure of which nothing else is known.
    ///
    /// # Errors
    /// A [`Fault`] if the text is no rate.
    pub fn read(text: &str) -> Result<Claim, Fault> {
        let (bytes_per_s, size) = match (over_time(text), by_requests(text)) {
            (Some(rate), _) => (rate, None),
            (_, Some((rate, size))) => (rate, Some(size)),
            _ => (rate(text)?.0 as f64, None),
        };
        if bytes_per_s <= 0.0 {
            return Err(Fault::new(format!("\"{text}\" moves nothing")).help("give a figure above zero"));
        }
        Ok(Claim {
            written: text.trim().to_string(),
            line: None,
            bytes_per_s,
            route: None,
            direction: None,
            size,
            threads: None,
            depth: None,
            gpus: None,
            direct: None,
            latency_s: None,
            both_directions: false,
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
            latency_s: figure.latency_s,
            both_directions: figure.both_directions,
        }
    }

    /// Whether its threads and latency say that all it had under way was (Little's law): then too few requests explain nothing.
    pub(super) fn kept_its_requests_under_way(&self) -> bool {
        let (Some(threads), Some(size)) = (self.threads, self.size) else { return false };
        let under_way = threads as f64 * self.depth.unwrap_or(1) as f64;
        let seen = self.latency_s.map_or(under_way, |latency| self.bytes_per_s * latency / size.max(1) as f64);
        under_way > 1.0 && seen >= 0.5 * under_way
    }

    /// The figure in 10^9 bytes a second.
    pub fn gb_s(&self) -> f64 {
        self.bytes_per_s / 1e9
    }
}

/// An amount and how long it took: `676 GB in 844 s`, `1.2 TiB in 3 min`.
fn over_time(text: &str) -> Option<f64> {
    let (amount, time) = text.split_once(" in ")?;
    let amount = amount.trim().replace([',', '_'], "").parse::<Bytes>().ok()?.0 as f64;
    let time = time.trim();
    let end = time.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(time.len());
    let second = match time[end..].trim() {
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        "ms" => 1e-3,
        _ => return None,
    };
    let seconds = time[..end].parse::<f64>().ok()? * second;
    (seconds > 0.0).then(|| amount / seconds)
}

/// Requests a second and their size: `1.5M IOPS x 4 KiB`, `102133 IOPS of 512 KiB`; with the size.
fn by_requests(text: &str) -> Option<(f64, u64)> {
    let (count, size) = text.split_once("IOPS").or_else(|| text.split_once("iops"))?;
    let size = size
        .trim()
        .trim_start_matches(['x', '*', '×', '@'])
        .trim_start()
        .trim_start_matches("of ")
        .trim_start_matches("at ");
    let count = count.trim().replace([',', '_', ' '], "");
    let digits = count.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match &count[digits.len()..] {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" | "m" => 1e6,
        _ => return None,
    };
    let size = size.trim().parse::<Bytes>().ok()?.0;
    Some((digits.parse::<f64>().ok()? * power * size as f64, size))
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
            .help("write a number and a unit: \"40 GiB/s\" (2^30 bytes), \"40 GB/s\" (10^9 bytes) or \"320 Gb/s\" (10^9 bits); or \"676 GB in 844 s\", or \"1.5M IOPS x 4 KiB\"")
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
    fn an_amount_in_a_time_and_requests_of_a_size_are_figures() {
        let gb_s = |text: &str| Claim::read(text).unwrap().gb_s();
        assert!((gb_s("90 GB in 45 s") - 2.0).abs() < 1e-9);
        assert!((gb_s("1.2 TB in 10 min") - 2.0).abs() < 1e-9);
        assert!((gb_s("1.5M IOPS x 4 KiB") - 6.144).abs() < 1e-9);
        assert_eq!(Claim::read("20k IOPS of 1 MiB").unwrap().size, Some(1 << 20));
        assert!(Claim::read("90 GB in a while").is_err());
    }

    #[test]
    fn a_figure_that_its_own_latency_bears_out_kept_its_requests_under_way() {
        let claim = |latency_s: f64| Claim {
            threads: Some(64),
            size: Some(1 << 20),
            latency_s: Some(latency_s),
            ..Claim::read("4 GiB/s").unwrap()
        };
        // 64 requests of 1 MiB at 4 GiB/s take 15.6 ms each.
        assert!(claim(0.0156).kept_its_requests_under_way());
        assert!(!claim(0.0003).kept_its_requests_under_way());
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
