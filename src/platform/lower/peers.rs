//! What devices reach peer to peer where a node's files say nothing.
//!
//! Knows figures and their sources. Must not know which way bytes go.
//!
//! A root complex cuts what passes through it into packets of 64 bytes, which costs on the link that they arrive at: on the GPU's
//! for what goes into it, on the NIC's for what the NIC reads from a GPU.

use crate::format::{Figure, Origin, PeerToPeer};
use engine::units::Rate;

const GB: u64 = 1_000_000_000;

/// An assumed rate with its range, in tenths of GB/s.
fn assumed(value: u64, low: u64, high: u64, reference: &str) -> Figure<Rate> {
    let rate = |tenths: u64| Rate(tenths * GB / 10);
    Figure {
        value: rate(value),
        low: Some(rate(low)),
        high: Some(rate(high)),
        origin: Origin::Assumed,
        reference: Some(reference.to_string()),
        span: 0..0,
    }
}

fn given(limits: &Option<PeerToPeer>, pick: impl Fn(&PeerToPeer) -> &Option<Figure<Rate>>) -> Option<Figure<Rate>> {
    limits.as_ref().and_then(|limits| pick(limits).clone())
}

/// Through the root complex into a GPU, each GPU.
pub(super) fn root_complex_to_gpu(limits: &Option<PeerToPeer>) -> Figure<Rate> {
    let reference = "drives into one GPU through a Sapphire Rapids root complex: 45.2 GB/s, 41.7 at 64 KiB (xnvme/aisio, \
                     docs/src/experiments/pcie_saturation.md)";
    given(limits, |limits| &limits.root_complex_to_gpu).unwrap_or_else(|| assumed(452, 417, 458, reference))
}

/// Through the root complex out of GPUs, each NIC that reads.
pub(super) fn root_complex_from_gpu(limits: &Option<PeerToPeer>) -> Figure<Rate> {
    let reference = "completions of 64 bytes: 64 of 84 bytes of 63.0 GB/s; never published";
    given(limits, |limits| &limits.root_complex_from_gpu).unwrap_or_else(|| assumed(480, 410, 480, reference))
}

/// From one socket to another, each direction.
pub(super) fn across_sockets(limits: &Option<PeerToPeer>) -> Figure<Rate> {
    let reference = "NCCL's figure for peer-to-peer between Sapphire Rapids sockets (NVIDIA/nccl, src/graph/topo.h)";
    given(limits, |limits| &limits.across_sockets).unwrap_or_else(|| assumed(220, 150, 240, reference))
}

/// What is left of any of it where the IOMMU translates every address.
pub(super) fn translated(limits: &Option<PeerToPeer>) -> Figure<Rate> {
    let reference = "a NIC and a GPU with the IOMMU translating and access control redirecting: 13.1 of 48.4 GB/s \
                     (NVIDIA/nccl issue 2409); 2 GB/s was seen elsewhere (tinygrad/open-gpu-kernel-modules issue 6)";
    given(limits, |limits| &limits.translated).unwrap_or_else(|| assumed(131, 20, 260, reference))
}
