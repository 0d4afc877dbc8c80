//! Markdown: headings, pipe tables and lists, for issues and pages.
//!
//! Knows Markdown. Must not know what a figure means beyond its unit.

use super::text::{expectation_text, hop_rows, leg_rows, resource_rows, warning_text};
use super::{Style, comparison_rows, path_in_words};
use crate::readable::{bytes, count, counted, gb_s, gib_s, percent, seconds};
use crate::report::{Comparison, Report, WorkReport};
use crate::table::{Column, Lean, markdown};

/// Reports as Markdown.
pub(super) fn reports(reports: &[Report], _: &Style) -> String {
    reports.iter().map(report).collect::<Vec<_>>().join("\n")
}

/// Comparisons as Markdown.
pub(super) fn comparisons(comparisons: &[Comparison], _: &Style) -> String {
    comparisons.iter().map(comparison).collect::<Vec<_>>().join("\n")
}

fn comparison(comparison: &Comparison) -> String {
    let columns: [Column<'_>; 4] =
        [("figure", Lean::Left), (&comparison.a, Lean::Right), (&comparison.b, Lean::Right), ("ratio", Lean::Right)];
    markdown(&columns, comparison_rows(comparison))
}

fn report(report: &Report) -> String {
    let head = format!(
        "# {}\n\nMode {}, seed {}, fingerprint `{}`. Simulated {}; {} of the answer rests on assumed figures.\n",
        report.scenario,
        report.mode,
        report.seed,
        report.fingerprint,
        seconds(report.simulated_s),
        percent(report.assumed_share)
    );
    let mut parts = vec![head, summary(report)];
    parts.extend(report.works.iter().map(work));
    parts.push(list(
        "Expectations",
        report.expectations.iter().map(expectation_text).map(|line| line.replacen("ok   ", "ok ", 1)),
    ));
    parts.push(list("Warnings", report.warnings.iter().map(warning_text)));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn list(title: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|line| format!("- {line}\n")).collect();
    if lines.is_empty() { lines } else { format!("## {title}\n\n{lines}") }
}

fn summary(report: &Report) -> String {
    const COLUMNS: &[Column<'_>] = &[
        ("work", Lean::Left),
        ("path", Lean::Left),
        ("payload", Lean::Right),
        ("time", Lean::Right),
        ("throughput (GB/s)", Lean::Right),
        ("throughput (GiB/s)", Lean::Right),
        ("ceiling", Lean::Right),
        ("what binds", Lean::Left),
    ];
    let row = |w: &WorkReport| {
        vec![
            w.name.clone(),
            w.path_taken.clone(),
            bytes(w.bytes),
            seconds(w.duration_s),
            gb_s(w.throughput_gb_s),
            gib_s(w.throughput_gb_s),
            format!("{} by {}", gb_s(w.ceiling_gb_s), w.ceiling_by),
            w.binding.first().map(|b| format!("{} {}", b.name, percent(b.share))).unwrap_or_default(),
        ]
    };
    markdown(COLUMNS, report.works.iter().map(row).collect())
}

fn work(work: &WorkReport) -> String {
    let why = if work.why.is_empty() { String::new() } else { format!(" ({})", work.why.join("; ")) };
    let host = format!(
        "System memory {}, PCIe {} ({} a byte), {} a byte, CPU {} ({} control, {} data), peak in host buffers {}.",
        bytes(work.dram_bytes),
        bytes(work.pcie_bytes),
        counted(work.pcie_crossings, "crossing", "crossings"),
        counted(work.cpu_copies, "CPU copy", "CPU copies"),
        seconds(work.cpu_s),
        seconds(work.cpu_control_s),
        seconds(work.cpu_data_s),
        bytes(work.peak_host_bytes)
    );
    let session = super::text::session(work).map(|line| format!(" Session: {line}.")).unwrap_or_default();
    let parts = [
        format!(
            "## {}\n\nPath: {}{why}. {} requests. {host}{session}\n",
            work.name,
            path_in_words(work),
            count(work.requests)
        ),
        section(&[("binds", Lean::Left), ("kind", Lean::Left), ("share of time", Lean::Right)], binding_rows(work)),
        section(super::text::LEG_COLUMNS, leg_rows(work)),
        section(super::text::HOP_COLUMNS, hop_rows(work)),
        section(super::text::RESOURCE_COLUMNS, resource_rows(work)),
    ];
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n")
}

fn section(columns: &[Column<'_>], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() { String::new() } else { markdown(columns, rows) }
}

fn binding_rows(work: &WorkReport) -> Vec<Vec<String>> {
    work.binding.iter().map(|b| vec![b.name.clone(), b.kind.clone(), percent(b.share)]).collect()
}
