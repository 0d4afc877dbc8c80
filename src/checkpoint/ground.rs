//! What a checkpoint is saved on, and the scenarios that are made of it: nodes, target and the works of a scheme.
//!
//! Knows the keys of a scenario. Must not know how long its works take.

use toml::{Table, Value};

use crate::error::Fault;
use crate::format::{FileKind, Transport};
use crate::platform::{Library, Loaded, load_text, whole};
use engine::units::{Bytes, Factor, Rate, Time};

use super::origin::{GENERATED, Origin};
use super::scheme::{Kind, Scheme, Step};

/// The keys of a scenario that say what a checkpoint is saved on.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// The GPU node.
    pub node: Value,
    /// Nodes and other jobs.
    pub cluster: Option<Value>,
    /// The network.
    pub fabric: Option<Value>,
    /// The storage target.
    pub target: Value,
    /// The target that stands for a node's own drives.
    pub local: Option<Value>,
    /// Where all that was told.
    pub(super) origin: Origin,
}

/// How bytes are put on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct How {
    /// A request.
    pub size: Bytes,
    /// Threads a GPU.
    pub threads: u64,
    /// Requests outstanding a thread.
    pub depth: u64,
    /// What a thread serialises.
    pub serialise: Option<Rate>,
    /// What syncing takes after the last write.
    pub fsync: Time,
    /// What it takes until all ranks have met.
    pub barrier: Time,
}

/// What a ground turns out to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The node's name.
    pub node: String,
    /// The target's name and rates.
    pub target: String,
    /// GPUs of a node in use.
    pub gpus: u64,
    /// Nodes that the ground says there are.
    pub nodes: Option<u64>,
    /// System memory of a node.
    pub memory: Option<u64>,
    /// Storage NICs by socket; empty where they hang below switches.
    pub nics: Vec<Vec<u64>>,
    /// Whether the driver's copies of pageable memory are known.
    pub knows_pageable: bool,
    /// Whether the target is reached over TCP.
    pub is_tcp: bool,
    /// Data nodes of the target and over how many a file is laid, where files may lie unevenly.
    pub stripes: Option<(u64, u64)>,
    /// The share of the target's rate that the layout reaches.
    pub striping_efficiency: f64,
}

/// What is moved by whom: bytes in all, nodes, GPUs of each, and each GPU's bytes where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) bytes: u64,
    pub(super) nodes: u64,
    pub(super) gpus: u64,
    pub(super) by_gpu: Vec<u64>,
}

/// Copies of pageable memory by the driver, for GPUs of which nobody says more.
const PAGEABLE: [(&str, &str, &str, &str); 2] =
    [("to_gpu", "13 GB/s", "8 GB/s", "18 GB/s"), ("from_gpu", "10 GB/s", "8 GB/s", "12.3 GB/s")];

const PAGEABLE_REFERENCE: &str = "13.7 to 18.4 GB/s towards a Gen4 GPU and 9.2 to 12.3 from it (NVlabs/cuda-oxide pull request 976); none for this one";

impl Ground {
    /// Looks at the ground without moving anything.
    ///
    /// # Errors
    /// A [`Fault`] if its models do not fit.
    pub fn site(&self, library: &Library) -> Result<Site, Fault> {
        let loaded = self.load(&self.keys(), library)?;
        let (node, target) = (&loaded.scenario.node, &loaded.scenario.target);
        let name = |name: &Option<String>, otherwise: &str| name.clone().unwrap_or_else(|| otherwise.to_string());
        let stripes = target.data_nodes.as_ref().and_then(|nodes| {
            let width = target.striping.as_ref()?.width.as_ref()?.value;
            Some((nodes.count.value, width)).filter(|(count, width)| width < count)
        });
        self.has_gpus(node)?;
        Ok(Site {
            node: name(&node.name, "node"),
            target: target_label(target, name(&target.name, "target")),
            gpus: node.gpus.value,
            nodes: loaded.scenario.cluster.as_ref().map(|cluster| cluster.nodes.value),
            memory: node.dram.memory.as_ref().map(|memory| memory.value.0),
            nics: node.sockets.iter().map(|socket| socket.nics.iter().map(|nic| nic.value).collect()).collect(),
            knows_pageable: node.gpu.copies.pageable.is_some(),
            is_tcp: target.transport.as_ref().is_some_and(|transport| transport.value == Transport::Tcp),
            stripes,
            striping_efficiency: target.striping_efficiency.as_ref().map_or(1.0, |share| share.value.as_f64()),
        })
    }

    /// Refuses more GPUs in use than there are.
    fn has_gpus(&self, node: &crate::format::Node) -> Result<(), Fault> {
        let below_switches = node.switches.iter().map(|switch| switch.gpus.len());
        let attached: usize = node.sockets.iter().map(|socket| socket.gpus.len()).chain(below_switches).sum();
        match node.gpus.value {
            0 => Err(self.origin.fault("node.gpus", "no GPU in use: nobody writes", "must be above zero")),
            more if more > attached as u64 => {
                let message = format!("{more} GPUs in use, but {attached} are attached to this node");
                Err(self
                    .origin
                    .fault("node.gpus", &message, "more than are attached")
                    .help(format!("use at most {attached}")))
            }
            _ => Ok(()),
        }
    }

    /// GPUs of each socket.
    pub(super) fn gpus_by_socket(&self, library: &Library) -> Result<Vec<Vec<u64>>, Fault> {
        let node = self.load(&self.keys(), library)?.scenario.node;
        let numbers = |list: &[crate::format::At<u64>]| list.iter().map(|number| number.value).collect();
        Ok(node.sockets.iter().map(|socket| numbers(&socket.gpus)).collect())
    }

    /// NICs of a node in use.
    pub(super) fn nics_in_use(&self, library: &Library) -> Result<u64, Fault> {
        Ok(self.load(&self.keys(), library)?.scenario.node.nics.value)
    }

    /// The target's rates with their keys, `times / of` times as high as they are.
    pub(super) fn target_rates(&self, library: &Library, times: u64, of: u64) -> Result<Vec<(String, Value)>, Fault> {
        let target = self.load(&self.keys(), library)?.scenario.target;
        let nodes = target.data_nodes.as_ref();
        let rates = [
            ("rate", Some(&target.rate)),
            ("read_rate", target.read_rate.as_ref()),
            ("write_rate", target.write_rate.as_ref()),
            ("data_nodes.nics", nodes.map(|nodes| &nodes.nics)),
            ("data_nodes.media_read", nodes.and_then(|nodes| nodes.media_read.as_ref())),
            ("data_nodes.media_write", nodes.and_then(|nodes| nodes.media_write.as_ref())),
        ];
        let scaled = |rate: Rate| text(Rate(rate.0.saturating_mul(times) / of.max(1)));
        let stated = rates.into_iter().filter_map(|(key, rate)| Some((format!("target.{key}"), scaled(rate?.value))));
        Ok(stated.collect())
    }

    /// The ground's own keys.
    fn keys(&self) -> Table {
        let mut table = Table::new();
        table.insert("schema".into(), Value::Integer(1));
        let keys = [("node", Some(&self.node)), ("cluster", self.cluster.as_ref()), ("fabric", self.fabric.as_ref())];
        for (key, value) in keys.into_iter().chain([("target", Some(&self.target))]) {
            if let Some(value) = value {
                table.insert(key.into(), value.clone());
            }
        }
        table
    }

    /// The ground with nodes and GPUs as a load has them, and what the steps of any scheme cost.
    fn with(&self, load: &Load, how: &How) -> Table {
        let mut table = self.keys();
        put(&mut table, "node.gpus", whole_number(load.gpus));
        put(&mut table, "cluster.nodes", whole_number(load.nodes));
        put(&mut table, "node.cpu.costs.fsync", assumed(&how.fsync.to_string(), "what the target's sync takes"));
        put(&mut table, "node.cpu.costs.barrier", assumed(&how.barrier.to_string(), "ranks meet over the network"));
        table
    }

    /// The scenario of a scheme.
    pub(super) fn save(
        &self,
        scheme: Scheme,
        load: &Load,
        how: &How,
        site: &Site,
        library: &Library,
    ) -> Result<Loaded, Fault> {
        let mut table = self.with(load, how);
        if scheme == Scheme::Pageable && !site.knows_pageable {
            for (key, value, low, high) in PAGEABLE {
                let figure = figure(&[("value", value), ("low", low), ("high", high)], PAGEABLE_REFERENCE);
                put(&mut table, &format!("node.gpu.copies.pageable.{key}"), figure);
            }
        }
        for step in scheme.steps() {
            put(&mut table, &format!("works.{}", step.name), self.work(&step, load, how));
        }
        if let Some(rate) = how.serialise {
            serialise(&mut table, scheme, rate, library)?;
        }
        self.load(&table, library)
    }

    fn work(&self, step: &Step, load: &Load, how: &How) -> Value {
        let mut work = Table::new();
        work.insert("path".into(), Value::String(step.path.into()));
        match step.kind {
            Kind::Bytes | Kind::Local => {
                work.insert("bytes".into(), text(Bytes(load.bytes)));
                work.insert("size".into(), text(how.size));
                work.insert("threads".into(), whole_number(how.threads));
                work.insert("depth".into(), whole_number(how.depth));
                if !load.by_gpu.is_empty() {
                    let shares = load.by_gpu.iter().map(|bytes| whole_number(*bytes)).collect();
                    work.insert("shares".into(), Value::Array(shares));
                }
            }
            Kind::Commit | Kind::LocalCommit => {
                work.insert("requests".into(), whole_number(1));
                work.insert("size".into(), Value::String("64 KiB".into()));
            }
        }
        if let Some(after) = step.after {
            work.insert("after".into(), Value::String(after.into()));
        }
        if let (Kind::Local | Kind::LocalCommit, Some(local)) = (step.kind, &self.local) {
            work.insert("target".into(), local.clone());
        }
        Value::Table(work)
    }

    /// The scenario of reading everything back by a path.
    pub(super) fn restore(&self, path: &str, load: &Load, how: &How, library: &Library) -> Result<Loaded, Fault> {
        let mut table = self.with(load, how);
        let step = Step { name: "load", path: "", after: None, kind: Kind::Bytes, stalls: true };
        put(&mut table, "works.load", self.work(&step, load, how));
        put(&mut table, "works.load.path", Value::String(path.into()));
        self.load(&table, library)
    }

    /// One node that trains, for a moment: what it moves from system memory to its GPUs, beside a drain at a stated pace if
    /// there is one.
    pub(super) fn training(
        &self,
        gpus: u64,
        how: &How,
        drain: Option<f64>,
        library: &Library,
    ) -> Result<Loaded, Fault> {
        let mut table = self.with(&Load { bytes: 0, nodes: 1, gpus, by_gpu: Vec::new() }, how);
        let moment = || Value::String("50 ms".into());
        for (key, value) in [("path", "host-upload"), ("size", "16 MiB")] {
            put(&mut table, &format!("works.step.{key}"), Value::String(value.into()));
        }
        put(&mut table, "works.step.depth", whole_number(2));
        put(&mut table, "works.step.run_time", moment());
        if let Some(requests_a_second) = drain {
            put(&mut table, "works.drain.path", Value::String("drain-write".into()));
            put(&mut table, "works.drain.size", text(how.size));
            put(&mut table, "works.drain.run_time", moment());
            put(&mut table, "works.drain.arrivals.rate", Value::String(format!("{requests_a_second:.3} /s")));
        }
        self.load(&table, library)
    }

    /// The same ground with a key replaced.
    pub(super) fn changed(&self, changes: &[(String, Value)]) -> Ground {
        let mut table = self.keys();
        changes.iter().for_each(|(key, value)| put(&mut table, key, value.clone()));
        let take = |key: &str| table.get(key).cloned();
        Ground {
            node: take("node").unwrap_or_else(|| self.node.clone()),
            cluster: take("cluster"),
            fabric: take("fabric"),
            target: take("target").unwrap_or_else(|| self.target.clone()),
            local: self.local.clone(),
            origin: self.origin.clone(),
        }
    }

    fn load(&self, table: &Table, library: &Library) -> Result<Loaded, Fault> {
        load_text(GENERATED, &table.to_string(), library, &[]).map_err(|fault| self.origin.blame(fault))
    }
}

/// A target's name with its rates: a model's may have been replaced.
fn target_label(target: &crate::format::Target, name: String) -> String {
    let rate =
        |own: &Option<crate::format::Figure<Rate>>| own.as_ref().map_or(target.rate.value, |figure| figure.value);
    let (write, read) = (rate(&target.write_rate), rate(&target.read_rate));
    if write == read { format!("{name} ({write})") } else { format!("{name} ({write} in, {read} out)") }
}

/// Puts a step before the leg that writes, in every path of a scheme that goes through system memory: a thread packs a
/// request's bytes at its rate.
fn serialise(table: &mut Table, scheme: Scheme, rate: Rate, library: &Library) -> Result<(), Fault> {
    let at = |bytes: u64| Value::String(rate.time_for(Bytes(bytes)).unwrap_or(Time(0)).to_string());
    let point = |size: &str, bytes: u64| Value::Array(vec![Value::String(size.into()), at(bytes)]);
    let points = Value::Array(vec![point("4 KiB", 1 << 12), point("1 GiB", 1 << 30)]);
    put(table, "node.cpu.costs_by_size.serialise.points", points);
    for path in ["bounce-write", "drain-write", "local-bounce-write"] {
        if scheme.steps().iter().any(|step| step.path == path) {
            let text = whole(FileKind::Path, path, library, None)?;
            let mut file: Table = text.parse().map_err(|error| Fault::new(format!("{path}: {error}")))?;
            if let Some(Value::Array(legs)) = file.get_mut("legs") {
                // Before the thread copies, or before drives fetch.
                let last = legs.len().saturating_sub(1);
                let copies = |leg: &Value| leg.get("name").and_then(Value::as_str) == Some("copy");
                legs.insert(legs.iter().position(copies).unwrap_or(last), serialiser());
            }
            put(table, &format!("paths.{path}"), Value::Table(file));
        }
    }
    Ok(())
}

fn serialiser() -> Value {
    let mut step = Table::new();
    step.insert("what".into(), Value::String("the serialiser packs the bytes".into()));
    step.insert("cost".into(), Value::String("cpu.serialise".into()));
    let mut leg = Table::new();
    leg.insert("name".into(), Value::String("serialise".into()));
    leg.insert("mover".into(), Value::String("none".into()));
    leg.insert("before".into(), Value::Array(vec![Value::Table(step)]));
    Value::Table(leg)
}

/// Puts a value at a dotted key; where a model's name stands on the way, it becomes a table of that model.
pub(super) fn put(table: &mut Table, key: &str, value: Value) {
    let Some((first, rest)) = key.split_once('.') else {
        table.insert(key.into(), value);
        return;
    };
    let inner = table.entry(first).or_insert_with(|| Value::Table(Table::new()));
    if let Value::String(model) = inner {
        *inner = Value::Table(Table::from_iter([("model".to_string(), Value::String(std::mem::take(model)))]));
    }
    if let Value::Table(inner) = inner {
        put(inner, rest, value);
    }
}

fn text(value: impl std::fmt::Display) -> Value {
    Value::String(value.to_string())
}

pub(super) fn whole_number(value: u64) -> Value {
    Value::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// A share as a number.
pub(super) fn factor(value: f64) -> Value {
    Value::Float(Factor::from_f64(value).as_f64())
}

fn assumed(value: &str, reference: &str) -> Value {
    figure(&[("value", value)], reference)
}

fn figure(values: &[(&str, &str)], reference: &str) -> Value {
    let more = [("source", "assumed"), ("reference", reference)];
    let entries = values.iter().chain(&more).map(|(key, value)| (key.to_string(), Value::String(value.to_string())));
    Value::Table(Table::from_iter(entries))
}
