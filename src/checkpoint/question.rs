//! What is asked: something written, grounds to save it on, how, and what fails; from a file, a workload or a size.
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

use crate::error::Fault;
use crate::format::Figure;
use crate::platform::read_file;
use engine::Mode;
use engine::units::{Bytes, Factor, LongTime, Rate, Time};

use super::failures::Failures;
use super::file::{self, Cache, Read};
use super::ground::{Ground, How, put};
use super::origin::Origin;
use super::scheme::Scheme;
use super::shard::Misfit;
use super::written::Written;
use super::yaml;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is saved.
    pub written: Written,
    /// On what: each gives a part of the sheet.
    pub grounds: Vec<Ground>,
    /// How bytes are put on their way.
    pub how: How,
    /// The schemes asked for by name; all that apply without.
    pub schemes: Option<Vec<Scheme>>,
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
}

/// A text that says what is asked, and what is told beside it.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Ranks.
    pub ranks: Option<u64>,
    /// Nodes' models, each a ground; none for the default.
    pub node_models: Vec<String>,
    /// GPUs of a node.
    pub gpus: Option<u64>,
    /// The target.
    pub target: Option<super::Target>,
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

/// The drives that a DGX H100 has of its own.
const LOCAL: &str = "dgx-h100-nvme-x8";

impl Told {
    /// Why ranks that were told, or a model's own, do not come out even.
    fn refused(&self, misfit: Misfit) -> Fault {
        let fault = Fault::new(misfit.problem).help(misfit.help);
        match self.ranks.filter(|_| misfit.key == "ranks") {
            Some(ranks) => fault.about(format_args!("--ranks {ranks}")),
            None => fault,
        }
    }

    /// What was told of the ground by flags.
    fn flags(&self, node: Option<&str>) -> Vec<(&'static str, String)> {
        let target = self.target.as_ref().map(|target| ("target", format!("--target {target}")));
        let gpus = self.gpus.map(|gpus| ("node.gpus", format!("--gpus {gpus}")));
        node.map(|node| ("node", format!("--node {node}"))).into_iter().chain(target).chain(gpus).collect()
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
    pub fn of_size(bytes: Bytes, told: &Told) -> Result<Question, Fault> {
        let ranks = told.ranks.unwrap_or(told.gpus.unwrap_or(GPUS));
        let how = super::shard::Parallelism { ranks, tensor: 1, pipeline: 1, zero: 1 };
        let written = Written::plain("checkpoint", bytes.0, how, Default::default(), 1);
        Question::of(written.map_err(|misfit| told.refused(misfit))?, None, told)
    }

    /// A model that is known by name.
    ///
    /// # Errors
    /// A [`Fault`] if the ranks do not come out even.
    pub fn of_preset(preset: &super::shape::Preset, told: &Told) -> Result<Question, Fault> {
        let written = Written::preset(preset, told.ranks);
        Question::of(written.map_err(|misfit| told.refused(misfit))?, None, told)
    }

    /// A workload file of DLIO or MLPerf Storage.
    ///
    /// # Errors
    /// A [`Fault`] with its place.
    pub fn of_yaml(shown: &str, text: &str, told: &Told) -> Result<Question, Fault> {
        let workload = yaml::read(shown, text, told.ranks)?;
        let mut question = Question::of(workload.written, None, told)?;
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
    pub fn of_toml(shown: &str, name: &str, text: &str, told: &Told) -> Result<Question, Fault> {
        let read = file::read(shown, text)?;
        let Some(written) = read.written(told.ranks, name)? else {
            return Err(read
                .at(&(0..1), "the file has no [model]", "`[model]` is missing here")
                .help("add [model] with bytes, preset, parameters or transformer"));
        };
        Question::of(written, Some(&read), told)
    }

    fn of(written: Written, read: Option<&Read>, told: &Told) -> Result<Question, Fault> {
        let cluster = told.cluster.as_ref().map(|(shown, text)| file::read(shown, text)).transpose()?;
        let read = read.or(cluster.as_ref());
        let mut question = Question {
            how: how(read, written.parallelism.ranks),
            schemes: schemes(read, told)?,
            grounds: grounds(read, cluster.as_ref(), &written, told),
            repetitions: read.and_then(|r| r.file.save.repetitions.as_ref()).map_or(10, |figure| figure.value),
            seed: read.and_then(|read| read.file.save.seed).unwrap_or(0),
            restore: restore(read),
            training: training(read),
            failing: failing(read, told)?,
            mode: told.mode,
            warnings: Vec::new(),
            written,
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

fn how(read: Option<&Read>, ranks: u64) -> How {
    let save = read.map(|read| &read.file.save);
    let doublings = u64::from(ranks.max(1).next_power_of_two().trailing_zeros());
    How {
        size: save.and_then(|save| save.size.as_ref()).map_or(Bytes(1 << 20), |figure| figure.value),
        threads: save.and_then(|save| save.threads.as_ref()).map_or(16, |figure| figure.value),
        depth: save.and_then(|save| save.depth.as_ref()).map_or(1, |figure| figure.value),
        serialise: save.and_then(|save| save.serialise.as_ref()).map(|figure| figure.value).filter(|rate| rate.0 > 0),
        fsync: time(save.and_then(|save| save.fsync.as_ref()), 5_000_000_000),
        barrier: time(save.and_then(|save| save.barrier.as_ref()), doublings * 20_000_000),
    }
}

fn schemes(read: Option<&Read>, told: &Told) -> Result<Option<Vec<Scheme>>, Fault> {
    if !told.schemes.is_empty() {
        return Ok(Some(told.schemes.clone()));
    }
    let Some((read, list)) = read.and_then(|read| Some((read, read.file.save.schemes.as_ref()?))) else {
        return Ok(None);
    };
    let named = list.iter().map(|name| {
        Scheme::named(&name.value).map_err(|fault| {
            let help = fault.advice().unwrap_or_default().to_string();
            read.at(&name.span, &format!("`save.schemes`: {}", fault.message()), "no such scheme").help(help)
        })
    });
    named.collect::<Result<Vec<_>, _>>().map(Some)
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

fn failing(read: Option<&Read>, told: &Told) -> Result<Failing, Fault> {
    let failing = read.map(|read| &read.file.failures);
    let own = failing.and_then(|failing| failing.mtbf.as_ref()).map(|figure| figure.value);
    Ok(Failing {
        mtbf: told.mtbf.or(own),
        trace: trace(read, told)?,
        interval: failing.and_then(|failing| failing.interval.as_ref()).map(|figure| figure.value),
    })
}

/// The trace that was told, else the file's: a list, or a file beside it.
fn trace(read: Option<&Read>, told: &Told) -> Result<Option<Vec<LongTime>>, Fault> {
    if let Some((shown, text)) = &told.trace {
        return super::trace::read(shown, text).map(Some);
    }
    let Some(read) = read else { return Ok(None) };
    let failures = &read.file.failures;
    let Some(file) = &failures.trace_file else {
        let list = failures.trace.as_ref().map(|list| list.get_ref());
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

/// The grounds: each node's model that is told, else the file's, else a DGX H100; as many nodes as the ranks need.
fn grounds(read: Option<&Read>, cluster: Option<&Read>, written: &Written, told: &Told) -> Vec<Ground> {
    // A cluster's file comes before what the checkpoint's own file says.
    let of = |pick: fn(&file::File) -> Option<&Value>| {
        cluster.and_then(|read| pick(&read.file)).or_else(|| read.and_then(|read| pick(&read.file))).cloned()
    };
    let nodes = match told.node_models.is_empty() {
        true => vec![of(|file| file.node.as_ref()).unwrap_or_else(|| Value::String("dgx-h100".into()))],
        false => told.node_models.iter().map(|name| Value::String(name.clone())).collect(),
    };
    let count = written.parallelism.ranks.div_ceil(told.gpus.unwrap_or(GPUS).max(1));
    let files: Vec<(String, String)> = cluster.iter().chain(&read).map(|read| read.source.clone()).collect();
    let ground = |node: Value| {
        let named = if told.node_models.is_empty() { None } else { model_of(&node).map(str::to_string) };
        let origin = Origin { files: files.clone(), flags: told.flags(named.as_deref()) };
        let is_dgx = model_of(&node).is_some_and(|name| name.starts_with("dgx-h100"));
        let local = of(|file| file.local.as_ref()).or_else(|| is_dgx.then(|| Value::String(LOCAL.into())));
        let target = told.target.as_ref().map(super::Target::value).or_else(|| of(|file| file.target.as_ref()));
        let mut table = Table::new();
        table.insert("node".into(), node);
        if let Some(gpus) = told.gpus {
            put(&mut table, "node.gpus", super::ground::whole_number(gpus));
        }
        Ground {
            node: table.remove("node").unwrap_or_else(|| Value::String("dgx-h100".into())),
            cluster: of(|file| file.cluster.as_ref()),
            fabric: of(|file| file.fabric.as_ref()),
            target: target.unwrap_or_else(|| default_target(count)),
            local,
            origin,
        }
    };
    nodes.into_iter().map(ground).collect()
}

fn model_of(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("model")?.as_str())
}

/// NVIDIA's best guidance for so many nodes.
fn default_target(nodes: u64) -> Value {
    let share = |of_a_unit: u64, least: u64| Rate((of_a_unit * nodes / 32).max(least) * 1_000_000).to_string();
    let entries =
        [("model", "plain-800g".to_string()), ("rate", share(125_000, 40_000)), ("write_rate", share(62_500, 20_000))];
    Value::Table(Table::from_iter(entries.map(|(key, value)| (key.to_string(), Value::String(value)))))
}
