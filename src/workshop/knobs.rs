//! The sliders: which keys of a scenario each moves, and between which values.
//!
//! Knows keys and ladders of values. Must not know how a slider looks or what a value does.

use serde::Serialize;

use crate::error::Fault;
use crate::format::{Node, Scenario, Size, Work};
use crate::platform::Edit;
use engine::units::{Bytes, Rate};

/// Lanes of a link that is not trained down.
const LANES: u64 = 16;

/// What a slider moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Knob {
    /// GPUs in use.
    Gpus,
    /// Threads a GPU.
    Threads,
    /// Outstanding requests a thread.
    Depth,
    /// Size of a request.
    Size,
    /// NICs in use.
    Nics,
    /// Lanes of each GPU's link.
    GpuLanes,
    /// Lanes of each NIC's link.
    NicLanes,
    /// What the target serves.
    TargetRate,
}

/// A slider as the page shows it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Slider {
    /// What it moves.
    pub knob: Knob,
    /// Its label.
    pub label: &'static str,
    /// The key that it stands for, as `--set` takes it.
    pub key: &'static str,
    /// What one value counts: empty where the value's text says it.
    pub unit: &'static str,
    /// Its values in ascending order, as they are written.
    pub values: Vec<String>,
    /// Which of them is the scenario's own.
    pub own: usize,
    /// Whether the scenario's works differ in it, so that its own value is that of the first.
    pub mixed: bool,
}

/// The sliders in the order of the page: what is asked for, then what it runs on.
pub(super) const KNOBS: [Knob; 8] =
    [Knob::Gpus, Knob::Threads, Knob::Depth, Knob::Size, Knob::Nics, Knob::GpuLanes, Knob::NicLanes, Knob::TargetRate];

impl Knob {
    /// Its name in a query.
    pub(super) fn name(self) -> &'static str {
        self.words().0
    }

    /// The knob of that name.
    pub(super) fn of_name(name: &str) -> Option<Knob> {
        KNOBS.into_iter().find(|knob| knob.name() == name)
    }

    /// Its name, label, key and unit.
    fn words(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Knob::Gpus => ("gpus", "GPUs in use", "node.gpus", ""),
            Knob::Threads => ("threads", "Threads per GPU", "works.*.threads", ""),
            Knob::Depth => ("depth", "Requests per thread", "works.*.depth", ""),
            Knob::Size => ("size", "Request size", "works.*.size", ""),
            Knob::Nics => ("nics", "NICs in use", "node.nics", ""),
            Knob::GpuLanes => ("gpu_lanes", "PCIe per GPU", "node.gpu.link.width", "lanes"),
            Knob::NicLanes => ("nic_lanes", "PCIe per NIC", "node.nic.link.width", "lanes"),
            Knob::TargetRate => ("target_rate", "Target's rate", "target.rate", ""),
        }
    }

    /// The slider for a scenario as its file has it; `None` where it has nothing to move.
    pub(super) fn slider(self, scenario: &Scenario) -> Option<Slider> {
        let own = self.own(scenario)?;
        let mut amounts = self.ladder(&scenario.node);
        amounts.push(own);
        amounts.sort_unstable();
        amounts.dedup();
        let (_, label, key, unit) = self.words();
        Some(Slider {
            knob: self,
            label,
            key,
            unit,
            own: amounts.iter().position(|amount| *amount == own)?,
            mixed: self.is_mixed(scenario),
            values: amounts.into_iter().map(|amount| self.text(amount)).collect(),
        })
    }

    /// The scenario's own value.
    fn own(self, scenario: &Scenario) -> Option<u64> {
        let node = &scenario.node;
        let first = scenario.works.values().next().map(|work| &work.value);
        match self {
            Knob::Gpus => Some(node.gpus.value),
            Knob::Nics => node.nic.as_ref().filter(|_| node.nics.value > 0).map(|_| node.nics.value),
            Knob::GpuLanes => Some(node.gpu.link.width.as_ref().map_or(LANES, |width| width.value)),
            Knob::NicLanes => {
                let nic = node.nic.as_ref().filter(|_| node.nics.value > 0)?;
                Some(nic.link.width.as_ref().map_or(LANES, |width| width.value))
            }
            Knob::TargetRate => Some(scenario.target.rate.value.0),
            Knob::Threads | Knob::Depth | Knob::Size => self.of_work(first?),
        }
    }

    /// A work's own value; `None` where it has no single one.
    fn of_work(self, work: &Work) -> Option<u64> {
        match (self, &work.size.value) {
            (Knob::Threads, _) => Some(work.threads.value),
            (Knob::Depth, _) => Some(work.depth.value),
            (Knob::Size, Size::Fixed(size)) => Some(size.value.0),
            (Knob::Size, Size::Listed(sizes)) => sizes.first().map(|size| size.value.0),
            (Knob::Size, Size::Uniform { high, .. }) => Some(high.value.0),
            (Knob::Size, Size::Exponential { mean }) => Some(mean.value.0),
            _ => None,
        }
    }

    fn is_mixed(self, scenario: &Scenario) -> bool {
        let drawn = |work: &Work| self == Knob::Size && !matches!(work.size.value, Size::Fixed(_));
        let works = || scenario.works.values().map(|work| &work.value);
        let first = works().next().and_then(|work| self.of_work(work));
        works().any(|work| drawn(work) || self.of_work(work) != first)
    }

    fn ladder(self, node: &Node) -> Vec<u64> {
        let doubled = |from: u32, to: u32| (from..=to).map(|power| 1u64 << power).collect();
        match self {
            Knob::Gpus => (1..=attached(node, |socket| socket.gpus.len(), |switch| switch.gpus.len())).collect(),
            Knob::Nics => (1..=attached(node, |socket| socket.nics.len(), |switch| switch.nics.len())).collect(),
            Knob::Threads => doubled(0, 5),
            Knob::Depth => doubled(0, 4),
            Knob::Size => doubled(12, 26),
            Knob::GpuLanes | Knob::NicLanes => doubled(0, 4),
            Knob::TargetRate => [10, 20, 40, 60, 80, 100, 125, 150, 200, 400].map(|gb_s| gb_s * 1_000_000_000).into(),
        }
    }

    /// A value as it is written.
    pub(super) fn text(self, amount: u64) -> String {
        match self {
            Knob::Size => Bytes(amount).to_string(),
            Knob::TargetRate => Rate(amount).to_string(),
            _ => amount.to_string(),
        }
    }

    /// Reads a value and holds it against the slider's range.
    pub(super) fn read(self, text: &str, slider: &Slider) -> Result<u64, Fault> {
        let wrong = |problem: String| {
            let (low, high) = (slider.values.first(), slider.values.last());
            let range = [low, high].map(|end| end.map(String::as_str).unwrap_or_default()).join(" to ");
            Fault::new(format!("{}: {problem}", self.name())).help(format!("it goes from {range}"))
        };
        let amount = self.amount(text).map_err(&wrong)?;
        let ends = [slider.values.first(), slider.values.last()].map(|end| end.and_then(|end| self.amount(end).ok()));
        let [Some(low), Some(high)] = ends else { return Err(wrong("it has no values".to_string())) };
        if (low..=high).contains(&amount) { Ok(amount) } else { Err(wrong(format!("{text} is out of its range"))) }
    }

    fn amount(self, text: &str) -> Result<u64, String> {
        match self {
            Knob::Size => text.parse::<Bytes>().map(|bytes| bytes.0).map_err(|error| error.to_string()),
            Knob::TargetRate => text.parse::<Rate>().map(|rate| rate.0).map_err(|error| error.to_string()),
            _ => text.parse().map_err(|_| format!("\"{text}\" is no whole number")),
        }
    }

    /// The edits that a value stands for.
    pub(super) fn edits(self, amount: u64, scenario: &Scenario) -> Vec<Edit> {
        let text = self.text(amount);
        match self {
            Knob::TargetRate => target(scenario, &text),
            _ => vec![Edit { key: self.words().2.to_string(), value: text }],
        }
    }
}

/// Devices attached to a node's sockets and switches.
fn attached(
    node: &Node,
    of_socket: impl Fn(&crate::format::Socket) -> usize,
    of_switch: impl Fn(&crate::format::Switch) -> usize,
) -> u64 {
    let sockets = node.sockets.iter().map(of_socket);
    sockets.chain(node.switches.iter().map(of_switch)).sum::<usize>() as u64
}

/// What the target serves, in whichever keys it is said.
fn target(scenario: &Scenario, text: &str) -> Vec<Edit> {
    let target = &scenario.target;
    let keys = [("rate", true), ("read_rate", target.read_rate.is_some()), ("write_rate", target.write_rate.is_some())];
    let said = keys.into_iter().filter(|(_, said)| *said);
    said.map(|(key, _)| Edit { key: format!("target.{key}"), value: text.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Library, load};

    fn scenario(name: &str) -> Scenario {
        load(name, &Library::default(), &[]).unwrap().scenario
    }

    #[test]
    fn every_slider_has_the_value_of_its_scenario_among_its_own() {
        let scenario = scenario("load-640gb-textbook");
        let own = KNOBS.map(|knob| {
            let slider = knob.slider(&scenario).unwrap();
            slider.values[slider.own].clone()
        });
        assert_eq!(own, ["8", "16", "1", "1 MiB", "2", "16", "16", "125 GB/s"]);
    }

    #[test]
    fn a_value_out_of_range_or_without_its_unit_is_refused() {
        let scenario = scenario("load-640gb-textbook");
        for (knob, text) in [(Knob::Gpus, "9"), (Knob::Gpus, "-1"), (Knob::Size, "1"), (Knob::Size, "3 TB")] {
            let slider = knob.slider(&scenario).unwrap();
            assert!(knob.read(text, &slider).is_err(), "{knob:?} {text}");
        }
    }

    #[test]
    fn a_slider_of_lanes_trains_the_links_down() {
        for (knob, key) in [(Knob::GpuLanes, "node.gpu.link.width"), (Knob::NicLanes, "node.nic.link.width")] {
            let edits = knob.edits(8, &scenario("load-640gb"));
            assert_eq!(edits, [Edit { key: key.to_string(), value: "8".to_string() }]);
        }
    }
}
