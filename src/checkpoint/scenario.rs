//! The scenarios of a checkpoint: an environment with the works of a scheme, of a restore or of a training step.
//!
//! Knows works and paths as types. Must not know how long they take.

use indexmap::IndexMap;

use crate::error::Span;
use crate::format::{
    ArrivalKind, Arrivals, At, BySize, Figure, Files, Leg, Origin, Pageable, Path, Point, Scenario, Size, Step, Table,
    Work,
};
use crate::platform::Loaded;
use engine::Mover;
use engine::units::{Bytes, Frequency, Rate, Time};

use super::environment::{Environment, put_nodes};
use super::scheme::{Kind, Part, Scheme};

/// How bytes are put on their way.
#[derive(Clone, Debug, PartialEq)]
pub struct How {
    /// A request.
    pub size: At<Bytes>,
    /// Threads a GPU.
    pub threads: At<u64>,
    /// Requests outstanding a thread.
    pub depth: At<u64>,
    /// What a thread serialises.
    pub serialise: Option<Rate>,
    /// What syncing takes after the last write.
    pub fsync: Time,
    /// What it takes until all ranks have met.
    pub barrier: Time,
    /// Where it is said how much there is to save.
    pub(super) bytes_at: Span,
}

/// What is moved by whom: bytes in all, nodes, GPUs of each, and each GPU's bytes where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Load {
    pub(super) bytes: u64,
    pub(super) nodes: u64,
    pub(super) gpus: u64,
    pub(super) by_gpu: Vec<u64>,
}

/// Copies of pageable memory by the driver, for GPUs of which nobody says more: value, low and high end in GB/s.
const PAGEABLE_TO_GPU: [u64; 3] = [13_000_000_000, 8_000_000_000, 18_000_000_000];
const PAGEABLE_FROM_GPU: [u64; 3] = [10_000_000_000, 8_000_000_000, 12_300_000_000];
const PAGEABLE_REFERENCE: &str = "13.7 to 18.4 GB/s towards a Gen4 GPU and 9.2 to 12.3 from it (NVlabs/cuda-oxide pull request 976); none for this one";

/// The paths on which a thread packs bytes before they are written.
const SERIALISED: [&str; 3] = ["bounce-write", "drain-write", "local-bounce-write"];

impl Environment {
    /// The scenario of a scheme.
    pub(super) fn save(&self, scheme: Scheme, load: &Load, how: &How) -> Loaded {
        let mut scenario = self.with(load, how);
        if scheme == Scheme::Pageable {
            scenario.node.gpu.copies.pageable.get_or_insert_with(pageable);
        }
        for part in scheme.parts() {
            scenario.works.insert(part.name.to_string(), unplaced(self.work(&part, load, how)));
        }
        if let Some(rate) = how.serialise {
            scenario.node.cpu.costs_by_size.insert("serialise".into(), packing(rate));
            let paths = scheme.parts().into_iter().map(|part| part.path).filter(|path| SERIALISED.contains(path));
            for path in paths {
                scenario.paths.get_mut(path).into_iter().for_each(pack);
            }
        }
        self.loaded(scenario)
    }

    /// The scenario of reading everything back by a path.
    pub(super) fn restore(&self, path: &'static str, load: &Load, how: &How) -> Loaded {
        let mut scenario = self.with(load, how);
        let part = Part { name: "load", path, after: None, kind: Kind::Bytes, stalls: true };
        scenario.works.insert(part.name.to_string(), unplaced(self.work(&part, load, how)));
        self.loaded(scenario)
    }

    /// One node that trains, for a moment: what it moves from system memory to its GPUs, beside a drain of so many requests a
    /// second if there is one.
    pub(super) fn training(&self, gpus: u64, how: &How, drain: Option<f64>) -> Loaded {
        let mut scenario = self.with(&Load { bytes: 0, nodes: 1, gpus, by_gpu: Vec::new() }, how);
        let moment = || Some(Figure::stated(Time(50_000_000_000)));
        let step =
            Work { run_time: moment(), depth: Figure::stated(2), ..along("host-upload", unplaced(Bytes(16 << 20))) };
        scenario.works.insert("step".into(), unplaced(step));
        if let Some(rate) = drain {
            let rate = Figure::stated(Frequency((rate * 1e6).round() as u64));
            let arrivals = Some(unplaced(Arrivals { rate, kind: ArrivalKind::Fixed }));
            let drain = Work { run_time: moment(), arrivals, ..along("drain-write", how.size.clone()) };
            scenario.works.insert("drain".into(), unplaced(drain));
        }
        self.loaded(scenario)
    }

    /// The environment with nodes and GPUs as a load has them, and what the steps of any scheme cost.
    fn with(&self, load: &Load, how: &How) -> Scenario {
        let mut scenario = self.composed.scenario.clone();
        let gpus = &mut scenario.node.gpus;
        *gpus = Figure { span: gpus.span.clone(), ..Figure::stated(load.gpus) };
        put_nodes(&mut scenario, load.nodes);
        let costs = &mut scenario.node.cpu.costs;
        costs.insert("fsync".into(), assumed(how.fsync, "what the target's sync takes"));
        costs.insert("barrier".into(), assumed(how.barrier, "ranks meet over the network"));
        scenario
    }

    fn work(&self, part: &Part, load: &Load, how: &How) -> Work {
        let mut work = match part.kind {
            Kind::Bytes | Kind::Local => Work {
                bytes: Some(placed(Bytes(load.bytes), &how.bytes_at)),
                threads: placed(how.threads.value, &how.threads.span),
                depth: placed(how.depth.value, &how.depth.span),
                shares: (!load.by_gpu.is_empty()).then(|| unplaced(load.by_gpu.clone())),
                ..along(part.path, how.size.clone())
            },
            Kind::Commit | Kind::LocalCommit => {
                Work { requests: Some(Figure::stated(1)), ..along(part.path, unplaced(Bytes(64 << 10))) }
            }
        };
        work.after = part.after.map(|name| unplaced(name.to_string()));
        if matches!(part.kind, Kind::Local | Kind::LocalCommit) {
            work.target = self.composed.local.clone();
        }
        work
    }

    /// What a run takes: paths that no work asks for, and none that it may take instead, are left out.
    fn loaded(&self, mut scenario: Scenario) -> Loaded {
        let mut wanted: Vec<String> = scenario.works.values().map(|work| work.value.path.value.clone()).collect();
        let mut next = 0;
        while let Some(name) = wanted.get(next) {
            let companions = scenario.paths.get(name).into_iter().flat_map(Path::companions);
            let more: Vec<String> = companions.map(|(_, name)| name.value.clone()).collect();
            wanted.extend(more.into_iter().filter(|name| !wanted.contains(name)).collect::<Vec<_>>());
            next += 1;
        }
        let paths = std::mem::take(&mut scenario.paths);
        scenario.paths = paths.into_iter().filter(|(name, _)| wanted.contains(name)).collect::<IndexMap<_, _>>();
        Loaded::typed(scenario, self.composed.sources.clone())
    }
}

/// A work along a path, with nothing said of how much it moves.
fn along(path: &str, size: At<Bytes>) -> Work {
    Work {
        path: unplaced(path.to_string()),
        bytes: None,
        requests: None,
        shares: None,
        run_time: None,
        warm_up: None,
        size: At { value: Size::Fixed(placed(size.value, &size.span)), span: size.span },
        threads: Figure::stated(1),
        depth: Figure::stated(1),
        arrivals: None,
        after: None,
        start: None,
        stagger: None,
        files: Files::default(),
        nic: At::default(),
        gpus: None,
        o_direct: None,
        offset: None,
        registered: None,
        session: true,
        completion: None,
        target: None,
    }
}

fn unplaced<T>(value: T) -> At<T> {
    At { value, span: 0..0 }
}

fn placed<T: engine::units::Quantity>(value: T, span: &Span) -> Figure<T> {
    Figure { span: span.clone(), ..Figure::stated(value) }
}

fn assumed(value: Time, reference: &str) -> Figure<Time> {
    Figure { origin: Origin::Assumed, reference: Some(reference.to_string()), ..Figure::stated(value) }
}

fn pageable() -> Pageable {
    let rate = |[value, low, high]: [u64; 3]| {
        let (low, high, reference) = (Some(Rate(low)), Some(Rate(high)), Some(PAGEABLE_REFERENCE.to_string()));
        BySize::One(Figure { low, high, origin: Origin::Assumed, reference, ..Figure::stated(Rate(value)) })
    };
    Pageable {
        to_gpu: rate(PAGEABLE_TO_GPU),
        from_gpu: rate(PAGEABLE_FROM_GPU),
        serial_above_to_gpu: None,
        serial_above_from_gpu: None,
    }
}

/// What packing a request's bytes takes a thread.
fn packing(rate: Rate) -> Table<Time> {
    let point = |bytes: u64| {
        let value = rate.time_for(Bytes(bytes)).unwrap_or(Time(0));
        Point { size: Bytes(bytes), value, low: None, high: None }
    };
    Table { points: vec![point(1 << 12), point(1 << 30)], origin: Origin::Stated, reference: None, span: 0..0 }
}

/// Puts a step before the leg that writes: before the thread copies, or before drives fetch.
fn pack(path: &mut Path) {
    let step = Step {
        what: "the serialiser packs the bytes".into(),
        cost: unplaced("cpu.serialise".to_string()),
        jitter: None,
        each: None,
        unless_inline: None,
        when: None,
    };
    let leg = Leg {
        name: unplaced("serialise".to_string()),
        mover: unplaced(Mover::None),
        holds: Vec::new(),
        before: vec![step],
        hops: Vec::new(),
        hot: None,
        moves: None,
        resident: None,
        write_back: false,
        after: Vec::new(),
    };
    let last = path.legs.len().saturating_sub(1);
    let at = path.legs.iter().position(|leg| leg.name.value == "copy").unwrap_or(last);
    path.legs.insert(at, leg);
}
