//! What to know about the hardware as it stands: links that trained down, data that stay in the page cache, files of one's own.
//!
//! Knows devices. Must not know what a run makes of them.

use engine::Note;

use super::{Site, lanes, write_back};

/// All notes of a scenario.
pub(in crate::platform) fn notes(site: &Site<'_>) -> Vec<Note> {
    let node = &site.scenario.node;
    let gpus = site.topology.gpus.keys().map(|&gpu| (format!("the link of GPU {gpu}"), lanes::of_gpu(node, gpu)));
    let nics = site.topology.nics.keys().map(|&nic| (format!("the link of NIC {nic}"), lanes::of_nic(node, nic)));
    let all = ("the link of every GPU".to_string(), lanes::of_link(&node.gpu.link));
    let ports = node.nic.iter().map(|nic| ("the link of every NIC".to_string(), lanes::of_link(&nic.link)));
    let uplinks = (0..).zip(&node.switches);
    let uplinks =
        uplinks.map(|(number, switch)| (format!("the uplink of switch {number}"), lanes::of_link(&switch.uplink)));
    let links = std::iter::once(all).chain(ports).chain(uplinks).chain(gpus).chain(nics);
    let narrow = links.filter(|(_, (trained, of))| trained < of).map(|(link, lanes)| trained_down(&link, lanes));
    narrow.chain(write_back::note(site)).chain(own_files(site)).collect()
}

/// Names the models and segments that do not ship, or that say other than those that do.
fn own_files(site: &Site<'_>) -> Option<Note> {
    let is_model = |name: &&str| !name.starts_with("built-in ") && name.ends_with(".toml");
    let mut files: Vec<&str> = site.sources.names().skip(1).filter(is_model).collect();
    files.sort_unstable();
    files.dedup();
    (!files.is_empty()).then(|| Note {
        kind: "files".to_string(),
        text: format!("not built in: {}", files.join(", ")),
        advice: "these files come before those that ship; move them away to see what ships".to_string(),
    })
}

fn trained_down(link: &str, (trained, of): (u64, u64)) -> Note {
    Note {
        kind: "link".to_string(),
        text: format!("{link} trained down to {trained} of {of} lanes"),
        advice: "see `lspci -vv` (LnkSta against LnkCap) and the kernel's \"available PCIe bandwidth, limited by\"; reseat the card"
            .to_string(),
    }
}
