//! The sheet for people: a table of schemes, a table of intervals, what binds, what would gain.
//!
//! Knows the sheet's figures. Must not know how they came about.

use crate::readable::{bytes, count, counted, percent, seconds, wrap};
use crate::table::{Lean, plain};
use crate::units::significant;

use super::sheet::{Figures, GroundSheet, Row, Sheet};
use super::what_if::Change;

/// The sheet, in lines of so many characters.
pub fn text(sheet: &Sheet, width: usize) -> String {
    let grounds: Vec<String> = sheet.grounds.iter().map(|ground| of_ground(ground, width)).collect();
    let warnings: String = sheet.warnings.iter().map(|text| wrap(&format!("  {text}\n"), width, 4)).collect();
    let warnings = if warnings.is_empty() { warnings } else { format!("\nwarnings\n{warnings}") };
    format!("{}\n{}{warnings}", head(sheet, width), grounds.join("\n"))
}

/// The sheet for programs.
pub fn json(sheet: &Sheet) -> String {
    // Plain figures and texts always have a form.
    serde_json::to_string_pretty(sheet).map(|text| text + "\n").unwrap_or_default()
}

fn head(sheet: &Sheet, width: usize) -> String {
    let written = &sheet.written;
    let size = format!("{}  {} = {} GiB", written.name, bytes(written.bytes), significant(sheet.size_gib));
    let parameters = written.parameters.zip(written.precision).map(|(parameters, precision)| {
        let each = precision.bytes();
        format!("{} parameters at {each} bytes, ", readable_count(parameters))
    });
    let how = written.parallelism;
    let ranks = counted(how.ranks, "rank", "ranks");
    let split = match how.tensor * how.pipeline {
        1 => ranks,
        _ => format!("{ranks} (tensor {}, pipeline {}, data {})", how.tensor, how.pipeline, how.data()),
    };
    let mean = written.bytes as f64 / written.writing_ranks.max(1) as f64;
    let uneven = match written.largest_rank_bytes as f64 / mean {
        ratio if ratio > 1.005 => format!(", the fullest {} times the mean", significant(ratio)),
        _ => String::new(),
    };
    let files = counted(written.files, "file", "files");
    let writers = counted(written.writing_ranks, "rank writes", "ranks write");
    let line = format!("  {}{split}, ZeRO {}; {writers}, {files}{uneven}\n", parameters.unwrap_or_default(), how.zero);
    format!("{size}\n{}", wrap(&line, width, 4))
}

fn readable_count(value: u64) -> String {
    match value {
        1_000_000_000.. => format!("{} billion", significant(value as f64 / 1e9)),
        1_000_000.. => format!("{} million", significant(value as f64 / 1e6)),
        _ => count(value),
    }
}

fn of_ground(ground: &GroundSheet, width: usize) -> String {
    let writing = match ground.writing_nodes {
        all if all == ground.nodes => String::new(),
        some => format!(", {} of them write", count(some)),
    };
    let gpus = counted(ground.gpus, "GPU", "GPUs");
    let head = format!(
        "{} x {} to {}{writing}, {gpus} a node; a failure every {}\n",
        ground.nodes,
        ground.node,
        ground.target,
        hours(ground.job_mtbf_s)
    );
    let refused: String = ground.schemes.iter().filter_map(|row| refused(row, width)).collect();
    let parts = [
        plain(SAVING, rows(ground, saving), width),
        plain(BINDING, rows(ground, binding), width),
        plain(INTERVALS, rows(ground, intervals), width),
    ];
    let changes = changes(&ground.what_if, width);
    format!("{head}\n{}{refused}{changes}", parts.join("\n"))
}

fn rows(ground: &GroundSheet, row: fn(&str, &Figures) -> Vec<String>) -> Vec<Vec<String>> {
    let with = |line: &Row| line.figures.as_ref().map(|figures| row(line.scheme.name(), figures));
    ground.schemes.iter().filter_map(with).collect()
}

const SAVING: &[(&str, Lean)] = &[
    ("scheme", Lean::Left),
    ("save", Lean::Right),
    ("fast .. slow end", Lean::Right),
    ("repetitions", Lean::Right),
    ("stall", Lean::Right),
    ("step", Lean::Right),
    ("host a node", Lean::Right),
    ("restore", Lean::Right),
];

fn saving(name: &str, figures: &Figures) -> Vec<String> {
    let times = &figures.times;
    let ends = times.low_s.zip(times.high_s).map(|(low, high)| format!("{} .. {}", seconds(low), seconds(high)));
    let repeated = figures.repetitions.map(|all| format!("{} ± {}", seconds(all.mean_s), seconds(all.deviation_s)));
    vec![
        name.to_string(),
        seconds(times.save_s),
        ends.unwrap_or_default(),
        repeated.unwrap_or_else(|| "alike".to_string()),
        seconds(times.stall_s),
        format!("+{}", percent(figures.step_inflation)),
        bytes(figures.host_bytes),
        seconds(figures.restore.total_s),
    ]
}

const BINDING: &[(&str, Lean)] = &[
    ("scheme", Lean::Left),
    ("path taken", Lean::Left),
    ("what binds", Lean::Left),
    ("next limit", Lean::Left),
    ("restore reads", Lean::Left),
];

fn binding(name: &str, figures: &Figures) -> Vec<String> {
    let times = &figures.times;
    let next = times.next.as_ref().map(|next| format!("{} at {}", next.name, seconds(next.floor_s)));
    let restore = &figures.restore;
    vec![
        name.to_string(),
        times.path.clone(),
        format!("{} {}", times.binds, percent(times.binds_share)),
        next.unwrap_or_default(),
        format!("{} in {}, {}", restore.path, seconds(restore.data_s), restore.binds),
    ]
}

const INTERVALS: &[(&str, Lean)] = &[
    ("scheme", Lean::Left),
    ("Young", Lean::Right),
    ("Daly", Lean::Right),
    ("availability", Lean::Right),
    ("taken", Lean::Right),
    ("goodput", Lean::Right),
    ("simulated", Lean::Right),
    ("lost a failure", Lean::Right),
];

fn intervals(name: &str, figures: &Figures) -> Vec<String> {
    let interval = &figures.interval;
    let simulated = &interval.simulated;
    let spread = match simulated.runs {
        1 => String::new(),
        _ => format!(" ± {:.2}", simulated.half_width * 100.0),
    };
    vec![
        name.to_string(),
        hours(interval.young_s),
        hours(interval.daly_s),
        hours(interval.availability_s),
        hours(interval.taken_s),
        format!("{:.2} %", interval.goodput * 100.0),
        format!("{:.2}{spread} %", simulated.goodput * 100.0),
        hours(interval.lost_s),
    ]
}

/// A span of time in the unit that people use: seconds, minutes, hours, days.
fn hours(value: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(86_400.0, "d"), (3_600.0, "h"), (60.0, "min")];
    match UNITS.iter().find(|(worth, _)| value >= 2.0 * worth) {
        Some((worth, unit)) => format!("{} {unit}", significant(value / worth)),
        None => seconds(value),
    }
}

fn refused(row: &Row, width: usize) -> Option<String> {
    let why = row.refused.as_ref()?;
    Some(wrap(&format!("  not here: {}: {why}\n", row.scheme.name()), width, 4))
}

/// Changes in a sheet at most.
const MOST_CHANGES: usize = 12;

fn changes(list: &[Change], width: usize) -> String {
    if list.is_empty() {
        return String::new();
    }
    let columns =
        [("scheme", Lean::Left), ("what if", Lean::Left), ("save", Lean::Left), ("", Lean::Right), ("stall", Lean::Left), ("", Lean::Right)];
    let share = |gain: f64| format!("{:+.1} %", -gain * 100.0);
    let row = |change: &Change| {
        vec![
            change.scheme.name().to_string(),
            change.what.clone(),
            format!("{} > {}", seconds(change.before_s), seconds(change.after_s)),
            share(change.gain()),
            format!("{} > {}", seconds(change.stall_before_s), seconds(change.stall_after_s)),
            share(change.stall_gain()),
        ]
    };
    format!("\n{}", plain(&columns, list.iter().take(MOST_CHANGES).map(row).collect(), width))
}
