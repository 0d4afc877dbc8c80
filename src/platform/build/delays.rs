//! From control steps to delays: what each step costs, looked up in its part.
//!
//! Knows the parts' named costs. Must not know when a step happens.

use std::collections::BTreeSet;

use crate::error::Fault;
use crate::platform::plan::{Delay, Kind};
use crate::spec::{Costs, Leg, Mover, Station, Step, Work};
use crate::units::Time;

use super::Site;
use super::pools::{Pools, engine};

/// All delays of a scenario, sorted by name, each once.
pub(in crate::platform) struct Delays(Vec<Delay>);

/// A part's costs and what it is.
struct Part<'a> {
    name: &'static str,
    kind: Kind,
    costs: Option<&'a Costs>,
}

impl Delays {
    /// The delays of all works.
    pub(in crate::platform) fn of(site: &Site<'_>, pools: &Pools) -> Result<Delays, Fault> {
        let mut list = BTreeSet::new();
        for work in site.scenario.works.values() {
            for leg in &site.path(&work.value)?.legs {
                for step in leg.before.iter().chain(&leg.after) {
                    list.insert(delay(site, &work.value, step)?);
                }
                let gpus = site.topology.gpus.keys();
                list.extend(gpus.filter_map(|&gpu| engine_start(site, pools, leg, gpu)));
            }
        }
        Ok(Delays(list.into_iter().collect()))
    }

    /// The numbers of the delays before a leg's bytes move, the engine's own start last.
    pub(super) fn before(
        &self,
        site: &Site<'_>,
        work: &Work,
        leg: &Leg,
        gpu: u64,
        pools: &Pools,
    ) -> Result<Vec<usize>, Fault> {
        let mut list = self.numbers(site, work, &leg.before)?;
        list.extend(engine_start(site, pools, leg, gpu).and_then(|delay| self.index(&delay)));
        Ok(list)
    }

    /// The numbers of a row of steps.
    pub(super) fn numbers(&self, site: &Site<'_>, work: &Work, steps: &[Step]) -> Result<Vec<usize>, Fault> {
        let delays = steps.iter().map(|step| delay(site, work, step)).collect::<Result<Vec<Delay>, Fault>>()?;
        Ok(delays.iter().filter_map(|delay| self.index(delay)).collect())
    }

    fn index(&self, delay: &Delay) -> Option<usize> {
        self.0.binary_search(delay).ok()
    }

    /// The list, for the plan.
    pub(in crate::platform) fn into_list(self) -> Vec<Delay> {
        self.0
    }
}

fn parts<'a>(site: &'a Site<'_>, work: &'a Work) -> [Part<'a>; 5] {
    let node = &site.scenario.node;
    let fabric = site.scenario.fabric.as_ref().map(|fabric| &fabric.costs);
    [
        Part { name: "cpu", kind: Kind::Cpu, costs: Some(&node.cpu.costs) },
        Part { name: "gpu", kind: Kind::Other, costs: Some(&node.gpu.costs) },
        Part { name: "nic", kind: Kind::Nic, costs: Some(&node.nic.costs) },
        Part { name: "fabric", kind: Kind::Fabric, costs: fabric },
        Part { name: "target", kind: Kind::Target, costs: Some(&site.target(work).costs) },
    ]
}

fn delay(site: &Site<'_>, work: &Work, step: &Step) -> Result<Delay, Fault> {
    let cost = &step.cost.value;
    let unknown = |message: String, label: &str, help: String| {
        Err(Fault::at(site.sources, &step.cost.span, message, label).help(help))
    };
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
    let Some(figure) = part.costs.and_then(|costs| costs.get(cost_name)) else {
        return unknown(format!("the {part_name} has no cost \"{cost_name}\""), "no such cost", known(part));
    };
    let jitter = step.jitter.as_ref();
    Ok(Delay {
        name: cost.clone(),
        kind: part.kind,
        what: step.what.clone(),
        time: site.ends.less_is_faster(figure),
        jitter: jitter.map_or(Time(0), |figure| site.ends.less_is_faster(figure)),
        on_core: part.kind == Kind::Cpu,
        service_of: None,
        assumed: figure.is_assumed() || jitter.is_some_and(|figure| figure.is_assumed()),
    })
}

fn known(part: &Part<'_>) -> String {
    let mut names: Vec<&str> = part.costs.into_iter().flat_map(|costs| costs.keys().map(String::as_str)).collect();
    names.sort_unstable();
    match (part.costs, names.is_empty()) {
        (None, _) => format!("the scenario has no {0}: give it one, with {0}.costs", part.name),
        (_, true) => format!("it has none: add {}.costs to its file", part.name),
        _ => format!("known costs of the {}: {}", part.name, names.join(", ")),
    }
}

/// Whether a leg is moved by a copy engine, and if so whether towards the GPU.
pub(super) fn engine_direction(leg: &Leg) -> Option<bool> {
    let last = leg.hops.last()?.to.value;
    (leg.mover.value == Mover::CopyEngine).then_some(last == Station::Hbm)
}

/// The fixed service of the engine that moves a leg.
fn engine_start(site: &Site<'_>, pools: &Pools, leg: &Leg, gpu: u64) -> Option<Delay> {
    let to_gpu = engine_direction(leg)?;
    let copies = &site.scenario.node.gpu.copies;
    let (figure, name) = match to_gpu {
        true => (&copies.overhead_to_gpu, "copy_engine.overhead_to_gpu"),
        false => (&copies.overhead_from_gpu, "copy_engine.overhead_from_gpu"),
    };
    Some(Delay {
        name: name.to_string(),
        kind: Kind::CopyEngine,
        what: "the copy engine starts the transfer".to_string(),
        time: site.ends.less_is_faster(figure),
        jitter: Time(0),
        on_core: false,
        service_of: pools.index(&engine(gpu, to_gpu)),
        assumed: figure.is_assumed(),
    })
}
