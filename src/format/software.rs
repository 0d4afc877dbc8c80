//! System software (`models/parts/software/*.toml`): how a node's stands, which the rules of the path ask for, and what steps
//! cost on it.
//!
//! Knows their spelling. Must not know what follows from them: that is `platform::rules`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::by_size::BySize;
use super::figure::{At, Figure};
use super::node::{Costs, CostsBySize, Pageable};
use engine::units::{Bytes, Rate};

/// The system software of a node. What is not said stands in nobody's way.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// The model's name.
    pub name: Option<String>,
    /// One line about it.
    pub title: Option<String>,
    /// Whether the module nvidia-fs is loaded.
    pub nvidia_fs: Option<bool>,
    /// Whether cuFile may reach local drives by the kernel's own peer-to-peer DMA (`use_pci_p2pdma`).
    pub p2pdma: Option<bool>,
    /// The GPU's kernel driver.
    pub kernel_driver: Option<KernelDriver>,
    /// cuFile's compatibility mode (`allow_compat_mode`, `force_compat_mode`); allowed where nothing is said.
    pub compat: Option<Compat>,
    /// How the IOMMU is set.
    pub iommu: Option<Iommu>,
    /// Whether PCIe access control (ACS) sends peer-to-peer traffic up to the root complex.
    pub acs: Option<bool>,
    /// How much of its memory a process may register on a GPU (`max_device_pinned_mem_size_kb`).
    pub pinned_limit: Option<Figure<Bytes>>,
    /// Which way to take where GPU and NIC do not share a switch (`rdma_dynamic_routing_order`).
    pub routing: Option<At<Routing>>,
    /// What steps cost that the CPU does, where the CPU's model says nothing of them.
    pub cpu: Option<OnCpu>,
    /// The same of the GPU.
    pub gpu: Option<OnGpu>,
    /// The same of the storage NIC.
    pub nic: Option<OnPart>,
    /// The same of the network.
    pub fabric: Option<OnPart>,
    /// The same of the storage target.
    pub target: Option<OnPart>,
}

/// What steps cost on a part.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnPart {
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// What steps cost on a CPU.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnCpu {
    /// What one core receives by TCP.
    pub receive_rate: Option<BySize<Rate>>,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// What steps cost on a GPU.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnGpu {
    /// How the driver copies.
    #[serde(default)]
    pub copies: OnCopies,
    /// Named delays.
    #[serde(default)]
    pub costs: Costs,
    /// What the size of a request adds to them.
    #[serde(default)]
    pub costs_by_size: CostsBySize,
}

/// How the driver copies.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnCopies {
    /// From and to buffers that are not pinned.
    pub pageable: Option<Pageable>,
}

/// The GPU's kernel driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KernelDriver {
    /// The open kernel modules.
    Open,
    /// The closed ones.
    Proprietary,
}

/// cuFile's compatibility mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// Taken, silently, where GPUDirect Storage is not possible.
    #[default]
    Allowed,
    /// Always taken.
    Forced,
    /// Never taken: a request that would need it fails.
    Off,
}

/// How the IOMMU is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Iommu {
    /// Off.
    Off,
    /// Passes device addresses through (`iommu=pt`).
    Pt,
    /// Translates them.
    On,
}

/// The way between a GPU and a NIC that do not share a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Routing {
    /// Peer-to-peer, through the root complex (`P2P`).
    #[default]
    PeerToPeer,
    /// Staged in system memory, without a copy by the CPU (`SYS_MEM`).
    SystemMemory,
}
