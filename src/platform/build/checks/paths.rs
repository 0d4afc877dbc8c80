//! A path leads from storage to HBM or back without a gap, and its movers can move what they are given.
//!
//! Knows stations and movers. Must not know hardware.

use crate::error::{Fault, Sources};
use crate::spec::{At, Direction, Leg, Mover, Path, Station};

use super::super::legs::{in_memory, word};

/// Checks one path.
pub(super) fn path(path: &Path, sources: &Sources) -> Result<(), Fault> {
    for leg in &path.legs {
        moves(leg, sources)?;
    }
    meet(path, sources)?;
    lead_through(path, sources)?;
    path.legs.iter().try_for_each(|leg| mover(leg, sources))
}

/// Each hop does something, and begins where the one before it ends.
fn moves(leg: &Leg, sources: &Sources) -> Result<(), Fault> {
    if leg.hops.is_empty() {
        let message = format!("leg \"{}\" has no hops", leg.name.value);
        return Err(Fault::at(sources, &leg.name.span, message, "moves nothing")
            .help("give it hops = [{ from = \"storage\", to = \"nic\" }, ...]"));
    }
    if let Some(hop) = leg.hops.iter().find(|hop| hop.from.value == hop.to.value) {
        let station = word(hop.to.value);
        let message = format!("leg \"{}\": a hop from {station} to {station} touches nothing", leg.name.value);
        return Err(Fault::at(sources, &hop.to.span, message, "the bytes are there already")
            .help("a hop leads from one station to another"));
    }
    for pair in leg.hops.windows(2) {
        follows(&pair[0].to, &pair[1].from, "hop", sources)?;
    }
    Ok(())
}

/// Legs follow one another, and between them bytes rest in a buffer.
fn meet(path: &Path, sources: &Sources) -> Result<(), Fault> {
    for pair in path.legs.windows(2) {
        let (Some(last), Some(first)) = (pair[0].hops.last(), pair[1].hops.first()) else { continue };
        follows(&last.to, &first.from, "leg", sources)?;
        if !in_memory(last.to.value) {
            let message = format!("leg \"{}\" ends at {}", pair[0].name.value, word(last.to.value));
            return Err(Fault::at(sources, &last.to.span, message, "bytes cannot rest here")
                .help("between legs they rest in a kernel buffer or a user buffer; join the legs if they stream on"));
        }
    }
    Ok(())
}

fn follows(end: &At<Station>, begin: &At<Station>, what: &str, sources: &Sources) -> Result<(), Fault> {
    if end.value == begin.value {
        return Ok(());
    }
    let (end, there) = (word(end.value), word(begin.value));
    let message = format!("a {what} begins at {there}, but the one before it ends at {end}");
    Err(Fault::at(sources, &begin.span, message, format!("the bytes are at {end}"))
        .help(format!("begin at {end}, or add a {what} from {end} to {there}")))
}

/// The path begins and ends where its direction says.
fn lead_through(path: &Path, sources: &Sources) -> Result<(), Fault> {
    let first = path.legs.first().and_then(|leg| leg.hops.first());
    let last = path.legs.last().and_then(|leg| leg.hops.last());
    let (Some(first), Some(last)) = (first, last) else {
        let name = path.name.as_deref().unwrap_or("of the scenario");
        return Err(Fault::new(format!("the path {name} has no legs")).help("give it at least one [[legs]]"));
    };
    let (from, to, word) = match path.direction {
        Direction::Read => (Station::Storage, Station::Hbm, "read"),
        Direction::Write => (Station::Hbm, Station::Storage, "write"),
    };
    end_is(&first.from, from, "begins", word, sources)?;
    end_is(&last.to, to, "ends", word, sources)
}

fn end_is(at: &At<Station>, right: Station, verb: &str, direction: &str, sources: &Sources) -> Result<(), Fault> {
    if at.value == right {
        return Ok(());
    }
    let right = word(right);
    let message = format!("a {direction} path {verb} at {right}, this one {verb} at {}", word(at.value));
    Err(Fault::at(sources, &at.span, message, format!("should be {right}"))
        .help("reads go from storage to hbm, writes from hbm to storage"))
}

/// Who moves the bytes must be able to reach them.
fn mover(leg: &Leg, sources: &Sources) -> Result<(), Fault> {
    let touches =
        |wanted: fn(Station) -> bool| leg.hops.iter().any(|hop| wanted(hop.from.value) || wanted(hop.to.value));
    let only_memory = leg.hops.iter().all(|hop| in_memory(hop.from.value) && in_memory(hop.to.value));
    let nic = touches(|station| matches!(station, Station::Nic));
    let (able, who, reaches) = match leg.mover.value {
        Mover::Nic => (nic, "nic", "legs that go through the nic"),
        Mover::Cpu => (only_memory, "cpu", "legs from one buffer in system memory to the other"),
        Mover::CopyEngine => (
            !nic && touches(in_memory) && touches(|station| matches!(station, Station::Hbm)),
            "copy_engine",
            "legs between a buffer in system memory and hbm",
        ),
    };
    if able {
        return Ok(());
    }
    let message = format!("leg \"{}\": the mover {who} cannot reach these hops", leg.name.value);
    Err(Fault::at(sources, &leg.mover.span, message, "cannot move this leg").help(format!("{who} moves {reaches}")))
}
