//! The kinds of files, the folder of each, and which key takes a model of which kind.
//!
//! Knows names of keys and folders. Must not know what is in a file, nor open one.

use std::fmt;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// A question: node, fabric, target and works.
    Scenario,
    /// The legs, hops and steps between storage and HBM.
    Path,
    /// The host side of a path.
    Host,
    /// The wire of a path.
    Wire,
    /// Questions, runs that answer them, and what to say afterwards.
    Lesson,
    /// A GPU node.
    Node,
    /// A network between node and target.
    Fabric,
    /// A storage target.
    Target,
    /// A GPU.
    Gpu,
    /// A storage NIC.
    Nic,
    /// The CPUs of a node.
    Cpu,
    /// The system memory of a node.
    Dram,
    /// A PCIe link.
    Link,
    /// System software: what steps cost on it.
    Software,
}

impl FileKind {
    /// All kinds, scenarios first.
    pub const ALL: [FileKind; 14] = [
        FileKind::Scenario,
        FileKind::Path,
        FileKind::Host,
        FileKind::Wire,
        FileKind::Lesson,
        FileKind::Node,
        FileKind::Fabric,
        FileKind::Target,
        FileKind::Gpu,
        FileKind::Nic,
        FileKind::Cpu,
        FileKind::Dram,
        FileKind::Link,
        FileKind::Software,
    ];

    /// The kind's name, as it is typed and printed: "node".
    pub fn word(self) -> &'static str {
        self.word_and_folder().0
    }

    /// The folder of its files, from the top: "models/parts/gpu".
    pub fn folder(self) -> &'static str {
        self.word_and_folder().1
    }

    /// The kind of that name.
    pub fn from_word(word: &str) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|kind| kind.word() == word)
    }

    fn word_and_folder(self) -> (&'static str, &'static str) {
        match self {
            FileKind::Scenario => ("scenario", "scenarios"),
            FileKind::Path => ("path", "scenarios/paths"),
            FileKind::Host => ("host", "scenarios/paths/hosts"),
            FileKind::Wire => ("wire", "scenarios/paths/wires"),
            FileKind::Lesson => ("lesson", "scenarios/lessons"),
            FileKind::Node => ("node", "models/nodes"),
            FileKind::Fabric => ("fabric", "models/fabrics"),
            FileKind::Target => ("target", "models/targets"),
            FileKind::Gpu => ("gpu", "models/parts/gpu"),
            FileKind::Nic => ("nic", "models/parts/nic"),
            FileKind::Cpu => ("cpu", "models/parts/cpu"),
            FileKind::Dram => ("dram", "models/parts/dram"),
            FileKind::Link => ("link", "models/parts/link"),
            FileKind::Software => ("software", "models/parts/software"),
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What a place in a file holds, as far as models and free names are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The whole of a scenario.
    Scenario,
    /// A part that a model file may describe.
    Part(FileKind),
    /// The works by name.
    Works,
    /// One work.
    Work,
    /// A scenario's own paths by name.
    Paths,
    /// Named delays.
    Costs,
    /// A cluster.
    Cluster,
    /// Traffic of other jobs by name.
    Background,
    /// The switches of a node.
    Switches,
    /// One switch.
    Switch,
    /// What a software part says of another part.
    OnSoftware,
    /// Anything else.
    Other,
}

impl Place {
    /// What the entry `key` of this place holds.
    pub fn below(self, key: &str) -> Place {
        use FileKind::{Cpu, Dram, Fabric, Gpu, Link, Nic, Node, Software, Target};
        match (self, key) {
            (Place::Scenario, "node") => Place::Part(Node),
            (Place::Scenario, "fabric") => Place::Part(Fabric),
            (Place::Scenario | Place::Work, "target") => Place::Part(Target),
            (Place::Scenario, "cluster") => Place::Cluster,
            (Place::Cluster, "background") => Place::Background,
            (Place::Scenario, "works") => Place::Works,
            (Place::Scenario, "paths") => Place::Paths,
            (Place::Works, _) => Place::Work,
            (Place::Part(Node), "gpu") => Place::Part(Gpu),
            (Place::Part(Node), "nic") => Place::Part(Nic),
            (Place::Part(Node), "cpu") => Place::Part(Cpu),
            (Place::Part(Node), "dram") => Place::Part(Dram),
            (Place::Part(Node), "software") => Place::Part(Software),
            (Place::Part(Software), "cpu" | "gpu" | "nic" | "fabric" | "target") => Place::OnSoftware,
            (Place::Part(Node), "switches") => Place::Switches,
            (Place::Part(Gpu | Nic | Target), "link") | (Place::Switch, "uplink") => Place::Part(Link),
            (Place::Switches, _) => Place::Switch,
            (Place::Part(_) | Place::OnSoftware, "costs" | "costs_by_size" | "costs_per_doubling") => Place::Costs,
            _ => Place::Other,
        }
    }

    /// The kind of model that may be named here.
    pub fn model(self) -> Option<FileKind> {
        match self {
            Place::Part(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether the names of its entries are the author's own.
    pub fn has_free_names(self) -> bool {
        matches!(self, Place::Works | Place::Paths | Place::Costs | Place::Background)
    }
}
