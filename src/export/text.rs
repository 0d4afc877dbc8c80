//! Text for people: a compact block a work, tables without borders, colour where it is asked for.
//!
//! Knows the order in which a person asks: how long, how fast, what binds, where. Must not know what kind of screen it is.

use super::alike::{Alike, gathered};
use super::{Style, comparison_rows, path_in_words, station};
use crate::readable::{bar, bytes, counted, gb_s, gib_s, percent, seconds, wrap};
use crate::report::{Comparison, Judgement, Report, Warning, WorkReport};
use crate::table::{Column, Lean, plain};
use engine::units::significant;

/// The table of legs.
pub(super) const LEG_COLUMNS: &[Column<'_>] =
    &[("leg", Lean::Left), ("in line", Lean::Right), ("setup", Lean::Right), ("moving", Lean::Right)];
/// The table of hops.
pub(super) const HOP_COLUMNS: &[Column<'_>] = &[
    ("hop", Lean::Right),
    ("leg", Lean::Left),
    ("from", Lean::Left),
    ("to", Lean::Left),
    ("bytes", Lean::Right),
    ("share of time", Lean::Right),
];
/// The table of resources.
pub(super) const RESOURCE_COLUMNS: &[Column<'_>] = &[
    ("resource", Lean::Left),
    ("kind", Lean::Left),
    ("rate", Lean::Right),
    ("charged", Lean::Right),
    ("utilisation", Lean::Right),
    ("floor", Lean::Right),
];
/// How far the names of a block's lines are set in.
const LABEL: usize = 14;
/// Entries of what binds that are worth a line.
const BINDING_LINES: usize = 6;

/// Reports as text.
pub(super) fn reports(reports: &[Report], style: &Style) -> String {
    reports.iter().map(|r| report(r, style)).collect::<Vec<_>>().join("\n")
}

/// Comparisons as text.
pub(super) fn comparisons(comparisons: &[Comparison], style: &Style) -> String {
    comparisons.iter().map(|c| comparison(c, style)).collect::<Vec<_>>().join("\n")
}

fn comparison(comparison: &Comparison, style: &Style) -> String {
    let columns: [Column<'_>; 4] =
        [("", Lean::Left), (&comparison.a, Lean::Right), (&comparison.b, Lean::Right), ("ratio", Lean::Right)];
    plain(&columns, comparison_rows(comparison), style.width)
}

fn report(report: &Report, style: &Style) -> String {
    let mut parts = vec![title(report, style)];
    parts.extend(report.works.iter().map(|w| work(w, style)));
    parts.push(expectations(report, style));
    parts.push(warnings(report, style));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn title(report: &Report, style: &Style) -> String {
    let name = paint(&report.scenario, BOLD, style);
    let run = format!("mode {}, seed {}, fingerprint {}", report.mode, report.seed, report.fingerprint);
    let trust = format!("{} of the answer rests on assumed figures", percent(report.assumed_share));
    format!("{name}  {run}\nsimulated {}; {trust}\n", seconds(report.simulated_s))
}

fn work(work: &WorkReport, style: &Style) -> String {
    let what = format!("{}, {} in {}", super::word(&work.direction), bytes(work.bytes), requests(work.requests));
    let lines = [("path", path(work)), ("time", time(work)), ("throughput", throughput(work)), ("host", host(work))];
    let mut text = format!("{}  {what}\n", paint(&work.name, BOLD, style));
    text.extend(lines.map(|(name, line)| labelled(name, &line, style)));
    text.extend(session(work).map(|line| labelled("session", &line, style)));
    text.push_str(&binding(work, style));
    text.extend(latency(work).map(|line| labelled("latency", &line, style)));
    text.extend(settled(work).map(|line| labelled("settled", &line, style)));
    for (columns, rows) in
        [(LEG_COLUMNS, leg_rows(work)), (HOP_COLUMNS, hop_rows(work)), (RESOURCE_COLUMNS, resource_rows(work))]
    {
        text.push_str(&section(columns, rows, style));
    }
    text
}

fn requests(requests: u64) -> String {
    counted(requests, "request", "requests")
}

fn path(work: &WorkReport) -> String {
    let why = if work.why.is_empty() { String::new() } else { format!(": {}", work.why.join("; ")) };
    format!("{}{why}", path_in_words(work))
}

fn time(work: &WorkReport) -> String {
    let mut parts = vec![seconds(work.duration_s)];
    if let (Some(low), Some(high)) = (work.low_s, work.high_s) {
        parts.push(format!("{} .. {} over the range of assumed figures", seconds(low), seconds(high)));
    }
    parts.extend(work.closed_form_s.map(|s| format!("closed form {}", seconds(s))));
    if work.start_s > 0.0 {
        parts.push(format!("starts at {}", seconds(work.start_s)));
    }
    parts.join(", ")
}

fn throughput(work: &WorkReport) -> String {
    let (rate, ceiling) = (work.throughput_gb_s, work.ceiling_gb_s);
    let mut parts =
        vec![format!("{} = {}", gb_s(rate), gib_s(rate)), format!("ceiling {} by {}", gb_s(ceiling), work.ceiling_by)];
    if let (Some(rate), Some(by)) = (work.line_rate_gb_s, &work.line_rate_by) {
        parts.push(format!("line rate {} by {by}", gb_s(rate)));
    }
    parts.join(", ")
}

fn host(work: &WorkReport) -> String {
    format!(
        "system memory {}, PCIe {} in {}, {}, CPU {} ({} control, {} data), peak in buffers {}",
        bytes(work.dram_bytes),
        bytes(work.pcie_bytes),
        counted(work.pcie_crossings, "crossing", "crossings"),
        counted(work.cpu_copies, "CPU copy", "CPU copies"),
        seconds(work.cpu_s),
        seconds(work.cpu_control_s),
        seconds(work.cpu_data_s),
        bytes(work.peak_host_bytes)
    )
}

/// What was opened and registered before the work started.
pub(super) fn session(work: &WorkReport) -> Option<String> {
    let (takes, cpu) = (seconds(work.session_s), seconds(work.session_cpu_s));
    (work.session_s > 0.0).then(|| format!("{takes} before it starts, no part of its time (CPU {cpu})"))
}

fn binding(work: &WorkReport, style: &Style) -> String {
    let shown = work.binding.iter().take(BINDING_LINES);
    let width = shown.clone().map(|b| b.name.chars().count()).max().unwrap_or(0);
    let lines = shown.enumerate().map(|(index, b)| {
        let name = if index == 0 { "what binds" } else { "" };
        let tied = if b.tied && index > 0 { "=" } else { " " };
        let told = format!("{:width$}  {:9} {tied} {:>7}  ", b.name, b.kind, percent(b.share));
        let bar = bar(b.share, 20);
        let gain = b.gain.filter(|gain| *gain >= 0.001).map(|gain| format!("  relief saves {}", percent(gain)));
        let room = style.width.saturating_sub(LABEL + told.chars().count() + bar.chars().count());
        let gain = gain.filter(|gain| gain.chars().count() <= room).unwrap_or_default();
        let bar = paint(&bar, if b.tied { YELLOW } else { DIM }, style);
        // Colours take no room, so that this line is not folded by its length.
        format!("{}{gain}\n", labelled(name, &format!("{told}{bar}"), style).trim_end_matches('\n'))
    });
    lines.collect()
}

fn latency(work: &WorkReport) -> Option<String> {
    let l = work.latency_us?;
    let figures = [("mean", l.mean), ("p50", l.p50), ("p90", l.p90), ("p99", l.p99), ("max", l.max)];
    Some(figures.map(|(name, us)| format!("{name} {}", seconds(us / 1e6))).join(", "))
}

fn settled(work: &WorkReport) -> Option<String> {
    let settled = work.settled.as_ref()?;
    let (share, simulated) = (percent(settled.half_width), requests(settled.simulated_requests));
    Some(format!("{simulated} simulated, the rest at their pace; throughput within {share} (95 % interval)"))
}

/// Rows of the table of legs.
pub(super) fn leg_rows(work: &WorkReport) -> Vec<Vec<String>> {
    let row =
        |l: &crate::report::LegReport| vec![l.name.clone(), seconds(l.line_s), seconds(l.setup_s), seconds(l.moving_s)];
    work.legs.iter().map(row).collect()
}

/// Rows of the table of hops.
pub(super) fn hop_rows(work: &WorkReport) -> Vec<Vec<String>> {
    let row = |h: &crate::report::HopReport| {
        let ends = [station(h.from), station(h.to)];
        let [from, to] = ends;
        vec![h.hop.to_string(), h.leg.clone(), from, to, bytes(h.bytes), percent(h.share)]
    };
    work.hops.iter().map(row).collect()
}

/// Rows of the table of resources, alike ones in one.
pub(super) fn resource_rows(work: &WorkReport) -> Vec<Vec<String>> {
    let row = |alike: &Alike<'_>| {
        let r = alike.first;
        let rate = format!("{} GB/s", significant(r.rate_gb_s));
        let charged = match alike.count() {
            1 => bytes(r.bytes),
            count => format!("{count} x {}", bytes(r.bytes)),
        };
        vec![alike.name(), r.kind.clone(), rate, charged, percent(r.utilisation), seconds(r.floor_s)]
    };
    gathered(&work.resources).iter().map(row).collect()
}

/// A judged expectation in one line.
pub(super) fn expectation_text(judgement: &Judgement) -> String {
    let mark = if judgement.holds { "ok  " } else { "FAIL" };
    let why = if judgement.why.is_empty() { String::new() } else { format!(" ({})", judgement.why) };
    format!("{mark} {} {}: {}{why}", judgement.that, judgement.expected, judgement.actual)
}

/// A warning in one line.
pub(super) fn warning_text(warning: &Warning) -> String {
    format!("{}; {} ({})", warning.text, warning.advice, warning.kind)
}

fn expectations(report: &Report, style: &Style) -> String {
    if !report.judged {
        return "expectations not judged: the run was not a plain one\n".to_string();
    }
    let lines = report.expectations.iter().map(|e| {
        let line = wrap(&format!("  {}", expectation_text(e)), style.width, 7) + "\n";
        let color = if e.holds { GREEN } else { RED };
        line.replacen(mark(e), &paint(mark(e), color, style), 1)
    });
    heading(lines.collect(), "expectations", style)
}

fn mark(judgement: &Judgement) -> &'static str {
    if judgement.holds { "ok" } else { "FAIL" }
}

fn warnings(report: &Report, style: &Style) -> String {
    let lines = report.warnings.iter().map(|w| {
        let kind = format!("  {}  ", w.kind);
        let text = wrap(&format!("{kind}{}; {}", w.text, w.advice), style.width, 4) + "\n";
        text.replacen(&w.kind, &paint(&w.kind, YELLOW, style), 1)
    });
    heading(lines.collect(), "warnings", style)
}

fn heading(lines: String, name: &str, style: &Style) -> String {
    if lines.is_empty() { lines } else { format!("{}\n{lines}", paint(name, BOLD, style)) }
}

fn section(columns: &[Column<'_>], rows: Vec<Vec<String>>, style: &Style) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let table = plain(columns, rows, style.width - 1);
    format!("\n{}", table.lines().map(|line| format!(" {line}\n")).collect::<String>())
}

fn labelled(name: &str, line: &str, style: &Style) -> String {
    let line = wrap(line, style.width - LABEL, 0).replace('\n', &format!("\n{}", " ".repeat(LABEL)));
    format!("  {}{line}\n", paint(&format!("{name:<0$}", LABEL - 2), DIM, style))
}

const BOLD: &str = "1";
const DIM: &str = "2";
const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// Wraps a text in a terminal's colour code.
fn paint(text: &str, code: &str, style: &Style) -> String {
    if style.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}
