//! A path leads from one place to another without a gap, and its movers can move what they are given.
//!
//! Knows stations and movers. Must not know hardware.

use crate::error::{Fault, Sources};
use crate::format::{At, Cut, Hop, Leg, Moves, Path, Slot};
use engine::{Direction, Mover, Station};

use super::super::legs::{in_hbm, in_memory, no_way, word};
use super::figures::positive;

/// Checks one path.
pub(super) fn path(path: &Path, sources: &Sources) -> Result<(), Fault> {
    for leg in &path.legs {
        moves(leg, sources)?;
    }
    meet(path, sources)?;
    lead_through(path, sources)?;
    path.legs.iter().try_for_each(|leg| mover(leg, sources))?;
    path.legs.iter().try_for_each(|leg| slots(leg, sources))?;
    write_back(path, sources)?;
    path.cut.as_ref().map_or(Ok(()), |cut| pieces(cut, sources))
}

/// Each hop does something, and begins where the one before it ends.
fn moves(leg: &Leg, sources: &Sources) -> Result<(), Fault> {
    if leg.hops.is_empty() && leg.before.is_empty() && leg.after.is_empty() {
        let message = format!("leg \"{}\" has neither hops nor steps", leg.name.value);
        return Err(Fault::at(sources, &leg.name.span, message, "moves nothing and takes no time")
            .help("give it hops = [{ from = \"storage\", to = \"nic\" }, ...], or steps that it holds something for"));
    }
    if let Some(hop) = leg.hops.iter().find(|hop| hop.from.value == hop.to.value) {
        let station = word(hop.to.value);
        let message = format!("leg \"{}\": a hop from {station} to {station} touches nothing", leg.name.value);
        return Err(Fault::at(sources, &hop.to.span, message, "the bytes are there already")
            .help("a hop leads from one station to another"));
    }
    if let Some(hop) = leg.hops.iter().find(|hop| !meets_storage(hop)) {
        return Err(no_way(leg, hop, sources));
    }
    for pair in leg.hops.windows(2) {
        follows(&pair[0].to, &pair[1].from, "hop", sources)?;
    }
    Ok(())
}

/// Storage is reached through the NIC, or through pcie where it is local; the other ways depend on what lies beyond, and are found by the route.
fn meets_storage(hop: &Hop) -> bool {
    match (hop.from.value, hop.to.value) {
        (Station::Storage, other) | (other, Station::Storage) => matches!(other, Station::Nic | Station::Pcie),
        _ => true,
    }
}

/// Legs follow one another, and between them bytes rest in a buffer. Legs without hops leave them where they are.
fn meet(path: &Path, sources: &Sources) -> Result<(), Fault> {
    let moving: Vec<&Leg> = on_the_way(path).filter(|leg| !leg.hops.is_empty()).collect();
    for pair in moving.windows(2) {
        let (Some(last), Some(first)) = (pair[0].hops.last(), pair[1].hops.first()) else { continue };
        follows(&last.to, &first.from, "leg", sources)?;
        if !in_memory(last.to.value) && last.to.value != Station::BounceBuffer {
            let message = format!("leg \"{}\" ends at {}", pair[0].name.value, word(last.to.value));
            return Err(Fault::at(sources, &last.to.span, message, "bytes cannot rest here")
                .help("between legs they rest in a kernel buffer or a user buffer; join the legs if they stream on"));
        }
    }
    Ok(())
}

/// The legs that the request's own bytes take: reading the blocks around them first is no part of that way.
pub(super) fn on_the_way(path: &Path) -> impl DoubleEndedIterator<Item = &Leg> {
    path.legs.iter().filter(|leg| leg.moves != Some(Moves::Edges))
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

/// The path begins and ends where bytes can rest, and not against its direction.
fn lead_through(path: &Path, sources: &Sources) -> Result<(), Fault> {
    let mut hops = on_the_way(path).flat_map(|leg| &leg.hops);
    let first = hops.next();
    let last = hops.next_back().or(first);
    let (Some(first), Some(last)) = (first, last) else {
        let name = path.name.as_deref().unwrap_or("of the scenario");
        return Err(
            Fault::new(format!("the path {name} moves nothing")).help("give it at least one [[legs]] with hops")
        );
    };
    let (begins, ends, direction) = match path.direction {
        Direction::Read => (Station::Storage, Station::Hbm, "read"),
        Direction::Write => (Station::Hbm, Station::Storage, "write"),
    };
    end_is(&first.from, begins, ends, "begins", direction, sources)?;
    end_is(&last.to, ends, begins, "ends", direction, sources)?;
    if first.from.value != last.to.value {
        return Ok(());
    }
    let message = format!("the path begins and ends at {}", word(last.to.value));
    Err(Fault::at(sources, &last.to.span, message, "the bytes were here before").help("a path leads somewhere"))
}

/// An end is a place where bytes rest: the one that the direction names, or a buffer; never where they should go or come from.
fn end_is(
    at: &At<Station>,
    right: Station,
    other: Station,
    verb: &str,
    direction: &str,
    sources: &Sources,
) -> Result<(), Fault> {
    let rests = !matches!(at.value, Station::Nic | Station::Pcie);
    if rests && at.value != other {
        return Ok(());
    }
    let right = word(right);
    let message = format!("a {direction} path {verb} at {right} or a buffer, this one {verb} at {}", word(at.value));
    Err(Fault::at(sources, &at.span, message, format!("should be {right}, kernel buffer or user buffer"))
        .help("reads go from storage to hbm, writes from hbm to storage; either may begin or end at a buffer"))
}

/// A leg takes each slot once: whoever waits for what it holds itself waits for ever.
fn slots(leg: &Leg, sources: &Sources) -> Result<(), Fault> {
    for (number, slot) in leg.holds.iter().enumerate() {
        named(slot, sources)?;
        if leg.holds[..number].iter().any(|before| before.slot.value == slot.slot.value && before.per == slot.per) {
            let message = format!("leg \"{}\" takes the slot \"{}\" twice", leg.name.value, slot.slot.value);
            return Err(
                Fault::at(sources, &slot.slot.span, message, "held already").help("name each slot once in a leg")
            );
        }
    }
    Ok(())
}

/// A slot has a name and places.
fn named(slot: &Slot, sources: &Sources) -> Result<(), Fault> {
    let name = &slot.slot;
    if name.value.trim().is_empty() || name.value.contains(['.', '*', '(']) {
        let message = format!("a slot cannot be called \"{}\"", name.value);
        return Err(Fault::at(sources, &name.span, message, "not a name").help("use words, as in \"driver lock\""));
    }
    slot.places.as_ref().map_or(Ok(()), |places| positive(sources, &format!("{}: places", name.value), places))
}

fn pieces(cut: &Cut, sources: &Sources) -> Result<(), Fault> {
    let sizes = [("cut.part", &cut.part), ("cut.piece", &cut.piece)];
    sizes.into_iter().try_for_each(|(key, size)| size.as_ref().map_or(Ok(()), |size| positive(sources, key, size)))?;
    let counts = [("cut.most", &cut.most), ("cut.helpers", &cut.helpers)];
    counts.into_iter().try_for_each(|(key, count)| count.as_ref().map_or(Ok(()), |n| positive(sources, key, n)))?;
    let idle = cut.most.as_ref().map(|most| ("most", &most.span));
    let idle = idle.or(cut.helpers.as_ref().map(|helpers| ("helpers", &helpers.span))).filter(|_| cut.piece.is_none());
    let Some((key, span)) = idle else { return Ok(()) };
    Err(Fault::at(sources, span, format!("cut.{key} without cut.piece"), "nothing goes side by side")
        .help("cut.piece = \"8 MiB\" cuts a request into pieces; parts alone go one after another"))
}

/// What nobody waits for begins in a kernel buffer, is the last leg, and takes no time of the request's.
fn write_back(path: &Path, sources: &Sources) -> Result<(), Fault> {
    let Some(number) = path.legs.iter().position(|leg| leg.write_back) else { return Ok(()) };
    let leg = &path.legs[number];
    let refused = |message: String, label: &str, help: &str| {
        let message = format!("leg \"{}\" is a write-back {message}", leg.name.value);
        Err(Fault::at(sources, &leg.name.span, message, label).help(help.to_string()))
    };
    let begins = |leg: &Leg| leg.hops.first().is_some_and(|hop| hop.from.value == Station::KernelBuffer);
    if number + 1 != path.legs.len() || number == 0 || !begins(leg) {
        let label = "not behind a copy into the page cache";
        return refused(
            "elsewhere than at the path's end".into(),
            label,
            "it is the last leg, from a kernel buffer to storage",
        );
    }
    if !(leg.before.is_empty() && leg.after.is_empty() && leg.holds.is_empty()) {
        let help = "the request is done without it: leave out before, after and holds, or write_back";
        return refused("with steps or slots".into(), "nobody waits for them", help);
    }
    Ok(())
}

/// Who moves the bytes must be able to reach them.
fn mover(leg: &Leg, sources: &Sources) -> Result<(), Fault> {
    let touches =
        |wanted: fn(Station) -> bool| leg.hops.iter().any(|hop| wanted(hop.from.value) || wanted(hop.to.value));
    let only_memory = leg.hops.iter().all(|hop| in_memory(hop.from.value) && in_memory(hop.to.value));
    let within_hbm = leg.hops.iter().all(|hop| in_hbm(hop.from.value) && in_hbm(hop.to.value));
    let nic = touches(|station| matches!(station, Station::Nic));
    let to_or_from_gpu = !nic && touches(in_memory) && touches(|station| matches!(station, Station::Hbm));
    let (able, who, reaches) = match leg.mover.value {
        _ if leg.hops.is_empty() && leg.mover.value != Mover::None => return Err(idle_mover(leg, sources)),
        Mover::None => (leg.hops.is_empty(), "none", "nothing: it stands for legs without hops"),
        Mover::Nic => (nic, "nic", "legs that go through the nic"),
        Mover::Drive => {
            (!nic && touches(|station| station == Station::Storage), "drive", "legs between local storage and pcie")
        }
        Mover::Gpu => (within_hbm, "gpu", "legs between hbm and a bounce buffer in it"),
        Mover::Cpu => (only_memory, "cpu", "legs from one buffer in system memory to the other"),
        Mover::CopyEngine => (to_or_from_gpu, "copy_engine", "legs between a buffer in system memory and hbm"),
        Mover::Staging => (to_or_from_gpu, "staging", "legs between a buffer in system memory and hbm"),
    };
    if able {
        return Ok(());
    }
    let message = format!("leg \"{}\": the mover {who} cannot reach these hops", leg.name.value);
    Err(Fault::at(sources, &leg.mover.span, message, "cannot move this leg").help(format!("{who} moves {reaches}")))
}

fn idle_mover(leg: &Leg, sources: &Sources) -> Fault {
    let message = format!("leg \"{}\" has a mover, but no hops", leg.name.value);
    Fault::at(sources, &leg.mover.span, message, "nothing to move")
        .help("mover = \"none\" for a leg of steps alone; else give it hops = [{ from = …, to = … }]")
}
