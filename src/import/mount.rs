//! `mount`, `findmnt` and `/proc/mounts`: file systems that hold data, and whether NFS speaks RDMA.
//!
//! Knows both ways to write a line. Must not know which file system suits GDS.

use super::{Fact, Reading, Text, pattern};

/// Types worth telling; a system's own (`proc`, `tmpfs`, …) are not.
const TYPES: &str = "ext4|xfs|nfs4?|lustre|wekafs|beegfs|gpfs|scatefs|virtiofs";

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in &text.lines {
        let body = line.body();
        if !(body.contains(" type ") || body.contains("rw") || body.contains("ro,")) {
            continue;
        }
        let typed = pattern!(&format!(r"^\s*(\S+) on (\S+) type ({TYPES}) \((.*)$"));
        let bare = pattern!(&format!(r"^\s*(/dev/\S+|\S+:/\S*|\S+@\S+)\s+(/\S*)\s+({TYPES})\s+(\S+)"));
        let Some(cells) = typed.captures(body).or_else(|| bare.captures(body)) else { continue };
        let transport = pattern!(r"\bproto=(rdma|tcp|udp)6?\b").captures(&cells[4]).map(|found| found[1].to_string());
        let (place, system) = (format!("{} on {}", &cells[1], &cells[2]), cells[3].to_string());
        reading.fact(line.number, Fact::Mount { place, system, transport });
    }
}
