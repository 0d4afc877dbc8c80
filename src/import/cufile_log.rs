//! `cufile.log`: what cuFile itself says about the way that it took, and why.
//!
//! Knows its lines. Must not know what to do about them.

use super::{Fact, Level, Matter, Reading, Text, gdscheck, pattern};

pub(super) fn read(text: &Text, reading: &mut Reading) {
    for line in &text.lines {
        let shown = line.shown.as_str();
        if !["ERROR", "WARN", "NOTICE", "INFO", "DEBUG", "TRACE", "cuFile"].iter().any(|word| shown.contains(word)) {
            if let Some(text) = refusal(shown) {
                reading.fact(line.number, logged(Some(Matter::FileRefused), Level::Error, &text));
            }
            continue;
        }
        let prefixed = pattern!(
            r"(?:\[pid=\s*\d+\s+tid=\s*\d+\]\s*)?\b(ERROR|WARN|WARNING|NOTICE|INFO|DEBUG|TRACE)\s+((?:cu|0\b|nvfs|rdma)[\w-]*):(\d+)\s+(\S.*)$"
        );
        if let Some(cells) = prefixed.captures(shown) {
            message(line.number, &cells[1], &cells[4], reading);
        } else if let Some(text) = refusal(shown) {
            reading.fact(line.number, logged(Some(Matter::FileRefused), Level::Error, &text));
        }
    }
}

fn logged(matter: Option<Matter>, level: Level, text: &str) -> Fact {
    Fact::Logged { matter, level, text: text.trim().to_string() }
}

/// What a program prints that cuFile refused.
fn refusal(shown: &str) -> Option<String> {
    let cells = pattern!(
        r"((?:file register error|cuFile\w+\b[^:]*(?:error|failed|status))\s*:?.*GPUDirect Storage not supported on current \w+.*)$"
    );
    cells.captures(shown).map(|cells| cells[1].to_string())
}

fn message(line: usize, word: &str, text: &str, reading: &mut Reading) {
    let matter = matter(text);
    let level = match word {
        "ERROR" => Level::Error,
        "WARN" | "WARNING" | "NOTICE" => Level::Notice,
        // Some of what decides is said in passing.
        _ if matter.is_some_and(|matter| matter != Matter::TookDirect) => Level::Notice,
        _ => Level::Info,
    };
    reading.fact(line, logged(matter, level, text));
    let more = driver(text).into_iter().chain(ways(text)).chain(path(text)).chain(mount(text)).chain(version(text));
    more.for_each(|fact| reading.fact(line, fact));
}

/// Words of messages, and what each means.
const MATTERS: &[(&str, Matter)] = &[
    ("running in compatible mode", Matter::TookCompat),
    ("using cuFile posix read/write", Matter::TookCompat),
    ("compat path taken", Matter::TookCompat),
    ("gds path taken", Matter::TookDirect),
    ("nvfs_io_submit", Matter::TookDirect),
    ("nvidia-fs.ko driver not loaded", Matter::NoDriver),
    ("nvidia-fs driver not loaded", Matter::NoDriver),
    ("nvidia_fs driver not loaded", Matter::NoDriver),
    ("nvidia-fs driver is not loaded", Matter::NoDriver),
    ("not registered with nvidia-fs", Matter::NotRegistered),
    ("NVFS symbols not found", Matter::NotRegistered),
    ("GPUDirect Storage not supported on current file", Matter::FileRefused),
    ("file checks failed", Matter::FileRefused),
    ("Config doesn't support PCIP2PDMA", Matter::NoP2pdma),
    ("pci_p2pdma not supported", Matter::NoP2pdma),
    ("pci_p2pdma support: False", Matter::NoP2pdma),
    ("Is PCIP2PDMA Supported: 0", Matter::NoP2pdma),
    ("cuda p2p device address", Matter::NoP2pdma),
    ("Inc-bar-usage failed", Matter::Bar1Full),
    ("bar-usage", Matter::Bar1Full),
    ("nvfs pin", Matter::PinFailed),
    ("No matching pair for network device to closest GPU", Matter::NoNearNic),
    ("nvidia_peermem.ko is not loaded", Matter::NoPeermem),
    ("O_DIRECT flag is not set", Matter::NoDirectIo),
    ("cuInit Failed", Matter::NoStart),
    ("cuFile initialization failed", Matter::NoStart),
    ("cuDevicePrimaryCtxRetain failed", Matter::NoStart),
];

fn matter(text: &str) -> Option<Matter> {
    MATTERS.iter().find(|(words, _)| text.contains(words)).map(|(_, matter)| *matter)
}

fn driver(text: &str) -> Option<Fact> {
    let not_loaded = matter(text) == Some(Matter::NoDriver);
    let loaded = text.contains("nvidia_fs version") && !text.contains("minimum");
    (not_loaded || loaded).then(|| Fact::Module { name: "nvidia_fs".into(), loaded })
}

/// "NVMe: driver support OK" and "NVMe : nvfs, compat".
fn ways(text: &str) -> Vec<Fact> {
    match text.split_once(": ").filter(|(_, rest)| rest.contains("driver support OK")) {
        Some((name, _)) => gdscheck::support(&format!("{name} : Supported")),
        None => gdscheck::support(text),
    }
}

/// "block device supported by cufile, bdev : /dev/nvme0n1p4 module nvme xport pcie".
fn path(text: &str) -> Option<Fact> {
    let cells = pattern!(r"/dev/(nvme\d+)\w*\b.*?\b(?:xport|transport:)\s*(rdma|tcp|pcie|fc|loop)\b").captures(text)?;
    Some(Fact::NvmePath {
        subsystem: String::new(),
        controller: cells[1].to_string(),
        transport: cells[2].to_string(),
        address: String::new(),
        state: String::new(),
        ana: String::new(),
    })
}

fn mount(text: &str) -> Option<Fact> {
    let cells = pattern!(r"DEVNAME:([^,]+),.*\bID_FS_TYPE:(\w+)").captures(text)?;
    Some(Fact::Mount { place: cells[1].to_string(), system: cells[2].to_string(), transport: None })
}

fn version(text: &str) -> Option<Fact> {
    let cells = pattern!(r"GDS release version\s*:\s*([\d.]+)").captures(text)?;
    Some(Fact::Version { of: "gds", version: cells[1].to_string() })
}
