//! `lspci` and `lspci -vv`, whole or in part: devices, links trained down, packet sizes, memory regions, ACS.
//!
//! Knows the list and its indented details. Must not know which device matters.

use super::{Fact, Kind, Lanes, Reading, Text, pattern};

/// The device that indented lines speak of.
struct Device {
    address: String,
    kind: Kind,
    /// What its link could be.
    capable: Option<Lanes>,
    /// The largest packet that it could send.
    payload: Option<u32>,
    /// The largest region so far, in MiB.
    region: u64,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut device = Device { address: String::new(), kind: Kind::Other, capable: None, payload: None, region: 0 };
    for line in &text.lines {
        let body = line.body();
        if let Some(found) = heading(body) {
            if let Fact::Device { address, kind, .. } = &found {
                device = Device { address: address.clone(), kind: *kind, capable: None, payload: None, region: 0 };
            }
            reading.fact(line.number, found);
        } else if let Some(fact) = detail(body, &mut device) {
            reading.fact(line.number, fact);
        }
    }
}

fn heading(body: &str) -> Option<Fact> {
    let cells = pattern!(r"^\s*((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\s+(\S.*)$").captures(body)?;
    let name = cells[2].trim();
    let kind = kind(name)?;
    Some(Fact::Device { address: cells[1].to_string(), kind, name: name.to_string() })
}

/// What the class before the colon means; none where no class stands there.
fn kind(name: &str) -> Option<Kind> {
    let starts = |classes: &[&str]| classes.iter().any(|class| name.starts_with(class));
    Some(match () {
        () if starts(&[
            "3D controller",
            "VGA compatible controller",
            "Display controller",
            "Processing accelerators",
        ]) =>
        {
            if name.contains("NVIDIA") {
                Kind::Gpu
            } else {
                Kind::Other
            }
        }
        () if starts(&[
            "Infiniband controller",
            "InfiniBand controller",
            "Ethernet controller",
            "Network controller",
        ]) =>
        {
            Kind::Nic
        }
        () if starts(&["Non-Volatile memory controller"]) => Kind::Nvme,
        () if starts(&["PCI bridge", "Host bridge", "Bridge", "ISA bridge"]) => Kind::Bridge,
        // A class is words before a colon; a number there is a table of another tool.
        () if pattern!(r"^[\w /-]*[A-Za-z]{3}[\w /-]*(?:\[[0-9a-f]{4}\])?:\s").is_match(name) => Kind::Other,
        () => return None,
    })
}

fn detail(body: &str, device: &mut Device) -> Option<Fact> {
    let rest = body.trim_start();
    match rest {
        _ if rest.starts_with("Capabilities:") && rest.contains("Upstream Port") => device.kind = Kind::Switch,
        _ if rest.starts_with("LnkCap:") => device.capable = lanes(rest),
        _ if rest.starts_with("LnkSta:") => return link(rest, device),
        _ if rest.starts_with("DevCap:") => device.payload = payload(rest),
        _ if rest.starts_with("MaxPayload ") => return payload_set(rest, device),
        _ if rest.starts_with("ACSCtl:") => return Some(acs(rest, device)),
        _ if rest.starts_with("Region ") => return region(rest, device),
        _ if rest.starts_with("NUMA node:") => return numa(rest, device),
        _ => {}
    }
    None
}

/// "Speed 32GT/s, Width x16", with remarks in brackets.
fn lanes(rest: &str) -> Option<Lanes> {
    let cells = pattern!(r"Speed\s+([\d.]+)\s*GT/s[^,]*,\s*Width\s+x(\d{1,2})").captures(rest)?;
    Some(Lanes { gt_s: cells[1].parse().ok()?, width: cells[2].parse().ok()? })
}

fn link(rest: &str, device: &mut Device) -> Option<Fact> {
    let running = lanes(rest)?;
    let capable = device.capable.or_else(|| (!rest.contains("downgraded")).then_some(running));
    Some(Fact::Link { address: device.address.clone(), kind: device.kind, capable, running })
}

fn payload(rest: &str) -> Option<u32> {
    pattern!(r"MaxPayload (\d{1,5}) bytes").captures(rest).and_then(|cells| cells[1].parse().ok())
}

fn payload_set(rest: &str, device: &Device) -> Option<Fact> {
    let (capable, set) = (device.payload?, payload(rest)?);
    Some(Fact::Payload { address: device.address.clone(), kind: device.kind, capable, set })
}

/// Redirection of requests or completions, or forwarding upstream, sends peer-to-peer traffic to the root complex.
fn acs(rest: &str, device: &Device) -> Fact {
    let redirects = ["ReqRedir+", "CmpltRedir+", "UpstreamFwd+"].iter().any(|flag| rest.contains(flag));
    Fact::Acs { port: (!device.address.is_empty()).then(|| device.address.clone()), redirects }
}

fn region(rest: &str, device: &mut Device) -> Option<Fact> {
    let cells = pattern!(r"^Region \d: Memory at .*\[size=(\d{1,9})([KMGT])\]").captures(rest)?;
    let number: u64 = cells[1].parse().ok()?;
    let mib = match &cells[2] {
        "K" => number / 1024,
        "M" => number,
        "G" => number << 10,
        _ => number << 20,
    };
    if device.kind != Kind::Gpu || mib <= device.region {
        return None;
    }
    device.region = mib;
    Some(Fact::Bar { address: device.address.clone(), kind: device.kind, mib })
}

fn numa(rest: &str, device: &Device) -> Option<Fact> {
    let node = rest.strip_prefix("NUMA node:")?.trim().parse().ok()?;
    (!device.address.is_empty()).then(|| Fact::Numa { device: device.address.clone(), node })
}
