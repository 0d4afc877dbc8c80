//! Readers of other programs' output, one file each, and one line each in the table.
//!
//! Knows formats, told apart by content. Must not know what is done with what they hold.

pub mod csv;
mod cufile_json;
mod cufile_log;
mod dmesg;
mod elbencho;
mod fact;
mod figure;
mod fio;
mod fio_text;
mod gds_stats;
mod gdscheck;
mod gdsio;
mod hosts;
mod ibdev2netdev;
mod ior;
mod json;
mod lsmod;
mod lspci;
mod lspci_tree;
mod mount;
mod nvbandwidth;
mod nvfs_stats;
mod nvme;
mod peer_distance;
mod perftest;
pub mod points;
mod text;
mod topo;

pub use fact::{Fact, Iommu, Kind, Lanes, Level, Matter, Reach, Way};
pub use figure::{Figure, Route};
pub use text::{Line, Text};

/// Compiles a regular expression of this source once.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($text).expect("a pattern of this source is well formed"));
        &*PATTERN
    }};
}
use pattern;

/// A reader of one tool's output.
#[derive(Clone, Copy, Debug)]
pub struct Importer {
    /// The tool.
    pub name: &'static str,
    /// What makes its output.
    pub made_by: &'static str,
    /// Finds whatever the tool wrote in a text, among whatever else stands there.
    read: fn(&Text, &mut Reading),
}

/// All importers, in the order in which a report lists them.
pub const IMPORTERS: &[Importer] = &[
    Importer { name: "lsmod", made_by: "lsmod", read: lsmod::read },
    Importer { name: "gdscheck", made_by: "gdscheck -p", read: gdscheck::read },
    Importer { name: "nvme", made_by: "nvme list-subsys, nvme show-topology (text or -o json)", read: nvme::read },
    Importer { name: "dmesg", made_by: "dmesg, journalctl -k", read: dmesg::read },
    Importer { name: "nvidia-smi topo", made_by: "nvidia-smi topo -m or -mp", read: topo::read },
    Importer { name: "lspci", made_by: "lspci, lspci -vv", read: lspci::read },
    Importer { name: "lspci tree", made_by: "lspci -tv", read: lspci_tree::read },
    Importer { name: "ibdev2netdev", made_by: "ibdev2netdev", read: ibdev2netdev::read },
    Importer { name: "nvidia-fs stats", made_by: "/proc/driver/nvidia-fs/stats", read: nvfs_stats::read },
    Importer { name: "cufile.json", made_by: "/etc/cufile.json, whole or in part", read: cufile_json::read },
    Importer { name: "cufile.log", made_by: "cufile.log", read: cufile_log::read },
    Importer { name: "mount", made_by: "mount", read: mount::read },
    Importer { name: "gds_stats", made_by: "gds_stats -p PID", read: gds_stats::read },
    Importer { name: "gdsio", made_by: "gdsio", read: gdsio::read },
    Importer { name: "fio", made_by: "fio (text or --output-format=json)", read: fio::read },
    Importer { name: "nvbandwidth", made_by: "nvbandwidth (text or -j)", read: nvbandwidth::read },
    Importer { name: "perftest", made_by: "ib_write_bw and its kin (text or --out_json)", read: perftest::read },
    Importer { name: "elbencho", made_by: "elbencho", read: elbencho::read },
    Importer { name: "IOR", made_by: "ior", read: ior::read },
    Importer { name: "peer_distance", made_by: "peer_distance", read: peer_distance::read },
];

/// What an importer found in a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Facts with the number of the line that shows each, from 1.
    pub facts: Vec<(usize, Fact)>,
    /// Measured throughputs.
    pub figures: Vec<Figure>,
}

impl Reading {
    fn fact(&mut self, line: usize, fact: Fact) {
        self.facts.push((line, fact));
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.figures.is_empty()
    }

    /// The first and the last line that say something.
    pub fn lines(&self) -> Option<(usize, usize)> {
        let lines = || self.facts.iter().map(|fact| fact.0).chain(self.figures.iter().map(|figure| figure.line));
        Some((lines().min()?, lines().max()?))
    }
}

/// One tool's output in a text.
#[derive(Clone, Debug)]
pub struct Section {
    /// The importer that knows it.
    pub importer: &'static Importer,
    /// What it found.
    pub reading: Reading,
}

/// A captured text with all that the importers found in it.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The text.
    pub text: Text,
    /// The host that it is of, where its lines say so.
    pub host: Option<String>,
    /// What was found, in the order of the table.
    pub sections: Vec<Section>,
}

impl Capture {
    /// Reads a captured text: every importer looks for its own.
    pub fn read(name: &str, bytes: &[u8]) -> Capture {
        Capture::of(None, Text::read(name, bytes))
    }

    /// Reads a captured text in which lines of several hosts may stand: a capture each.
    pub fn by_host(name: &str, bytes: &[u8]) -> Vec<Capture> {
        Text::read(name, bytes).by_host().into_iter().map(|(host, text)| Capture::of(host, text)).collect()
    }

    fn of(host: Option<String>, text: Text) -> Capture {
        let section = |importer: &'static Importer| {
            let mut reading = Reading::default();
            (importer.read)(&text, &mut reading);
            (!reading.is_empty()).then_some(Section { importer, reading })
        };
        let sections = IMPORTERS.iter().filter_map(section).collect();
        Capture { text, host, sections }
    }

    /// All measured throughputs.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.sections.iter().flat_map(|section| &section.reading.figures)
    }

    /// A line of it, as a person would see it, without the space around it.
    pub fn line(&self, number: usize) -> &str {
        let at = self.text.lines.binary_search_by_key(&number, |line| line.number);
        at.map_or("", |at| self.text.lines[at].shown.trim())
    }
}

/// Whether a line is the command that was typed, rather than what it printed.
pub fn is_prompt(body: &str) -> bool {
    pattern!(r"^\s*(?:[$#>%]\s|\S*@\S*[$#:~]|\[\S+@|==+>|-----)").is_match(body)
}

/// The formats that are known, for a message about one that is not.
pub fn known() -> String {
    IMPORTERS.iter().map(|importer| importer.made_by).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests;
