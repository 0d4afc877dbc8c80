//! What a checkpoint is saved on: node, cluster, fabric, target and a node's own drives, resolved once.
//!
//! Knows the types of a scenario. Must not know how long its works take.

use crate::error::{Fault, Span};
use crate::format::{Cluster, Figure, Node, Scenario, Striping, Target, Transport};
use crate::platform::{Composed, Given, Library, NOWHERE, Parts, compose};
use engine::units::{Factor, Rate};

use super::scheme::PATHS;

/// What was said of where it is saved.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setup {
    /// Files by name, those that come first first.
    pub(super) files: Vec<(String, String)>,
    /// What flags say.
    pub(super) given: Vec<Given>,
    /// What is taken where nothing is said.
    pub(super) otherwise: Vec<Given>,
}

/// Where it is saved.
#[derive(Clone, Debug)]
pub struct Environment {
    pub(super) composed: Composed,
    given: Vec<Given>,
}

impl Setup {
    /// Finds the models and lays what was said over them.
    ///
    /// # Errors
    /// A [`Fault`] if the models do not fit.
    pub fn environment(&self, library: &Library) -> Result<Environment, Fault> {
        let Setup { files, given, otherwise } = self;
        let named = Environment::naming(given);
        let composed = compose(&Parts { files, given, otherwise, paths: &PATHS }, library).map_err(named)?;
        let environment = Environment { composed, given: given.clone() };
        environment.has_gpus()?;
        Ok(environment)
    }
}

impl Environment {
    pub(super) fn node(&self) -> &Node {
        &self.composed.scenario.node
    }

    pub(super) fn target(&self) -> &Target {
        &self.composed.scenario.target
    }

    /// The node's name.
    pub fn node_name(&self) -> String {
        self.node().name.clone().unwrap_or_else(|| "node".to_string())
    }

    /// The target's name with its rates: a model's may have been replaced.
    pub fn target_name(&self) -> String {
        let target = self.target();
        let name = target.name.as_deref().unwrap_or("target");
        let rate = |own: &Option<Figure<Rate>>| own.as_ref().map_or(target.rate.value, |figure| figure.value);
        let (write, read) = (rate(&target.write_rate), rate(&target.read_rate));
        if write == read { format!("{name} ({write})") } else { format!("{name} (writes {write}, reads {read})") }
    }

    /// Nodes, where it is said how many there are.
    pub fn nodes(&self) -> Option<u64> {
        self.composed.scenario.cluster.as_ref().map(|cluster| cluster.nodes.value)
    }

    /// Whether the target is reached over TCP.
    pub fn is_tcp(&self) -> bool {
        self.target().transport.as_ref().is_some_and(|transport| transport.value == Transport::Tcp)
    }

    /// Data nodes of the target and over how many a file is laid, where files may lie unevenly.
    pub fn stripes(&self) -> Option<(u64, u64)> {
        let count = self.target().data_nodes.as_ref()?.count.value;
        let width = self.target().striping.as_ref()?.width.as_ref()?.value;
        Some((count, width)).filter(|(count, width)| width < count)
    }

    /// Whether it is known what drives of its own a node has.
    pub fn has_own_drives(&self) -> bool {
        self.composed.local.is_some()
    }

    /// Refuses more GPUs in use than there are.
    fn has_gpus(&self) -> Result<(), Fault> {
        let node = self.node();
        let below_switches = node.switches.iter().map(|switch| switch.gpus.len());
        let attached: usize = node.sockets.iter().map(|socket| socket.gpus.len()).chain(below_switches).sum();
        let at = &node.gpus.span;
        match node.gpus.value {
            0 => Err(self.fault(at, "no GPU in use: nobody writes", "must be above zero")),
            more if more > attached as u64 => {
                let message = format!("{more} GPUs in use, but {attached} are attached to this node");
                Err(self.fault(at, &message, "more than are attached").help(format!("use at most {attached}")))
            }
            _ => Ok(()),
        }
    }

    /// A fault at a place of what was said.
    pub(super) fn fault(&self, at: &Span, message: &str, label: &str) -> Fault {
        self.told(Fault::at(&self.composed.sources, at, message, label))
    }

    /// A fault of a scenario in the words of a person who wrote none.
    pub(super) fn told(&self, fault: Fault) -> Fault {
        Environment::naming(&self.given)(plain(fault))
    }

    /// Faults at a flag name it; those of what nobody wrote have no place.
    fn naming(given: &[Given]) -> impl Fn(Fault) -> Fault {
        move |fault| {
            let Some((place, ..)) = fault.place() else { return fault };
            if place == NOWHERE {
                return fault.unplaced();
            }
            match given.iter().find(|given| given.typed == place) {
                Some(given) => fault.unplaced().about(&given.typed),
                None => fault,
            }
        }
    }

    /// The same with something of it changed.
    pub(super) fn changed(&self, change: impl FnOnce(&mut Scenario)) -> Environment {
        let mut changed = self.clone();
        change(&mut changed.composed.scenario);
        changed
    }
}

/// Lets a scenario have so many nodes.
pub(super) fn put_nodes(scenario: &mut Scenario, nodes: u64) {
    let figure = Figure::stated(nodes);
    match &mut scenario.cluster {
        Some(cluster) => cluster.nodes = Figure { span: cluster.nodes.span.clone(), ..figure },
        None => scenario.cluster = Some(Cluster { nodes: figure, background: Default::default() }),
    }
}

/// Lets files lie so unevenly over a target's data nodes.
pub(super) fn put_imbalance(target: &mut Target, imbalance: f64) {
    let striping = target.striping.get_or_insert(Striping { width: None, unit: None, imbalance: None });
    striping.imbalance = Some(Figure::stated(Factor::from_f64(imbalance)));
}

/// Makes all of a target's rates `times / of` times as high as they are.
pub(super) fn scale(target: &mut Target, times: u64, of: u64) {
    let data_nodes = target
        .data_nodes
        .iter_mut()
        .flat_map(|nodes| [Some(&mut nodes.nics), nodes.media_read.as_mut(), nodes.media_write.as_mut()]);
    let own = [Some(&mut target.rate), target.read_rate.as_mut(), target.write_rate.as_mut()];
    for rate in own.into_iter().chain(data_nodes).flatten() {
        let scaled = Rate(rate.value.0.saturating_mul(times) / of.max(1));
        *rate = Figure { span: rate.span.clone(), ..Figure::stated(scaled) };
    }
}

/// The message without the names of works, which nobody gave.
fn plain(fault: Fault) -> Fault {
    let message = fault.message().to_string();
    let Some(rest) = message.strip_prefix("works.") else { return fault };
    match rest.split_once(": ").filter(|(name, _)| !name.contains([' ', '.'])) {
        Some((_, said)) => fault.saying(said),
        None => match rest.split_once('.') {
            Some((_, key)) => fault.saying(format!("save.{key}")),
            None => fault,
        },
    }
}
