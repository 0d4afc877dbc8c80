//! What captured output can say: one vocabulary for all importers, so that whoever reads it need not know the tool.
//!
//! Knows the words of GPUs, NICs, links and drivers. Must not know how a tool writes them, or what follows from them.

use serde::Serialize;

/// Something that a line of captured output says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// A kernel module is loaded or is not.
    Module {
        /// Its name with underscores, as `nvidia_fs`.
        name: String,
        /// Whether it is loaded.
        loaded: bool,
    },
    /// The version of a part of the software.
    Version {
        /// Of what: `gds`, `nvidia_fs`, `cuda driver`, `platform`.
        of: &'static str,
        /// As it was written.
        version: String,
    },
    /// By which ways cuFile can reach a kind of storage.
    Support {
        /// The kind: `nvme`, `nvmeof`, `nfs`, `lustre`, `wekafs`, …
        system: String,
        /// The ways; none where it said "Unsupported".
        ways: Vec<Way>,
    },
    /// A setting of cuFile, by its dotted key in `cufile.json`.
    Setting {
        /// The key, as `properties.allow_compat_mode`.
        key: String,
        /// Its value as text; truths are `true` and `false`.
        value: String,
    },
    /// A GPU and what cuFile says of it.
    Gpu {
        /// Its number.
        index: u32,
        /// Its name.
        name: String,
        /// The size of its BAR1, in MiB.
        bar1_mib: Option<u64>,
        /// Whether it supports GDS.
        gds: Option<bool>,
    },
    /// The state of the IOMMU.
    Iommu(Iommu),
    /// Whether a PCIe port redirects peer-to-peer traffic to the root complex (ACS).
    Acs {
        /// The port, where it is named.
        port: Option<String>,
        /// Whether requests or completions are redirected.
        redirects: bool,
    },
    /// A path to an NVMe subsystem.
    NvmePath {
        /// The subsystem's NQN; empty where it is not known.
        subsystem: String,
        /// The controller, as `nvme3`.
        controller: String,
        /// The transport: `rdma`, `tcp`, `pcie`, `fc`, `loop`.
        transport: String,
        /// The target's address.
        address: String,
        /// `live`, `connecting`, …; empty where nothing is said.
        state: String,
        /// `optimized`, `non-optimized`, …; empty where nothing is said.
        ana: String,
    },
    /// How far two devices are apart on PCIe.
    Distance {
        /// One, as `GPU0`.
        from: String,
        /// The other, as `NIC0`, `mlx5_0` or `19:00.0`.
        to: String,
        /// How far.
        reach: Reach,
    },
    /// The device behind a label of a matrix: `NIC0` is `mlx5_0`.
    NicName {
        /// The label.
        label: String,
        /// The device.
        device: String,
    },
    /// The NUMA node of a device.
    Numa {
        /// `GPU0` or a PCI address.
        device: String,
        /// The node.
        node: u32,
    },
    /// A port of a network device.
    Port {
        /// The device, as `mlx5_0`.
        device: String,
        /// The network interface.
        interface: String,
        /// Whether it is up; unknown where the line was cut.
        up: Option<bool>,
    },
    /// A PCI device.
    Device {
        /// Its address, as `19:00.0` or `0000:19:00.0`.
        address: String,
        /// What it is.
        kind: Kind,
        /// As it was written.
        name: String,
    },
    /// A PCIe link: what it could run at and what it runs at.
    Link {
        /// The device's address; empty where the excerpt does not show it.
        address: String,
        /// What the device is.
        kind: Kind,
        /// What it could be; none where only "(downgraded)" says that it is less.
        capable: Option<Lanes>,
        /// What it is.
        running: Lanes,
    },
    /// The largest packet that a device is set to send.
    Payload {
        /// The device's address.
        address: String,
        /// What the device is.
        kind: Kind,
        /// What it could send, in bytes.
        capable: u32,
        /// What it is set to, in bytes.
        set: u32,
    },
    /// The largest memory region of a device.
    Bar {
        /// The device's address.
        address: String,
        /// What the device is.
        kind: Kind,
        /// Its size in MiB.
        mib: u64,
    },
    /// A mounted file system.
    Mount {
        /// Where, or what it is made of.
        place: String,
        /// Its type, as `nfs4`, `lustre`, `ext4`.
        system: String,
        /// `rdma` or `tcp`, where the options say so.
        transport: Option<String>,
    },
    /// A line of a log.
    Logged {
        /// What it means, where it is a known one.
        matter: Option<Matter>,
        /// How bad it is.
        level: Level,
        /// The message without its prefix.
        text: String,
    },
    /// Requests that went a way, as a counter says.
    Moved {
        /// The GPU, where the counter is of one.
        gpu: Option<String>,
        /// The way.
        way: Way,
        /// How many arrived.
        requests: u64,
        /// How many failed.
        failed: u64,
    },
    /// A line that belongs to a format and says nothing by itself (a heading, a legend).
    Heading,
}

/// A way for bytes between storage and a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By nvidia-fs.
    Nvfs,
    /// By the kernel's PCI peer-to-peer DMA, without nvidia-fs.
    P2pdma,
    /// By RDMA from user space (GPFS, WekaFS).
    UserRdma,
    /// Over the coherent link of an Arm host.
    C2c,
    /// Through system memory (cuFile's compatibility mode).
    Compat,
}

/// How far two devices are apart, nearest first, in the words of `nvidia-smi topo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Reach {
    /// NVLink, with so many links.
    NvLink(u32),
    /// At most one PCIe switch.
    Pix,
    /// Several PCIe switches, none of them the host's bridge.
    Pxb,
    /// The host's PCIe bridge.
    Phb,
    /// Two host bridges of one NUMA node.
    Node,
    /// Different root ports: a tree without NUMA nodes cannot say whether of one socket.
    Apart,
    /// The link between two sockets.
    Sys,
}

impl Reach {
    /// The word of `nvidia-smi topo`.
    pub fn word(self) -> String {
        match self {
            Reach::NvLink(links) => format!("NV{links}"),
            Reach::Pix => "PIX".into(),
            Reach::Pxb => "PXB".into(),
            Reach::Phb => "PHB".into(),
            Reach::Node => "NODE".into(),
            Reach::Apart => "NODE or SYS".into(),
            Reach::Sys => "SYS".into(),
        }
    }

    /// From that word.
    pub fn read(word: &str) -> Option<Reach> {
        match word {
            "PIX" => Some(Reach::Pix),
            "PXB" => Some(Reach::Pxb),
            "PHB" => Some(Reach::Phb),
            "NODE" => Some(Reach::Node),
            "SYS" | "SOC" => Some(Reach::Sys),
            _ => word.strip_prefix("NV").and_then(|links| links.parse().ok()).map(Reach::NvLink),
        }
    }
}

/// The state of the IOMMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Iommu {
    /// Off.
    Off,
    /// Passing addresses through.
    PassThrough,
    /// Passing through or translating: the tool does not tell which.
    On,
    /// Translating addresses.
    Translating,
}

/// What a PCI device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A GPU.
    Gpu,
    /// A network adapter.
    Nic,
    /// An NVMe drive.
    Nvme,
    /// A bridge or switch port.
    Bridge,
    /// The upstream port of a switch.
    Switch,
    /// Anything else.
    Other,
}

/// Speed and width of a PCIe link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Lanes {
    /// 10^9 transfers a second a lane: 32 is PCIe 5.0.
    pub gt_s: f64,
    /// How many lanes.
    pub width: u32,
}

impl Lanes {
    /// What it carries after encoding (128b/130b from 8 GT/s on, 8b/10b below), in bytes a second.
    pub fn bytes_per_s(self) -> f64 {
        let encoding = if self.gt_s >= 8.0 { 128.0 / 130.0 } else { 0.8 };
        self.gt_s * 1e9 / 8.0 * f64::from(self.width) * encoding
    }
}

impl std::fmt::Display for Lanes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} GT/s x{}", self.gt_s, self.width)
    }
}

/// How bad a line of a log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Nothing is wrong.
    Info,
    /// Worth knowing.
    Notice,
    /// An error.
    Error,
}

/// What a known line of a log means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Matter {
    /// cuFile took the way through system memory.
    TookCompat,
    /// cuFile took the direct way.
    TookDirect,
    /// The driver is not loaded.
    NoDriver,
    /// The storage driver has not registered with nvidia-fs.
    NotRegistered,
    /// The file was refused: not eligible, and compatibility mode off.
    FileRefused,
    /// CUDA or the kernel offers no PCI peer-to-peer DMA.
    NoP2pdma,
    /// GPU memory could not be pinned.
    PinFailed,
    /// BAR1 has no room left.
    Bar1Full,
    /// A page table of the GPU's driver that nvidia-fs does not know.
    DriverMismatch,
    /// A symbol that a module with another licence may not use.
    SymbolRefused,
    /// The kernel stopped in nvidia-fs.
    KernelBug,
    /// No NIC near the GPU was found for dynamic routing.
    NoNearNic,
    /// nvidia_peermem is not loaded.
    NoPeermem,
    /// A file opened without O_DIRECT.
    NoDirectIo,
    /// cuFile or CUDA did not start.
    NoStart,
}
