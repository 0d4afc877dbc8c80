//! Hardware files: a node and its parts, a fabric, a storage target.
//!
//! Wherever a part is expected, `model = "name"` takes it from `models/`, and the keys beside it replace the model's own.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::figure::{At, Figure};
use crate::units::{Bytes, Factor, Rate, Time};

/// Named delays of a part ("read_call", "media_read"), which the steps of a path refer to as `part.name`.
pub type Costs = IndexMap<String, Figure<Time>>;

/// A GPU node (`models/nodes/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// GPUs in use, the first ones of those attached.
    pub gpus: Figure<u64>,
    /// Storage NICs in use, the first ones of those attached.
    pub nics: Figure<u64>,
    /// The GPU that it holds (`models/parts/gpu`).
    pub gpu: Gpu,
    /// The storage NIC that it holds (`models/parts/nic`).
    pub nic: Nic,
    /// All its CPUs together (`models/parts/cpu`).
    pub cpu: Cpu,
    /// All its system memory together (`models/parts/dram`).
    pub dram: Dram,
    /// Which GPUs and storage NICs hang on root ports of which socket.
    pub sockets: Vec<Socket>,
    /// PCIe switches between devices and a root port.
    #[serde(default)]
    pub switches: Vec<Switch>,
    /// The link between two sockets, each direction, for traffic to and from system memory.
    pub socket_link: Option<Figure<Rate>>,
    /// What peer-to-peer traffic between two devices can reach.
    pub peer_to_peer: Option<PeerToPeer>,
}

/// A CPU socket and the devices on its root ports.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Socket {
    /// GPU numbers.
    #[serde(default)]
    pub gpus: Vec<At<u64>>,
    /// Storage NIC numbers.
    #[serde(default)]
    pub nics: Vec<At<u64>>,
}

/// A PCIe switch: devices below it, one uplink to a socket's root port. Its devices are not listed under the socket.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// The socket that its uplink leads to.
    pub socket: At<u64>,
    /// The uplink (`models/parts/link`).
    pub uplink: Link,
    /// GPU numbers below it.
    #[serde(default)]
    pub gpus: Vec<At<u64>>,
    /// Storage NIC numbers below it.
    #[serde(default)]
    pub nics: Vec<At<u64>>,
}

/// What a root complex carries from device to device.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeerToPeer {
    /// Through one socket's root complex towards a GPU, for each NIC.
    pub root_complex_to_gpu: Option<Figure<Rate>>,
    /// Through one socket's root complex from a GPU, for each NIC.
    pub root_complex_from_gpu: Option<Figure<Rate>>,
    /// Across the socket link, each direction.
    pub across_sockets: Option<Figure<Rate>>,
}

/// A PCIe link (`models/parts/link/*.toml`), by the rates that a payload sees.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// The signalling rate of a direction: transfers times lanes.
    pub raw: Figure<Rate>,
    /// What line coding leaves of it (128b/130b: 0.98462).
    pub encoding: Option<Figure<Factor>>,
    /// Payload bytes of a packet.
    pub max_payload: Option<Figure<Bytes>>,
    /// Header, sequence and check bytes that go with a packet.
    pub packet_overhead: Option<Figure<Bytes>>,
    /// Payload rate towards the device; without it, what raw rate, coding and packets leave.
    pub rate_down: Option<Figure<Rate>>,
    /// Payload rate from the device; without it, what raw rate, coding and packets leave.
    pub rate_up: Option<Figure<Rate>>,
}

/// A GPU (`models/parts/gpu/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Bandwidth of its memory, reads and writes together.
    pub hbm: Figure<Rate>,
    /// Size of its memory.
    pub memory: Option<Figure<Bytes>>,
    /// Its PCIe link (`models/parts/link`).
    pub link: Link,
    /// Its copy engines: one each direction, one transfer at a time.
    pub copies: Copies,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
}

/// A copy engine takes `overhead + bytes / rate` for a transfer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Rate from host to device, at most.
    pub rate_to_gpu: Figure<Rate>,
    /// Rate from device to host, at most.
    pub rate_from_gpu: Figure<Rate>,
    /// Fixed service of a transfer to the device.
    pub overhead_to_gpu: Figure<Time>,
    /// Fixed service of a transfer from the device.
    pub overhead_from_gpu: Figure<Time>,
}

/// A storage NIC (`models/parts/nic/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// The line rate of all ports in use, each direction.
    pub line_rate: Figure<Rate>,
    /// The payload rate that they reach; without it, the line rate.
    pub rate: Option<Figure<Rate>>,
    /// Its PCIe link (`models/parts/link`).
    pub link: Link,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
}

/// The CPUs of a node (`models/parts/cpu/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cpu {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Hardware threads of the node.
    pub threads: Figure<u64>,
    /// Payload rate of one thread that copies between kernel and user buffer.
    pub copy_rate: Figure<Rate>,
    /// Named delays; a step that the CPU does is charged to a core.
    #[serde(default)]
    pub costs: Costs,
}

/// The system memory of a node (`models/parts/dram/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dram {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Bandwidth, reads and writes together.
    pub rate: Figure<Rate>,
    /// Size.
    pub memory: Option<Figure<Bytes>>,
    /// Bytes that a device's write of one byte moves.
    pub dma_write: Figure<Factor>,
    /// Bytes that a device's read of one byte moves.
    pub dma_read: Figure<Factor>,
    /// Bytes that a CPU copy of one byte moves.
    pub cpu_copy: Figure<Factor>,
}

/// The network between node and target (`models/fabrics/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fabric {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Rate of the narrowest cut between node and target, each direction.
    pub rate: Figure<Rate>,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
}

/// A storage target (`models/targets/*.toml`).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// What it serves, each direction.
    pub rate: Figure<Rate>,
    /// What it serves to readers, where that differs.
    pub read_rate: Option<Figure<Rate>>,
    /// What it takes from writers, where that differs.
    pub write_rate: Option<Figure<Rate>>,
    /// The share of that rate that a job's files reach, by their layout over its devices: above 0, at most 1.
    pub striping_efficiency: Option<Figure<Factor>>,
    /// How its clients speak to it.
    #[serde(default)]
    pub transport: Transport,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
}

/// The transport between client and target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// RDMA (InfiniBand or RoCE).
    #[default]
    Rdma,
    /// TCP: no peer-to-peer.
    Tcp,
}
