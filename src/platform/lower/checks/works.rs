//! What is asked for can be done: an amount, a size, a number of requests in flight, an order.
//!
//! Knows works. Must not know hardware.

use crate::error::{Fault, Sources};
use crate::format::{At, Figure, Scenario, Size, Work};
use engine::units::{Bytes, Quantity};

use super::figures::{in_range, positive};

/// The most requests that a work may have in flight.
const MOST_OUTSTANDING: u64 = 1_000_000;

/// Checks all works.
pub(super) fn all(scenario: &Scenario, sources: &Sources, compact: bool) -> Result<(), Fault> {
    if scenario.works.is_empty() {
        return Err(Fault::new("the scenario has no works: a run that moves no bytes fails")
            .help("add one: [works.load] with path = \"gds-read\", bytes = \"640 GB\" and size = \"1 MiB\""));
    }
    for (name, work) in &scenario.works {
        named(name, work, sources)?;
        amount(name, &work.value, sources)?;
        size(name, &work.value.size, sources)?;
        loops(scenario, name, &work.value, sources, compact)?;
        work.value.offset.as_ref().map_or(Ok(()), |at| in_range(sources, &format!("works.{name}.offset"), at))?;
        starts(scenario, name, sources)?;
    }
    Ok(())
}

/// Keys of the report name works, and their dots and stars mean something else.
fn named(name: &str, work: &At<Work>, sources: &Sources) -> Result<(), Fault> {
    if !name.is_empty() && !name.contains(['.', '*']) && name.trim() == name {
        return Ok(());
    }
    let message = format!("a work cannot be called \"{name}\"");
    Err(Fault::at(sources, &work.span, message, "not a name")
        .help("use letters, digits, - and _, as in [works.gds-80]"))
}

fn amount(name: &str, work: &Work, sources: &Sources) -> Result<(), Fault> {
    moves(name, "bytes", &work.bytes, sources)?;
    moves(name, "requests", &work.requests, sources)?;
    moves(name, "run_time", &work.run_time, sources)?;
    let Some(warm_up) = &work.warm_up else { return Ok(()) };
    in_range(sources, &format!("works.{name}.warm_up"), warm_up)?;
    let Some(run_time) = &work.run_time else {
        return Err(Fault::at(
            sources,
            &warm_up.span,
            format!("works.{name}: warm_up without run_time"),
            "nothing to leave out of",
        )
        .help("a warm-up is the beginning of run_time; bytes and requests count from the first to the last"));
    };
    if warm_up.value < run_time.value {
        return Ok(());
    }
    let message = format!("works.{name}: the warm-up of {} leaves nothing of {}", warm_up.value, run_time.value);
    Err(Fault::at(sources, &warm_up.span, message, "too long").help("make warm_up shorter than run_time"))
}

fn moves<T: Quantity>(name: &str, key: &str, figure: &Option<Figure<T>>, sources: &Sources) -> Result<(), Fault> {
    let Some(figure) = figure else { return Ok(()) };
    if figure.value.is_zero() {
        let message = format!("works.{name}.{key} is zero: a run that moves no bytes fails");
        return Err(
            Fault::at(sources, &figure.span, message, "must be above zero").help(format!("give it {}", T::EXPECTED))
        );
    }
    in_range(sources, &format!("works.{name}.{key}"), figure)
}

fn size(name: &str, size: &At<Size>, sources: &Sources) -> Result<(), Fault> {
    let key = format!("works.{name}.size");
    match &size.value {
        Size::Fixed(one) => positive(sources, &key, one),
        Size::Listed(list) if list.is_empty() => {
            Err(Fault::at(sources, &size.span, format!("{key} is an empty list"), "no size")
                .help("list at least one: [\"4 KiB\", \"1 MiB\"]"))
        }
        Size::Listed(list) => list.iter().try_for_each(|one| positive(sources, &key, one)),
        Size::Uniform { low, high } => between(&key, low, high, sources),
        Size::Exponential { mean } => positive(sources, &key, mean),
    }
}

fn between(key: &str, low: &Figure<Bytes>, high: &Figure<Bytes>, sources: &Sources) -> Result<(), Fault> {
    positive(sources, &format!("{key}.low"), low)?;
    positive(sources, &format!("{key}.high"), high)?;
    if low.value <= high.value {
        return Ok(());
    }
    let message = format!("{key}: low is {}, which is above high, {}", low.value, high.value);
    Err(Fault::at(sources, &low.span, message, "above high").help("swap them"))
}

/// A closed loop has threads and depth, an open one a rate of its own. Of a compact plan only one node's requests are held.
fn loops(scenario: &Scenario, name: &str, work: &Work, sources: &Sources, compact: bool) -> Result<(), Fault> {
    positive(sources, &format!("works.{name}.threads"), &work.threads)?;
    positive(sources, &format!("works.{name}.depth"), &work.depth)?;
    if let Some(arrivals) = &work.arrivals {
        positive(sources, &format!("works.{name}.arrivals.rate"), &arrivals.value.rate)?;
        return open_loop(name, work, sources);
    }
    let nodes = scenario.cluster.as_ref().filter(|_| !compact).map_or(1, |cluster| cluster.nodes.value);
    let outstanding = [work.depth.value, scenario.node.gpus.value, nodes]
        .iter()
        .try_fold(work.threads.value, |product, factor| product.checked_mul(*factor));
    if outstanding.is_some_and(|count| count <= MOST_OUTSTANDING) {
        return Ok(());
    }
    let nodes = if nodes == 1 { String::new() } else { format!(" x {nodes} nodes") };
    let message = format!(
        "works.{name}: {} threads x {} deep x {} GPUs{nodes} are too many requests in flight",
        work.threads.value, work.depth.value, scenario.node.gpus.value
    );
    let deepest = if work.depth.value > work.threads.value { &work.depth } else { &work.threads };
    Err(Fault::at(sources, &deepest.span, message, "too many")
        .help(format!("keep at most {MOST_OUTSTANDING} in flight")))
}

fn open_loop(name: &str, work: &Work, sources: &Sources) -> Result<(), Fault> {
    let stagger = work.stagger.as_ref().map(|figure| ("stagger", &figure.span));
    // A default stands nowhere in a file.
    let typed = [("threads", &work.threads), ("depth", &work.depth)].map(|(key, figure)| (key, &figure.span));
    let typed = typed.into_iter().filter(|(_, span)| !span.is_empty());
    let Some((key, span)) = typed.chain(stagger).next() else { return Ok(()) };
    let message = format!("works.{name} has both arrivals and {key}");
    Err(Fault::at(sources, span, message, "belongs to a closed loop")
        .help("arrivals offer requests at their own rate, whatever is in flight: leave out threads, depth and stagger"))
}

/// Works wait for works that exist, and not in a ring.
fn starts(scenario: &Scenario, name: &str, sources: &Sources) -> Result<(), Fault> {
    let mut ring = vec![name];
    let mut at = name;
    while let Some(after) = scenario.works.get(at).and_then(|work| work.value.after.as_ref()) {
        let Some((next, _)) = scenario.works.get_key_value(&after.value) else {
            return Err(unknown_work(scenario, after, sources));
        };
        ring.push(next);
        if next == name {
            let message = format!("works wait for each other in a ring: {}", ring.join(" after "));
            return Err(Fault::at(sources, &after.span, message, "closes the ring")
                .help("let one of them start by itself: leave out its `after`"));
        }
        if ring.len() > scenario.works.len() {
            // A ring further along: it is found from one of its own members.
            return Ok(());
        }
        at = next;
    }
    Ok(())
}

fn unknown_work(scenario: &Scenario, after: &At<String>, sources: &Sources) -> Fault {
    let known: Vec<&str> = scenario.works.keys().map(String::as_str).collect();
    Fault::at(sources, &after.span, format!("there is no work \"{}\" to start after", after.value), "no such work")
        .help(format!("works of this scenario: {}", known.join(", ")))
}
