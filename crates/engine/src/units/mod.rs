//! Quantities: bytes, rates, times and plain factors, each an integer in a type of its own.
//!
//! Knows how each is written and read. Must not know what any of them is used for.
//!
//! | type | unit of the integer | written as |
//! | --- | --- | --- |
//! | [`Bytes`] | byte | `140 GB` (10^9), `1 MiB` (2^20), `512 B` |
//! | [`Rate`] | byte per second | `63 GB/s`, `40 GiB/s`, `400 Gb/s` (bits) |
//! | [`Time`] | picosecond | `2 us`, `1.5 ms`, `10 s`, `1 h` |
//! | [`Factor`] | billionth | `0.64`, `3` |
//! | [`Frequency`] | event per million seconds | `1000 /s`, `1.5 M/s` |
//! | [`LongTime`] | nanosecond | `6 h`, `30 d`, `5 y` |
//!
//! GB is 10^9 bytes and GiB is 2^30; a small `b` is a bit. Decimal fractions are read exactly, without floating point; what
//! does not come to a whole unit is rounded to the nearest one, and a positive figure that would round to zero is refused.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// Picoseconds in a second.
pub const PS_PER_S: u64 = 1_000_000_000_000;

/// An amount of data, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A data rate, in bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(pub u64);

/// A point in simulated time or a span of it, in picoseconds (up to 213 days).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A plain number in billionths: bytes charged per payload byte, an efficiency, a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Factor(pub u64);

/// How often something happens, in events per million seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(pub u64);

/// Why a text is no quantity: what was wrong and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// What is wrong with the text.
    pub problem: String,
    /// What would have been right.
    pub expected: String,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; expected {}", self.problem, self.expected)
    }
}

impl std::error::Error for UnitError {}

/// A unit: its spelling and its worth as a fraction `(numerator, denominator)` of the integer that the type holds.
type Unit = (&'static str, u128, u128);

const BYTE_UNITS: &[Unit] = &[
    ("B", 1, 1),
    ("kB", 1_000, 1),
    ("KB", 1_000, 1),
    ("MB", 1_000_000, 1),
    ("GB", 1_000_000_000, 1),
    ("TB", 1_000_000_000_000, 1),
    ("PB", 1_000_000_000_000_000, 1),
    ("KiB", 1 << 10, 1),
    ("MiB", 1 << 20, 1),
    ("GiB", 1 << 30, 1),
    ("TiB", 1 << 40, 1),
    ("PiB", 1 << 50, 1),
];

const RATE_UNITS: &[Unit] = &[
    ("B/s", 1, 1),
    ("kB/s", 1_000, 1),
    ("KB/s", 1_000, 1),
    ("MB/s", 1_000_000, 1),
    ("GB/s", 1_000_000_000, 1),
    ("TB/s", 1_000_000_000_000, 1),
    ("KiB/s", 1 << 10, 1),
    ("MiB/s", 1 << 20, 1),
    ("GiB/s", 1 << 30, 1),
    ("TiB/s", 1 << 40, 1),
    ("b/s", 1, 8),
    ("kb/s", 1_000, 8),
    ("Mb/s", 1_000_000, 8),
    ("Gb/s", 1_000_000_000, 8),
    ("Tb/s", 1_000_000_000_000, 8),
];

const TIME_UNITS: &[Unit] = &[
    ("ps", 1, 1),
    ("ns", 1_000, 1),
    ("us", 1_000_000, 1),
    ("µs", 1_000_000, 1),
    ("ms", 1_000_000_000, 1),
    ("s", PS_PER_S as u128, 1),
    ("min", 60 * PS_PER_S as u128, 1),
    ("h", 3600 * PS_PER_S as u128, 1),
];

const FREQUENCY_UNITS: &[Unit] = &[("/s", 1_000_000, 1), ("k/s", 1_000_000_000, 1), ("M/s", 1_000_000_000_000, 1)];

const FACTOR_UNITS: &[Unit] = &[("", 1_000_000_000, 1), ("%", 10_000_000, 1)];

/// A decimal number as it was written: `mantissa / 10^places`.
struct Decimal {
    mantissa: u128,
    places: u32,
}

/// Splits "1.5 GiB" into its number and the rest, trimmed.
fn split_number(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-'))).unwrap_or(text.len());
    (text[..end].trim(), text[end..].trim())
}

fn parse_decimal(text: &str) -> Option<Decimal> {
    let digits = text.replace('_', "");
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    if all.is_empty() || all.len() > 30 || !all.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(Decimal { mantissa: all.parse().ok()?, places: u32::try_from(fraction.len()).ok()? })
}

/// Reads `text` by a table of units; `what` and `example` go into the messages.
fn read(text: &str, units: &[Unit], what: &str, example: &str) -> Result<u64, UnitError> {
    let fault = |problem: String| UnitError { problem, expected: format!("{what} such as {example}") };
    let (number, unit) = split_number(text);
    if number.starts_with('-') {
        return Err(fault(format!("\"{text}\" is negative")));
    }
    let decimal = parse_decimal(number).ok_or_else(|| fault(format!("\"{text}\" does not begin with a number")))?;
    let &(_, up, down) = units.iter().find(|u| u.0 == unit).ok_or_else(|| fault(wrong_unit(text, unit, units)))?;
    let too_large = || fault(format!("\"{text}\" is too large: {} {unit} at most", u64::MAX as u128 * down / up));
    let numerator = decimal.mantissa.checked_mul(up).ok_or_else(too_large)?;
    let denominator = 10u128.pow(decimal.places) * down;
    let rounded = (numerator + denominator / 2) / denominator;
    if rounded == 0 && decimal.mantissa > 0 {
        return Err(fault(format!("\"{text}\" rounds to zero")));
    }
    u64::try_from(rounded).map_err(|_| too_large())
}

fn wrong_unit(text: &str, unit: &str, units: &[Unit]) -> String {
    if unit.is_empty() {
        return format!("\"{text}\" has no unit");
    }
    let near = units.iter().find(|u| u.0.eq_ignore_ascii_case(unit) || u.0 == format!("{unit}/s"));
    let hint = near.map(|u| format!(" (did you mean \"{}\"?)", u.0)).unwrap_or_default();
    format!("\"{text}\" has the unknown unit \"{unit}\"{hint}")
}

/// A quantity that a key of a file can hold.
pub trait Quantity: Copy + Ord + fmt::Display + fmt::Debug + Sized {
    /// What a key of this kind expects, for messages and schemas: "a rate such as \"50 GB/s\"".
    const EXPECTED: &'static str;
    /// Reads a text with its unit.
    fn from_text(text: &str) -> Result<Self, UnitError>;
    /// Reads a bare number, where one means something.
    fn from_number(number: f64) -> Result<Self, UnitError> {
        Err(UnitError { problem: format!("{number} has no unit"), expected: Self::EXPECTED.to_string() })
    }
    /// Whether this is zero.
    fn is_zero(&self) -> bool;
}

macro_rules! quantity {
    ($type:ident, $units:ident, $what:literal, $example:literal) => {
        impl FromStr for $type {
            type Err = UnitError;
            fn from_str(text: &str) -> Result<Self, UnitError> {
                read(text, $units, $what, $example).map($type)
            }
        }
        impl Quantity for $type {
            const EXPECTED: &'static str = concat!($what, " such as ", $example);
            fn from_text(text: &str) -> Result<Self, UnitError> {
                text.parse()
            }
            fn is_zero(&self) -> bool {
                self.0 == 0
            }
        }
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    };
}

quantity!(Bytes, BYTE_UNITS, "an amount of data", "\"140 GB\" (10^9 bytes) or \"1 MiB\" (2^20 bytes)");
quantity!(Rate, RATE_UNITS, "a rate", "\"50 GB/s\" (bytes) or \"400 Gb/s\" (bits)");
quantity!(Time, TIME_UNITS, "a time", "\"2 us\" or \"1.5 s\"");
quantity!(Frequency, FREQUENCY_UNITS, "a frequency", "\"1000 /s\" or \"1.5 M/s\"");

impl FromStr for Factor {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        read(text, FACTOR_UNITS, "a number", "0.8 or \"80 %\"").map(Factor)
    }
}

impl Quantity for Factor {
    const EXPECTED: &'static str = "a number such as 0.8 or \"80 %\"";
    fn from_text(text: &str) -> Result<Self, UnitError> {
        text.parse()
    }
    fn from_number(number: f64) -> Result<Self, UnitError> {
        // The shortest decimal form of a float is the text that was typed, so that reading stays exact.
        format!("{number}").parse()
    }
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
}

impl Serialize for Factor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.as_f64())
    }
}

impl Quantity for u64 {
    const EXPECTED: &'static str = "a whole number such as 16";
    fn from_text(text: &str) -> Result<Self, UnitError> {
        let fault = || UnitError { problem: format!("\"{text}\" is no count"), expected: Self::EXPECTED.to_string() };
        text.trim().replace('_', "").parse().map_err(|_| fault())
    }
    fn from_number(number: f64) -> Result<Self, UnitError> {
        let whole = number >= 0.0 && number.fract() == 0.0 && number < 9e15;
        let fault = || UnitError { problem: format!("{number} is no count"), expected: Self::EXPECTED.to_string() };
        if whole { Ok(number as u64) } else { Err(fault()) }
    }
    fn is_zero(&self) -> bool {
        *self == 0
    }
}

impl Bytes {
    /// As 10^9 bytes.
    pub fn gb(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// As 2^30 bytes.
    pub fn gib(self) -> f64 {
        self.0 as f64 / (1u64 << 30) as f64
    }
}

impl Rate {
    /// As 10^9 bytes per second.
    pub fn gb_s(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// As 2^30 bytes per second.
    pub fn gib_s(self) -> f64 {
        self.0 as f64 / (1u64 << 30) as f64
    }
    /// The time that `bytes` take at this rate, rounded up to whole picoseconds. `None` for a rate of zero or past the clock.
    pub fn time_for(self, bytes: Bytes) -> Option<Time> {
        if self.0 == 0 {
            return None;
        }
        let ps = (bytes.0 as u128 * PS_PER_S as u128).div_ceil(self.0 as u128);
        u64::try_from(ps).ok().map(Time)
    }
}

impl Time {
    /// As seconds.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }
    /// As microseconds.
    pub fn us(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl Factor {
    /// The number one.
    pub const ONE: Factor = Factor(1_000_000_000);
    /// The number zero.
    pub const ZERO: Factor = Factor(0);
    /// As a float.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
    /// The product, rounded up.
    pub fn times(self, other: Factor) -> Factor {
        let product = (u128::from(self.0) * u128::from(other.0)).div_ceil(u128::from(Factor::ONE.0));
        Factor(u64::try_from(product).unwrap_or(u64::MAX))
    }
    /// The nearest factor to a float that is not negative.
    pub fn from_f64(value: f64) -> Factor {
        Factor((value.max(0.0) * 1e9).round() as u64)
    }
}

impl Frequency {
    /// The mean time between events, rounded down; `None` for a frequency of zero or beyond the clock.
    pub fn gap(self) -> Option<Time> {
        (PS_PER_S as u128 * 1_000_000).checked_div(self.0 as u128).and_then(|ps| u64::try_from(ps).ok()).map(Time)
    }
}

mod long;
pub use long::LongTime;

/// Four significant digits, without trailing zeros.
pub fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let magnitude = libm::floor(libm::log10(value.abs())) as i32;
    let places = usize::try_from((3 - magnitude).max(0)).unwrap_or(0);
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A span of time in the unit that suits it: `1.41 s`, `12.3 us`.
pub fn seconds(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    if value == 0.0 || !value.is_finite() {
        return format!("{value} s");
    }
    let unit = UNITS.iter().find(|u| value.abs() >= u.0).unwrap_or(&UNITS[3]);
    format!("{} {}", significant(value / unit.0), unit.1)
}

/// Writes an integer exactly in the largest unit of which it is a whole multiple or has at most three decimals.
fn write_exact(f: &mut fmt::Formatter<'_>, value: u64, units: &[(&str, u64)]) -> fmt::Result {
    for &(name, worth) in units.iter().rev() {
        let thousandths = value as u128 * 1000 / worth as u128;
        if value >= worth && thousandths * worth as u128 == value as u128 * 1000 {
            let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
            return write!(f, "{} {name}", text.trim_end_matches('0').trim_end_matches('.'));
        }
    }
    write!(f, "{value} {}", units[0].0)
}

impl fmt::Display for Bytes {
    /// Exact: `1 MiB` where the amount is a whole number of KiB, MiB or GiB below a tebibyte, else decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = [("KiB", 1u64 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];
        let whole = binary.iter().rev().find(|(_, worth)| self.0 >= *worth && self.0.is_multiple_of(*worth));
        match whole {
            Some((name, worth)) if !self.0.is_multiple_of(1_000_000) => {
                write!(f, "{} {name}", self.0 / worth)
            }
            _ => write_exact(
                f,
                self.0,
                &[("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", PS_PER_S)],
            ),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_exact(f, self.0, &[("B/s", 1), ("kB/s", 1_000), ("MB/s", 1_000_000), ("GB/s", 1_000_000_000)])
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_exact(f, self.0, &[("ps", 1), ("ns", 1_000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", PS_PER_S)])
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} /s", self.0 as f64 / 1e6)
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_f64())
    }
}

#[cfg(test)]
mod tests;
