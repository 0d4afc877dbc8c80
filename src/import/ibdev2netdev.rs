//! `ibdev2netdev` and its `-v`: which network interface belongs to which RDMA device, and whether it is up.
//!
//! Knows the arrow. Must not know which interface leads to storage.

use super::{Fact, Reading, Text, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in text.with("==>") {
        let row = pattern!(
            r"(?x) (?: ^ | \s ) (?: (?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d \s+ )?
                (\w+) (?: \s+ \( .* )? \s+ port \s+ \d+ \s* (?: \( \w+ \s* \) )? \s* ==> \s* (\S+) (?: \s* \( (\w+) \)? )?"
        );
        let Some(cells) = row.captures(line.body()) else { continue };
        let up = cells.get(3).and_then(|state| match state.as_str().to_lowercase().as_str() {
            "up" => Some(true),
            "down" => Some(false),
            _ => None,
        });
        reading.fact(line.number, Fact::Port { device: cells[1].to_string(), interface: cells[2].to_string(), up });
    }
}
