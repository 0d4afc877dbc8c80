//! The table of prerequisites.
//!
//! Knows each rule's words. Must not know in which order ways are preferred.

use crate::format::{Compat, Iommu, Routing, Transport};
use engine::units::Bytes;

use super::facts::{Answer, Distance, Facts};
use super::{Consequence, Rule};

/// All rules, in the order in which cuFile meets them.
pub static RULES: &[Rule] = &[
    Rule {
        word: "compat",
        question: "Is the compatibility mode left to decide by itself, rather than forced?",
        facts: &["node.software.compat"],
        consequence: Consequence::Compat,
        advice: "set force_compat_mode to false in cufile.json (node.software.compat = \"allowed\")",
        answer: |facts| Answer::of(facts.compat.map(|compat| compat != Compat::Forced)),
        because: |_| "the compatibility mode is forced".to_string(),
    },
    Rule {
        word: "nvidia-fs",
        question: "Is nvidia-fs loaded (or, for plain local drives, P2PDMA in use with the open driver)?",
        facts: &["node.software.nvidia_fs", "node.software.p2pdma", "node.software.kernel_driver", "target.raid"],
        consequence: Consequence::Compat,
        advice: "load the module nvidia-fs (node.software.nvidia_fs = true); for plain local drives P2PDMA will do",
        answer: |facts| Answer::of(either(facts.nvidia_fs, facts.p2pdma_serves())),
        because: without_nvidia_fs,
    },
    Rule {
        word: "tcp",
        question: "Does the transport let a NIC reach HBM: RDMA, or drives in the node, not TCP?",
        facts: &["target.transport"],
        consequence: Consequence::Compat,
        advice: "mount or connect the target over RDMA (target.transport = \"rdma\")",
        answer: |facts| Answer::of(facts.transport.map(|transport| transport != Transport::Tcp)),
        because: |_| "a core copies what arrives over TCP, and no NIC reaches HBM".to_string(),
    },
    Rule {
        word: "filesystem",
        question: "Does the file system or device do GPUDirect Storage in this direction?",
        facts: &["target.gds", "target.gds_write", "target.filesystem"],
        consequence: Consequence::Compat,
        advice: "keep the files on a file system that `gdscheck -p` calls supported (target.gds = true)",
        answer: |facts| Answer::of(facts.file_system_does()),
        because: |facts| {
            let name = facts.filesystem.as_deref().unwrap_or("that of the target");
            format!("{name} does no GPUDirect Storage here")
        },
    },
    Rule {
        word: "o_direct",
        question: "Are the files opened with O_DIRECT?",
        facts: &["works.NAME.o_direct"],
        consequence: Consequence::Compat,
        advice: "open the files with O_DIRECT (works.NAME.o_direct = true)",
        answer: |facts| Answer::of(facts.o_direct),
        because: |_| "the files are open without O_DIRECT, and go through the page cache".to_string(),
    },
    Rule {
        word: "bar1",
        question: "Do the buffers fit what peers can see of the GPU's memory?",
        facts: &["node.gpu.bar1", "works.NAME.size", "works.NAME.threads", "works.NAME.depth"],
        consequence: Consequence::Compat,
        advice: "enable a large BAR in the firmware, or use fewer or smaller buffers",
        answer: |facts| Answer::of(facts.fit(facts.bar1)),
        because: |facts| {
            format!("buffers of {} a GPU do not fit a BAR1 of {}", words(facts.buffers), words(facts.bar1))
        },
    },
    Rule {
        word: "pinned",
        question: "Do the buffers fit what a process may register on a GPU?",
        facts: &["node.software.pinned_limit", "works.NAME.size", "works.NAME.threads", "works.NAME.depth"],
        consequence: Consequence::DeviceBuffer,
        advice: "raise max_device_pinned_mem_size_kb in cufile.json, or use fewer or smaller buffers",
        answer: |facts| Answer::of(facts.fit(facts.pinned_limit)),
        because: |facts| {
            let (buffers, limit) = (words(facts.buffers), words(facts.pinned_limit));
            format!("buffers of {buffers} a GPU pass the limit of {limit}: a bounce buffer in HBM takes the bytes")
        },
    },
    Rule {
        word: "unregistered",
        question: "Are the GPU buffers registered with cuFile?",
        facts: &["works.NAME.registered"],
        consequence: Consequence::DeviceBuffer,
        advice: "register buffers once with cuFileBufRegister (works.NAME.registered = true)",
        answer: |facts| Answer::of(facts.registered),
        because: |_| "the buffers are not registered: a bounce buffer in HBM takes the bytes".to_string(),
    },
    Rule {
        word: "unaligned",
        question: "Are offsets and sizes multiples of 4 KiB?",
        facts: &["works.NAME.offset", "works.NAME.size"],
        consequence: Consequence::DeviceBuffer,
        advice: "align offsets and sizes to 4 KiB",
        answer: |facts| Answer::of(facts.aligned),
        because: |_| {
            "offset or size is no multiple of 4 KiB: a bounce buffer in HBM takes the whole blocks".to_string()
        },
    },
    Rule {
        word: "root complex",
        question: "Do the GPU and its NIC (or drives) share a switch?",
        facts: &["node.switches", "node.sockets", "works.NAME.nic", "node.software.routing"],
        consequence: Consequence::LongerWay,
        advice: "use a NIC below the GPU's own switch, or at least of its own socket (works.NAME.nic = \"own-socket\")",
        answer: |facts| Answer::of(facts.distance.map(|distance| distance == Distance::SameSwitch)),
        because: apart,
    },
    Rule {
        word: "acs",
        question: "Is PCIe access control (ACS) off, so that a switch lets peers speak directly?",
        facts: &["node.software.acs"],
        consequence: Consequence::Slower,
        advice: "clear ACS redirection on the bridges between GPU and NIC (node.software.acs = false)",
        answer: |facts| Answer::of(facts.acs.map(|acs| !acs)),
        because: |_| "access control sends peer-to-peer traffic up through the root complex".to_string(),
    },
    Rule {
        word: "iommu",
        question: "Is the IOMMU off, or does it pass addresses through?",
        facts: &["node.software.iommu"],
        consequence: Consequence::Slower,
        advice: "boot with iommu=pt, or without IOMMU (node.software.iommu = \"pt\")",
        answer: |facts| Answer::of(facts.iommu.map(|iommu| iommu != Iommu::On)),
        because: |_| "the IOMMU translates every address of peer-to-peer traffic".to_string(),
    },
];

fn words(bytes: Option<Bytes>) -> String {
    bytes.map(|bytes| bytes.to_string()).unwrap_or_default()
}

/// Whether one of two holds, where that is known.
fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        // A module known to be missing is missing, unless drives are known to do without.
        (Some(false), None) => Some(false),
        _ => None,
    }
}

fn without_nvidia_fs(facts: &Facts) -> String {
    let instead = match (facts.local, facts.p2pdma, facts.raid) {
        (Some(true), Some(true), Some(true)) => " and P2PDMA takes no md RAID device",
        (Some(true), Some(true), _) => " and P2PDMA wants the open kernel driver",
        (Some(true), ..) => " and P2PDMA is not in use",
        _ => "",
    };
    format!("the module is not loaded{instead}")
}

fn apart(facts: &Facts) -> String {
    match (facts.distance, facts.routing) {
        (_, Some(Routing::SystemMemory)) => {
            "GPU and NIC share no switch, and routing stages the bytes in system memory".to_string()
        }
        (Some(Distance::OtherSocket), _) => {
            "GPU and NIC hang on different sockets: peer-to-peer crosses both root complexes and the link between them"
                .to_string()
        }
        _ => "GPU and NIC hang on different root ports: peer-to-peer goes through the root complex".to_string(),
    }
}
