//! `nvme list-subsys` and `nvme show-topology` (1.x to 3.x; text, table or JSON): by which transport storage is reached.
//!
//! Knows trees of subsystems and their paths. Must not know which transport suits GDS.

use super::json::{self, Node, Value};
use super::{Fact, Reading, Text, pattern};

/// What a path's line may end with.
const STATES: [&str; 7] = ["live", "connecting", "resetting", "deleting", "dead", "new", "reconnecting"];
const ANA_STATES: [&str; 5] = ["optimized", "non-optimized", "inaccessible", "persistent-loss", "change"];

pub(super) fn read(text: &Text, reading: &mut Reading) {
    let mut subsystem = String::new();
    for line in text.with("nvme") {
        let body = line.body();
        if let Some(cells) = pattern!(r"\bnvme-subsys\d+\s*-\s*NQN\s*=\s*(\S.*)$").captures(body) {
            subsystem = cells[1].trim().to_string();
            reading.fact(line.number, Fact::Heading);
        } else if let Some(fact) = path(body, &subsystem) {
            reading.fact(line.number, fact);
        }
    }
    for document in json::documents(text) {
        let mut visit = Visit { reading, subsystem: String::new(), ana: String::new() };
        visit.node(&document);
    }
}

/// A path of the text's tree, or a row of the table.
fn path(body: &str, subsystem: &str) -> Option<Fact> {
    let cells = pattern!(
        r"(?x)(?: ^[\s|+\\-]* | \s ) (nvme\d+) \s+ (?: (rdma|tcp|fc|pcie|loop|apple-nvme) \b
            | \S .*? \s (rdma|tcp|fc|pcie|loop) \s+ (?: traddr= | [0-9a-f]{4}: ) ) (.*)$"
    )
    .captures(body)?;
    let transport = cells.get(2).or(cells.get(3))?.as_str();
    let rest = &cells[4];
    let words: Vec<&str> = rest.split([',', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    let one_of = |known: &[&str]| words.iter().find(|word| known.contains(word)).map_or("", |word| word).to_string();
    let address = words.iter().find_map(|word| word.strip_prefix("traddr="));
    let bare = words.first().filter(|word| !STATES.contains(word) && !word.contains('='));
    Some(Fact::NvmePath {
        subsystem: subsystem.to_string(),
        controller: cells[1].to_string(),
        transport: transport.to_string(),
        address: address.or(bare.copied()).unwrap_or_default().to_string(),
        state: one_of(&STATES),
        ana: one_of(&ANA_STATES),
    })
}

/// A walk through a document that remembers what stands above.
struct Visit<'a> {
    reading: &'a mut Reading,
    subsystem: String,
    ana: String,
}

impl Visit<'_> {
    fn node(&mut self, node: &Node) {
        // The oldest form names a subsystem in one object and its paths in the next, so the name stays.
        if let Some(nqn) = node.text_at("NQN").or(node.text_at("SubsystemNQN")) {
            self.subsystem = nqn.to_string();
            self.reading.fact(node.line, Fact::Heading);
        }
        let above = self.ana.clone();
        if let Some(ana) = node.text_at("ANAState") {
            self.ana = ana.to_string();
        }
        if let Some(transport) = node.text_at("Transport") {
            self.path(node, transport);
        }
        node.items().iter().for_each(|item| self.node(item));
        let inner =
            node.members().iter().filter(|(_, member)| !matches!(member.value, Value::Text(_) | Value::Bare(_)));
        inner.for_each(|(_, member)| self.node(member));
        self.ana = above;
    }

    fn path(&mut self, node: &Node, transport: &str) {
        let (Some(controller), address) =
            (node.text_at("Name").or(node.text_at("Controller")), node.text_at("Address"))
        else {
            return;
        };
        if !controller.starts_with("nvme") {
            return;
        }
        let address = address.unwrap_or_default();
        let traddr = address.split(',').find_map(|part| part.trim().strip_prefix("traddr="));
        let line = node.get("Transport").map_or(node.line, |transport| transport.line);
        self.reading.fact(
            line,
            Fact::NvmePath {
                subsystem: self.subsystem.clone(),
                controller: controller.to_string(),
                transport: transport.to_lowercase(),
                address: traddr.unwrap_or(address).to_string(),
                state: node.text_at("State").unwrap_or_default().to_string(),
                ana: self.ana.clone(),
            },
        );
    }
}
