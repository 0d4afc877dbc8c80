//! What the rules are judged on: the state of a machine and of a job, as far as it is known.
//!
//! Knows facts. Must not know rules.

use crate::format::{Compat, Iommu, KernelDriver, Routing, Transport};
use engine::units::Bytes;

/// The answer to a rule's question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The prerequisite is met.
    Yes,
    /// It is not.
    No,
    /// Nobody said.
    Unknown,
}

impl Answer {
    /// Yes where it is known to hold, no where it is known not to.
    pub(super) fn of(known: Option<bool>) -> Answer {
        match known {
            Some(true) => Answer::Yes,
            Some(false) => Answer::No,
            None => Answer::Unknown,
        }
    }

    /// Yes, no or unknown, in one word.
    pub fn word(self) -> &'static str {
        match self {
            Answer::Yes => "yes",
            Answer::No => "no",
            Answer::Unknown => "unknown",
        }
    }
}

/// How far a GPU is from the NIC (or the drives) that serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Below one switch (`nvidia-smi topo`: PIX or PXB).
    SameSwitch,
    /// On root ports of one socket (PHB or NODE).
    RootComplex,
    /// On different sockets (SYS).
    OtherSocket,
}

/// The state of a machine and of a job. `None`: unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether the storage is drives in the node, rather than behind a NIC.
    pub local: Option<bool>,
    /// Whether nvidia-fs is loaded.
    pub nvidia_fs: Option<bool>,
    /// Whether cuFile may use the kernel's peer-to-peer DMA.
    pub p2pdma: Option<bool>,
    /// The GPU's kernel driver.
    pub kernel_driver: Option<KernelDriver>,
    /// Whether local drives are one md RAID device.
    pub raid: Option<bool>,
    /// The compatibility mode.
    pub compat: Option<Compat>,
    /// How the IOMMU is set.
    pub iommu: Option<Iommu>,
    /// Whether access control redirects peer-to-peer traffic.
    pub acs: Option<bool>,
    /// The transport between client and target.
    pub transport: Option<Transport>,
    /// Whether the file system or target does GDS in this direction.
    pub gds: Option<bool>,
    /// The file system's name; where `gds` is unknown it may tell.
    pub filesystem: Option<String>,
    /// Whether files are opened with `O_DIRECT`.
    pub o_direct: Option<bool>,
    /// Whether offsets and sizes are multiples of 4 KiB.
    pub aligned: Option<bool>,
    /// Whether the GPU buffers are registered with cuFile.
    pub registered: Option<bool>,
    /// Bytes of buffers that a process uses on one GPU.
    pub buffers: Option<Bytes>,
    /// How much a process may register on a GPU.
    pub pinned_limit: Option<Bytes>,
    /// How much of a GPU's memory peers can see.
    pub bar1: Option<Bytes>,
    /// The farthest that a GPU is from its NIC or drives.
    pub distance: Option<Distance>,
    /// Which way to take where they do not share a switch.
    pub routing: Option<Routing>,
}

impl Facts {
    /// Whether the file system does GDS: as stated, else as its name tells.
    pub(super) fn file_system_does(&self) -> Option<bool> {
        self.gds.or_else(|| filesystem_does_gds(self.filesystem.as_deref()?))
    }

    /// Whether local drives may do without nvidia-fs: the kernel's peer-to-peer DMA takes plain drives and the open driver
    /// (NVIDIA GPUDirect Storage documentation, P2PDMA mode).
    pub(super) fn p2pdma_serves(&self) -> Option<bool> {
        let needs = [
            self.local,
            self.p2pdma,
            self.kernel_driver.map(|driver| driver == KernelDriver::Open),
            self.raid.map(|raid| !raid),
        ];
        match needs {
            [Some(true), Some(true), driver, plain] if driver != Some(false) && plain != Some(false) => Some(true),
            _ if needs.contains(&Some(false)) => Some(false),
            _ => None,
        }
    }

    /// Whether buffers fit a limit.
    pub(super) fn fit(&self, limit: Option<Bytes>) -> Option<bool> {
        Some(self.buffers? <= limit?)
    }
}

/// Whether GPUDirect Storage works with a file system, by its name as `mount` prints it; `None` where the name tells nothing.
/// Those named in NVIDIA's list of supported file systems do, those of memory or layers do not.
pub fn filesystem_does_gds(name: &str) -> Option<bool> {
    const DO: [&str; 8] = ["ext4", "xfs", "lustre", "wekafs", "gpfs", "beegfs", "nfs", "nfs4"];
    const DO_NOT: [&str; 11] =
        ["tmpfs", "ramfs", "overlay", "btrfs", "zfs", "fuse", "cifs", "smb3", "9p", "squashfs", "iso9660"];
    let name = name.split('.').next().unwrap_or(name);
    if DO.contains(&name) {
        return Some(true);
    }
    DO_NOT.contains(&name).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_that_nobody_listed_is_unknown() {
        let answers = ["xfs", "tmpfs", "fuse.sshfs", "newfs"].map(filesystem_does_gds);
        assert_eq!(answers, [Some(true), Some(false), Some(false), None]);
    }

    #[test]
    fn what_is_stated_goes_before_what_the_name_tells() {
        let facts = Facts { gds: Some(false), filesystem: Some("xfs".to_string()), ..Facts::default() };
        assert_eq!(facts.file_system_does(), Some(false));
    }
}
