//! `mount`, `findmnt`, `df -T`, `nfsstat -m` and `/proc/mounts`: file systems that hold data, and their transport where it is shown.
//!
//! Knows the ways to write a line. Must not know which file system suits GDS.

use super::{Fact, Reading, Text, pattern};

/// Types worth telling; a system's own (`proc`, `tmpfs`, …) are not.
const TYPES: &str = "ext4|xfs|nfs4?|lustre|wekafs|beegfs|gpfs|scatefs|virtiofs";

/// A line's parts.
struct Row<'a> {
    source: &'a str,
    target: &'a str,
    system: &'a str,
    options: &'a str,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut nfsstat: Option<(usize, String)> = None;
    for line in &text.lines {
        let body = line.body();
        if let Some(cells) = pattern!(r"^\s*(/\S*) from (\S+:\S+)\s*$").captures(body) {
            nfsstat = Some((line.number, format!("{} on {}", &cells[2], &cells[1])));
        } else if let (true, Some((number, place))) = (body.trim_start().starts_with("Flags:"), nfsstat.take()) {
            reading.fact(number, Fact::Mount { place, system: "nfs".into(), transport: protocol(body) });
            reading.fact(line.number, Fact::Heading);
        } else if let Some(row) = row(body) {
            let place = format!("{} on {}", row.source, row.target);
            let transport = protocol(row.options).or_else(|| network(row.source));
            reading.fact(line.number, Fact::Mount { place, system: row.system.to_string(), transport });
        }
    }
}

fn row(body: &str) -> Option<Row<'_>> {
    if !TYPES.split('|').any(|name| body.contains(name.trim_end_matches("4?"))) {
        return None;
    }
    let at = |cells: &regex::Captures<'_>, order: [usize; 4]| {
        let cell = |group: usize| {
            let found = cells.get(group);
            found.map_or("", |found| &body[found.range()])
        };
        let [source, target, system, options] = order.map(cell);
        Row { source, target, system, options }
    };
    let typed = pattern!(&format!(r"^\s*(\S+) on (\S+) type ({TYPES}) \((.*)$"));
    let bare = pattern!(&format!(
        r"^\s*(/dev/\S+|\S+:/\S*|\S+@\S+)\s+(/\S*)\s+({TYPES})\s+((?:rw|ro|defaults|_netdev|no|proto|vers)\S*)"
    ));
    let found = pattern!(&format!(r"^[\s|+\\-]*(/\S*)\s+(\S+)\s+({TYPES})\s+((?:rw|ro)\b.*)$"));
    let free = pattern!(&format!(r"^\s*(\S+)\s+({TYPES})\s+\d\S*\s+\S+\s+\S+\s+\d+%\s+(/\S*)"));
    None.or_else(|| typed.captures(body).map(|cells| at(&cells, [1, 2, 3, 4])))
        .or_else(|| bare.captures(body).map(|cells| at(&cells, [1, 2, 3, 4])))
        .or_else(|| found.captures(body).map(|cells| at(&cells, [2, 1, 3, 4])))
        .or_else(|| free.captures(body).map(|cells| at(&cells, [1, 3, 2, 9])))
}

/// `proto=rdma` among the options.
fn protocol(options: &str) -> Option<String> {
    pattern!(r"\bproto=(rdma|tcp|udp)6?\b").captures(options).map(|found| found[1].to_string())
}

/// What a Lustre server's address tells: `10.0.0.1@o2ib` is reached by verbs, `10.0.0.1@tcp` by sockets.
fn network(source: &str) -> Option<String> {
    let found = pattern!(r"@(o2ib|tcp)\d*\b").captures(source)?;
    Some(if &found[1] == "o2ib" { "rdma" } else { "tcp" }.to_string())
}
