//! Figures as people read them: scaled units, percentages, bars, wrapped lines.
//!
//! Knows numbers and letters. Must not know what a number measures beyond its unit.

use engine::units::{Bytes, significant};

pub use engine::units::seconds;

/// A rate given in 10^9 bytes a second: `99.15 GB/s`, and `MB/s` below one tenth.
pub fn gb_s(value: f64) -> String {
    if value != 0.0 && value.abs() < 0.1 {
        return format!("{} MB/s", significant(value * 1e3));
    }
    format!("{} GB/s", significant(value))
}

/// The same rate in 2^30 bytes a second: `92.34 GiB/s`.
pub fn gib_s(gb_s: f64) -> String {
    format!("{} GiB/s", significant(gb_s * 1e9 / (1u64 << 30) as f64))
}

/// An amount of data: exact where that is short (`1 MiB`), else four significant digits in decimal units (`1.28 TB`).
pub fn bytes(value: u64) -> String {
    const UNITS: [(f64, &str); 6] = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")];
    let exact = Bytes(value).to_string();
    if exact.len() <= 8 {
        return exact;
    }
    let unit = UNITS.iter().find(|u| value as f64 >= u.0).unwrap_or(&UNITS[5]);
    format!("{} {}", significant(value as f64 / unit.0), unit.1)
}

/// A share (0 to 1) as `96.2 %`; what is not zero never reads as zero.
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.0005 {
        return "< 0.1 %".to_string();
    }
    format!("{:.1} %", share * 100.0)
}

/// A count with its thousands apart: `133,515`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun: `1 copy`, `3 copies`.
pub fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A share (0 to 1) as a bar of at most `width` characters, an eighth of a character fine.
pub fn bar(share: f64, width: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (width * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), PARTS[eighths % 8])
}

/// Breaks a text between words, but not between a figure and its unit, so that no line passes `width`; every line after the first begins with `indent` spaces.
pub fn wrap(text: &str, width: usize, indent: usize) -> String {
    let words = text.trim_start_matches(' ');
    let mut lines = " ".repeat(text.len() - words.len());
    let mut column = lines.len();
    for (index, piece) in pieces(words).into_iter().enumerate() {
        let length = piece.chars().count();
        if index > 0 && column + 1 + length > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if index > 0 {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(&piece);
        column += length;
    }
    lines
}

/// What stays together on a line: words, and figures with their units.
fn pieces(words: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match pieces.last_mut() {
            Some(figure) if is_figure(figure) && word.chars().count() <= 5 => {
                figure.push(' ');
                figure.push_str(word);
            }
            _ => pieces.push(word.to_string()),
        }
    }
    pieces
}

/// Whether a word is a number, which stays with its unit.
fn is_figure(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_take_the_unit_that_suits_them() {
        let texts = [1.412, 0.0123, 0.000_012_3, 3.4e-8, 0.0].map(seconds);
        assert_eq!(texts, ["1.412 s", "12.3 ms", "12.3 us", "34 ns", "0 s"]);
    }

    #[test]
    fn amounts_are_exact_where_that_is_short() {
        let texts = [1 << 20, 140_000_000_000, 1_280_000_000_001, 0].map(bytes);
        assert_eq!(texts, ["1 MiB", "140 GB", "1.28 TB", "0 B"]);
    }

    #[test]
    fn a_small_share_does_not_read_as_nothing() {
        assert_eq!([0.0, 0.0001, 0.9621].map(percent), ["0.0 %", "< 0.1 %", "96.2 %"]);
    }

    #[test]
    fn a_full_bar_is_as_wide_as_asked() {
        assert_eq!([bar(1.0, 4), bar(0.5, 4), bar(0.53, 4), bar(0.0, 4)], ["████", "██", "██▏", ""]);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 133_515].map(count), ["0", "999", "1,000", "133,515"]);
    }

    #[test]
    fn wrapped_lines_keep_to_their_width() {
        assert_eq!(wrap("aa bb cc dd", 5, 2), "aa bb\n  cc\n  dd");
        assert_eq!(wrap("  a  b", 80, 2), "  a  b");
        assert_eq!(wrap("about 12.5 GB/s", 14, 0), "about\n12.5 GB/s");
    }
}
