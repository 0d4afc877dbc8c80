//! Files beyond the node: a fabric, a storage target.
//!
//! Knows their keys. Must not know what the figures do in a simulation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figure::{At, Figure};
use super::node::{Costs, CostsBySize, Link};
use engine::units::{Bytes, Factor, Rate, Time};

/// The network between node and target (`models/fabrics/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Rate of the narrowest cut between all nodes and the target, each direction; without it, only leaves bind.
    pub rate: Option<Figure<Rate>>,
    /// Nodes of a cluster under one leaf; without it, all are.
    pub nodes_a_leaf: Option<Figure<u64>>,
    /// What a leaf's links to the spine carry together, each direction. The target hangs on the spine.
    pub leaf_uplink: Option<Figure<Rate>>,
    /// The same by what the storage NICs of a full leaf could carry over what its uplinks carry: 2 where they are half.
    pub oversubscription: Option<Figure<Factor>>,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// A storage target (`models/targets/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// What it serves, each direction: all of it together, where it is made of data nodes.
    pub rate: Figure<Rate>,
    /// What it serves to readers, where that differs.
    pub read_rate: Option<Figure<Rate>>,
    /// What it takes from writers, where that differs.
    pub write_rate: Option<Figure<Rate>>,
    /// Bytes written for a byte of payload, protection included: (k + m) / k.
    pub write_overhead: Option<Figure<Factor>>,
    /// The server that reads go through: a place is held for the service and while the bytes move, at its rate at most.
    pub read_server: Option<Server>,
    /// The server that writes go through.
    pub write_server: Option<Server>,
    /// The most that one request gets.
    pub stream_cap: Option<Figure<Rate>>,
    /// The most that one read gets, where that differs.
    pub stream_cap_read: Option<Figure<Rate>>,
    /// The most that one write gets, where that differs.
    pub stream_cap_write: Option<Figure<Rate>>,
    /// The most that one node reads.
    pub client_cap_read: Option<Figure<Rate>>,
    /// The most that one node writes.
    pub client_cap_write: Option<Figure<Rate>>,
    /// The link that local drives share (`models/parts/link`), for hops between storage and pcie.
    pub link: Option<Link>,
    /// The share of that rate that a job's files reach, by their layout over its devices: above 0, at most 1.
    pub striping_efficiency: Option<Figure<Factor>>,
    /// The nodes that it is made of, where they are told apart.
    pub data_nodes: Option<DataNodes>,
    /// How a GPU's files lie over its data nodes.
    pub striping: Option<Striping>,
    /// How many devices (drives, servers) that rate is of.
    pub devices: Option<Figure<u64>>,
    /// How a file is laid out over them; without it, over all.
    pub stripe: Option<Stripe>,
    /// The wire to it (`scenarios/paths/wires`), where transport and file system do not tell.
    pub wire: Option<String>,
    /// How its clients speak to it; where nothing is said, over RDMA, or not at all where a path reaches local drives.
    pub transport: Option<At<Transport>>,
    /// All transports that it can speak; without it, any.
    pub speaks: Option<Vec<Transport>>,
    /// Whether GPUDirect Storage works with its file system or device, over a transport that allows it.
    pub gds: Option<bool>,
    /// The same for writes, where that differs.
    pub gds_write: Option<bool>,
    /// Its file system, as `mount` calls it: `lustre`, `wekafs`, `nfs`, `ext4`.
    pub filesystem: Option<String>,
    /// Whether its local drives are one md RAID device.
    pub raid: Option<bool>,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// What a target is made of: nodes with NICs, media and perhaps a cache. `write_overhead` of the target is charged to their
/// media.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataNodes {
    /// How many there are.
    pub count: Figure<u64>,
    /// What the NICs of one carry together, each direction.
    pub nics: Figure<Rate>,
    /// What the media of one read; without it, they never bind.
    pub media_read: Option<Figure<Rate>>,
    /// What the media of one take.
    pub media_write: Option<Figure<Rate>>,
    /// Bytes into the NICs for a byte written, where data nodes send copies or parity to each other; 1 where nothing is said.
    pub nics_write_overhead: Option<Figure<Factor>>,
    /// Its cache.
    pub cache: Option<DataCache>,
}

/// What a data node need not move to or from its media while a work is under way.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataCache {
    /// How many bytes one holds that are not on its media yet: so much less of what a work writes need be there at its end.
    pub writes: Option<Figure<Bytes>>,
    /// The share of reads that it answers: 0 cold, 1 warm.
    pub read_hits: Option<Figure<Factor>>,
}

/// How files lie over data nodes. The first GPU's begin at the first data node, the next one's at the next, and so on round.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Striping {
    /// Over how many data nodes a file is laid; without it, over all.
    pub width: Option<Figure<u64>>,
    /// How much lies on one before the next has its turn: a smaller request meets one data node alone.
    pub unit: Option<Figure<Bytes>>,
    /// The load of the fullest data node over the mean; 1 where nothing is said.
    pub imbalance: Option<Figure<Factor>>,
}

/// A server: so many at a time, each a fixed service and then bytes at a rate. A disk is a pure delay (in `costs`) and this,
/// with as many places as it works on at a time.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// Requests at a time.
    pub places: Figure<u64>,
    /// Fixed service of one.
    pub service: Figure<Time>,
    /// Rate of one, at most.
    pub rate: Figure<Rate>,
}

/// How a file is laid out over a target's devices: a unit on each of so many in turn.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stripe {
    /// How many devices hold a file.
    pub width: Figure<u64>,
    /// Bytes on one device before the next.
    pub unit: Figure<Bytes>,
}

/// The transport between client and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// RDMA (InfiniBand or RoCE).
    #[default]
    Rdma,
    /// TCP: no peer-to-peer.
    Tcp,
    /// None: its drives are in the node.
    Local,
}

impl Transport {
    /// As it is spelled.
    pub fn word(self) -> &'static str {
        match self {
            Transport::Rdma => "rdma",
            Transport::Tcp => "tcp",
            Transport::Local => "local",
        }
    }
}
