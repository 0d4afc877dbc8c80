//! What the page needs to draw a node: which devices hang where, and which way each work's bytes go.
//!
//! Knows places and names. Must not know pictures.

use serde::Serialize;

use crate::format::{At, Node, Scenario, Transport};
use engine::{Lane, Plan, Station, Work};

/// A node with its target, as places.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Drawing {
    /// The node's title.
    pub node: String,
    /// The target's title.
    pub target: String,
    /// How the target is spoken to; `None` where storage is local.
    pub transport: Option<&'static str>,
    /// The network's title, where the scenario has one.
    pub fabric: Option<String>,
    /// GPUs in use: the first so many.
    pub gpus: u64,
    /// NICs in use.
    pub nics: u64,
    /// The sockets.
    pub sockets: Vec<Devices>,
    /// The switches below them.
    pub switches: Vec<Devices>,
    /// The ways of the works, in the order of the report.
    pub ways: Vec<Way>,
}

/// The devices below a socket or a switch.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Devices {
    /// The socket.
    pub socket: u64,
    /// GPU numbers.
    pub gpus: Vec<u64>,
    /// NIC numbers.
    pub nics: Vec<u64>,
}

/// Which way a work's bytes go.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Way {
    /// The work.
    pub work: String,
    /// The path that it takes.
    pub path: String,
    /// Where its bytes stop or turn, from the first station to the last.
    pub stations: Vec<Station>,
    /// GPU and NIC of each lane.
    pub lanes: Vec<Pair>,
}

/// A GPU and the NIC that serves it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Pair {
    /// The GPU.
    pub gpu: u64,
    /// The NIC; `None` where the bytes cross none.
    pub nic: Option<u64>,
}

impl Drawing {
    /// The drawing of a scenario and its plan.
    pub(super) fn of(scenario: &Scenario, plan: &Plan) -> Drawing {
        let node = &scenario.node;
        let mut works: Vec<&Work> = plan.works.iter().collect();
        works.sort_by_key(|work| work.position);
        Drawing {
            node: titled(&node.title, &node.name, "node"),
            target: titled(&scenario.target.title, &scenario.target.name, "storage target"),
            transport: node.nic.as_ref().map(|_| transport(scenario)),
            fabric: scenario.fabric.as_ref().map(|fabric| titled(&fabric.title, &fabric.name, "network")),
            gpus: node.gpus.value,
            nics: node.nics.value,
            sockets: sockets(node),
            switches: switches(node),
            ways: works.into_iter().map(|work| way(plan, work)).collect(),
        }
    }
}

fn titled(title: &Option<String>, name: &Option<String>, otherwise: &str) -> String {
    title.clone().or_else(|| name.clone()).unwrap_or_else(|| otherwise.to_string())
}

fn transport(scenario: &Scenario) -> &'static str {
    match scenario.target.transport.as_ref().map(|transport| transport.value) {
        Some(Transport::Tcp) => "TCP",
        Some(Transport::Local) => "local",
        Some(Transport::Rdma) | None => "RDMA",
    }
}

fn numbers(list: &[At<u64>]) -> Vec<u64> {
    list.iter().map(|number| number.value).collect()
}

fn sockets(node: &Node) -> Vec<Devices> {
    let sockets = (0..).zip(&node.sockets);
    sockets.map(|(socket, at)| Devices { socket, gpus: numbers(&at.gpus), nics: numbers(&at.nics) }).collect()
}

fn switches(node: &Node) -> Vec<Devices> {
    let switches = node.switches.iter();
    switches.map(|at| Devices { socket: at.socket.value, gpus: numbers(&at.gpus), nics: numbers(&at.nics) }).collect()
}

fn way(plan: &Plan, work: &Work) -> Way {
    let hops = || work.lanes.first().into_iter().flat_map(|lane| &lane.legs).flat_map(|leg| &leg.hops);
    let first = hops().next().map(|hop| hop.from);
    let mut stations: Vec<Station> = first.into_iter().chain(hops().map(|hop| hop.to)).collect();
    stations.dedup();
    let lanes = work.lanes.iter().map(|lane| Pair { gpu: lane.gpu, nic: nic_of(plan, lane) }).collect();
    Way { work: work.name.clone(), path: work.path_taken.clone(), stations, lanes }
}

/// The NIC whose ports a lane crosses, by the name of the capacity.
fn nic_of(plan: &Plan, lane: &Lane) -> Option<u64> {
    let crossed = lane.legs.iter().flat_map(|leg| &leg.hops).flat_map(|hop| &hop.crosses);
    let mut names = crossed.map(|crossing| plan.capacities[crossing.capacity].name.as_str());
    names.find_map(|name| name.strip_prefix("nic")?.split('.').next()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::{Assumed, Library, load, seal};

    fn drawing(name: &str) -> Drawing {
        let loaded = load(name, &Library::default(), &[]).unwrap();
        Drawing::of(&loaded.scenario, &seal(&loaded.scenario, &loaded.sources, Assumed::Value).unwrap())
    }

    #[test]
    fn every_gpu_is_drawn_with_the_nic_of_its_own_socket() {
        let drawing = drawing("load-640gb");
        let pairs: Vec<_> = drawing.ways[0].lanes.iter().map(|pair| (pair.gpu, pair.nic)).collect();
        let expected: Vec<_> = (0..8).map(|gpu| (gpu, Some(gpu / 4))).collect();
        assert_eq!(pairs, expected);
    }

    #[test]
    fn the_paths_stop_at_four_stations_and_at_six() {
        let drawing = drawing("load-640gb-textbook");
        assert_eq!(drawing.ways.iter().map(|way| way.stations.len()).collect::<Vec<_>>(), [4, 6]);
    }
}
