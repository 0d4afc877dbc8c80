//! The pieces of hardware that a route can cross, and what each is called.
//!
//! Knows names. Must not know rates.

use engine::{Direction, Kind};

/// Up: away from the device, towards the socket. Down: towards the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
}

/// A piece of hardware that a route can cross in one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Segment {
    /// The target's reading side; named after a work that meets it at a rate of its own.
    TargetRead(Option<String>),
    /// The target's writing side.
    TargetWrite(Option<String>),
    /// The devices that hold the file that a work reads, where its threads share one.
    StripeRead(String),
    /// The devices that hold the file that a work writes.
    StripeWrite(String),
    /// What a node reads of the target at most.
    ClientRead(Option<String>),
    /// What a node writes to the target at most.
    ClientWrite(Option<String>),
    /// The link that local drives share.
    TargetLink(Option<String>, Way),
    /// The NICs of one of the target's data nodes, by whether it reads or writes.
    DataNic(u64, Direction, Option<String>),
    /// Its media.
    DataMedia(u64, Direction, Option<String>),
    /// The network; down is towards the node.
    Fabric(Way),
    /// The uplinks of a leaf; down is towards the node.
    Leaf(u64, Way),
    /// A NIC's receiving ports.
    NicRx(u64),
    /// A NIC's sending ports.
    NicTx(u64),
    /// Both directions of a NIC's ports together.
    NicBoth(u64),
    /// A NIC's PCIe link.
    NicPcie(u64, Way),
    /// A switch's uplink.
    SwitchPcie(u64, Way),
    /// The root complex on the way into a GPU.
    RootComplexToGpu(u64),
    /// The root complex between a NIC and GPUs, from them.
    RootComplexFromGpu(u64),
    /// Peer-to-peer below a switch, towards its GPUs.
    SwitchToGpu(u64),
    /// Peer-to-peer below a switch, from its GPUs.
    SwitchFromGpu(u64),
    /// Peer-to-peer from one socket to another.
    Across(u64, u64),
    /// Traffic of system memory from one socket to another.
    SocketLink(u64, u64),
    /// System memory.
    Dram,
    /// The CPUs, where more steps may run than there are.
    Cores,
    /// A GPU's PCIe link.
    GpuPcie(u64, Way),
    /// Both directions of a GPU's PCIe link together.
    GpuBoth(u64),
    /// A GPU's memory.
    Hbm(u64),
}

impl Segment {
    /// Its own name.
    pub(super) fn name(&self) -> String {
        match self {
            Segment::TargetRead(work) => format!("target.read{}", of_work(work)),
            Segment::TargetWrite(work) => format!("target.write{}", of_work(work)),
            Segment::StripeRead(work) => format!("target.stripe.read ({work})"),
            Segment::StripeWrite(work) => format!("target.stripe.write ({work})"),
            Segment::ClientRead(work) => format!("target.client.read{}", of_work(work)),
            Segment::ClientWrite(work) => format!("target.client.write{}", of_work(work)),
            Segment::TargetLink(work, way) => format!("target.link.{}{}", word(*way), of_work(work)),
            Segment::DataNic(node, way, work) => {
                format!("data_node{node}.nics.{}{}", sent(*way), of_work(work))
            }
            Segment::DataMedia(node, way, work) => {
                format!("data_node{node}.media.{}{}", done(*way), of_work(work))
            }
            Segment::Fabric(way) => format!("fabric.{}", word(*way)),
            Segment::Leaf(leaf, way) => format!("leaf{leaf}.uplink.{}", word(*way)),
            Segment::NicRx(nic) => format!("nic{nic}.rx"),
            Segment::NicTx(nic) => format!("nic{nic}.tx"),
            Segment::NicBoth(nic) => format!("nic{nic}.both"),
            Segment::NicPcie(nic, way) => format!("nic{nic}.pcie.{}", word(*way)),
            Segment::SwitchPcie(switch, way) => format!("switch{switch}.pcie.{}", word(*way)),
            Segment::RootComplexToGpu(gpu) => format!("root_complex.gpu{gpu}.to_gpu"),
            Segment::RootComplexFromGpu(nic) => format!("root_complex.nic{nic}.from_gpu"),
            Segment::SwitchToGpu(switch) => format!("switch{switch}.peer.to_gpu"),
            Segment::SwitchFromGpu(switch) => format!("switch{switch}.peer.from_gpu"),
            Segment::Across(from, to) => format!("root_complex.across.{from}to{to}"),
            Segment::SocketLink(from, to) => format!("socket_link.{from}to{to}"),
            Segment::Dram => "dram".to_string(),
            Segment::Cores => "cpu.cores".to_string(),
            Segment::GpuPcie(gpu, way) => format!("gpu{gpu}.pcie.{}", word(*way)),
            Segment::GpuBoth(gpu) => format!("gpu{gpu}.pcie.both"),
            Segment::Hbm(gpu) => format!("gpu{gpu}.hbm"),
        }
    }

    /// Whether all nodes of a cluster have it together, rather than each its own.
    pub(super) fn is_shared(&self) -> bool {
        use Segment::{DataMedia, DataNic, Fabric, Leaf, TargetRead, TargetWrite};
        matches!(self, TargetRead(_) | TargetWrite(_) | DataNic(..) | DataMedia(..) | Fabric(_) | Leaf(..))
    }

    /// The name that it shares with its like, and what it is.
    pub(super) fn group(&self) -> (&'static str, Kind) {
        match self {
            Segment::TargetRead(_) | Segment::TargetWrite(_) => ("target", Kind::Target),
            Segment::StripeRead(_) | Segment::StripeWrite(_) => ("target_stripe", Kind::Target),
            Segment::ClientRead(_) | Segment::ClientWrite(_) => ("target_client", Kind::Target),
            Segment::TargetLink(..) => ("target_link", Kind::Pcie),
            Segment::DataNic(..) => ("data_node_nics", Kind::Target),
            Segment::DataMedia(..) => ("data_node_media", Kind::Target),
            Segment::Fabric(_) => ("fabric", Kind::Fabric),
            Segment::Leaf(..) => ("leaf_uplink", Kind::Fabric),
            Segment::NicRx(_) | Segment::NicTx(_) => ("nic", Kind::Nic),
            Segment::NicBoth(_) => ("nic_both", Kind::Nic),
            Segment::NicPcie(..) => ("nic_pcie", Kind::Pcie),
            Segment::SwitchPcie(..) => ("switch_pcie", Kind::Pcie),
            Segment::RootComplexToGpu(_) | Segment::RootComplexFromGpu(_) => ("root_complex", Kind::RootComplex),
            // Not of the kind of the links, whose bytes are counted there already.
            Segment::SwitchToGpu(_) | Segment::SwitchFromGpu(_) => ("switch_peer", Kind::Other),
            Segment::Across(..) => ("root_complex_across", Kind::RootComplex),
            Segment::SocketLink(..) => ("socket_link", Kind::SocketLink),
            Segment::Dram => ("dram", Kind::Dram),
            Segment::Cores => ("cpu_cores", Kind::Cpu),
            Segment::GpuPcie(..) => ("gpu_pcie", Kind::Pcie),
            // Not of the kind of its link, whose bytes are counted there already.
            Segment::GpuBoth(_) => ("gpu_pcie_both", Kind::Other),
            Segment::Hbm(_) => ("hbm", Kind::Hbm),
        }
    }
}

fn word(way: Way) -> &'static str {
    match way {
        Way::Up => "up",
        Way::Down => "down",
    }
}

/// What a data node's NICs do when its target is read from or written to.
fn sent(way: Direction) -> &'static str {
    match way {
        Direction::Read => "tx",
        Direction::Write => "rx",
    }
}

fn done(way: Direction) -> &'static str {
    match way {
        Direction::Read => "read",
        Direction::Write => "write",
    }
}

fn of_work(work: &Option<String>) -> String {
    work.as_ref().map(|name| format!(" ({name})")).unwrap_or_default()
}
