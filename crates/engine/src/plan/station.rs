//! The places that a teacher would name on a path, who moves bytes between them, and which way.
//!
//! Knows names. Must not know figures.

use serde::{Deserialize, Serialize};

/// Read: storage to HBM. Write: HBM to storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From storage to the GPU.
    Read,
    /// From the GPU to storage.
    Write,
}

/// Who moves the bytes of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mover {
    /// The NIC's DMA engines: no slot, shares with others.
    Nic,
    /// The drives' DMA engines, where storage is local: no slot, shares with others.
    Drive,
    /// A CPU thread, at its own copy rate.
    Cpu,
    /// The GPU's copy engine for the direction: one transfer at a time.
    CopyEngine,
    /// The driver, through a buffer of its own (pageable memory), at the rates of `gpu.copies.pageable`.
    Staging,
    /// The GPU itself, within its own memory.
    Gpu,
    /// Nobody: a leg without hops.
    None,
}

/// A place on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Station {
    /// The storage target.
    #[serde(rename = "storage")]
    Storage,
    /// The storage NIC.
    #[serde(rename = "nic")]
    Nic,
    /// The top of the PCIe tree between two devices, or between memory and a device.
    #[serde(rename = "pcie")]
    Pcie,
    /// A buffer of the network stack in system memory, where TCP puts what it receives.
    #[serde(rename = "socket buffer")]
    SocketBuffer,
    /// A buffer of the kernel in system memory (the page cache).
    #[serde(rename = "kernel buffer")]
    KernelBuffer,
    /// A buffer of the application in system memory.
    #[serde(rename = "user buffer")]
    UserBuffer,
    /// A bounce buffer of cuFile's own in the GPU's memory.
    #[serde(rename = "bounce buffer")]
    BounceBuffer,
    /// The GPU's memory.
    #[serde(rename = "hbm")]
    Hbm,
}
