//! `lsmod`: which kernel modules are loaded, and by what that is shown.
//!
//! Knows its columns. Must not know what a module is for.

use super::{Fact, Line, Reading, Text, pattern};

/// Beginnings of the names of modules that matter here; a listing without any of them is no `lsmod`.
const OURS: [&str; 14] = [
    "nvidia", "nvme", "mlx", "ib_", "rdma", "rpcrdma", "lustre", "lnet", "ko2iblnd", "weka", "beegfs", "mmfs",
    "scatefs", "nfs",
];

/// A row.
struct Row<'a> {
    number: usize,
    name: &'a str,
    users: Vec<&'a str>,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let heading = text.lines.iter().find(|line| pattern!(r"^\s*Module\s+Size\s+Used\s+by\b").is_match(line.body()));
    let rows: Vec<Row<'_>> = text.lines.iter().filter_map(row).collect();
    let ours = |name: &str| OURS.iter().any(|prefix| name.starts_with(prefix));
    let searched = || text.with("lsmod").any(|line| searches(line.body()));
    if heading.is_none() && !rows.iter().any(|row| ours(row.name)) && !searched() {
        return;
    }
    if let Some(line) = heading {
        reading.fact(line.number, Fact::Heading);
    }
    for row in &rows {
        if ours(row.name) {
            reading.fact(row.number, loaded(row.name, true));
        }
        // What uses a module is loaded as well.
        row.users.iter().filter(|user| ours(user)).for_each(|user| reading.fact(row.number, loaded(user, true)));
    }
    if !reading.facts.iter().any(|(_, fact)| *fact == loaded("nvidia_fs", true))
        && let Some(line) = absence(text, heading, &rows)
    {
        reading.fact(line, loaded("nvidia_fs", false));
    }
}

fn loaded(name: &str, loaded: bool) -> Fact {
    Fact::Module { name: name.replace('-', "_"), loaded }
}

fn row(line: &Line) -> Option<Row<'_>> {
    let cells = pattern!(r"^\s*([A-Za-z_][\w-]*)\s+(\d{4,})\s+(?:-?\d+)(?:\s+(\S.*))?$").captures(line.body())?;
    let users = cells.get(3).map_or("", |users| users.as_str());
    let users = users.split([',', ' ']).filter(|user| !user.is_empty() && !user.starts_with(['-', '['])).collect();
    Some(Row { number: line.number, name: cells.get(1)?.as_str(), users })
}

/// The line that shows that nvidia_fs is not loaded: it would be among the users of `nvidia`, in a whole listing, or found by
/// a search that found nothing.
fn absence(text: &Text, heading: Option<&Line>, rows: &[Row<'_>]) -> Option<usize> {
    let last = text.lines.last()?.number;
    let whole = |row: &&Row<'_>| row.name == "nvidia" && !row.users.is_empty() && !(text.cut && row.number == last);
    if let Some(row) = rows.iter().find(whole) {
        return Some(row.number);
    }
    if let Some(line) = heading {
        let cut = text.cut && rows.last().is_none_or(|row| row.number != last);
        return (rows.len() > 2 && !cut).then_some(line.number);
    }
    text.with("lsmod").find(|line| searches(line.body())).map(|line| line.number)
}

/// A search whose pattern nvidia_fs would match.
fn searches(command: &str) -> bool {
    pattern!(r"lsmod\s*\|\s*\w*grep\b.*?\bnvidia(?:[_.]fs)?\b(?:[^-]|$)").is_match(command)
}
