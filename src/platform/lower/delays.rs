//! From control steps to delays: what each step costs, looked up in its part.
//!
//! Knows the parts' named costs. Must not know when a step happens.

use std::collections::BTreeSet;

use crate::error::Fault;
use crate::format::{self, At, Completion, Costs, CostsBySize, Each, Figure, HotLines, Path, SessionPer, Step, Work};
use crate::platform::rules::Distance;
use engine::units::{Bytes, Time};
use engine::{Delay, Kind, SessionStep};

use super::legs::Turn;
use super::pools::{Pools, engine};
use super::route::Lane;
use super::{Site, services, sizes, slots};

/// All delays of a scenario, sorted by name, each once.
pub(in crate::platform) struct Delays(Vec<Delay>);

/// A part's costs and what it is.
struct Part<'a> {
    name: &'static str,
    kind: Kind,
    costs: Option<(&'a Costs, &'a CostsBySize)>,
}

impl Delays {
    /// The delays of all works.
    pub(in crate::platform) fn of(site: &Site<'_>, pools: &Pools) -> Result<Delays, Fault> {
        let mut list = BTreeSet::new();
        for (name, work) in &site.scenario.works {
            let path = site.path(&work.value)?;
            list.extend(opening(site, &work.value, path)?);
            for lane in site.gpus(&work.value).map(|gpu| Lane::of(site, name, &work.value, gpu)) {
                for turn in Turn::all(path) {
                    list.extend(before(&lane, turn, pools)?);
                    list.extend(services::services(&lane, turn, pools).into_iter().map(|service| service.delay));
                    list.extend(after(&lane, turn)?);
                }
            }
        }
        Ok(Delays(list.into_iter().collect()))
    }

    /// The number of a delay.
    pub(super) fn index(&self, delay: &Delay) -> Option<usize> {
        self.0.binary_search(delay).ok()
    }

    /// The numbers of a row of delays.
    pub(super) fn numbers(&self, delays: &[Delay]) -> Vec<usize> {
        delays.iter().filter_map(|delay| self.index(delay)).collect()
    }

    /// The steps of a path's session; none where the work says that it stands already.
    pub(super) fn session(&self, site: &Site<'_>, work: &Work, path: &Path) -> Result<Vec<SessionStep>, Fault> {
        let delays = opening(site, work, path)?;
        let steps = path.session.iter().zip(&delays).filter_map(|(step, delay)| {
            Some(SessionStep { delay: self.index(delay)?, each_thread: step.per == SessionPer::Thread })
        });
        Ok(steps.collect())
    }

    /// The list, for the plan.
    pub(in crate::platform) fn into_list(self) -> Vec<Delay> {
        self.0
    }
}

/// The delays before a leg's bytes move, the engine's own start last.
pub(super) fn before(lane: &Lane<'_>, turn: Turn<'_>, pools: &Pools) -> Result<Vec<Delay>, Fault> {
    let mut list = steps(lane, turn, &turn.leg().before, pools)?;
    list.extend(detours(lane, turn));
    list.extend(engine_start(lane, turn, pools));
    Ok(list)
}

/// The delays after a leg's bytes have arrived.
pub(super) fn after(lane: &Lane<'_>, turn: Turn<'_>) -> Result<Vec<Delay>, Fault> {
    taken(lane, &turn.leg().after).map(|step| delay(lane, turn.path, step)).collect()
}

/// The delays of a path's session.
fn opening(site: &Site<'_>, work: &Work, path: &Path) -> Result<Vec<Delay>, Fault> {
    let steps = path.session.iter().filter(|_| work.session);
    steps.map(|format::SessionStep { what, cost, .. }| priced(site, work, what, cost)).collect()
}

/// The steps that a work takes, by how it learns of completions.
fn taken<'a>(lane: &Lane<'_>, steps: &'a [Step]) -> impl Iterator<Item = &'a Step> + use<'a> {
    let completion = completion(lane.work);
    steps.iter().filter(move |step| step.when.is_none_or(|when| when == completion))
}

/// How a work's threads learn that a request is done.
pub(super) fn completion(work: &Work) -> Completion {
    work.completion.as_ref().map_or(Completion::default(), |completion| completion.value)
}

/// The steps of a leg. Where it moves nothing and holds a slot, they are what the slot is held for: its own service.
fn steps(lane: &Lane<'_>, turn: Turn<'_>, steps: &[Step], pools: &Pools) -> Result<Vec<Delay>, Fault> {
    let slot = turn.leg().holds.first().filter(|_| turn.leg().hops.is_empty());
    let pool = slot.and_then(|slot| slots::pool(lane.site, slot, lane.name, lane.work, (lane.member, lane.gpu.0)));
    let service_of = pool.and_then(|pool| pools.index(&pool));
    taken(lane, steps).map(|step| Ok(Delay { service_of, ..delay(lane, turn.path, step)? })).collect()
}

fn parts<'a>(site: &'a Site<'_>, work: &'a Work) -> [Part<'a>; 5] {
    let node = &site.scenario.node;
    let target = site.target(work);
    let nic = node.nic.as_ref().map(|nic| (&nic.costs, &nic.costs_by_size));
    let fabric = site.scenario.fabric.as_ref().map(|fabric| (&fabric.costs, &fabric.costs_by_size));
    [
        Part { name: "cpu", kind: Kind::Cpu, costs: Some((&node.cpu.costs, &node.cpu.costs_by_size)) },
        Part { name: "gpu", kind: Kind::Other, costs: Some((&node.gpu.costs, &node.gpu.costs_by_size)) },
        Part { name: "nic", kind: Kind::Nic, costs: nic },
        Part { name: "fabric", kind: Kind::Fabric, costs: fabric },
        Part { name: "target", kind: Kind::Target, costs: Some((&target.costs, &target.costs_by_size)) },
    ]
}

/// A step of a leg: what it costs, how often it is done, and for which sizes.
fn delay(lane: &Lane<'_>, path: &Path, step: &Step) -> Result<Delay, Fault> {
    let priced = priced(lane.site, lane.work, &step.what, &step.cost)?;
    let commands = step.each.as_ref().is_some_and(|each| each.value == Each::Command);
    Ok(Delay {
        jitter: step.jitter.as_ref().map_or(Time(0), |figure| lane.site.ends.less_is_faster(figure)),
        assumed: priced.assumed || step.jitter.as_ref().is_some_and(Figure::is_assumed),
        above: sizes::inline(path, &step.unless_inline),
        command: path.command.as_ref().filter(|_| commands).map(|command| command.value),
        ..priced
    })
}

/// What is done and what it costs, looked up in the part that the cost names.
fn priced(site: &Site<'_>, work: &Work, what: &str, at: &At<String>) -> Result<Delay, Fault> {
    let cost = &at.value;
    let unknown =
        |message: String, label: &str, help: String| Err(Fault::at(site.sources, &at.span, message, label).help(help));
    let (part_name, cost_name) = cost.split_once('.').unwrap_or((cost, ""));
    let parts = parts(site, work);
    let Some(part) = parts.iter().find(|part| part.name == part_name) else {
        let message = format!("the cost \"{cost}\" names no part");
        return unknown(
            message,
            "no such part",
            "a cost is `part.name`, the part being cpu, gpu, nic, fabric or target".into(),
        );
    };
    let figure = part.costs.and_then(|(costs, _)| costs.get(cost_name));
    let table = part.costs.and_then(|(_, by_size)| by_size.get(cost_name));
    if figure.is_none() && table.is_none() {
        return unknown(format!("the {part_name} has no cost \"{cost_name}\""), "no such cost", known(part));
    }
    let doubling = &site.scenario.node.cpu.costs_per_doubling;
    let crowd = (part.kind == Kind::Cpu).then(|| doubling.get(cost_name)).flatten();
    let base = figure.map_or(Time(0), |figure| site.ends.less_is_faster(figure));
    let assumed = [figure, crowd].into_iter().flatten().any(|figure| figure.is_assumed());
    Ok(Delay {
        name: cost.clone(),
        kind: part.kind,
        what: what.to_string(),
        time: Time(base.0 + crowding(site, work, crowd).0),
        by_size: table.map_or(Vec::new(), |table| sizes::times(site.ends, table)),
        jitter: Time(0),
        on_core: part.kind == Kind::Cpu,
        service_of: None,
        assumed: assumed || table.is_some_and(|table| table.is_assumed()),
        above: Bytes(0),
        command: None,
    })
}

/// What the outstanding requests of a GPU add: so much for each doubling.
fn crowding(site: &Site<'_>, work: &Work, doubling: Option<&Figure<Time>>) -> Time {
    let each = doubling.map_or(Time(0), |figure| site.ends.less_is_faster(figure));
    let outstanding = work.threads.value as f64 * work.depth.value as f64;
    Time((each.0 as f64 * libm::log2(outstanding.max(1.0))) as u64)
}

fn known(part: &Part<'_>) -> String {
    let all = part.costs.into_iter().flat_map(|(costs, by_size)| costs.keys().chain(by_size.keys()));
    let mut names: Vec<&str> = all.map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    match (part.costs, names.is_empty()) {
        (None, _) => format!("the scenario has no {0}: give it one, with {0}.costs", part.name),
        (_, true) => format!("it has none: add {}.costs to its file", part.name),
        _ => format!("known costs of the {}: {}", part.name, names.join(", ")),
    }
}

/// What the way between a GPU and a NIC or local drives with which it shares no switch adds to a request.
fn detours(lane: &Lane<'_>, turn: Turn<'_>) -> Vec<Delay> {
    let topology = &lane.site.topology;
    let distance = match (services::through_nic(turn), services::at_storage(turn)) {
        _ if !turn.reaches_gpu() => None,
        (true, _) => topology.distance(lane.gpu.0, lane.work.nic.value),
        (false, storage) => storage.and_then(|_| topology.distance_of_drives(lane.gpu.0)),
    };
    let limits = lane.site.scenario.node.peer_to_peer.as_ref();
    let (Some(limits), Some(distance)) = (limits, distance) else { return Vec::new() };
    let through = limits.root_complex_delay.as_ref().filter(|_| distance > Distance::SameSwitch);
    let across = limits.across_delay.as_ref().filter(|_| distance == Distance::OtherSocket);
    let named = [
        ("peer_to_peer.root_complex_delay", "the way goes through the root complex", through),
        ("peer_to_peer.across_delay", "and on to the other socket", across),
    ];
    let delay = |(name, what, figure): (&str, &str, Option<&Figure<Time>>)| {
        let figure = figure?;
        let (name, what) = (name.to_string(), what.to_string());
        Some(Delay { name, what, ..pure(lane, Kind::RootComplex, figure) })
    };
    named.into_iter().filter_map(delay).collect()
}

/// A delay of a kind, without a name.
fn pure(lane: &Lane<'_>, kind: Kind, figure: &Figure<Time>) -> Delay {
    Delay {
        name: String::new(),
        kind,
        what: String::new(),
        time: lane.site.ends.less_is_faster(figure),
        by_size: Vec::new(),
        jitter: Time(0),
        on_core: false,
        service_of: None,
        assumed: figure.is_assumed(),
        above: Bytes(0),
        command: None,
    }
}

/// The fixed service of the engine that moves a leg, and what hot lines add to it.
fn engine_start(lane: &Lane<'_>, turn: Turn<'_>, pools: &Pools) -> Option<Delay> {
    let to_gpu = turn.engine()?;
    let copies = &lane.site.scenario.node.gpu.copies;
    let (figure, name) = match to_gpu {
        true => (&copies.overhead_to_gpu, "copy_engine.overhead_to_gpu"),
        false => (&copies.overhead_from_gpu, "copy_engine.overhead_from_gpu"),
    };
    let hot = copies.hot_lines.as_ref().filter(|_| turn.is_hot());
    Some(Delay {
        name: name.to_string(),
        kind: Kind::CopyEngine,
        what: "the copy engine starts the transfer".to_string(),
        time: lane.site.ends.less_is_faster(figure),
        by_size: hot.map_or(Vec::new(), |lines| hot_lines(lane.site, lines, to_gpu)),
        jitter: Time(0),
        on_core: false,
        service_of: pools.index(&engine((lane.member, lane.gpu.0), to_gpu)),
        assumed: figure.is_assumed() || hot.is_some_and(|lines| lines.rate.is_assumed() || lines.size.is_assumed()),
        above: Bytes(0),
        command: None,
    })
}

/// What hot lines add, by the size of a transfer: `size (1 - exp(-n / size))` bytes at their rate instead of the engine's.
fn hot_lines(site: &Site<'_>, lines: &HotLines, to_gpu: bool) -> Vec<(Bytes, Time)> {
    let copies = &site.scenario.node.gpu.copies;
    let engine = site.ends.more_is_faster(if to_gpu { &copies.rate_to_gpu } else { &copies.rate_from_gpu });
    let hot = site.ends.more_is_faster(&lines.rate);
    let ps_a_byte = (1e12 / hot.0.max(1) as f64 - 1e12 / engine.0.max(1) as f64).max(0.0);
    let size = site.ends.less_is_faster(&lines.size).0 as f64;
    let adds = |n: u64| Time((size * (1.0 - libm::exp(-(n as f64) / size)) * ps_a_byte).round() as u64);
    // Four points to a doubling, from a byte to where nothing more is hot.
    let sizes = (0..40).flat_map(|power| (4..8u64).map(move |quarter| (quarter << power) / 4));
    let sizes: BTreeSet<u64> = std::iter::once(0).chain(sizes).collect();
    sizes.into_iter().map(|n| (Bytes(n), adds(n))).collect()
}
