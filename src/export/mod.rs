//! Reports and comparisons as text, JSON, CSV and Markdown: one file a format, one line in [`FORMATS`].
//!
//! Knows the report's shape. Must not know how a run was made, nor open a file.

mod alike;
mod csv;
mod json;
mod markdown;
mod perfetto;
pub mod points;
mod text;

pub use perfetto::{Traced, trace};

use crate::report::{Comparison, Line, Quantity, Report};
use crate::{readable, report};
use engine::units::significant;

/// How a text for people looks.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether to colour.
    pub color: bool,
    /// The widest line, in characters.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Style { color: false, width: 100 }
    }
}

/// A format that reports can be written in.
#[derive(Debug)]
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// File endings that mean it.
    pub endings: &'static [&'static str],
    /// Writes the reports of one or several scenarios.
    pub reports: fn(&[Report], &Style) -> String,
    /// Writes two works side by side.
    pub comparison: fn(&[Comparison], &Style) -> String,
}

/// All formats; the first is the default.
pub const FORMATS: &[Format] = &[
    Format { name: "text", endings: &["txt"], reports: text::reports, comparison: text::comparisons },
    Format { name: "json", endings: &["json"], reports: json::reports, comparison: json::comparisons },
    Format { name: "csv", endings: &["csv"], reports: csv::reports, comparison: csv::comparisons },
    Format {
        name: "markdown",
        endings: &["md", "markdown"],
        reports: markdown::reports,
        comparison: markdown::comparisons,
    },
];

/// The format of that name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.name == name)
}

/// The format that a file's ending means.
pub fn by_ending(ending: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|f| f.endings.iter().any(|e| e.eq_ignore_ascii_case(ending)))
}

/// What a compared figure is called for people.
fn label(line: &Line) -> &'static str {
    match line.key {
        "bytes" => "payload",
        "duration_s" => "time",
        "low_s" => "time, assumed figures fast",
        "high_s" => "time, assumed figures slow",
        "throughput_gb_s" => "throughput",
        "line_rate_gb_s" => "line rate",
        "ceiling_gb_s" => "ceiling",
        "closed_form_s" => "time, closed form",
        "binding_share" => "share of what binds",
        "latency_mean_us" => "latency, mean",
        "latency_p99_us" => "latency, p99",
        "dram_bytes" => "through system memory",
        "pcie_bytes" => "over PCIe",
        "pcie_crossings" => "PCIe crossings a byte",
        "cpu_copies" => "CPU copies a byte",
        "cpu_s" => "CPU time",
        "cpu_control_s" => "CPU time, control",
        "cpu_data_s" => "CPU time, data",
        "session_s" => "session before the start",
        "peak_host_bytes" => "peak in host buffers",
        other => other,
    }
}

/// A compared figure with its unit.
fn quantity(kind: Quantity, value: Option<f64>) -> String {
    let Some(value) = value else { return "-".to_string() };
    match kind {
        Quantity::Seconds => readable::seconds(value),
        Quantity::Microseconds => readable::seconds(value / 1e6),
        Quantity::GbPerSecond => readable::gb_s(value),
        Quantity::Bytes => readable::bytes(value as u64),
        Quantity::Count => significant(value),
        Quantity::Share => readable::percent(value),
    }
}

/// The rows of a comparison: name, first, second, second over first.
fn comparison_rows(comparison: &Comparison) -> Vec<Vec<String>> {
    let words = |name: &str, a: &str, b: &str| vec![name.to_string(), a.to_string(), b.to_string(), String::new()];
    let mut rows = vec![
        words("path", &comparison.path_a, &comparison.path_b),
        words("what binds", &comparison.binding_a, &comparison.binding_b),
    ];
    rows.extend(comparison.lines.iter().filter(|l| l.a.is_some() || l.b.is_some()).map(|line| {
        let ratio = line.ratio.map_or_else(|| "-".to_string(), |r| format!("x {}", significant(r)));
        vec![label(line).to_string(), quantity(line.quantity, line.a), quantity(line.quantity, line.b), ratio]
    }));
    rows
}

/// A station's name as the files spell it.
fn station(station: engine::Station) -> String {
    word(&station)
}

/// The word that a unit variant is serialised as.
fn word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => text,
        _ => String::new(),
    }
}

/// The path that was taken, and the one asked for where that differs.
fn path_in_words(work: &report::WorkReport) -> String {
    if work.path_asked == work.path_taken {
        return work.path_taken.clone();
    }
    format!("asked for {}, took {}", work.path_asked, work.path_taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{compare, sample};

    #[test]
    fn every_format_writes_a_report_as_its_golden_file_says() {
        for format in FORMATS {
            insta::assert_snapshot!(
                format!("report-{}", format.name),
                (format.reports)(&[sample::report()], &Style::default())
            );
        }
    }

    #[test]
    fn every_format_writes_a_comparison_as_its_golden_file_says() {
        let report = sample::report();
        let works = compare((&report.scenario, &report.works[0]), (&report.scenario, &report.works[1]));
        for format in FORMATS {
            let text = (format.comparison)(std::slice::from_ref(&works), &Style::default());
            insta::assert_snapshot!(format!("comparison-{}", format.name), text);
        }
    }

    #[test]
    fn no_line_of_the_text_is_wider_than_asked() {
        let text = (FORMATS[0].reports)(&[sample::report()], &Style::default());
        let widest = text.lines().map(|l| l.chars().count()).max();
        assert!(widest <= Some(100), "{widest:?}\n{text}");
    }

    #[test]
    fn colour_changes_nothing_but_escape_codes() {
        let plain = (FORMATS[0].reports)(&[sample::report()], &Style::default());
        let colored = (FORMATS[0].reports)(&[sample::report()], &Style { color: true, ..Style::default() });
        let mut stripped = String::new();
        for (index, part) in colored.split('\u{1b}').enumerate() {
            stripped.push_str(if index == 0 { part } else { part.split_once('m').map_or("", |p| p.1) });
        }
        assert_ne!(plain, colored);
        assert_eq!(plain, stripped);
    }

    #[test]
    fn several_reports_are_one_json_array() {
        let text = json::reports(&[sample::report(), sample::report()], &Style::default());
        assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap().as_array().is_some_and(|a| a.len() == 2));
    }

    #[test]
    fn a_file_ending_names_a_format() {
        assert_eq!(by_ending("JSON").map(|f| f.name), Some("json"));
        assert!(by_ending("docx").is_none());
    }
}
