//! The path to each place that holds data: a mount, a subsystem, the drives of the node.
//!
//! Knows places and the rules of the path. Must not know GPUs.

use serde::Serialize;

use super::gpus::{self, Taken};
use super::machine::Machine;
use super::storage::{self, Storage};
use super::{Evidence, logs};

/// A place and the way to it.
#[derive(Clone, Debug, Serialize)]
pub struct PlacePath {
    /// A mount point, a subsystem, a drive.
    pub place: String,
    /// What it is, in words.
    pub kind: String,
    /// How it is reached, where that is shown.
    pub transport: String,
    /// Whether it holds data, rather than the system or people's homes.
    pub holds_data: bool,
    /// The way taken.
    pub taken: Taken,
    /// Hops of the way, as a teacher counts them.
    pub hops: Option<u32>,
    /// Whether the bytes go through system memory without a word said.
    pub silent: bool,
    /// What decided.
    pub why: Vec<String>,
    /// Where it is not known: what to capture.
    pub missing: Vec<String>,
    /// The line that shows the place.
    pub evidence: Evidence,
}

/// All places that were seen.
pub(super) fn all(machine: &Machine<'_>) -> Vec<PlacePath> {
    let places = storage::places(machine);
    let alone = places.len() == 1;
    places.iter().map(|place| one(machine, place, alone)).collect()
}

fn one(machine: &Machine<'_>, place: &[Storage<'_>], alone: bool) -> PlacePath {
    let facts = gpus::facts_of(machine, None, place);
    let mut path = gpus::by_rules(&facts, place);
    // A log does not name the place: of several it speaks of those whose transport allows what it says.
    let possible = |taken: Taken| alone || !(taken.is_gds() && path.taken == Taken::Compat);
    if let Some(happened) = logs::happened(machine, None).filter(|happened| possible(happened.taken)) {
        gpus::beaten_by(&mut path, happened);
    }
    gpus::finish(&mut path, &facts);
    let first = &place[0];
    let more = if first.system == "nvme" && place.len() > 1 {
        format!(" and {} more", place.len() - 1)
    } else {
        String::new()
    };
    PlacePath {
        place: format!("{}{more}", first.place),
        kind: storage::name(first.system).to_string(),
        transport: first.word.clone(),
        holds_data: !first.is_of_the_system() && (first.system != "nvme" || alone),
        taken: path.taken,
        hops: path.hops,
        silent: path.silent,
        why: path.why,
        missing: path.missing,
        evidence: machine.evidence(first.seen),
    }
}
