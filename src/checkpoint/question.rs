//! What is asked: something to save, environments to save it on, how, and what fails; from a file, a workload or a size.
//!
//! Knows what is taken where nothing is said. Must not know how long anything takes.
//!
//! | taken where nothing is said | from |
//! | --- | --- |
//! | requests of 1 MiB, 16 threads a GPU | as the shipped scenarios have them |
//! | fsync 5 ms, barrier 20 us a doubling of ranks | assumed |
//! | restart 30 s, 1 ms a file's metadata | assumed; 30 s are what MLPerf Storage's rules allow for |
//! | a node fails once in 6300 h | 419 interruptions in 54 days of 2,048 nodes (A. Grattafiori et al., "The Llama 3 Herd of Models", 2024, 3.3.4) |
//! | a step of 10 s that moves 1 GB to each GPU, none of it hidden | assumed |
//! | a target of 62.5 GB/s to writers and 125 GB/s to readers for 32 nodes, of 20 and 40 at least | the best of NVIDIA's guidance (DGX SuperPOD H100 reference architecture, storage performance) |

use std::path::Path;

use toml::{Table, Value};

use crate::error::{Fault, Span};
use crate::format::{At, Figure};
use crate::platform::{Given, read_file, start_of};
use engine::Mode;
use engine::units::{Bytes, Factor, LongTime, Rate, Time};

use super::contents::Contents;
use super::environment::Setup;
use super::failures::Failures;
use super::file::{Cache, Read};
use super::plain::Target;
use super::read;
use super::scenario::How;
use super::scheme::Scheme;
use super::shape::Precision;
use super::shard::Misfit;
use super::yaml;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is saved.
    pub contents: Contents,
    /// On what: each gives a part of the sheet.
    pub setups: Vec<Setup>,
    /// How bytes are put on their way.
    pub how: How,
    /// The schemes asked for by name; all that apply without.
    pub schemes: Option<Vec<Scheme>>,
    /// Where they were asked for.
    pub(super) schemes_at: Span,
    /// Repetitions where something is left to chance.
    pub repetitions: u64,
    /// The seed of all that is left to chance.
    pub seed: u64,
    /// How it comes back.
    pub restore: Restore,
    /// What training does meanwhile.
    pub training: Training,
    /// What fails.
    pub failing: Failing,
    /// Every request, or as it suits the size.
    pub mode: Option<Mode>,
    /// What to know of it.
    pub warnings: Vec<String>,
}

/// How a save comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Restore {
    /// From a failure until the first byte is asked for.
    pub start: Time,
    /// Opening a file.
    pub metadata: Time,
    /// Where the bytes are.
    pub cache: Cache,
}

/// What training does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// A step.
    pub step: Time,
    /// Bytes from system memory to each GPU in a step.
    pub traffic: Bytes,
    /// The share of it that computing does not hide.
    pub exposed: f64,
}

/// What fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Failing {
    /// Mean time between failures of a node, where it was told.
    pub mtbf: Option<LongTime>,
    /// Times of failures of the job, in order.
    pub trace: Option<Vec<LongTime>>,
    /// Useful work between two saves, where it is not to be chosen.
    pub interval: Option<LongTime>,
    /// Where that was told.
    pub(super) interval_at: Span,
}

/// A text that says what is asked, and what is told beside it.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Ranks.
    pub ranks: Option<u64>,
    /// Nodes' models, each an environment; none for the default.
    pub node_models: Vec<String>,
    /// GPUs of a node.
    pub gpus: Option<u64>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// The target.
    pub target: Option<Target>,
    /// A file with the cluster's keys.
    pub cluster: Option<(String, String)>,
    /// Mean time between failures of a node.
    pub mtbf: Option<LongTime>,
    /// A CSV file with failures of the job.
    pub trace: Option<(String, String)>,
    /// Schemes.
    pub schemes: Vec<Scheme>,
    /// Every request, or as it suits the size.
    pub mode: Option<Mode>,
}

/// GPUs of a node, before its model is read.
const GPUS: u64 = 8;

impl Overrides {
    /// Why ranks that were told, or a model's own, do not come out even.
    fn refused(&self, misfit: Misfit) -> Fault {
        let fault = Fault::new(misfit.problem).help(misfit.help);
        match self.ranks.filter(|_| misfit.key == "ranks") {
            Some(ranks) => fault.about(format_args!("--ranks {ranks}")),
            None => fault,
        }
    }

    /// A rank on every GPU of all nodes that were told; of one where none were.
    fn all_gpus(&self) -> u64 {
        self.gpus.unwrap_or(GPUS).saturating_mul(self.nodes.unwrap_or(1))
    }

    /// What flags say of the environment.
    fn given(&self, node: Option<&str>) -> Vec<Given> {
        let quoted = |text: &str| Value::String(text.to_string()).to_string();
        let given = |key, typed, value| Given { key, typed, value };
        let node = node.map(|node| given("node", format!("--node {node}"), quoted(node)));
        let target = self.target.as_ref().map(|to| given("target", format!("--target {to}"), to.value().to_string()));
        let gpus = self.gpus.map(|gpus| given("node.gpus", format!("--gpus {gpus}"), gpus.to_string()));
        let nodes = self.nodes.map(|nodes| given("cluster.nodes", format!("--nodes {nodes}"), nodes.to_string()));
        node.into_iter().chain(target).chain(gpus).chain(nodes).collect()
    }
}

impl Failing {
    /// Failures of a job on so many nodes: drawn anew from a trace's intervals, where there is one.
    pub fn of_job(&self, nodes: u64) -> Failures {
        match &self.trace {
            Some(times) => Failures::resampled(times),
            None => Failures::Exponential(self.job_mtbf(nodes)),
        }
    }

    /// Mean time between failures of a job on so many nodes: by what was told of a node, else as a trace has it.
    pub fn job_mtbf(&self, nodes: u64) -> LongTime {
        let of_trace = self.trace.as_ref().and_then(|times| Some(times.last()?.0 / times.len() as u64));
        let of_node = |mtbf: LongTime| mtbf.0 / nodes.max(1);
        let all = self.mtbf.map(of_node).or(of_trace).unwrap_or_else(|| of_node(MTBF));
        LongTime(all.max(1))
    }
}

/// Of a node, where nothing is said.
const MTBF: LongTime = LongTime(6_300 * 3_600 * 1_000_000_000);

impl Question {
    /// So many bytes, from the GPUs of one node or of as many as there are ranks for.
    ///
    /// # Errors
    /// A [`Fault`] if the ranks do not come out even.
    pub fn of_size(bytes: Bytes, overrides: &Overrides) -> Result<Question, Fault> {
        let ranks = overrides.ranks.unwrap_or_else(|| overrides.all_gpus());
        let how = super::shard::Parallelism { ranks, tensor: 1, pipeline: 1, zero: 1 };
        let contents = Contents::plain("checkpoint", bytes.0, how, Default::default(), 1);
        Question::of(contents.map_err(|misfit| overrides.refused(misfit))?, None, overrides)
    }

    /// So many parameters of which no more is known, 14 bytes each.
    ///
    /// # Errors
    /// A [`Fault`] if the ranks do not come out even.
    pub fn of_parameters(count: u64, overrides: &Overrides) -> Result<Question, Fault> {
        let ranks = overrides.ranks.unwrap_or_else(|| overrides.all_gpus());
        let how = super::shard::Parallelism { ranks, tensor: 1, pipeline: 1, zero: 1 };
        let contents = Contents::counted("checkpoint", count, Precision::MIXED, how, Default::default(), 1);
        Question::of(contents.map_err(|misfit| overrides.refused(misfit))?, None, overrides)
    }

    /// A model that is known by name.
    ///
    /// # Errors
    /// A [`Fault`] if the ranks do not come out even.
    pub fn of_preset(preset: &super::shape::Preset, overrides: &Overrides) -> Result<Question, Fault> {
        let contents = Contents::preset(preset, overrides.ranks);
        Question::of(contents.map_err(|misfit| overrides.refused(misfit))?, None, overrides)
    }

    /// A workload file of DLIO or MLPerf Storage.
    ///
    /// # Errors
    /// A [`Fault`] with its place.
    pub fn of_yaml(shown: &str, text: &str, overrides: &Overrides) -> Result<Question, Fault> {
        let workload = yaml::read(shown, text, overrides.ranks)?;
        let mut question = Question::of(workload.contents, None, overrides)?;
        question.warnings.extend(workload.warnings);
        if workload.fsync == Some(false) {
            question.how.fsync = Time(0);
        }
        if let Some(step) = workload.step_s.filter(|step| *step > 0.0) {
            question.training.step = Time((step * engine::units::PS_PER_S as f64) as u64);
        }
        if let Some(saves) = workload.saves.filter(|saves| *saves > 0) {
            question.repetitions = saves.min(MOST_REPETITIONS);
        }
        Ok(question)
    }

    /// A file of ours.
    ///
    /// # Errors
    /// A [`Fault`] with its place.
    pub fn of_toml(shown: &str, name: &str, text: &str, overrides: &Overrides) -> Result<Question, Fault> {
        let read = read::read(shown, text)?;
        let Some(contents) = read.contents(overrides.ranks, name)? else {
            return Err(read
                .at(&(0..1), "the file has no [model]", "`[model]` is missing here")
                .help("add [model] with bytes, preset, parameters or transformer"));
        };
        Question::of(contents, Some(&read), overrides)
    }

    fn of(contents: Contents, own: Option<&Read>, overrides: &Overrides) -> Result<Question, Fault> {
        let cluster = overrides.cluster.as_ref().map(|(shown, text)| read::read(shown, text)).transpose()?;
        let files: Vec<&Read> = cluster.iter().chain(own).collect();
        let read = own.or(cluster.as_ref());
        let sources: Vec<(String, String)> = files.iter().map(|read| read.source.clone()).collect();
        // The file that says how to save is the last one.
        let start = start_of(&sources, sources.len().saturating_sub(1));
        let schemes = schemes(read, overrides)?;
        let mut question = Question {
            how: how(read, start, contents.parallelism.ranks),
            schemes_at: schemes.as_ref().map_or(0..0, |schemes| moved(&schemes.span, start)),
            schemes: schemes.map(|schemes| schemes.value),
            setups: setups(sources, &contents, overrides),
            repetitions: read.and_then(|r| r.file.save.repetitions.as_ref()).map_or(10, |figure| figure.value),
            seed: read.and_then(|read| read.file.save.seed).unwrap_or(0),
            restore: restore(read),
            training: training(read),
            failing: failing(read, start, overrides)?,
            mode: overrides.mode,
            warnings: Vec::new(),
            contents,
        };
        question.repetitions = question.repetitions.clamp(1, MOST_REPETITIONS);
        Ok(question)
    }
}

const MOST_REPETITIONS: u64 = 1_000;

/// A time as it was told, else one of so many picoseconds.
fn time(figure: Option<&Figure<Time>>, otherwise: u64) -> Time {
    figure.map_or(Time(otherwise), |figure| figure.value)
}

/// A place of a file among the sources of an environment, which has it from `start` on; nowhere stays nowhere.
fn moved(span: &Span, start: usize) -> Span {
    if span.is_empty() { 0..0 } else { span.start + start..span.end + start }
}

/// How bytes are put on their way, by a file whose text begins at `start`.
fn how(read: Option<&Read>, start: usize, ranks: u64) -> How {
    let save = read.map(|read| &read.file.save);
    let doublings = u64::from(ranks.max(1).next_power_of_two().trailing_zeros());
    let count = |figure: Option<&Figure<u64>>, otherwise| at(figure, start, otherwise);
    How {
        size: at(save.and_then(|save| save.size.as_ref()), start, Bytes(1 << 20)),
        threads: count(save.and_then(|save| save.threads.as_ref()), 16),
        depth: count(save.and_then(|save| save.depth.as_ref()), 1),
        serialise: save.and_then(|save| save.serialise.as_ref()).map(|figure| figure.value).filter(|rate| rate.0 > 0),
        fsync: time(save.and_then(|save| save.fsync.as_ref()), 5_000_000_000),
        barrier: time(save.and_then(|save| save.barrier.as_ref()), doublings * 20_000_000),
        bytes_at: read.and_then(|read| read.file.model.as_ref()).map_or(0..0, |model| moved(&model.span, start)),
    }
}

fn at<T: Copy>(figure: Option<&Figure<T>>, start: usize, otherwise: T) -> At<T> {
    match figure {
        Some(figure) => At { value: figure.value, span: moved(&figure.span, start) },
        None => At { value: otherwise, span: 0..0 },
    }
}

fn schemes(read: Option<&Read>, overrides: &Overrides) -> Result<Option<At<Vec<Scheme>>>, Fault> {
    if !overrides.schemes.is_empty() {
        return Ok(Some(At { value: overrides.schemes.clone(), span: 0..0 }));
    }
    let Some((read, list)) = read.and_then(|read| Some((read, read.file.save.schemes.as_ref()?))) else {
        return Ok(None);
    };
    let named = list.value.iter().map(|name| {
        Scheme::named(&name.value).map_err(|fault| {
            let help = fault.advice().unwrap_or_default().to_string();
            read.at(&name.span, &format!("`save.schemes`: {}", fault.message()), "no such scheme").help(help)
        })
    });
    let value = named.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(At { value, span: list.span.clone() }))
}

fn restore(read: Option<&Read>) -> Restore {
    let restore = read.map(|read| &read.file.restore);
    Restore {
        start: time(restore.and_then(|restore| restore.start.as_ref()), 30 * engine::units::PS_PER_S),
        metadata: time(restore.and_then(|restore| restore.metadata.as_ref()), 1_000_000_000),
        cache: restore.and_then(|restore| restore.cache).unwrap_or_default(),
    }
}

fn training(read: Option<&Read>) -> Training {
    let training = read.map(|read| &read.file.training);
    Training {
        step: training.and_then(|t| t.step.as_ref()).map_or(Time(10 * engine::units::PS_PER_S), |figure| figure.value),
        traffic: training.and_then(|t| t.traffic.as_ref()).map_or(Bytes(1_000_000_000), |figure| figure.value),
        exposed: training.and_then(|t| t.exposed.as_ref()).map_or(Factor::ONE, |figure| figure.value).as_f64().min(1.0),
    }
}

fn failing(read: Option<&Read>, start: usize, overrides: &Overrides) -> Result<Failing, Fault> {
    let failing = read.map(|read| &read.file.failures);
    let own = failing.and_then(|failing| failing.mtbf.as_ref()).map(|figure| figure.value);
    let interval = failing.and_then(|failing| failing.interval.as_ref());
    Ok(Failing {
        mtbf: overrides.mtbf.or(own),
        trace: trace(read, overrides)?,
        interval: interval.map(|figure| figure.value),
        interval_at: interval.map_or(0..0, |figure| moved(&figure.span, start)),
    })
}

/// The trace that was told, else the file's: a list, or a file beside it.
fn trace(read: Option<&Read>, overrides: &Overrides) -> Result<Option<Vec<LongTime>>, Fault> {
    if let Some((shown, text)) = &overrides.trace {
        return super::trace::read(shown, text).map(Some);
    }
    let Some(read) = read else { return Ok(None) };
    let failures = &read.file.failures;
    let Some(file) = &failures.trace_file else {
        let list = failures.trace.as_ref().map(|list| &list.value);
        return Ok(list.map(|list| list.iter().map(|figure| figure.value).collect()));
    };
    let folder = Path::new(&read.source.0).parent().unwrap_or(Path::new(""));
    let path = folder.join(&file.value);
    let text = read_file(&path).map_err(|fault| {
        let message = format!("`failures.trace_file`: {}", fault.message());
        read.at(&file.span, &message, "no such file").help("the path counts from the folder of this file")
    })?;
    super::trace::read(&path.display().to_string(), &text).map(Some)
}

/// The environments: each node's model that is told, else the file's, else a DGX H100; as many nodes as the ranks need.
fn setups(files: Vec<(String, String)>, contents: &Contents, overrides: &Overrides) -> Vec<Setup> {
    let count = contents.parallelism.ranks.div_ceil(overrides.gpus.unwrap_or(GPUS).max(1));
    let otherwise =
        [("node", Value::String("dgx-h100".into())), ("target", default_target(count))].map(|(key, value)| Given {
            key,
            typed: "what is taken where nothing is said".into(),
            value: value.to_string(),
        });
    let setup = |node| Setup { files: files.clone(), given: overrides.given(node), otherwise: otherwise.to_vec() };
    match overrides.node_models.as_slice() {
        [] => vec![setup(None)],
        named => named.iter().map(|name| setup(Some(name))).collect(),
    }
}

/// NVIDIA's best guidance for so many nodes.
fn default_target(nodes: u64) -> Value {
    let share = |of_a_unit: u64, least: u64| Rate((of_a_unit * nodes / 32).max(least) * 1_000_000).to_string();
    let entries =
        [("model", "plain-800g".to_string()), ("rate", share(125_000, 40_000)), ("write_rate", share(62_500, 20_000))];
    Value::Table(Table::from_iter(entries.map(|(key, value)| (key.to_string(), Value::String(value)))))
}
