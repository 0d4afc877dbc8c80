//! Commands, capsules, queues and completions: what a path's steps and slots refer to is there.
//!
//! Knows the keys of steps and slots. Must not know hops.

use crate::error::{Fault, Sources};
use crate::format::{At, Completion, Each, Leg, Path, Per, Slot, Step, Work};
use engine::Station;

use super::figures::positive;

/// Checks one path.
pub(super) fn path(path: &Path, sources: &Sources) -> Result<(), Fault> {
    path.command.as_ref().map_or(Ok(()), |command| positive(sources, "command", command))?;
    path.inline.as_ref().map_or(Ok(()), |inline| positive(sources, "inline", inline))?;
    for leg in &path.legs {
        for step in leg.before.iter().chain(&leg.after) {
            commands(path, step.each.as_ref(), sources)?;
            capsule(path, step.unless_inline.as_ref(), sources)?;
        }
        for slot in &leg.holds {
            commands(path, slot.each.as_ref(), sources)?;
            capsule(path, slot.unless_inline.as_ref(), sources)?;
            of_a_nic(leg, slot, sources)?;
        }
    }
    Ok(())
}

/// What is done for each command needs to know how large one is.
fn commands(path: &Path, each: Option<&At<Each>>, sources: &Sources) -> Result<(), Fault> {
    let Some(each) = each.filter(|each| each.value == Each::Command && path.command.is_none()) else { return Ok(()) };
    Err(Fault::at(
        sources,
        &each.span,
        "each = \"command\", but the path cuts nothing into commands",
        "how large is one?",
    )
    .help("give the path command = \"1 MiB\", the most that its kernel sends in one"))
}

/// What is left out of requests within the capsule needs to know which these are.
fn capsule(path: &Path, unless: Option<&At<bool>>, sources: &Sources) -> Result<(), Fault> {
    let Some(unless) = unless.filter(|unless| unless.value && path.inline.is_none()) else { return Ok(()) };
    Err(Fault::at(sources, &unless.span, "unless_inline, but no request of this path is inline", "up to which size?")
        .help("give the path inline = \"4 KiB\", the most that travels within a command's capsule"))
}

/// A slot of a NIC is held by legs that go through one.
fn of_a_nic(leg: &Leg, slot: &Slot, sources: &Sources) -> Result<(), Fault> {
    let through = leg.hops.iter().any(|hop| hop.from.value == Station::Nic || hop.to.value == Station::Nic);
    if through || !matches!(slot.per, Per::Nic | Per::QueuePair) {
        return Ok(());
    }
    let message = format!("leg \"{}\" holds \"{}\" of a NIC, but goes through none", leg.name.value, slot.slot.value);
    Err(Fault::at(sources, &slot.slot.span, message, "of which NIC?")
        .help("hold it in the leg whose hops lead to or from the nic, or say per = \"gpu\", \"node\" or \"thread\""))
}

/// A way of learning of completions that a work names is one of its path's.
pub(super) fn completion(name: &str, work: &Work, path: &Path, sources: &Sources) -> Result<(), Fault> {
    let Some(wanted) = &work.completion else { return Ok(()) };
    let steps = path.legs.iter().flat_map(|leg| leg.before.iter().chain(&leg.after));
    let known: Vec<Completion> = steps.filter_map(|step: &Step| step.when).collect();
    if known.contains(&wanted.value) {
        return Ok(());
    }
    let word = match wanted.value {
        Completion::Interrupt => "interrupt",
        Completion::Poll => "poll",
    };
    let message = format!("works.{name}: no step of path \"{}\" is for completion = \"{word}\"", work.path.value);
    Err(Fault::at(sources, &wanted.span, message, "nothing would change")
        .help(format!("mark the step of its path that does it with when = \"{word}\", or leave out completion")))
}
