//! Long spans of time: hours to years, in nanoseconds.
//!
//! Knows how they are written. Must not know what happens meanwhile. Picoseconds in 64 bits end at 213 days, which is no
//! horizon for failures; nanoseconds reach 584 years.

use super::*;

/// Nanoseconds in a second.
pub const NS_PER_S: u64 = 1_000_000_000;

/// A long span of time, in nanoseconds (up to 584 years).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LongTime(pub u64);

const HOUR: u64 = 3600 * NS_PER_S;

/// A year is 365 days, as availability is reckoned.
const LONG_UNITS: &[Unit] = &[
    ("ms", 1_000_000, 1),
    ("s", NS_PER_S as u128, 1),
    ("min", 60 * NS_PER_S as u128, 1),
    ("h", HOUR as u128, 1),
    ("d", 24 * HOUR as u128, 1),
    ("y", 365 * 24 * HOUR as u128, 1),
];

quantity!(LongTime, LONG_UNITS, "a time", "\"30 s\", \"6 h\", \"30 d\" or \"5 y\"");

impl LongTime {
    /// The nearest one to so many seconds; the longest there is beyond it, none below zero.
    pub fn from_seconds(seconds: f64) -> LongTime {
        // A conversion from a float stops at the ends of the integer.
        LongTime((seconds * NS_PER_S as f64).round() as u64)
    }

    /// As seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NS_PER_S as f64
    }
}

impl fmt::Display for LongTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("s", NS_PER_S), ("min", 60 * NS_PER_S), ("h", HOUR), ("d", 24 * HOUR), ("y", 365 * 24 * HOUR)];
        match units.iter().rev().find(|(_, worth)| self.0 >= *worth && self.0.is_multiple_of(*worth)) {
            Some((name, worth)) => write!(f, "{} {name}", self.0 / worth),
            None => write!(f, "{} s", self.seconds()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_are_read_and_written() {
        let five: LongTime = "5 y".parse().unwrap();
        assert_eq!((five.seconds(), five.to_string()), (157_680_000.0, "5 y".to_string()));
        assert_eq!("1.5 h".parse::<LongTime>().unwrap().to_string(), "90 min");
    }

    #[test]
    fn a_negative_time_is_refused() {
        let error = "-5 h".parse::<LongTime>().unwrap_err().to_string();
        assert_eq!(error, "\"-5 h\" is negative; expected a time such as \"30 s\", \"6 h\", \"30 d\" or \"5 y\"");
    }
}
