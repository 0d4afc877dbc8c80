//! The sheet for people: a table of schemes, a table of intervals, what binds, what would gain.
//!
//! Knows the sheet's figures. Must not know how they came about.

use crate::readable::{bytes, count, counted, percent, seconds, wrap};
use crate::table::{Lean, plain};
use engine::Mode;
use engine::units::significant;

use super::answers::{Change, EnvironmentSheet, Figures, Row, Sheet};

/// The sheet, in lines of so many characters.
pub fn text(sheet: &Sheet, width: usize) -> String {
    let environments: Vec<String> =
        sheet.environments.iter().map(|environment| of_environment(environment, width)).collect();
    let warnings: String = sheet.warnings.iter().map(|text| wrap(&format!("  {text}\n"), width, 4)).collect();
    let warnings = if warnings.is_empty() { warnings } else { format!("\nwarnings\n{warnings}") };
    format!("{}\n{}{warnings}", head(sheet, width), environments.join("\n"))
}

/// The sheet for programs.
pub fn json(sheet: &Sheet) -> String {
    // Plain figures and texts always have a form.
    serde_json::to_string_pretty(sheet).map(|text| text + "\n").unwrap_or_default()
}

fn head(sheet: &Sheet, width: usize) -> String {
    let contents = &sheet.contents;
    let size = format!("{}  {} = {} GiB", contents.name, bytes(contents.bytes), significant(sheet.size_gib));
    let parameters = contents.parameters.zip(contents.precision).map(|(parameters, precision)| {
        let each = precision.bytes();
        format!("{} parameters at {each} bytes, ", readable_count(parameters))
    });
    let how = contents.parallelism;
    let ranks = counted(how.ranks, "rank", "ranks");
    let split = match how.tensor * how.pipeline {
        1 => ranks,
        _ => format!("{ranks} (tensor {}, pipeline {}, data {})", how.tensor, how.pipeline, how.data()),
    };
    let mean = contents.bytes as f64 / contents.writing_ranks.max(1) as f64;
    let uneven = match contents.largest_rank_bytes as f64 / mean {
        ratio if ratio > 1.005 => format!(", the fullest {} times the mean", significant(ratio)),
        _ => String::new(),
    };
    let files = counted(contents.files, "file", "files");
    let writers = counted(contents.writing_ranks, "rank writes", "ranks write");
    let line = format!("  {}{split}, ZeRO {}; {writers}, {files}{uneven}\n", parameters.unwrap_or_default(), how.zero);
    format!("{size}\n{}", wrap(&line, width, 4))
}

fn readable_count(value: u64) -> String {
    match value {
        1_000_000_000_000.. => format!("{} trillion", significant(value as f64 / 1e12)),
        1_000_000_000.. => format!("{} billion", significant(value as f64 / 1e9)),
        1_000_000.. => format!("{} million", significant(value as f64 / 1e6)),
        _ => count(value),
    }
}

fn of_environment(environment: &EnvironmentSheet, width: usize) -> String {
    let writing = match environment.writing_nodes {
        all if all == environment.nodes => String::new(),
        some => format!(", {} of them write", count(some)),
    };
    let gpus = counted(environment.gpus, "GPU", "GPUs");
    let fails = hours(environment.job_mtbf_s);
    let head = format!("{} x {} to {}{writing}", environment.nodes, environment.node, environment.target);
    let how = simulated_how(environment.mode);
    let head = wrap(&format!("{head}, {gpus} a node; something fails every {fails}; {how}\n"), width, 4);
    let refused: String = environment.schemes.iter().filter_map(|row| refused(row, width)).collect();
    let parts = [saving(environment, width), binding(environment, width), intervals(environment, width)];
    format!("{head}\n{}{refused}{}", parts.join("\n"), changes(&environment.what_if, width))
}

fn simulated_how(mode: Mode) -> &'static str {
    match mode {
        Mode::Request => "every request is simulated",
        Mode::Settled => "simulated until throughput settles",
        Mode::Fluid => "simulated as streams",
    }
}

/// A column: its heading, its lean, and what stands in it.
type Shown = (&'static str, Lean, fn(&Figures) -> String);

fn table(environment: &EnvironmentSheet, columns: &[Shown], width: usize) -> String {
    let headings: Vec<(&str, Lean)> =
        [("scheme", Lean::Left)].into_iter().chain(columns.iter().map(|column| (column.0, column.1))).collect();
    let row = |row: &Row| {
        let figures = row.figures.as_ref()?;
        let cells = columns.iter().map(|column| column.2(figures));
        Some([row.scheme.name().to_string()].into_iter().chain(cells).collect())
    };
    plain(&headings, environment.schemes.iter().filter_map(row).collect(), width)
}

fn any(environment: &EnvironmentSheet, is: fn(&Figures) -> bool) -> bool {
    environment.schemes.iter().filter_map(|row| row.figures.as_ref()).any(is)
}

/// Times: save, stall and all that goes with them. Repetitions are there where something is left to chance.
fn saving(environment: &EnvironmentSheet, width: usize) -> String {
    let mut columns: Vec<Shown> = vec![
        ("save", Lean::Right, |f| seconds(f.times.save_s)),
        ("fast .. slow end", Lean::Right, |f| span(f.times.low_s, f.times.high_s)),
        ("stall", Lean::Right, |f| seconds(f.times.stall_s)),
        ("step", Lean::Right, |f| format!("+{}", percent(f.step_inflation)).replace("+<", "<")),
        ("host", Lean::Right, |f| bytes(f.host_bytes)),
        ("restore", Lean::Right, |f| seconds(f.restore.total_s)),
    ];
    if any(environment, |figures| figures.repetitions.is_some()) {
        columns.insert(2, ("repeated", Lean::Right, repeated));
    }
    if any(environment, |figures| figures.times.ranks_done_s.is_some_and(|done| done.first < 0.995 * done.last)) {
        columns.insert(2, ("first rank", Lean::Right, first_rank));
    }
    table(environment, &columns, width)
}

fn repeated(figures: &Figures) -> String {
    let text = |all: &super::measure::Repetitions| format!("{} ± {}", seconds(all.mean_s), seconds(all.deviation_s));
    figures.repetitions.as_ref().map(text).unwrap_or_default()
}

/// When the first rank is done; the last one is where the save is, but for its commit.
fn first_rank(figures: &Figures) -> String {
    figures.times.ranks_done_s.map(|done| seconds(done.first)).unwrap_or_default()
}

fn span(low: Option<f64>, high: Option<f64>) -> String {
    let Some((low, high)) = low.zip(high) else { return String::new() };
    let (low, high) = (seconds(low), seconds(high));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} .. {high}"),
        _ => format!("{low} .. {high}"),
    }
}

/// What binds the save, what would next, and how it comes back.
fn binding(environment: &EnvironmentSheet, width: usize) -> String {
    let columns: [Shown; 4] = [
        ("path taken", Lean::Left, |f| f.times.path.clone()),
        ("what binds", Lean::Left, |f| format!("{} {}", f.times.binds, percent(f.times.binds_share))),
        ("next limit", Lean::Left, |f| {
            let next = f.times.next.as_ref();
            next.map(|next| format!("{} at {}", next.name, seconds(next.floor_s))).unwrap_or_default()
        }),
        ("restore reads", Lean::Left, |f| {
            format!("{} in {}, {}", f.restore.path, seconds(f.restore.data_s), f.restore.binds)
        }),
    ];
    table(environment, &columns, width)
}

/// How often to save. The interval that was taken is there where it is not that of the highest availability.
fn intervals(environment: &EnvironmentSheet, width: usize) -> String {
    let mut columns: Vec<Shown> = vec![
        ("Young", Lean::Right, |f| hours(f.interval.young_s)),
        ("Daly", Lean::Right, |f| hours(f.interval.daly_s)),
        ("availability", Lean::Right, |f| hours(f.interval.availability_s)),
        ("goodput", Lean::Right, |f| format!("{:.2} %", f.interval.goodput * 100.0)),
        ("simulated", Lean::Right, simulated),
        ("lost a failure", Lean::Right, |f| hours(f.interval.lost_s)),
    ];
    if any(environment, |f| (f.interval.taken_s / f.interval.availability_s - 1.0).abs() > 1e-9) {
        columns.insert(3, ("taken", Lean::Right, |f| hours(f.interval.taken_s)));
    }
    if any(environment, |figures| figures.interval.replayed.is_some()) {
        columns.insert(columns.len() - 1, ("replayed", Lean::Right, replayed));
    }
    table(environment, &columns, width)
}

fn simulated(figures: &Figures) -> String {
    let simulated = &figures.interval.simulated;
    format!("{:.2} ± {:.2} %", simulated.goodput * 100.0, simulated.half_width * 100.0)
}

fn replayed(figures: &Figures) -> String {
    let text = |replayed: &super::failures::Replicates| format!("{:.2} %", replayed.goodput * 100.0);
    figures.interval.replayed.as_ref().map(text).unwrap_or_default()
}

/// A span of time in the unit that people use: seconds, minutes, hours, days.
fn hours(value: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(86_400.0, "d"), (3_600.0, "h"), (60.0, "min")];
    match UNITS.iter().find(|(worth, _)| value >= 2.0 * worth) {
        Some((worth, unit)) => format!("{} {unit}", three_digits(value / worth)),
        None => seconds(value),
    }
}

fn three_digits(value: f64) -> String {
    let places = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.places$}")
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
    let columns = [
        ("scheme", Lean::Left),
        ("what if", Lean::Left),
        ("save", Lean::Left),
        ("", Lean::Right),
        ("stall", Lean::Left),
        ("", Lean::Right),
    ];
    // Adding zero makes a gain that rounds to nothing plain 0.
    let share = |gain: f64| format!("{:+.1} %", (-gain * 1000.0).round() / 10.0 + 0.0);
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
