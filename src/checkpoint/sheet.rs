//! Answers: for every environment and every scheme, times, stall, memory, restore, interval and goodput.
//!
//! Knows the order in which the answers come about. Must not know how they are printed.

use rayon::prelude::*;

use crate::error::{Fault, Span};
use crate::platform::Library;

use super::answers::{EnvironmentSheet, Figures, Interval, Restored, Row, Sheet};
use super::environment::{Environment, Setup};
use super::failures::{self, Failures, Training as Run};
use super::fleet::Fleet;
use super::interval::{self, Costs};
use super::measure::{Bench, Times};
use super::question::Question;
use super::scenario::Load;
use super::scheme::Scheme;
use super::what_if::{self, Chance};

/// Runs of simulated failures, and failures of each.
const RUNS: u64 = 16;
const FAILURES: f64 = 400.0;

impl Sheet {
    /// Answers a question.
    ///
    /// # Errors
    /// A [`Fault`] if the models do not fit, or if a scheme that was asked for by name cannot be.
    pub fn answer(question: &Question, library: &Library, what_if: bool) -> Result<Sheet, Fault> {
        let environments = question.setups.par_iter().map(|setup| within(question, setup, library, what_if));
        let answered: Vec<(EnvironmentSheet, Option<String>)> = environments.collect::<Result<_, _>>()?;
        let (environments, placed): (Vec<_>, Vec<_>) = answered.into_iter().unzip();
        let contents = question.contents.sheet();
        let of_one = |one: &EnvironmentSheet| [unbalanced(one), more_waiting_than_work(one)].concat();
        let placed = placed.into_iter().flatten();
        let warnings =
            question.warnings.iter().cloned().chain(placed).chain(environments.iter().flat_map(of_one)).collect();
        Ok(Sheet { schema: 1, size_gib: contents.size_gib, contents, environments, warnings })
    }
}

/// Says which schemes' streams found no balance.
fn unbalanced(environment: &EnvironmentSheet) -> Vec<String> {
    let off = |row: &Row| {
        let figures = row.figures.as_ref()?;
        let repeated = figures.repetitions.and_then(|all| all.unbalanced);
        let off = figures.times.unbalanced.into_iter().chain(repeated).reduce(f64::max)?;
        let (scheme, percent) = (row.scheme.name(), (off * 100.0).ceil());
        Some(format!(
            "{} to {}, {scheme}: streams bring what binds into no balance: times may be off by {percent} %; hold it against \
             `--mode request` with fewer nodes, or keep fewer requests outstanding (save.threads, save.depth)",
            environment.node, environment.target
        ))
    };
    environment.schemes.iter().filter_map(off).collect()
}

/// An environment with what is moved over it.
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

fn within(
    question: &Question,
    setup: &Setup,
    library: &Library,
    with_changes: bool,
) -> Result<(EnvironmentSheet, Option<String>), Fault> {
    let environment = setup.environment(library)?;
    let bench = Bench { environment: &environment, how: &question.how, mode: question.mode };
    let case = Case::new(question, bench)?;
    let rows: Vec<Result<Row, Fault>> =
        asked(question, &environment).into_par_iter().map(|scheme| case.row(scheme)).collect();
    let schemes = rows.into_iter().collect::<Result<Vec<_>, _>>()?;
    let chance = Chance { files: question.contents.layout.files(), seed: question.seed };
    let changes = if with_changes { what_if::changes(&case.bench, &case.load, chance, &schemes)? } else { Vec::new() };
    let sheet = EnvironmentSheet {
        node: environment.node_name(),
        target: environment.target_name(),
        nodes: case.nodes,
        writing_nodes: case.writing,
        gpus: case.load.gpus,
        mode: bench.mode(&case.load),
        job_mtbf_s: question.failing.job_mtbf(case.nodes).seconds(),
        schemes,
        what_if: changes,
    };
    let placed = placement(&sheet, question.contents.parallelism.ranks, environment.node().gpus.value);
    Ok((sheet, placed))
}

/// Nodes of which some hold no rank.
fn idle(bench: &Bench<'_>, ranks: u64, nodes: u64) -> Fault {
    let at = bench.environment.composed.scenario.cluster.as_ref().map_or(0..0, |cluster| cluster.nodes.span.clone());
    let message = match nodes {
        0 => "`cluster.nodes` is 0".to_string(),
        _ => format!("`cluster.nodes`: {nodes} nodes for {ranks} ranks: some hold none"),
    };
    let label = if nodes == 0 { "must be above zero" } else { "more than there are ranks" };
    bench
        .environment
        .fault(&at, &message, label)
        .help("a node holds at least one rank: take fewer nodes, or more ranks (--ranks)")
}

/// Says how ranks lie on nodes and GPUs where it is not one on each.
fn placement(environment: &EnvironmentSheet, ranks: u64, gpus: u64) -> Option<String> {
    let nodes = environment.nodes.max(1);
    let (each, most) = (ranks / nodes, ranks.div_ceil(nodes));
    if each == gpus && most == gpus {
        return None;
    }
    let count = if each == most { each.to_string() } else { format!("{each} or {most}") };
    let name = &environment.node;
    let whole = nodes.saturating_mul(gpus);
    Some(match most > gpus {
        true => format!("{name}: {ranks} ranks on {nodes} nodes are {count} a node: several share each of {gpus} GPUs"),
        false => format!(
            "{name}: {ranks} ranks on {nodes} nodes are {count} a node, so {} of each node's {gpus} GPUs write (--ranks {whole} puts one on each)",
            environment.gpus
        ),
    })
}

/// Says which schemes keep training waiting for longer than it works between two saves.
fn more_waiting_than_work(environment: &EnvironmentSheet) -> Vec<String> {
    let waits = |row: &Row| {
        let figures = row.figures.as_ref()?;
        let (interval, save) = (figures.interval.taken_s, figures.times.save_s);
        let text = || {
            let [interval, save] = [interval, save].map(crate::readable::seconds);
            let (node, target, scheme) = (&environment.node, &environment.target, row.scheme.name());
            format!(
                "{node} to {target}, {scheme}: a save of {save} every {interval} of work takes more time than the work"
            )
        };
        (interval < save).then(text)
    };
    environment.schemes.iter().filter_map(waits).collect()
}

/// The schemes asked for; without a word, all but those that need drives of which nobody knows.
fn asked(question: &Question, environment: &Environment) -> Vec<Scheme> {
    let own = environment.has_own_drives();
    let all = || Scheme::ALL.into_iter().filter(|scheme| !scheme.is_local() || own).collect();
    question.schemes.clone().unwrap_or_else(all)
}

/// Why saves so far apart would overlap without end: the next begins before the last one is safe.
fn overlap(figures: &Figures) -> Option<String> {
    let (interval, shortest) = (figures.interval.taken_s, figures.interval.costs.shortest_s());
    (interval < shortest * 0.999_999).then(|| {
        let [interval, shortest] = [interval, shortest].map(crate::readable::seconds);
        format!("a save every {interval} begins before the last one is safe, which takes {shortest} beside training")
    })
}

impl<'a> Case<'a> {
    pub(super) fn new(question: &'a Question, bench: Bench<'a>) -> Result<Case<'a>, Fault> {
        let ranks = question.contents.parallelism.ranks;
        let gpus = bench.environment.node().gpus.value;
        let nodes = bench.environment.nodes().unwrap_or_else(|| ranks.div_ceil(gpus.max(1)));
        if nodes == 0 || nodes > ranks {
            return Err(idle(&bench, ranks, nodes));
        }
        let fleet = Fleet::of(&question.contents.layout.ranks, nodes, gpus);
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
        let question = self.question;
        if let Some(refused) = self.refusal(scheme) {
            return self.refused(
                scheme,
                refused,
                &question.schemes_at,
                "leave the scheme out, or give the node what it needs",
            );
        }
        let figures = self.figures(scheme)?;
        match overlap(&figures) {
            Some(refused) => self.refused(
                scheme,
                refused,
                &question.failing.interval_at,
                "save less often, or leave `failures.interval` out",
            ),
            None => Ok(Row { scheme, refused: None, figures: Some(figures) }),
        }
    }

    /// A scheme that cannot be: an error where it was asked for by name, else a line below the table.
    fn refused(&self, scheme: Scheme, why: String, at: &Span, help: &str) -> Result<Row, Fault> {
        if self.question.schemes.is_none() {
            return Ok(Row { scheme, refused: Some(why), figures: None });
        }
        let message = format!("the scheme {} cannot be here: {why}", scheme.name());
        Err(self.bench.environment.fault(at, &message, "asked for here").help(help))
    }

    /// Why a scheme cannot be here.
    fn refusal(&self, scheme: Scheme) -> Option<String> {
        if scheme.is_local() && !self.bench.environment.has_own_drives() {
            return Some("the node has no drives of its own (`local` names them)".into());
        }
        if scheme == Scheme::Gds && self.bench.environment.is_tcp() {
            return Some("the target is reached over TCP, which has no peer-to-peer: GDS falls back to bounce".into());
        }
        let (memory, staged) = (self.bench.environment.node().dram.memory.as_ref()?.value.0, self.fullest);
        (scheme.stages() && staged > memory).then(|| {
            let [staged, memory] = [staged, memory].map(crate::readable::bytes);
            format!("staging needs {staged} of system memory on a node, and `node.dram.memory` is {memory}")
        })
    }

    fn figures(&self, scheme: Scheme) -> Result<Figures, Fault> {
        let times = self.bench.save(scheme, &self.load, false)?;
        let question = self.question;
        let files = question.contents.layout.files();
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
        let files_a_rank = self.question.contents.layout.files_a_rank;
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
