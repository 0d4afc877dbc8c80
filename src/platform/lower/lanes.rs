//! Lanes of links: how many a link trained to, of how many.
//!
//! Knows what a node says about its lanes. Must not know rates.

use crate::format::{Figure, Link, Node, TrainedDown};

/// Lanes of a link where nothing is said.
pub(super) const LANES: u64 = 16;

/// Lanes that a link trained to, and lanes that its rates are those of.
pub(super) fn of_link(link: &Link) -> (u64, u64) {
    let of = stated(&link.full_width);
    (link.width.as_ref().map_or(of, |width| width.value), of)
}

/// The same of one GPU's link.
pub(super) fn of_gpu(node: &Node, gpu: u64) -> (u64, u64) {
    device(node, |device| device.gpu.as_ref().is_some_and(|number| number.value == gpu))
}

/// The same of one NIC's link.
pub(super) fn of_nic(node: &Node, nic: u64) -> (u64, u64) {
    device(node, |device| device.nic.as_ref().is_some_and(|number| number.value == nic))
}

fn device(node: &Node, is: impl Fn(&TrainedDown) -> bool) -> (u64, u64) {
    let entry = node.trained_down.iter().find(|device| is(&device.value));
    entry.map_or((LANES, LANES), |entry| (entry.value.lanes.value, stated(&entry.value.of)))
}

fn stated(lanes: &Option<Figure<u64>>) -> u64 {
    lanes.as_ref().map_or(LANES, |lanes| lanes.value.max(1))
}
