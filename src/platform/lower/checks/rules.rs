//! What paths, targets and works say about rules can be meant: capabilities, transports, devices and layouts that are there.
//!
//! Knows words. Must not judge: that is `platform::rules`.

use crate::error::{Fault, Sources, nearest};
use crate::format::{At, Figure, Node, Path, Scenario, Target, TrainedDown, Transport, Work};
use crate::platform::rules;
use engine::Station;

use super::super::legs::word;
use super::look::Look;
use super::paths::on_the_way;

/// Checks what a path says about rules, and which paths may be taken instead of it.
pub(super) fn path(path: &Path, scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    path.requires.iter().flatten().try_for_each(|word| known(word, sources))?;
    path.companions().try_for_each(|(key, name)| companion(path, key, name, scenario, sources))
}

/// Checks that links are said to have trained down of devices that are there.
pub(super) fn trained_down(node: &Node, sources: &Sources) -> Result<(), Fault> {
    let look = Look { sources };
    for device in &node.trained_down {
        let TrainedDown { gpu, nic, lanes, of } = &device.value;
        match (gpu, nic) {
            (Some(gpu), None) => in_use("GPU", gpu, &node.gpus, sources)?,
            (None, Some(nic)) => in_use("NIC", nic, &node.nics, sources)?,
            _ => {
                let message = "a link trained down of no device, or of two";
                return Err(
                    Fault::at(sources, &device.span, message, "whose link?").help("name one: gpu = 3, or nic = 0")
                );
            }
        }
        look.positive("node.trained_down.lanes", lanes)?;
        look.trained("node.trained_down.lanes", lanes, of)?;
    }
    Ok(())
}

fn in_use(what: &str, number: &At<u64>, used: &Figure<u64>, sources: &Sources) -> Result<(), Fault> {
    if number.value < used.value {
        return Ok(());
    }
    let message = format!("{what} {} is not there", number.value);
    let last = used.value.saturating_sub(1);
    Err(Fault::at(sources, &number.span, message, format!("no such {what}"))
        .help(format!("the node has {what}s 0 to {last} in use")))
}

/// Checks what a work asks of the machine: its GPUs, and its target's transport.
pub(super) fn work(name: &str, work: &Work, scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    gpus(name, work, scenario, sources)?;
    let target = work.target.as_ref().unwrap_or(&scenario.target);
    speaks(target, sources)?;
    stripe(target, sources)
}

/// A capability that a path requires is one of the table's.
fn known(word: &At<String>, sources: &Sources) -> Result<(), Fault> {
    if rules::rule(&word.value).is_some() {
        return Ok(());
    }
    let near = nearest(&word.value, rules::words());
    let label = near.map_or("not known".to_string(), |near| format!("did you mean \"{near}\"?"));
    let words: Vec<&str> = rules::words().collect();
    Err(Fault::at(sources, &word.span, format!("there is no capability called \"{}\"", word.value), label)
        .help(format!("capabilities that a path can require: {}", words.join(", "))))
}

/// The path taken instead leads from where the other begins to where it ends.
fn companion(path: &Path, key: &str, name: &At<String>, scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    let Some(other) = scenario.paths.get(&name.value) else { return Ok(()) };
    if ends(path) == ends(other) && path.direction == other.direction {
        return Ok(());
    }
    let leads = |path: &Path| {
        let (from, to) = ends(path).map_or(("nowhere", "nowhere"), |(from, to)| (word(from), word(to)));
        format!("from {from} to {to}")
    };
    let message = format!("\"{}\" cannot be taken instead: it leads {}", name.value, leads(other));
    Err(Fault::at(sources, &name.span, message, "leads elsewhere")
        .help(format!("`{key}` names a path that leads {}", leads(path))))
}

fn ends(path: &Path) -> Option<(Station, Station)> {
    let mut hops = on_the_way(path).flat_map(|leg| &leg.hops);
    let first = hops.next()?;
    Some((first.from.value, hops.next_back().unwrap_or(first).to.value))
}

/// The GPUs that a work names are in use, each once.
fn gpus(name: &str, work: &Work, scenario: &Scenario, sources: &Sources) -> Result<(), Fault> {
    let Some(gpus) = &work.gpus else { return Ok(()) };
    let used = scenario.node.gpus.value;
    if let Some(gpu) = gpus.iter().find(|gpu| gpu.value >= used) {
        let message = format!("works.{name} uses GPU {}, which is not there", gpu.value);
        return Err(Fault::at(sources, &gpu.span, message, "no such GPU").help(format!(
            "the node has GPUs 0 to {} in use: choose of these, or raise node.gpus",
            used.saturating_sub(1)
        )));
    }
    let twice = gpus.iter().enumerate().find(|(at, gpu)| gpus[..*at].iter().any(|before| before.value == gpu.value));
    if let Some((_, gpu)) = twice {
        let message = format!("works.{name} names GPU {} twice", gpu.value);
        return Err(Fault::at(sources, &gpu.span, message, "named before").help("name each GPU once"));
    }
    if gpus.is_empty() {
        return Err(Fault::at(sources, &work.path.span, format!("works.{name} uses no GPU"), "moves nothing")
            .help("name at least one in `gpus`, or leave the key out: then all take part"));
    }
    Ok(())
}

/// A target that lists what it can speak is spoken to in one of these.
fn speaks(target: &Target, sources: &Sources) -> Result<(), Fault> {
    let (Some(spoken), Some(known)) = (&target.transport, &target.speaks) else { return Ok(()) };
    if known.contains(&spoken.value) {
        return Ok(());
    }
    let names: Vec<&str> = known.iter().map(|transport| transport.word()).collect();
    let message = format!("the target does not speak {}", spoken.value.word());
    Err(Fault::at(sources, &spoken.span, message, "no such transport there")
        .help(format!("it speaks {}", names.join(", "))))
}

/// A path whose steps are those of a transport goes to a target that is spoken to in it.
pub(super) fn transport(name: &str, work: &Work, path: &Path, target: &Target, sources: &Sources) -> Result<(), Fault> {
    let spoken = target.transport.as_ref().map(|transport| transport.value);
    let through_nic = goes_through_nic(path);
    let needed = path.transport.as_ref().map(|transport| transport.value);
    let clash = match (needed, spoken) {
        (Some(needed), spoken) => (needed != spoken.unwrap_or(Transport::Rdma)).then_some(needed),
        (None, Some(Transport::Local)) => through_nic.then_some(Transport::Rdma),
        (None, _) => None,
    };
    let Some(needed) = clash else { return Ok(()) };
    let spoken = spoken.unwrap_or(Transport::Rdma).word();
    let message =
        format!("works.{name}: the path \"{}\" speaks {}, the target {spoken}", work.path.value, needed.word());
    Err(Fault::at(sources, &work.path.span, message, "they do not understand each other")
        .help(format!("set target.transport = \"{}\" if it can, or choose a path of {spoken}", needed.word())))
}

/// Bytes that go over a network need a NIC.
pub(super) fn has_nic(name: &str, work: &Work, path: &Path, node: &Node, sources: &Sources) -> Result<(), Fault> {
    if !goes_through_nic(path) || node.nics.value > 0 {
        return Ok(());
    }
    let message = format!("works.{name}: the node has no storage NIC, so no bytes reach a target over a network");
    Err(Fault::at(sources, &work.path.span, message, "goes through a NIC").help(
        "give it one: node.nics = 1, node.nic = \"connectx-7-400g\" and its place, node.sockets.0.nics = [0]; or choose a target of local drives",
    ))
}

fn goes_through_nic(path: &Path) -> bool {
    let hops = path.legs.iter().flat_map(|leg| &leg.hops);
    hops.into_iter().any(|hop| hop.from.value == Station::Nic || hop.to.value == Station::Nic)
}

/// A file lies on no more devices than there are.
fn stripe(target: &Target, sources: &Sources) -> Result<(), Fault> {
    let Some(stripe) = &target.stripe else { return Ok(()) };
    let Some(devices) = &target.devices else {
        let message = "a stripe over devices whose number nobody states".to_string();
        return Err(Fault::at(sources, &stripe.width.span, message, "of how many?")
            .help("add target.devices: how many drives or servers the target's rate is of"));
    };
    if stripe.width.value <= devices.value {
        return Ok(());
    }
    let message =
        format!("a stripe of {} is wider than the target: it has {} devices", stripe.width.value, devices.value);
    Err(Fault::at(sources, &stripe.width.span, message, "wider than the target")
        .help(format!("a file lies on at most {} devices", devices.value)))
}
