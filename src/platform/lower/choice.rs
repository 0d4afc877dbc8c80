//! Which path each work takes: facts from node, target and work, judged by the rules.
//!
//! Knows where a scenario answers a rule's question. Must not know the rules themselves, nor what a path crosses.

use crate::error::{Fault, Sources};
use crate::format::{At, Figure, Method, Path, Scenario, Size, Target, Transport, Work};
use crate::platform::rules::{self, Decision, Distance, Facts, Way};
use crate::platform::wires;
use engine::units::Bytes;
use engine::{Direction, Station};

use super::blocks::BLOCK;
use super::topology::Topology;

/// The path that a work asked for, the one that it takes, and why.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) asked: String,
    pub(super) taken: At<String>,
    pub(super) why: Vec<String>,
}

/// The scenario with each work on the path that it takes, and the choices in the order of the works.
pub(in crate::platform) struct Chosen {
    pub(super) scenario: Scenario,
    pub(super) choices: Vec<Choice>,
}

/// Judges every work of a scenario.
pub(in crate::platform) fn choose(scenario: &Scenario, sources: &Sources) -> Result<Chosen, Fault> {
    let topology = Topology::of(&scenario.node, sources)?;
    let judged = scenario.works.iter().map(|(name, work)| Judged {
        scenario,
        sources,
        topology: &topology,
        name,
        work: &work.value,
    });
    let choices: Vec<Choice> = judged.map(|judged| judged.choice()).collect::<Result<_, _>>()?;
    let mut scenario = scenario.clone();
    for (work, choice) in scenario.works.values_mut().zip(&choices) {
        work.value.path = choice.taken.clone();
    }
    Ok(Chosen { scenario, choices })
}

/// A work before its judges.
struct Judged<'a> {
    scenario: &'a Scenario,
    sources: &'a Sources,
    topology: &'a Topology,
    name: &'a str,
    work: &'a Work,
}

impl Judged<'_> {
    fn choice(&self) -> Result<Choice, Fault> {
        let asked = &self.work.path;
        let as_asked = |why| Choice { asked: asked.value.clone(), taken: asked.clone(), why };
        // A path that is not there is refused where it is looked for.
        let over = self.over_wire(asked);
        let Some(path) = self.scenario.paths.get(&over.value) else { return Ok(as_asked(Vec::new())) };
        let as_asked = |why| Choice { taken: over.clone(), ..as_asked(why) };
        match path.method {
            Method::Gds => self.judged(path, as_asked(Vec::new())),
            Method::Bounce => Ok(as_asked(Vec::new())),
            Method::Compat => Ok(as_asked(vec![
                "compat: the scenario names the compatibility path itself: through system memory".to_string(),
            ])),
        }
    }

    fn judged(&self, path: &Path, asked: Choice) -> Result<Choice, Fault> {
        let facts = self.facts(path);
        let decision = rules::decide(&facts, |rule| requires(path, rule.word));
        let mut why: Vec<String> = decision.decided.iter().map(|judged| judged.why.clone()).collect();
        let taken = match decision.way {
            Way::Direct => Some(&asked.taken),
            Way::DeviceBuffer => match buffered(path, &decision) {
                Some(name) => Some(name),
                // What the buffer costs is then not counted, which the reason says.
                None => return Ok(Choice { why: uncounted(why), ..asked }),
            },
            Way::Staged => path.staged.as_ref(),
            Way::Compat => {
                through_memory(&mut why);
                self.fallback(path)
            }
            Way::Refused => return Err(self.refused(&decision)),
        };
        let taken = taken.ok_or_else(|| self.no_companion(&decision))?;
        Ok(Choice { taken: self.over_wire(taken), why, ..asked })
    }

    /// A path as it is called over the target's wire, where it goes over that.
    fn over_wire(&self, path: &At<String>) -> At<String> {
        let target = self.target();
        let transport = target.transport.as_ref().map(|transport| transport.value.word());
        let wire = wires::of_target(target.wire.as_deref(), transport, target.filesystem.as_deref());
        let over = At { value: wires::over(&path.value, &wire), span: path.span.clone() };
        if self.scenario.paths.contains_key(&over.value) { over } else { path.clone() }
    }

    /// Whether no device reaches HBM over the target's wire, which is not told by its transport.
    fn only_through_memory(&self, path: &Path) -> bool {
        let elsewhere = |path: &At<String>| self.over_wire(path).value != path.value;
        let tcp = transport(self.target(), path) == Some(Transport::Tcp);
        !tcp && !elsewhere(&self.work.path) && path.compat.as_ref().is_some_and(elsewhere)
    }

    /// The compatibility path: over TCP that of TCP, where there is one.
    fn fallback<'b>(&self, path: &'b Path) -> Option<&'b At<String>> {
        let compat = path.compat.as_ref().filter(|compat| self.over_wire(compat).value != compat.value);
        if compat.is_some() {
            return compat;
        }
        let tcp = path.compat_tcp.as_ref().filter(|_| transport(self.target(), path) == Some(Transport::Tcp));
        tcp.or(path.compat.as_ref())
    }

    fn target(&self) -> &Target {
        self.work.target.as_ref().unwrap_or(&self.scenario.target)
    }

    fn facts(&self, path: &Path) -> Facts {
        let (software, target) = (&self.scenario.node.software, self.target());
        let only_memory = self.only_through_memory(path).then_some(false);
        let direction = if path.direction == Direction::Write { target.gds_write } else { None };
        Facts {
            local: is_local(path),
            nvidia_fs: software.nvidia_fs,
            p2pdma: software.p2pdma,
            kernel_driver: software.kernel_driver,
            raid: target.raid,
            compat: software.compat,
            iommu: software.iommu,
            acs: software.acs,
            transport: transport(target, path),
            gds: direction.or(target.gds).filter(|_| !self.only_through_memory(path)).or(only_memory),
            filesystem: target.filesystem.clone(),
            o_direct: self.work.o_direct,
            aligned: aligned(self.work),
            registered: self.work.registered,
            buffers: buffers(self.work),
            pinned_limit: value(&software.pinned_limit),
            bar1: value(&self.scenario.node.gpu.bar1),
            distance: self.distance(path),
            routing: software.routing.as_ref().map(|routing| routing.value),
        }
    }

    /// The farthest that a GPU of the work is from its NIC, where bytes go from one to the other.
    fn distance(&self, path: &Path) -> Option<Distance> {
        let peers = path.legs.iter().any(|leg| touches(&leg.hops, Station::Nic) && touches(&leg.hops, Station::Hbm));
        let gpus = self.topology.gpus_of(self.work).filter(|_| peers);
        gpus.filter_map(|gpu| self.topology.distance(gpu, self.work.nic.value)).max()
    }

    fn refused(&self, decision: &Decision) -> Fault {
        let (why, advice) = words(decision);
        let message = format!("works.{} is refused, since the compatibility mode is off: {why}", self.name);
        Fault::at(self.sources, &self.work.path.span, message, "not eligible for GPUDirect Storage")
            .help(format!("{advice}; or let it fall back: node.software.compat = \"allowed\""))
    }

    fn no_companion(&self, decision: &Decision) -> Fault {
        let (why, advice) = words(decision);
        let asked = &self.work.path.value;
        let key = if decision.way == Way::Staged { "staged" } else { "compat" };
        let message = format!("works.{} cannot take \"{asked}\", and that path names no other: {why}", self.name);
        Fault::at(self.sources, &self.work.path.span, message, format!("has no `{key}`"))
            .help(format!("{advice}; or name the path to take instead: {key} = \"…\" in the path"))
    }
}

/// Why, in one sentence, and what to do about the first reason.
fn words(decision: &Decision) -> (String, &'static str) {
    let why: Vec<&str> = decision.decided.iter().map(|judged| judged.why.as_str()).collect();
    (why.join("; "), decision.decided.first().map_or("", |judged| judged.rule.advice))
}

/// The path through a bounce buffer in HBM: of unaligned requests, or of buffers that are not registered.
fn buffered<'a>(path: &'a Path, decision: &Decision) -> Option<&'a At<String>> {
    let unaligned = decision.decided.iter().any(|judged| judged.rule.word == "unaligned");
    path.unregistered.as_ref().filter(|_| !unaligned).or(path.unaligned.as_ref())
}

/// Says once where the bytes go.
fn through_memory(why: &mut [String]) {
    if let Some(last) = why.last_mut() {
        last.push_str(", so the bytes go through system memory");
    }
}

fn uncounted(mut why: Vec<String>) -> Vec<String> {
    why.push(
        "the path names no `unaligned` path to take instead: what the bounce buffer costs is not counted".to_string(),
    );
    why
}

/// Whether a path asks for a rule.
fn requires(path: &Path, word: &str) -> bool {
    path.requires.as_ref().is_none_or(|words| words.iter().any(|required| required.value == word))
}

fn touches(hops: &[crate::format::Hop], station: Station) -> bool {
    hops.iter().any(|hop| hop.from.value == station || hop.to.value == station)
}

/// Whether a path reaches drives in the node; `None` where it reaches no storage at all.
fn is_local(path: &Path) -> Option<bool> {
    let hops = || path.legs.iter().flat_map(|leg| &leg.hops);
    let at = |station| hops().any(|hop| hop.from.value == station || hop.to.value == station);
    at(Station::Storage).then(|| !at(Station::Nic))
}

/// How the target is spoken to: as it says, else as the path leads to it.
fn transport(target: &Target, path: &Path) -> Option<Transport> {
    let stated = target.transport.as_ref().map(|transport| transport.value);
    match is_local(path)? {
        true => Some(Transport::Local),
        false => stated.or(Some(Transport::Rdma)),
    }
}

fn value(figure: &Option<Figure<Bytes>>) -> Option<Bytes> {
    figure.as_ref().map(|figure| figure.value)
}

/// Whether all requests begin and end at block boundaries; drawn sizes say nothing of that.
fn aligned(work: &Work) -> Option<bool> {
    let whole = |bytes: Bytes| bytes.0.is_multiple_of(BLOCK);
    let sizes = match &work.size.value {
        Size::Fixed(one) => whole(one.value),
        Size::Listed(list) => list.iter().all(|one| whole(one.value)),
        Size::Uniform { .. } | Size::Exponential { .. } => return value(&work.offset).map(whole).filter(|fits| !fits),
    };
    Some(sizes && value(&work.offset).is_none_or(whole))
}

/// Bytes of buffers that a work uses on a GPU; an open loop has no number of them.
fn buffers(work: &Work) -> Option<Bytes> {
    let largest = match &work.size.value {
        Size::Fixed(one) => one.value,
        Size::Listed(list) => list.iter().map(|one| one.value).max()?,
        Size::Uniform { high, .. } => high.value,
        Size::Exponential { .. } => return None,
    };
    let outstanding = work.threads.value.saturating_mul(work.depth.value);
    work.arrivals.is_none().then(|| Bytes(largest.0.saturating_mul(outstanding)))
}
