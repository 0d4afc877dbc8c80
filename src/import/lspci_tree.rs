//! `lspci -tv`: the PCIe tree, and from it how far each GPU is from each NIC and drive.
//!
//! Knows how the tree is drawn. Must not know which branch leads to storage.

use std::collections::BTreeSet;

use super::{Fact, Kind, Line, Reach, Reading, Text, pattern};

/// No tree is drawn wider than this, in bytes of a line.
const WIDEST: usize = 2000;

/// A device at the end of a branch.
struct Leaf {
    line: usize,
    address: String,
    kind: Kind,
    name: String,
    /// The root bus, then the bridges down to it.
    above: Vec<String>,
}

/// A fork in the drawing: siblings begin at its column.
struct Fork {
    column: usize,
    bus: String,
    above: Vec<String>,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut forks: Vec<Fork> = Vec::new();
    let mut leaves = Vec::new();
    // A tree that was pasted twice shows the same devices again.
    let mut seen = BTreeSet::new();
    for line in text.lines.iter().filter(|line| line.body().len() <= WIDEST) {
        // A root begins a tree; the last one's branches are of no use to it.
        if pattern!(r"^\s*-(?:\+-)?\[").is_match(line.body()) {
            forks.clear();
        }
        if pattern!(r"^[-+|\s]*(?:[+\\]-(?:\[|[0-9a-f]{2}\.[0-7])|-\[[0-9a-f]{4,8}:)").is_match(line.body()) {
            let mut walk = Walk::new(line, &mut forks);
            leaves.extend(walk.leaf().filter(|leaf: &Leaf| seen.insert((leaf.above.clone(), leaf.address.clone()))));
        }
    }
    for leaf in &leaves {
        let fact = Fact::Device { address: leaf.address.clone(), kind: leaf.kind, name: leaf.name.clone() };
        reading.fact(leaf.line, fact);
    }
    let of = |kind: Kind| leaves.iter().filter(move |leaf| leaf.kind == kind);
    // nvidia-smi counts GPUs in the order of their buses, which is the tree's.
    for (number, gpu) in of(Kind::Gpu).enumerate().take(64) {
        for device in of(Kind::Nic).chain(of(Kind::Nvme)).take(256) {
            let (from, to) = (format!("GPU{number}"), device.address.clone());
            reading.fact(device.line, Fact::Distance { from, to, reach: reach(&gpu.above, &device.above) });
        }
    }
}

/// How far two branches are apart: by what they share, root bus first.
fn reach(one: &[String], other: &[String]) -> Reach {
    let shared = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    match (shared, one.len() - shared, other.len() - shared) {
        (0, ..) => Reach::Apart,
        (1, ..) => Reach::Phb,
        // One port each below the same switch, or functions of one device.
        (_, 0..=1, 0..=1) => Reach::Pix,
        _ => Reach::Pxb,
    }
}

struct Walk<'a> {
    line: usize,
    body: &'a str,
    at: usize,
    /// Leading blanks that this line lost.
    lost: usize,
    bus: String,
    above: Vec<String>,
    forks: &'a mut Vec<Fork>,
}

impl<'a> Walk<'a> {
    fn new(line: &'a Line, forks: &'a mut Vec<Fork>) -> Walk<'a> {
        Walk { line: line.number, body: line.body(), at: 0, lost: 0, bus: String::new(), above: Vec::new(), forks }
    }

    /// Goes along a line to the device at its end, noting forks and bridges on the way.
    fn leaf(&mut self) -> Option<Leaf> {
        let mut function: Option<String> = None;
        self.resume();
        while let Some(rest) = self.body.get(self.at..).filter(|rest| !rest.is_empty()) {
            if let Some(cells) = pattern!(r"^\[([0-9a-f]{4,8}):([0-9a-f]{2})\]").captures(rest) {
                self.bus = cells[2].to_string();
                self.above = vec![format!("{}:{}", &cells[1], &cells[2])];
                self.at += cells[0].len();
            } else if let Some(cells) = pattern!(r"^\[([0-9a-f]{2})(?:-[0-9a-f]{2})?\]").captures(rest) {
                self.above.extend(function.take());
                self.bus = cells[1].to_string();
                self.at += cells[0].len();
            } else if let Some(cells) = pattern!(r"^([0-9a-f]{2}\.[0-7])(?:\s+(\S.*))?").captures(rest) {
                let address = format!("{}:{}", self.bus, &cells[1]);
                if let Some(name) = cells.get(2).filter(|_| !self.bus.is_empty()) {
                    let (name, above) = (name.as_str().trim().to_string(), std::mem::take(&mut self.above));
                    return Some(Leaf { line: self.line, address, kind: kind(&name), name, above });
                }
                function = Some(address);
                self.at += cells[1].len();
            } else {
                if rest.starts_with("+-") && self.at > 0 && !self.bus_is_at_its_fork() {
                    let column = self.at + self.lost;
                    self.forks.retain(|fork| fork.column < column);
                    self.forks.push(Fork { column, bus: self.bus.clone(), above: self.above.clone() });
                }
                self.at += rest.chars().next().map_or(1, char::len_utf8);
            }
            if self.above.len() > 32 {
                return None;
            }
        }
        None
    }

    /// Takes up the branch that this line goes on, by the column of its mark.
    fn resume(&mut self) {
        let mark = self.body.find(['+', '\\']).unwrap_or(0);
        if !self.body[..mark].chars().all(|c| matches!(c, ' ' | '|' | '\t')) {
            return;
        }
        // What stands first is in the column of the leftmost branch that goes on: where it is not, leading blanks were lost.
        let first = self.body.find(|c: char| !c.is_whitespace()).unwrap_or(0);
        let leftmost = self.forks.iter().map(|fork| fork.column).min().unwrap_or(first);
        self.lost = leftmost.saturating_sub(first);
        let column = mark + self.lost;
        if let Some(at) = self.forks.iter().position(|fork| fork.column == column) {
            self.bus = self.forks[at].bus.clone();
            self.above = self.forks[at].above.clone();
            self.at = mark;
            self.forks.retain(|fork| fork.column <= column);
            if self.body[mark..].starts_with('\\') {
                self.forks.retain(|fork| fork.column < column);
            }
        }
    }

    fn bus_is_at_its_fork(&self) -> bool {
        self.forks
            .iter()
            .any(|fork| fork.column == self.at + self.lost && fork.bus == self.bus && fork.above == self.above)
    }
}

/// What a name means; a tree shows no classes.
fn kind(name: &str) -> Kind {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match () {
        // Switches of NVLink, and what sits beside a GPU on a workstation's card.
        () if has(&["NVIDIA"])
            && has(&["Audio", "USB", "UCSI", "Device 22a3", "Device 1af1", "Device 1ac2", "NVSwitch"]) =>
        {
            Kind::Other
        }
        () if has(&["NVIDIA"]) => Kind::Gpu,
        () if has(&["Virtual Function"]) => Kind::Other,
        () if has(&["Mellanox", "ConnectX", "BlueField", "Ethernet", "Omni-Path", "InfiniBand"]) => Kind::Nic,
        () if has(&["NVMe", "Non-Volatile", "SSD"]) => Kind::Nvme,
        () if has(&["PCIe Switch", "PCI bridge"]) => Kind::Bridge,
        () => Kind::Other,
    }
}
