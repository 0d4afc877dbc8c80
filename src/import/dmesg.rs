//! The kernel's log: nvidia-fs (with both of its prefixes), cuFile, the IOMMU, ACS, and links that were trained down.
//!
//! Knows the lines that matter. Must not know what to do about them.

use super::{Fact, Iommu, Kind, Lanes, Level, Line, Matter, Reading, Text, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in &text.lines {
        // Lines of cuFile's own log are read there.
        if line.shown.contains("[pid=") {
            continue;
        }
        let facts =
            [driver(line), command_line(line.body()), iommu(line.body()), acs(line.body()), narrow(line.body())];
        facts.into_iter().flatten().for_each(|fact| reading.fact(line.number, fact));
    }
}

/// A line of nvidia-fs, or one that the kernel prints about it.
fn driver(line: &Line) -> Option<Fact> {
    let body = line.body();
    let ours = pattern!(
        r"(?i)\bnvidia[-_]fs\s*:|\bnvfs_\w+|\[nvidia[-_]fs\]|nvidia-fs/[\d.]+/build|\bcufile\b.*:|\bgds\b.*error"
    );
    if !(body.contains("nv") || body.contains("cufile") || body.contains("gds")) || !ours.is_match(body) {
        return None;
    }
    if body.contains("registered correctly") || body.contains("Initializing nvfs driver") {
        return Some(Fact::Module { name: "nvidia_fs".into(), loaded: true });
    }
    let text = pattern!(r"^.*?\bnvidia[-_]fs\s*:\s*").replace(body, "").trim().to_string();
    let (matter, level) = judged(body);
    Some(Fact::Logged { matter, level, text: if text.is_empty() { body.trim().to_string() } else { text } })
}

fn judged(body: &str) -> (Option<Matter>, Level) {
    let has = |word: &str| body.contains(word);
    let matter = match () {
        () if has("kernel BUG") || has("RIP:") || has("Oops") => Some(Matter::KernelBug),
        () if has("nvidia_p2p_get_pages") || has("nvfs_pin_gpu_pages") && has("ret") => Some(Matter::PinFailed),
        () if has("Incompatible page table") => Some(Matter::DriverMismatch),
        () if has("symbol_get") || has("Unknown symbol") => Some(Matter::SymbolRefused),
        () if has("not supported") && has("p2p") => Some(Matter::NoP2pdma),
        () => None,
    };
    let bad = pattern!(
        r"(?i)\berror\b|\bfail(?:ed|ing|ure)?\b|\bunable\b|\binvalid\b|\bincompatible\b|\bBUG\b|\bOops\b|\bunsupported\b|\bnot supported\b|\bcannot\b|\btimed out\b|\bRIP:"
    );
    let level = if matter.is_some() || bad.is_match(body) { Level::Error } else { Level::Info };
    (matter, level)
}

/// What the kernel was started with.
fn command_line(body: &str) -> Option<Fact> {
    if !body.contains("ommand line:") && !body.starts_with("BOOT_IMAGE=") {
        return None;
    }
    let words: Vec<&str> = body.split_whitespace().collect();
    let any = |known: &[&str]| words.iter().any(|word| known.contains(word));
    if any(&["iommu=off", "intel_iommu=off", "amd_iommu=off"]) {
        return Some(Fact::Iommu(Iommu::Off));
    }
    if any(&["iommu=pt", "iommu.passthrough=1"]) {
        return Some(Fact::Iommu(Iommu::PassThrough));
    }
    any(&["intel_iommu=on", "amd_iommu=on", "iommu.passthrough=0"]).then_some(Fact::Iommu(Iommu::Translating))
}

fn iommu(body: &str) -> Option<Fact> {
    if !body.contains("ommu") && !body.contains("OMMU") {
        return None;
    }
    let domain = pattern!(r"(?i)iommu: Default domain type:\s*(Passthrough|Translated)").captures(body);
    let state = domain.map(|cells| match cells[1].to_lowercase().as_str() {
        "passthrough" => Iommu::PassThrough,
        _ => Iommu::Translating,
    });
    let disabled =
        || pattern!(r"DMAR: IOMMU disabled|AMD-Vi: (?:AMD )?IOMMU disabled").is_match(body).then_some(Iommu::Off);
    let enabled = || pattern!(r"DMAR: IOMMU enabled").is_match(body).then_some(Iommu::On);
    state.or_else(disabled).or_else(enabled).map(Fact::Iommu)
}

fn acs(body: &str) -> Option<Fact> {
    let cells = pattern!(r"pcieport\s+(\S+?):.*Configured ACS to 0x([0-9a-fA-F]+)").captures(body)?;
    // Bits 2 to 4: redirect of requests, redirect of completions, forwarding upstream.
    let control = u32::from_str_radix(&cells[2], 16).ok()?;
    Some(Fact::Acs { port: Some(cells[1].to_string()), redirects: control & 0b1_1100 != 0 })
}

/// A device whose link is narrower than it could be, as the kernel says at start.
fn narrow(body: &str) -> Option<Fact> {
    if !body.contains("limited by") {
        return None;
    }
    let cells = pattern!(
        r"(?:(\w+)\s+)?((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d): .*limited by ([\d.]+) GT/s PCIe x(\d+) link.*capable of .*? with ([\d.]+) GT/s PCIe x(\d+) link"
    )
    .captures(body)?;
    let lanes = |speed: usize| {
        Some(Lanes {
            gt_s: cells[speed].parse().ok()?,
            width: cells[speed + 1].parse().ok().filter(|width| *width <= 32)?,
        })
    };
    let kind = match cells.get(1).map_or("", |driver| driver.as_str()) {
        driver if driver.starts_with("mlx") => Kind::Nic,
        "nvme" => Kind::Nvme,
        driver if driver.starts_with("nvidia") => Kind::Gpu,
        _ => Kind::Other,
    };
    Some(Fact::Link { address: cells[2].to_string(), kind, capable: lanes(5), running: lanes(3)? })
}
