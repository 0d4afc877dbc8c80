//! Puts a path together from its segments: the legs of its host side, with the wire's steps and leg in their places.
//!
//! Knows the keys of segments. Must not know what a step costs.

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::DeValue;

use crate::error::{Fault, Span};
use crate::format::{FileKind, Host, Through, Wire};

use super::merge::Merger;
use super::misfit::misfit;
use super::tree::{Table, Value, key, table_mut, text};
use super::wires;

/// A path of segments, put together: over its own wire, else over the one given, else over the default. Other paths stay as
/// they are. `None` where no device reaches the GPU's memory over a wire and the path asks for that.
pub(super) fn composed<'i>(
    mut path: Value<'i>,
    wire: Option<&str>,
    merger: &mut Merger<'_, 'i>,
) -> Result<Option<Value<'i>>, Fault> {
    let span = path.span();
    let Some(table) = table_mut(&mut path) else { return Ok(Some(path)) };
    let Some(host) = table.remove("host") else { return Ok(Some(path)) };
    let named = table.remove("wire").unwrap_or_else(|| text(span, wire.unwrap_or(wires::DEFAULT).to_string()));
    let (host_file, host) = segment::<Host>(FileKind::Host, &host, merger)?;
    let (wire_file, wire) = segment::<Wire>(FileKind::Wire, &named, merger)?;
    if host.method == crate::format::Method::Gds && !wire.gpu_direct {
        return Ok(None);
    }
    let direction = table.get("direction").and_then(|way| way.get_ref().as_str()).unwrap_or("read").to_string();
    let seam = Seam { wire: &wire_file, through: wire.through, whole_blocks: host.whole_blocks };
    seam.join(table, &host_file, &direction);
    Ok(Some(path))
}

/// A segment's tree, and what it says.
fn segment<'i, T: DeserializeOwned>(
    kind: FileKind,
    name: &Value<'i>,
    merger: &mut Merger<'_, 'i>,
) -> Result<(Table<'i>, T), Fault> {
    let tree = merger.file(kind, name.get_ref().as_str().unwrap_or_default(), &name.span())?;
    let DeValue::Table(table) = tree.get_ref() else { return Err(Fault::new(format!("a {kind} is a table"))) };
    let whole = toml::Deserializer::from(Spanned::new(tree.span(), table.clone()));
    let said = T::deserialize(whole).map_err(|error| misfit(&error, &tree, &merger.texts.sources, "the segment"))?;
    Ok((table.clone(), said))
}

/// Where a host side and a wire meet.
struct Seam<'a, 'i> {
    wire: &'a Table<'i>,
    through: Through,
    whole_blocks: bool,
}

impl<'i> Seam<'_, 'i> {
    /// Lays host side and wire into a path; keys of the path's own stay.
    fn join(&self, path: &mut Table<'i>, host: &Table<'i>, direction: &str) {
        let way = inner(host, direction);
        let over_wire = inner(self.wire, direction);
        let session = [list(&way, "session"), list(&over_wire, "session")].concat();
        let legs: Vec<Value<'i>> = list(&way, "legs").into_iter().flat_map(|leg| self.legs(leg, direction)).collect();
        let commands = legs.iter().any(|leg| leg.get_ref().get("at").is_none());
        let whole = |name: &str, from: &Table<'i>| from.get(name).cloned().map(|value| (name.to_string(), value));
        let inline = whole("inline", &over_wire).filter(|_| !self.whole_blocks);
        let command = whole("command", self.wire).filter(|_| commands);
        let kept = [whole("method", host), whole("holds_thread", host), command, inline];
        let lists = [("session", session), ("legs", legs)].map(|(name, items)| (name.to_string(), array(items)));
        for (name, value) in kept.into_iter().flatten().chain(lists) {
            if !path.contains_key(name.as_str()) {
                path.insert(key(value.span(), name), value);
            }
        }
    }

    /// A leg of the host side as legs of the path.
    fn legs(&self, leg: Value<'i>, direction: &str) -> Vec<Value<'i>> {
        let span = leg.span();
        let DeValue::Table(mut leg) = leg.into_inner() else { return Vec::new() };
        let own = leg.remove("direction").and_then(|way| Some(way.get_ref().as_str()?.to_string()));
        let direction = own.as_deref().unwrap_or(direction).to_string();
        for name in ["before", "after"] {
            if let Some(steps) = leg.get_mut(name) {
                *steps = array(self.steps(steps, &direction));
            }
        }
        match leg.remove("at") {
            None => vec![table_value(span, leg)],
            Some(at) => self.over_wire(leg, &at, &direction, &span),
        }
    }

    /// Steps of the host side, those of the wire where it says so.
    fn steps(&self, steps: &Value<'i>, direction: &str) -> Vec<Value<'i>> {
        let expand = |step: &Value<'i>| match step.get_ref().get("wire").and_then(|wire| wire.get_ref().as_str()) {
            Some(name) => self.of_wire(direction, name),
            None => vec![step.clone()],
        };
        steps.get_ref().as_array().into_iter().flatten().flat_map(expand).collect()
    }

    /// A list of the wire, without the difference that a capsule makes where whole blocks go.
    fn of_wire(&self, direction: &str, name: &str) -> Vec<Value<'i>> {
        let mut items = list(&inner(self.wire, direction), name);
        for item in items.iter_mut().filter_map(table_mut).filter(|_| self.whole_blocks) {
            item.remove("unless_inline");
        }
        items
    }

    /// The wire's own leg, and the one by which a core brings the bytes where they are wanted.
    fn over_wire(&self, mut leg: Table<'i>, at: &Value<'i>, direction: &str, span: &Span) -> Vec<Value<'i>> {
        let end = at.get_ref().as_str().unwrap_or_default().to_string();
        let reads = direction == "read";
        let lands = inner(self.wire, direction).get("lands").and_then(|to| Some(to.get_ref().as_str()?.to_string()));
        let first_end = lands.clone().unwrap_or_else(|| end.clone());
        let from = if in_hbm(&end) { "from_gpu" } else { "from_memory" };
        let before = [list(&leg, "before"), self.of_wire(direction, "before"), self.of_wire(direction, from)].concat();
        let completes = list(&leg, "after");
        let mut after = self.of_wire(direction, "after");
        let holds = [list(&leg, "holds"), self.of_wire(direction, "holds")].concat();
        let hops = self.hops(&first_end, reads, span);
        let mover = match self.through {
            Through::Nic => "nic",
            Through::Pcie => "drive",
            Through::None if hops.is_empty() => "none",
            Through::None => "cpu",
        };
        let mut receive = Vec::new();
        match &lands {
            Some(lands) => receive.push(received(lands, &end, completes, span)),
            None => after.extend(completes),
        }
        let steps_only = if hops.is_empty() { std::mem::take(&mut after) } else { Vec::new() };
        put(&mut leg, "mover", text(span.clone(), mover));
        put(&mut leg, "holds", array(holds));
        put(&mut leg, "before", array([before, steps_only].concat()));
        put(&mut leg, "hops", array(hops));
        put(&mut leg, "after", array(after));
        let moves_nothing = ["hops", "before"].iter().all(|name| list(&leg, name).is_empty());
        let leg = (!moves_nothing).then(|| table_value(span.clone(), leg));
        leg.into_iter().chain(receive).collect()
    }

    /// The stations from storage to a place in the node, as hops; the other way round for writes.
    fn hops(&self, end: &str, reads: bool, span: &Span) -> Vec<Value<'i>> {
        let mut stations = match self.through {
            Through::Nic if in_hbm(end) => vec!["storage", "nic", "pcie", end],
            Through::Nic => vec!["storage", "nic", end],
            Through::Pcie => vec!["storage", "pcie", end],
            Through::None if end == "kernel buffer" => Vec::new(),
            Through::None => vec!["kernel buffer", end],
        };
        if !reads {
            stations.reverse();
        }
        stations.windows(2).map(|pair| hop(pair[0], pair[1], span)).collect()
    }
}

fn in_hbm(station: &str) -> bool {
    ["hbm", "bounce buffer"].contains(&station)
}

/// A core brings what has landed where it is wanted.
fn received<'i>(lands: &str, end: &str, after: Vec<Value<'i>>, span: &Span) -> Value<'i> {
    let mut leg = Table::default();
    put(&mut leg, "name", text(span.clone(), "receive"));
    put(&mut leg, "mover", text(span.clone(), "cpu"));
    put(&mut leg, "hops", array(vec![hop(lands, end, span)]));
    put(&mut leg, "after", array(after));
    table_value(span.clone(), leg)
}

fn hop<'i>(from: &str, to: &str, span: &Span) -> Value<'i> {
    let mut hop = Table::default();
    put(&mut hop, "from", text(span.clone(), from.to_string()));
    put(&mut hop, "to", text(span.clone(), to.to_string()));
    table_value(span.clone(), hop)
}

fn put<'i>(table: &mut Table<'i>, name: &'static str, value: Value<'i>) {
    let empty = value.get_ref().as_array().is_some_and(|items| items.is_empty());
    table.remove(name);
    if !empty {
        table.insert(key(value.span(), name), value);
    }
}

fn inner<'i>(table: &Table<'i>, name: &str) -> Table<'i> {
    table.get(name).and_then(|value| value.get_ref().as_table().cloned()).unwrap_or_default()
}

fn list<'i>(table: &Table<'i>, name: &str) -> Vec<Value<'i>> {
    let items = table.get(name).and_then(|value| value.get_ref().as_array());
    items.into_iter().flatten().cloned().collect()
}

fn array(items: Vec<Value<'_>>) -> Value<'_> {
    let span = items.first().map_or(0..0, Spanned::span);
    Spanned::new(span, DeValue::Array(items.into_iter().collect()))
}

fn table_value<'i>(span: Span, table: Table<'i>) -> Value<'i> {
    Spanned::new(span, DeValue::Table(table))
}
