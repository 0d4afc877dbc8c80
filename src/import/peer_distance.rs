//! `peer_distance`: cuFile's own table of how far GPUs and their peers are apart, and by which links.
//!
//! Knows its columns. Must not know which peer leads to storage.

use super::{Fact, Kind, Reading, Text, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in &text.lines {
        let body = line.body();
        if pattern!(r"\bgpu\s+peer\s+p2pdist\b").is_match(body) {
            reading.fact(line.number, Fact::Heading);
        }
        let row = pattern!(
            r"^\s*([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+0x[0-9a-f]+\s.*\s(\w+)\s*$"
        );
        let Some(cells) = row.captures(body) else { continue };
        let kind = match &cells[3] {
            "nvme" => Kind::Nvme,
            "network" | "nic" | "ib" => Kind::Nic,
            _ => continue,
        };
        for (address, kind) in [(&cells[1], Kind::Gpu), (&cells[2], kind)] {
            let device = Fact::Device { address: address.to_string(), kind, name: String::new() };
            if !reading.facts.iter().rev().take(512).any(|(_, fact)| *fact == device) {
                reading.fact(line.number, device);
            }
        }
    }
}
