//! The answer sheet: for every ground and every scheme, times, stall, memory, restore, interval and goodput.
//!
//! Knows the order in which the answers come about. Must not know how they are printed.

use rayon::prelude::*;
use serde::Serialize;

use crate::error::Fault;
use crate::platform::Library;
use engine::Mode;

use super::failures::{self, Failures, Replicates, Training as Run};
use super::file::Cache;
use super::fleet::Fleet;
use super::ground::{Ground, Load};
use super::interval::{self, Costs};
use super::measure::{Bench, Repetitions, Times};
use super::question::Question;
use super::scheme::Scheme;
use super::what_if::{self, Chance, Change};
use super::written::WrittenSheet;

/// All answers. Field names are the JSON keys; later versions only add.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sheet {
    /// Version of this shape: 1.
    pub schema: u32,
    /// Bytes in all, in 2^30 bytes.
    pub size_gib: f64,
    /// What is saved.
    pub written: WrittenSheet,
    /// On what: a part for each ground.
    pub grounds: Vec<GroundSheet>,
    /// What to know of it.
    pub warnings: Vec<String>,
}

/// The answers for one ground.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroundSheet {
    /// The node's model.
    pub node: String,
    /// The target's.
    pub target: String,
    /// Nodes of the job.
    pub nodes: u64,
    /// Nodes that write.
    pub writing_nodes: u64,
    /// GPUs of a node that hold ranks.
    pub gpus: u64,
    /// How saves are simulated: `request`, `settled` or `stream`.
    pub mode: Mode,
    /// Mean time between failures of the job.
    pub job_mtbf_s: f64,
    /// The schemes, those that cannot be among them.
    pub schemes: Vec<Row>,
    /// Single changes by what they gain; empty unless asked for.
    pub what_if: Vec<Change>,
}

/// A scheme's answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The scheme.
    pub scheme: Scheme,
    /// Why it cannot be here, instead of figures.
    pub refused: Option<String>,
    /// Its figures.
    pub figures: Option<Figures>,
}

/// A scheme's figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Times of a save.
    #[serde(flatten)]
    pub times: Times,
    /// Save times of several repetitions, where something is left to chance.
    pub repetitions: Option<Repetitions>,
    /// How much longer a training step is while the save goes on beside it (0.05: 5 %).
    pub step_inflation: f64,
    /// Bytes of a node's system memory at the peak.
    pub host_bytes: u64,
    /// How it comes back.
    pub restore: Restored,
    /// How often to save, and what comes of it.
    pub interval: Interval,
}

/// How a save comes back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Restored {
    /// In all.
    pub total_s: f64,
    /// Until the first byte is asked for.
    pub start_s: f64,
    /// Opening files.
    pub metadata_s: f64,
    /// Reading.
    pub data_s: f64,
    /// The path.
    pub path: String,
    /// From where.
    pub cache: Cache,
    /// What binds the reading.
    pub binds: String,
}

/// How often to save.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// What a save, a restart and failures cost.
    pub costs: Costs,
    /// Young's interval.
    pub young_s: f64,
    /// Daly's.
    pub daly_s: f64,
    /// That of the highest availability.
    pub availability_s: f64,
    /// The one that was taken.
    pub taken_s: f64,
    /// The share of time that is useful work.
    pub goodput: f64,
    /// Work undone by a failure in the mean.
    pub lost_s: f64,
    /// The same by simulated failures: at random, or with a trace's intervals drawn anew.
    pub simulated: Replicates,
    /// The same by a trace as it stands, until its last failure.
    pub replayed: Option<Replicates>,
}

/// Runs of simulated failures, and failures of each.
const RUNS: u64 = 16;
const FAILURES: f64 = 400.0;

impl Sheet {
    /// Answers a question.
    ///
    /// # Errors
    /// A [`Fault`] if the models do not fit, or if a scheme that was asked for by name cannot be.
    pub fn answer(question: &Question, library: &Library, what_if: bool) -> Result<Sheet, Fault> {
        let grounds = question.grounds.par_iter().map(|ground| on_ground(question, ground, library, what_if));
        let grounds: Vec<GroundSheet> = grounds.collect::<Result<_, _>>()?;
        let written = question.written.sheet();
        let warnings = question.warnings.iter().cloned().chain(grounds.iter().flat_map(unbalanced)).collect();
        Ok(Sheet { schema: 1, size_gib: written.size_gib, written, grounds, warnings })
    }
}

/// Says which schemes' streams found no balance.
fn unbalanced(ground: &GroundSheet) -> Vec<String> {
    let off = |row: &Row| {
        let figures = row.figures.as_ref()?;
        let repeated = figures.repetitions.and_then(|all| all.unbalanced);
        let off = figures.times.unbalanced.into_iter().chain(repeated).reduce(f64::max)?;
        let (scheme, percent) = (row.scheme.name(), (off * 100.0).ceil());
        Some(format!(
            "{} to {}, {scheme}: streams bring what binds into no balance: times may be off by {percent} %; hold it against \
             `--mode request` with fewer nodes, or keep fewer requests outstanding (save.threads, save.depth)",
            ground.node, ground.target
        ))
    };
    ground.schemes.iter().filter_map(off).collect()
}

/// One ground with what is moved over it.
pub(super) struct Case<'a> {
    question: &'a Question,
    pub(super) bench: Bench<'a>,
    pub(super) load: Load,
    nodes: u64,
    /// Nodes that write.
    writing: u64,
    /// Bytes of the fullest node.
    fullest: u64,
}

fn on_ground(
    question: &Question,
    ground: &Ground,
    library: &Library,
    with_changes: bool,
) -> Result<GroundSheet, Fault> {
    let site = ground.site(library)?;
    let bench = Bench { ground, site: &site, how: &question.how, library, mode: question.mode };
    let case = Case::new(question, bench)?;
    let rows: Vec<Result<Row, Fault>> =
        asked(question, ground).into_par_iter().map(|scheme| case.row(scheme)).collect();
    let schemes = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
    let chance = Chance { files: question.written.layout.files(), seed: question.seed };
    let changes = if with_changes { what_if::changes(&case.bench, &case.load, chance, &schemes)? } else { Vec::new() };
    Ok(GroundSheet {
        node: site.node.clone(),
        target: site.target.clone(),
        nodes: case.nodes,
        writing_nodes: case.writing,
        gpus: case.load.gpus,
        mode: bench.mode(&case.load),
        job_mtbf_s: question.failing.job_mtbf(case.nodes).seconds(),
        schemes,
        what_if: changes,
    })
}

/// Ranks that do not divide over the nodes.
fn uneven(bench: &Bench<'_>, ranks: u64, nodes: u64) -> Fault {
    if bench.site.nodes.is_some() {
        let message = format!("`cluster.nodes`: {ranks} ranks do not divide over {nodes} nodes");
        let fault = bench.ground.origin.fault("cluster.nodes", &message, "does not divide them");
        return fault.help("give the cluster a number of nodes that divides the ranks");
    }
    let gpus = bench.site.gpus;
    Fault::new(format!("{ranks} ranks do not divide over the {nodes} nodes that they need, of {gpus} GPUs each")).help(
        format!("take a multiple of {gpus} ranks, or other GPUs a node (--ranks, --gpus), or say `cluster.nodes`"),
    )
}

/// The schemes asked for; without a word, all but those that need drives of which nobody knows.
fn asked(question: &Question, ground: &Ground) -> Vec<Scheme> {
    let all = || Scheme::ALL.into_iter().filter(|scheme| !scheme.is_local() || ground.local.is_some()).collect();
    question.schemes.clone().unwrap_or_else(all)
}

impl<'a> Case<'a> {
    pub(super) fn new(question: &'a Question, bench: Bench<'a>) -> Result<Case<'a>, Fault> {
        let ranks = question.written.parallelism.ranks;
        let nodes = bench.site.nodes.unwrap_or_else(|| ranks.div_ceil(bench.site.gpus.max(1)));
        if nodes == 0 || !ranks.is_multiple_of(nodes) {
            return Err(uneven(&bench, ranks, nodes));
        }
        let fleet = Fleet::of(&question.written.layout.ranks, nodes, bench.site.gpus);
        Ok(Case {
            question,
            bench,
            load: fleet.load(),
            nodes,
            fullest: fleet.fullest_node(),
            writing: fleet.writing_nodes(),
        })
    }

    fn row(&self, scheme: Scheme) -> Result<Row, Fault> {
        match self.refusal(scheme) {
            Some(refused) if self.question.schemes.is_some() => {
                let message = format!("the scheme {} cannot be here: {refused}", scheme.name());
                Err(self
                    .bench
                    .ground
                    .origin
                    .fault("save.schemes", &message, "asked for here")
                    .help("leave the scheme out, or give the node what it needs"))
            }
            Some(refused) => Ok(Row { scheme, refused: Some(refused), figures: None }),
            None => Ok(Row { scheme, refused: None, figures: Some(self.figures(scheme)?) }),
        }
    }

    /// Why a scheme cannot be on this ground.
    fn refusal(&self, scheme: Scheme) -> Option<String> {
        if scheme.is_local() && self.bench.ground.local.is_none() {
            return Some("the node has no drives of its own (`local` names them)".into());
        }
        if scheme == Scheme::Gds && self.bench.site.is_tcp {
            return Some("the target is reached over TCP, which has no peer-to-peer: GDS falls back to bounce".into());
        }
        let (memory, staged) = (self.bench.site.memory?, self.fullest);
        (scheme.stages() && staged > memory).then(|| {
            let [staged, memory] = [staged, memory].map(crate::readable::bytes);
            format!("staging needs {staged} of system memory on a node, and `node.dram.memory` is {memory}")
        })
    }

    fn figures(&self, scheme: Scheme) -> Result<Figures, Fault> {
        let times = self.bench.save(scheme, &self.load, false)?;
        let question = self.question;
        let files = question.written.layout.files();
        let repetitions = self.bench.repeat(scheme, &self.load, files, question.repetitions, question.seed)?;
        let step_inflation = self.inflation(&times)?;
        let restore = self.restored(scheme)?;
        let interval = self.interval(&times, step_inflation, &restore);
        let host_bytes = times.in_flight_bytes + if scheme.stages() { self.fullest } else { 0 };
        Ok(Figures { times, repetitions, step_inflation, host_bytes, restore, interval })
    }

    /// How much longer a step is while a drain goes on: what it moves takes longer, as far as computing does not hide it.
    fn inflation(&self, times: &Times) -> Result<f64, Fault> {
        let training = &self.question.training;
        let step = training.step.seconds();
        if times.drain_s <= 0.0 || training.traffic.0 == 0 || step <= 0.0 {
            return Ok(0.0);
        }
        // A step waits for the slowest node: that with most to drain.
        let pace = self.fullest as f64 / times.drain_s;
        let (slower, byte_s) = self.bench.slowdown(self.load.gpus, pace)?;
        Ok(training.exposed * training.traffic.0 as f64 * byte_s * (slower - 1.0) / step)
    }

    fn restored(&self, scheme: Scheme) -> Result<Restored, Fault> {
        let restore = &self.question.restore;
        let (path, data_s, binds) = self.bench.load(scheme, restore.cache, &self.load)?;
        let files_a_rank = self.question.written.layout.files_a_rank;
        let (start_s, metadata_s) = (restore.start.seconds(), restore.metadata.seconds() * files_a_rank as f64);
        let total_s = start_s + metadata_s + data_s;
        Ok(Restored { total_s, start_s, metadata_s, data_s, path, cache: restore.cache, binds })
    }

    fn interval(&self, times: &Times, inflation: f64, restore: &Restored) -> Interval {
        let failing = &self.question.failing;
        let mtbf_s = failing.job_mtbf(self.nodes).seconds();
        let overhead_s = times.stall_s + times.drain_s * inflation / (1.0 + inflation);
        let latency_s = times.save_s.max(overhead_s);
        let costs = Costs { overhead_s, latency_s, restart_s: restore.total_s, mtbf_s };
        let taken_s = failing.interval.map_or_else(|| costs.best_s(), |interval| interval.seconds());
        let run = Run::of(&costs, taken_s, FAILURES);
        let simulated = failures::replicates(&run, &failing.of_job(self.nodes), self.question.seed, RUNS);
        let replayed = failing.trace.as_ref().map(|times| {
            failures::replicates(&run.clone().until(times.len() as u64), &Failures::Trace(times.clone()), 0, 1)
        });
        Interval {
            costs,
            young_s: interval::young(overhead_s, mtbf_s),
            daly_s: interval::daly(overhead_s, mtbf_s),
            availability_s: interval::availability(overhead_s, mtbf_s),
            taken_s,
            goodput: costs.goodput(taken_s),
            lost_s: costs.lost_s(taken_s),
            simulated,
            replayed,
        }
    }
}
