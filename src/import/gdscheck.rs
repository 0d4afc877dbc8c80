//! `gdscheck -p`, releases 0.9 to 1.18: what cuFile says of drivers, storage, settings, GPUs and the platform.
//!
//! Knows its rows. Must not know which of them decide.
//!
//! Until 1.15 a kind of storage is `Supported` or `Unsupported`; from 1.16 on its row lists the ways (`nvfs, compat`).

use super::{Fact, Iommu, Reading, Text, Way, cufile_json, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut release_above = false;
    for line in &text.lines {
        // The same rows stand in cufile.log, behind its own prefix, and are read there.
        let body = line.body();
        if !body.contains(':') && !body.contains("ACS") && !body.contains("Platform verif") && !body.contains("No GPU")
        {
            continue;
        }
        if body.contains("[pid=") {
            continue;
        }
        let before = reading.facts.len();
        for fact in versions(body, release_above).into_iter().chain(support(body)) {
            reading.fact(line.number, fact);
        }
        let rest = [setting(body), environment(body), gpu(body), gpu_iommu(body), platform(body)];
        rest.into_iter().flatten().for_each(|fact| reading.fact(line.number, fact));
        let versions = reading.facts[before..].iter().any(|(_, fact)| matches!(fact, Fact::Version { of: "gds", .. }));
        release_above = versions || (release_above && reading.facts.len() == before);
    }
}

/// Versions; without nvidia-fs's own below the release, its module is not loaded.
fn versions(body: &str, release_above: bool) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut add = |of: &'static str, found: Option<regex::Captures<'_>>| {
        let version = found.and_then(|found| found.get(1).map(|version| version.as_str().to_string()));
        facts.extend(version.map(|version| Fact::Version { of, version }));
    };
    if body.contains("version") || body.contains("Cuda Driver") {
        add("gds", pattern!(r"GDS release version(?:\s*\(\w+\))?\s*:\s*([\d.]+\w*)").captures(body));
        add("nvidia_fs", pattern!(r"nvidia[_-]fs version\s*:\s*([\d.]+)").captures(body));
        add("cuda driver", pattern!(r"Cuda Driver Version Installed\s*:\s*(\d+)").captures(body));
    }
    let has = |of: &str| facts.iter().any(|fact| matches!(fact, Fact::Version { of: other, .. } if *other == of));
    if has("nvidia_fs") {
        facts.push(Fact::Module { name: "nvidia_fs".into(), loaded: true });
    } else if release_above && pattern!(r"^\s*(?:libcufile version|nvidia[_-]fs minimum version)\s*:").is_match(body) {
        facts.push(Fact::Module { name: "nvidia_fs".into(), loaded: false });
    }
    facts
}

/// The rows of kinds of storage; several may have come into one line.
pub(super) fn support(body: &str) -> Vec<Fact> {
    if !body.contains("upported") && !body.contains("compat") && !WAYS.iter().any(|(word, _)| body.contains(word)) {
        return Vec::new();
    }
    let row = pattern!(
        r"(?i)\b(NVMe P2PDMA|NVMe-?oF|NVMesh|NVMe|SCSI|ScaleFlux CSD|DDN EXAScaler|FSx Lustre|LUSTRE|IBM Spectrum Scale|GPFS|NFS|BeeGFS|ScaTeFS|VIRTIOFS|WekaFS|Userspace RDMA)\s*:\s*((?:supported|unsupported|compat|nvfs|p2pdma|c2c|dmabuf|nvidia_peermem|peermem|rdma|none)\b(?:\s*[,/|]\s*(?:compat|nvfs|p2pdma|c2c|dmabuf|nvidia_peermem|peermem|rdma)\b)*)"
    );
    let fact = |cells: regex::Captures<'_>| {
        let (name, said) = (cells[1].to_lowercase(), cells[2].to_lowercase());
        let (system, direct) = system(&name);
        Fact::Support { system: system.to_string(), ways: ways(&said, direct) }
    };
    row.captures_iter(body).map(fact).collect()
}

const WAYS: [(&str, Way); 8] = [
    ("nvfs", Way::Nvfs),
    ("p2pdma", Way::P2pdma),
    ("c2c", Way::C2c),
    ("dmabuf", Way::UserRdma),
    ("nvidia_peermem", Way::UserRdma),
    ("peermem", Way::UserRdma),
    ("rdma", Way::UserRdma),
    ("compat", Way::Compat),
];

fn ways(said: &str, direct: Way) -> Vec<Way> {
    if said == "supported" {
        return vec![direct];
    }
    let mut ways: Vec<Way> = said
        .split([',', '/', '|'])
        .filter_map(|word| WAYS.iter().find(|(name, _)| *name == word.trim()).map(|(_, way)| *way))
        .collect();
    ways.dedup();
    ways
}

/// A row's kind of storage, and the way that "Supported" means for it.
fn system(name: &str) -> (&'static str, Way) {
    match name {
        "nvme p2pdma" => ("nvme", Way::P2pdma),
        "nvme" => ("nvme", Way::Nvfs),
        "nvmeof" | "nvme-of" => ("nvmeof", Way::Nvfs),
        "scsi" => ("scsi", Way::Nvfs),
        "scaleflux csd" => ("scaleflux", Way::Nvfs),
        "nvmesh" => ("nvmesh", Way::Nvfs),
        "ddn exascaler" | "lustre" | "fsx lustre" => ("lustre", Way::Nvfs),
        "ibm spectrum scale" | "gpfs" => ("gpfs", Way::UserRdma),
        "nfs" => ("nfs", Way::Nvfs),
        "beegfs" => ("beegfs", Way::Nvfs),
        "scatefs" => ("scatefs", Way::Nvfs),
        "virtiofs" => ("virtiofs", Way::Nvfs),
        "wekafs" => ("wekafs", Way::UserRdma),
        _ => ("userspace rdma", Way::UserRdma),
    }
}

fn setting(body: &str) -> Option<Fact> {
    let cells =
        pattern!(r"\b((?:properties|fs|profile|miscellaneous|execution|block|logging)(?:\.\w+)+)\s*:\s*(\S.*)$")
            .captures(body)?;
    let key = match &cells[1] {
        // gdscheck has its own word for these two.
        "properties.use_compat_mode" => "properties.allow_compat_mode",
        "properties.max_batch_io_size" => "properties.io_batchsize",
        key => key,
    };
    Some(Fact::Setting { value: cufile_json::value(key, cells[2].trim()), key: key.to_string() })
}

/// Variables that were set for cuFile, which come before its file.
fn environment(body: &str) -> Option<Fact> {
    let cells = pattern!(r"\b(CUFILE_[A-Z0-9_]+)\s*[:=]\s*([^\s;]+)").captures(body)?;
    let key = match &cells[1] {
        "CUFILE_ALLOW_COMPAT_MODE" => "properties.allow_compat_mode",
        "CUFILE_FORCE_COMPAT_MODE" => "properties.force_compat_mode",
        "CUFILE_USE_PCIP2PDMA" => "properties.use_pci_p2pdma",
        "CUFILE_LOGGING_LEVEL" => "logging.level",
        _ => return None,
    };
    Some(Fact::Setting { key: key.to_string(), value: cufile_json::value(key, &cells[2]) })
}

fn gpu(body: &str) -> Option<Fact> {
    let cells =
        pattern!(r"GPU index\s+(\d+)\s+(.*?)\s*\bbar\s*:\s*\d+\s+bar size \(MiB\)\s*:\s*(\d+)?(.*)$").captures(body)?;
    let rest = cells[4].to_lowercase();
    let gds = match rest.contains("support") {
        true => Some(!rest.contains("not support") && !rest.contains("unsupport") && !rest.contains("n't support")),
        false => None,
    };
    Some(Fact::Gpu {
        index: cells[1].parse().ok()?,
        name: cells[2].trim().to_string(),
        bar1_mib: cells.get(3).and_then(|size| size.as_str().parse().ok()),
        gds,
    })
}

/// A GPU's line says the IOMMU's state once more, and is there where what follows was cut off.
fn gpu_iommu(body: &str) -> Option<Fact> {
    let cells = pattern!(r"GPU index\s+\d+.*IOMMU State\s*:\s*(\S.*)$").captures(body)?;
    iommu(&cells[1].to_lowercase()).map(Fact::Iommu)
}

fn platform(body: &str) -> Option<Fact> {
    if let Some(cells) = pattern!(r"^\s*IOMMU\s*:\s*(\S.*)$").captures(body) {
        return iommu(&cells[1].to_lowercase()).map(Fact::Iommu);
    }
    if let Some(cells) = pattern!(r"ACS enabled for switch\s+(\S+)").captures(body) {
        return Some(Fact::Acs { port: Some(cells[1].to_string()), redirects: true });
    }
    if let Some(cells) = pattern!(r"^\s*Platform\s*:\s*(\S.*,\s*Arch.*)$").captures(body) {
        return Some(Fact::Version { of: "platform", version: cells[1].trim().to_string() });
    }
    const HEADINGS: &str = r"^\s*(?:DRIVER CONFIGURATION|CUFILE CONFIGURATION|cuFile CONFIGURATION|GPU INFO|PLATFORM INFO)\s*:|--(?:Mellanox PeerDirect|MOFED peer direct|DmaBuf support|rdma[ _]\w+)\s*:|Platform verification|Nvidia Driver Info Status|No GPU found in the system";
    pattern!(HEADINGS).is_match(body).then_some(Fact::Heading)
}

fn iommu(said: &str) -> Option<Iommu> {
    let has = |word: &str| said.contains(word);
    match said {
        _ if has("disabled") || said.starts_with("off") => Some(Iommu::Off),
        _ if has("pass") && has("enabled") => Some(Iommu::On),
        _ if has("pass") => Some(Iommu::PassThrough),
        _ if has("enabled") || said.starts_with("on") => Some(Iommu::On),
        _ => None,
    }
}
