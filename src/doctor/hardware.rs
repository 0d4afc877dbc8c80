//! The parts of the node as captured: GPU and NIC by their names and links, on the node that ships with the nearest parts.
//!
//! Knows which model stands for which name. Must not know paths.

use super::links;
use super::machine::Machine;
use crate::import::{Fact, Kind, Lanes};

/// A GPU's name, the node that stands for the rest, and the GPU's model; the first whose word is in it.
const GPUS: &[(&str, &str, Option<&str>)] = &[
    ("H800", "hgx-h800", None),
    ("H200", "dgx-h100", Some("h200-sxm5-141gb")),
    ("H100 NVL", "dgx-h100", Some("h100-nvl-94gb")),
    ("H100", "dgx-h100", None),
    ("H20", "dgx-h100", None),
    ("GH100", "dgx-h100", None),
    ("V100", "dgx-2", None),
    ("A100", "dgx-h100", Some("a100-pcie-80gb")),
    ("A800", "dgx-h100", Some("a100-pcie-80gb")),
    ("GA100", "dgx-h100", Some("a100-pcie-80gb")),
    ("RTX 6000 Ada", "dgx-h100", Some("rtx-6000-ada")),
    // Cards of 16 GT/s of which no model ships: one that is like them.
    ("L40", "dgx-h100", Some("ada-48gb")),
    ("L4", "dgx-h100", Some("ada-48gb")),
    ("AD10", "dgx-h100", Some("ada-48gb")),
    ("GA10", "dgx-h100", Some("ada-48gb")),
    ("A40", "dgx-h100", Some("ada-48gb")),
    ("A30", "dgx-h100", Some("ada-48gb")),
    ("A10", "dgx-h100", Some("ada-48gb")),
    ("RTX A", "dgx-h100", Some("ada-48gb")),
    ("RTX 40", "dgx-h100", Some("ada-48gb")),
    ("RTX 30", "dgx-h100", Some("ada-48gb")),
    ("Ada", "dgx-h100", Some("ada-48gb")),
    // Cards of 8 GT/s.
    ("Tesla T4", "dgx-h100", Some("v100-pcie-32gb")),
    ("TU10", "dgx-h100", Some("v100-pcie-32gb")),
    ("P100", "dgx-h100", Some("v100-pcie-32gb")),
];

/// What a NIC's name says of its port, in Gb/s; the first whose word is in it.
const PORTS: &[(&str, u32)] = &[
    ("ConnectX-8", 800),
    ("ConnectX-7", 400),
    ("400GbE", 400),
    ("200GbE", 200),
    ("100GbE", 100),
    ("HDR", 200),
    ("ConnectX-6", 200),
    ("ConnectX-5", 100),
    ("BlueField-3", 400),
    ("BlueField-2", 200),
];

/// The name of the first GPU that has one.
fn gpu_name<'a>(machine: &Machine<'a>) -> Option<&'a str> {
    let name = machine.first(|fact| match fact {
        Fact::Gpu { name, .. } | Fact::Device { kind: Kind::Gpu, name, .. } if !name.is_empty() => Some(name.as_str()),
        _ => None,
    });
    name.map(|(name, _)| name)
}

fn known(name: &str) -> Option<&'static (&'static str, &'static str, Option<&'static str>)> {
    GPUS.iter().find(|(word, ..)| name.contains(word))
}

/// The shipped node that stands for what is not known of this one.
pub(super) fn node(machine: &Machine<'_>, assumed: &mut Vec<String>) -> &'static str {
    let name = gpu_name(machine);
    let found = name.and_then(known);
    let node = found.map_or("dgx-h100", |(_, node, _)| node);
    match (name, found) {
        (Some(name), Some((word, ..))) if !node.contains(&word.to_lowercase()) => {
            assumed.push(format!("the CPUs, memory and root complexes of {node}, beside {}", short(name)));
        }
        (Some(_), Some(_)) => assumed.push(format!("the CPUs, memory and root complexes of {node}")),
        (Some(name), None) => assumed.push(format!("a {node}: no shipped node has a {}", short(name))),
        (None, _) => assumed.push(format!("a {node}: no GPU's name was captured")),
    }
    node
}

fn short(name: &str) -> &str {
    name.rsplit_once(": ").map_or(name, |(_, name)| name)
}

/// The GPU's keys: the model of its name, and its link where that carries less.
pub(super) fn gpu(machine: &Machine<'_>, assumed: &mut Vec<String>) -> String {
    let model = gpu_name(machine).and_then(known).and_then(|(.., model)| *model);
    let link = slowest_link(machine).filter(|lanes| lanes.bytes_per_s() < FULL);
    if model == Some("ada-48gb") {
        assumed.push(
            "the GPU's copy engines and memory as of a card with 48 GB behind PCIe 4.0 x16 (ada-48gb)".to_string(),
        );
    }
    let model = model.map(|model| format!("model = \"{model}\"")).unwrap_or_default();
    let link = link.map(|lanes| {
        let raw = lanes.gt_s * f64::from(lanes.width) / 8.0;
        format!("link = {{ model = \"pcie4-x16\", raw = \"{raw:.2} GB/s\" }}")
    });
    let parts: Vec<String> = [Some(model), link].into_iter().flatten().filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("gpu = {{ {} }}\n", parts.join(", ")) }
}

/// PCIe 5.0 x16 carries about this, in bytes a second; what does is the models' own.
const FULL: f64 = 60e9;

/// The slowest link of a GPU. One that runs at 2.5 GT/s is asleep: its width counts, and the speed that it wakes up to.
fn slowest_link(machine: &Machine<'_>) -> Option<Lanes> {
    let links = links::links(machine).into_iter().filter(|link| link.kind == Kind::Gpu);
    let awake = links.filter_map(|link| match link.capable {
        Some(capable) if link.running.gt_s <= 2.5 => Some(Lanes { gt_s: capable.gt_s, width: link.running.width }),
        None if link.running.gt_s <= 2.5 => None,
        _ => Some(link.running),
    });
    awake.min_by(|a, b| a.bytes_per_s().total_cmp(&b.bytes_per_s()))
}

/// The NIC's keys: what its name and its link say.
pub(super) fn nic(machine: &Machine<'_>, assumed: &mut Vec<String>) -> String {
    let named = machine.all(|fact| match fact {
        Fact::Device { kind: Kind::Nic, name, .. } => {
            PORTS.iter().find(|(word, _)| name.contains(word)).map(|(_, rate)| *rate)
        }
        _ => None,
    });
    let port = named.first().map(|(rate, _)| *rate);
    let narrow = links::links(machine).into_iter().find(|link| link.kind == Kind::Nic && link.is_narrow());
    if port.is_none() {
        assumed.push("storage NICs of 400 Gb/s: no NIC's name was captured".to_string());
    }
    let rate = f64::from(port.unwrap_or(400)) / 8.0 * 0.98;
    let bound = narrow.map_or(rate, |link| rate.min(link.running.bytes_per_s() * 0.9 / 1e9));
    if port.is_none_or(|port| port == 400) && bound >= rate {
        return String::new();
    }
    let line = port.unwrap_or(400);
    format!("nic = {{ model = \"connectx-7-400g\", line_rate = \"{line} Gb/s\", rate = \"{bound:.1} GB/s\" }}\n")
}
