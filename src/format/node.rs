//! Hardware files: a node and its parts.
//!
//! Wherever a part is expected, `model = "name"` takes it from `models/`, and the keys beside it replace the model's own.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::by_size::{BySize, Table};
use super::figure::{At, Figure};
use super::software::Software;
use engine::units::{Bytes, Factor, Rate, Time};

/// Named delays of a part ("read_call", "media_read"), which the steps of a path refer to as `part.name`.
pub type Costs = IndexMap<String, Figure<Time>>;

/// What the size of a request adds to named delays: `name = { points = [["4 KiB", "3 us"], ["1 MiB", "20 us"]] }`, read on
/// straight lines; below the first point its value, above the last the last slope.
pub type CostsBySize = IndexMap<String, Table<Time>>;

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
    /// Storage NICs in use, the first ones of those attached; none where nothing is said.
    #[serde(default = "none")]
    pub nics: Figure<u64>,
    /// Local drives in use, the first ones of those attached: a request is spread evenly over them. Where nothing is said, they
    /// hang on each GPU's own socket, and nothing but their own link limits what they carry to it.
    #[serde(default = "none")]
    pub drives: Figure<u64>,
    /// The model of the target that stands for its own drives, to which a checkpoint may be saved first.
    pub local: Option<At<String>>,
    /// The GPU that it holds (`models/parts/gpu`).
    pub gpu: Gpu,
    /// The storage NIC that it holds (`models/parts/nic`); without it, storage is local.
    pub nic: Option<Nic>,
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
    /// How much services vary: their standard deviation over their mean, 0.2 where nothing is said. Equal requests with equal
    /// services would march in step. 0: every service takes its mean.
    pub spread: Option<Figure<Factor>>,
    /// Links that run with fewer lanes than they have.
    #[serde(default)]
    pub trained_down: Vec<At<TrainedDown>>,
    /// How its system software stands: what the rules of the path ask for.
    #[serde(default)]
    pub software: Software,
}

fn none() -> Figure<u64> {
    Figure::stated(0)
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
    /// Numbers of local drives.
    #[serde(default)]
    pub drives: Vec<At<u64>>,
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
    /// Numbers of local drives below it.
    #[serde(default)]
    pub drives: Vec<At<u64>>,
}

/// What a root complex carries from device to device.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PeerToPeer {
    /// Through a root complex into a GPU, each GPU: from NICs and local drives together.
    pub root_complex_to_gpu: Option<Figure<Rate>>,
    /// Through a root complex out of GPUs, each NIC that reads them.
    pub root_complex_from_gpu: Option<Figure<Rate>>,
    /// Across the socket link, each direction.
    pub across_sockets: Option<Figure<Rate>>,
    /// Below one switch, towards its GPUs, all together.
    pub switch_to_gpu: Option<Figure<Rate>>,
    /// Below one switch, from its GPUs, all together.
    pub switch_from_gpu: Option<Figure<Rate>>,
    /// What is left of it all where the IOMMU translates addresses.
    pub translated: Option<Figure<Rate>>,
    /// What going through a root complex adds to a request.
    pub root_complex_delay: Option<Figure<Time>>,
    /// What going on to the other socket adds to that.
    pub across_delay: Option<Figure<Time>>,
}

/// A device whose link runs with fewer lanes than it has.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainedDown {
    /// The GPU's number.
    pub gpu: Option<At<u64>>,
    /// The NIC's number, where it is a NIC.
    pub nic: Option<At<u64>>,
    /// Lanes that it trained to.
    pub lanes: Figure<u64>,
    /// Lanes that its model has; 16 where nothing is said.
    pub of: Option<Figure<u64>>,
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
    /// Lanes that it trained to, where those are fewer than its rates are of.
    pub width: Option<Figure<u64>>,
    /// Lanes that its rates are of; 16 where nothing is said.
    pub full_width: Option<Figure<u64>>,
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
    /// How much of its memory peers can see at a time (the size of BAR1).
    pub bar1: Option<Figure<Bytes>>,
    /// Its PCIe link (`models/parts/link`).
    pub link: Link,
    /// What both directions of its link reach together, where that is less than their sum.
    pub both_directions: Option<Figure<Rate>>,
    /// Its copy engines: one each direction, one transfer at a time.
    pub copies: Copies,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
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
    /// How slowly it moves lines that lie in a core's own cache.
    pub hot_lines: Option<HotLines>,
    /// How the driver copies from and to buffers that are not pinned (legs moved by `staging`).
    pub pageable: Option<Pageable>,
}

/// A copy engine moves lines that a core has just touched at a lower rate. Of a transfer of `n` bytes,
/// `size (1 - exp(-n / size))` are such lines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HotLines {
    /// The rate of hot lines.
    pub rate: Figure<Rate>,
    /// How many bytes stay hot.
    pub size: Figure<Bytes>,
}

/// Copies of pageable memory: the driver moves them through a buffer of its own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pageable {
    /// Rate of one copy from host to device, both halves together.
    pub to_gpu: BySize<Rate>,
    /// Rate of one copy from device to host.
    pub from_gpu: BySize<Rate>,
    /// Larger copies to a GPU go one at a time; without it, all do.
    pub serial_above_to_gpu: Option<Figure<Bytes>>,
    /// Larger copies from a GPU go one at a time; without it, all do.
    pub serial_above_from_gpu: Option<Figure<Bytes>>,
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
    /// What both directions of the ports reach together, where that is less than their sum.
    pub both_directions: Option<Figure<Rate>>,
    /// The most that one request gets.
    pub stream_cap: Option<Figure<Rate>>,
    /// What a queue pair takes for a message, one after another: its message rate is one over this.
    pub message_service: Option<Figure<Time>>,
    /// Queue pairs in use; 1 where nothing is said.
    pub queue_pairs: Option<Figure<u64>>,
    /// Its PCIe link (`models/parts/link`).
    pub link: Link,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
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
    /// Payload rate of one thread that copies between kernel and user buffer; by the size that it copies, where that matters.
    pub copy_rate: BySize<Rate>,
    /// The same from kernel to user buffer, where that differs.
    pub copy_rate_in: Option<BySize<Rate>>,
    /// The same from user to kernel buffer, where that differs.
    pub copy_rate_out: Option<BySize<Rate>>,
    /// What one core receives by TCP: the protocol, and the copy out of the socket's buffer.
    pub receive_rate: Option<BySize<Rate>>,
    /// Named delays; a step that the CPU does is charged to a core.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
    /// What each doubling of a GPU's outstanding requests (threads x depth) adds to the cost of that name: shared cache lines
    /// and clocks, which are felt from the second thread on, as no queue is.
    #[serde(default)]
    pub costs_per_doubling: Costs,
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
    /// The same from kernel to user buffer, where that differs.
    pub cpu_copy_in: Option<Figure<Factor>>,
    /// The same from user to kernel buffer, where that differs.
    pub cpu_copy_out: Option<Figure<Factor>>,
    /// What stays in the last-level cache moves fewer bytes.
    pub cache: Option<Cache>,
    /// How much written data the page cache takes before it is on storage, for legs with `write_back`.
    #[serde(default)]
    pub page_cache: PageCache,
    /// Memory that slows its traffic before it is full, instead of being full at once.
    pub soft: Option<Soft>,
}

/// The page cache as writers meet it (Linux, `mm/page-writeback.c`): they run free until what is dirty has reached the middle
/// between the two ratios of the memory, and from there on at the pace of the write-back.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageCache {
    /// `vm.dirty_ratio`: 20 % where nothing is said, as in Linux.
    #[serde(default = "dirty_ratio")]
    pub dirty_ratio: Figure<Factor>,
    /// `vm.dirty_background_ratio`: 10 % where nothing is said, as in Linux.
    #[serde(default = "dirty_background_ratio")]
    pub dirty_background_ratio: Figure<Factor>,
    /// What the ratios are of: memory that is free or can be reclaimed; without it, all memory.
    pub available: Option<Figure<Bytes>>,
}

impl Default for PageCache {
    fn default() -> PageCache {
        PageCache { dirty_ratio: dirty_ratio(), dirty_background_ratio: dirty_background_ratio(), available: None }
    }
}

fn dirty_ratio() -> Figure<Factor> {
    Figure::stated(Factor::from_f64(0.2))
}

fn dirty_background_ratio() -> Figure<Factor> {
    Figure::stated(Factor::from_f64(0.1))
}

/// The last-level cache. Of a work's buffers (GPUs x threads x depth x request size; of requests that are cut, of the pieces
/// that are under way), `1 / (1 + (buffers / size)^2)` stay resident; a byte that does is charged what stands here.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// What of the cache buffers can have.
    pub size: Figure<Bytes>,
    /// Bytes of memory that a device's write of one resident byte moves.
    pub dma_write: Figure<Factor>,
    /// Bytes of memory that a device's read of one resident byte moves.
    pub dma_read: Figure<Factor>,
    /// Bytes of memory that a copy of one resident byte from kernel to user buffer moves.
    pub cpu_copy_in: Figure<Factor>,
    /// Bytes of memory that a copy of one resident byte from user to kernel buffer moves.
    pub cpu_copy_out: Figure<Factor>,
    /// What of its rate a thread keeps that copies from kernel to user buffer where no byte is resident; without it, all.
    pub pace_in: Option<Figure<Factor>>,
    /// The same from user to kernel buffer.
    pub pace_out: Option<Figure<Factor>>,
    /// The same of the driver's staging towards a GPU.
    pub pace_staging_to: Option<Figure<Factor>>,
    /// The same of the driver's staging from a GPU.
    pub pace_staging_from: Option<Figure<Factor>>,
}

/// Soft sharing: at all traffic `D`, a flow of class `k` keeps `(1 + (D / B_k)^power)^(-1 / power)` of its pace.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Soft {
    /// `B` of copies by CPU threads.
    pub cpu: Figure<Rate>,
    /// `B` of reads by devices.
    pub dma_read: Figure<Rate>,
    /// `B` of writes by devices.
    pub dma_write: Figure<Rate>,
    /// How sharp the bend is.
    pub power: Figure<Factor>,
}
