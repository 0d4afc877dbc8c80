//! Figures of a lesson: how they are written, and what a person may type for one.
//!
//! Knows units. Must not know which key a figure comes from.

use serde_json::Value;

use crate::readable::{bytes, count, gb_s, percent, seconds};
use crate::study::vary::{Scale, amount};
use engine::units::{Factor, significant};

/// What a figure measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Microseconds.
    Microseconds,
    /// Picoseconds.
    Picoseconds,
    /// 10^9 bytes a second.
    GigabytesPerSecond,
    /// Bytes.
    Bytes,
    /// A share, 0 to 1, written in per cent.
    Percent,
    /// How many times.
    Times,
    /// A whole number of things.
    Count,
    /// A number without a unit.
    Number,
}

/// The words for units in lesson files.
const WORDS: [(&str, Unit); 9] = [
    ("s", Unit::Seconds),
    ("us", Unit::Microseconds),
    ("ps", Unit::Picoseconds),
    ("gb_s", Unit::GigabytesPerSecond),
    ("bytes", Unit::Bytes),
    ("percent", Unit::Percent),
    ("times", Unit::Times),
    ("count", Unit::Count),
    ("number", Unit::Number),
];

impl Unit {
    /// The unit of that word.
    pub(super) fn from_word(word: &str) -> Result<Unit, String> {
        let found = WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, unit)| *unit).ok_or_else(|| {
            let known: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
            format!("\"{word}\" is no unit; known: {}", known.join(", "))
        })
    }

    /// The unit that a key's name ends in.
    pub(super) fn of_key(key: &str) -> Unit {
        let last = key.rsplit('.').next().unwrap_or(key);
        if key.contains("latency_us.") {
            return Unit::Microseconds;
        }
        match last {
            _ if last.ends_with("gb_s") => Unit::GigabytesPerSecond,
            _ if last.ends_with("_s") => Unit::Seconds,
            _ if last.ends_with("_ps") || last == "ps" => Unit::Picoseconds,
            _ if last.ends_with("bytes") => Unit::Bytes,
            "share" | "utilisation" | "assumed_share" => Unit::Percent,
            "len" | "requests" | "cpu_copies" | "pcie_crossings" | "hops" | "host_buffers" | "outstanding" => {
                Unit::Count
            }
            _ => Unit::Number,
        }
    }

    /// What stands behind a figure that is asked for: "in seconds".
    pub(super) fn asked_in(self) -> &'static str {
        match self {
            Unit::Seconds => "a time, such as 2.5 s",
            Unit::Microseconds | Unit::Picoseconds => "a time, such as 120 us",
            Unit::GigabytesPerSecond => "a rate, such as 40 GB/s",
            Unit::Bytes => "an amount, such as 640 GB",
            Unit::Percent => "per cent, such as 25 %",
            Unit::Times => "how many times, such as 1.5",
            Unit::Count => "a number, such as 4",
            Unit::Number => "a number",
        }
    }

    /// The figure as people read it.
    pub(super) fn written(self, value: f64) -> String {
        match self {
            Unit::Seconds => seconds(value),
            Unit::Microseconds => seconds(value / 1e6),
            Unit::Picoseconds => seconds(value / 1e12),
            Unit::GigabytesPerSecond => gb_s(value),
            Unit::Bytes => bytes(value.max(0.0).round() as u64),
            Unit::Percent => percent(value),
            Unit::Times | Unit::Number => significant(value),
            Unit::Count => count(value.max(0.0).round() as u64),
        }
    }

    /// What a person typed, as a value in this unit; `None` if it is none. Without a unit, the unit is this one.
    pub(super) fn read(self, typed: &str) -> Option<f64> {
        let typed = typed.trim().trim_start_matches('~').trim().replace(',', "");
        if let Ok(bare) = typed.parse::<f64>() {
            return (bare.is_finite()).then(|| self.of_bare(bare));
        }
        match (self, amount(&typed)) {
            (_, (Scale::Word, _)) => self.with_word(&typed),
            (Unit::Seconds, (Scale::Time, ps)) => Some(ps as f64 / 1e12),
            (Unit::Microseconds, (Scale::Time, ps)) => Some(ps as f64 / 1e6),
            (Unit::Picoseconds, (Scale::Time, ps)) => Some(ps as f64),
            (Unit::GigabytesPerSecond, (Scale::Rate, rate)) => Some(rate as f64 / 1e9),
            (Unit::Bytes, (Scale::Bytes, bytes)) => Some(bytes as f64),
            _ => None,
        }
    }

    /// A number without a unit, in the unit that a person has in mind.
    fn of_bare(self, bare: f64) -> f64 {
        match self {
            Unit::Percent => bare / 100.0,
            Unit::Picoseconds => bare * 1e6,
            _ => bare,
        }
    }

    /// A number with a word that is no unit of hopsim: "3 hops", "2x", "25 %".
    fn with_word(self, typed: &str) -> Option<f64> {
        let end = typed.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(typed.len());
        let bare: f64 = typed[..end].parse().ok()?;
        let plain = matches!(self, Unit::Times | Unit::Count | Unit::Number | Unit::Percent);
        plain.then(|| self.of_bare(bare))
    }
}

/// A value of a key as a number in the unit of reports: rates in 10^9 bytes a second, times in seconds.
pub(super) fn as_number(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    match amount(text) {
        (Scale::Rate, rate) => Value::from(rate as f64 / 1e9),
        (Scale::Time, ps) => Value::from(ps as f64 / 1e12),
        (Scale::Bytes, bytes) => Value::from(bytes),
        (Scale::Number, billionths) => Value::from(Factor(billionths).as_f64()),
        (Scale::Word, _) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_unit() {
        let units = ["works.gds.duration_s", "works.gds.ceiling_gb_s", "works.a.dram_bytes", "works.a.hops.len"];
        let expected = [Unit::Seconds, Unit::GigabytesPerSecond, Unit::Bytes, Unit::Count];
        assert_eq!(units.map(Unit::of_key), expected);
        assert_eq!(Unit::of_key("works.gds.latency_us.p50"), Unit::Microseconds);
    }

    #[test]
    fn a_prediction_is_read_with_or_without_its_unit() {
        let times = ["6.4", "6.4 s", "6400 ms", "~6.4s"].map(|typed| Unit::Seconds.read(typed));
        assert_eq!(times, [Some(6.4); 4]);
        assert_eq!(Unit::GigabytesPerSecond.read("800 Gb/s"), Some(100.0));
        assert_eq!(Unit::Bytes.read("1.28 TB"), Some(1.28e12));
        assert_eq!(Unit::Percent.read("25 %"), Some(0.25));
        assert_eq!([Unit::Count.read("3 hops"), Unit::Times.read("2x")], [Some(3.0), Some(2.0)]);
    }

    #[test]
    fn what_is_no_figure_of_that_unit_is_not_read() {
        assert_eq!([Unit::Seconds.read("6 GB"), Unit::Seconds.read("soon"), Unit::Bytes.read("-")], [None; 3]);
        assert_eq!([Unit::Seconds.read("nan"), Unit::Count.read("")], [None; 2]);
    }
}
