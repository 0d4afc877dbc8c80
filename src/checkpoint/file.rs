//! A checkpoint file: what is saved, on what, how, with which failures.
//!
//! Knows the keys of the file and their places. Must not know how long anything takes. Node, cluster, fabric and target are
//! those of a scenario, and are handed on as they stand.

use serde::Deserialize;
use toml::{Spanned, Value};

use crate::error::{Fault, Sources, Span, nearest};
use crate::format::{At, Figure};
use engine::units::{Bytes, Factor, LongTime, Rate, Time};

use super::checks;
use super::origin::key_at;
use super::shape::{Datatype, PRESETS, Precision, Preset, Transformer};
use super::shard::{Misfit, Parallelism, Writers};
use super::written::Written;

/// The file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    #[serde(default)]
    pub(super) schema: Option<Spanned<i64>>,
    #[serde(rename = "title")]
    _title: Option<String>,
    pub(super) model: Option<Spanned<Model>>,
    pub(super) node: Option<Value>,
    pub(super) cluster: Option<Value>,
    pub(super) fabric: Option<Value>,
    pub(super) target: Option<Value>,
    /// The target that stands for a node's own drives.
    pub(super) local: Option<Value>,
    #[serde(default)]
    pub(super) save: Save,
    #[serde(default)]
    pub(super) restore: Restore,
    #[serde(default)]
    pub(super) training: Training,
    #[serde(default)]
    pub(super) failures: Failing,
}

/// `[model]`: one of bytes, preset, parameters, transformer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    name: Option<String>,
    pub(super) bytes: Option<Figure<Bytes>>,
    preset: Option<At<String>>,
    pub(super) parameters: Option<Figure<u64>>,
    pub(super) transformer: Option<Shape>,
    datatype: Option<At<String>>,
    optimizer_datatype: Option<At<String>>,
    optimizer_states: Option<Figure<u64>>,
    ranks: Option<Figure<u64>>,
    tensor: Option<Figure<u64>>,
    pipeline: Option<Figure<u64>>,
    zero: Option<Figure<u64>>,
    #[serde(default)]
    writers: Writers,
    pub(super) files_per_rank: Option<Figure<u64>>,
}

/// `model.transformer`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    pub(super) layers: Figure<u64>,
    pub(super) hidden: Figure<u64>,
    feed_forward: Figure<u64>,
    vocabulary: Figure<u64>,
    pub(super) heads: Figure<u64>,
    kv_heads: Figure<u64>,
}

/// `[save]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    pub(super) schemes: Option<Vec<At<String>>>,
    pub(super) size: Option<Figure<Bytes>>,
    pub(super) threads: Option<Figure<u64>>,
    pub(super) depth: Option<Figure<u64>>,
    /// What one thread serialises.
    pub(super) serialise: Option<Figure<Rate>>,
    pub(super) fsync: Option<Figure<Time>>,
    pub(super) barrier: Option<Figure<Time>>,
    pub(super) repetitions: Option<Figure<u64>>,
    pub(super) seed: Option<u64>,
}

/// `[restore]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Restore {
    pub(super) start: Option<Figure<Time>>,
    pub(super) metadata: Option<Figure<Time>>,
    pub(super) cache: Option<Cache>,
}

/// Where a restore finds the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cache {
    /// On the target.
    #[default]
    Cold,
    /// In the node's page cache.
    Warm,
}

/// `[training]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Training {
    pub(super) step: Option<Figure<Time>>,
    /// From system memory to each GPU in a step.
    pub(super) traffic: Option<Figure<Bytes>>,
    /// The share of that traffic that computing does not hide.
    pub(super) exposed: Option<Figure<Factor>>,
}

/// `[failures]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Failing {
    /// Mean time between failures of one node.
    pub(super) mtbf: Option<Figure<LongTime>>,
    /// Times of failures of the job, counted from the beginning.
    pub(super) trace: Option<Spanned<Vec<Figure<LongTime>>>>,
    /// A CSV file with such times, or with intervals between them.
    pub(super) trace_file: Option<At<String>>,
    /// Useful work between two saves, where it is not to be chosen.
    pub(super) interval: Option<Figure<LongTime>>,
}

/// A file with its places.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) file: File,
    /// The name of the file and its text.
    pub(super) source: (String, String),
    sources: Sources,
}

/// Reads a file.
pub(super) fn read(shown: &str, text: &str) -> Result<Read, Fault> {
    let mut sources = Sources::default();
    sources.add(shown, text);
    let file: File = toml::from_str(text).map_err(|error| misfit(&sources, text, &error))?;
    let read = Read { file, source: (shown.to_string(), text.to_string()), sources };
    match &read.file.schema {
        Some(schema) if *schema.get_ref() == 1 => checks::all(&read).map(|()| read),
        Some(schema) => Err(read.at(&schema.span(), "this version of the file format is not known", "expected 1")),
        None => Err(read
            .at(&(0..1), "missing key `schema`", "`schema` is missing here")
            .help("add `schema = 1` as the first line")),
    }
}

/// What the reader of TOML calls a field is a key to everybody else.
fn misfit(sources: &Sources, text: &str, error: &toml::de::Error) -> Fault {
    let span = error.span().unwrap_or(0..1);
    let message = error.message();
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let (true, Some((key, known))) = (message.starts_with("unknown field"), words.split_first()) {
        let label = nearest(key, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        return Fault::at(
            sources,
            &span,
            format!("unknown key `{key}`"),
            label.unwrap_or_else(|| "no such key".into()),
        )
        .help(format!("known keys: {}", known.join(", ")));
    }
    let (problem, expected) =
        message.split_once("; expected ").or_else(|| message.split_once(", expected ")).unwrap_or((message, ""));
    let problem = problem.replace("missing field", "missing key").replace("unknown variant", "unknown word");
    let problem = problem.replace("invalid type: ", "found ");
    // What the reader calls a structure is a table to everybody else.
    let expected = if expected.starts_with("struct ") { "a table" } else { expected };
    let key = key_at(text, span.start).map(|key| format!("`{key}`: ")).unwrap_or_default();
    let fault = Fault::at(sources, &span, format!("{key}{problem}"), "here");
    if expected.is_empty() { fault } else { fault.help(format!("write {expected}")) }
}

impl Read {
    /// A fault at a place of the file.
    pub(super) fn at(&self, span: &Span, message: &str, label: &str) -> Fault {
        Fault::at(&self.sources, span, message, label)
    }

    /// What is saved, if the file says so.
    pub(super) fn written(&self, ranks: Option<u64>, name: &str) -> Result<Option<Written>, Fault> {
        let Some(model) = &self.file.model else { return Ok(None) };
        let (model, span) = (model.get_ref(), model.span());
        let name = model.name.as_deref().unwrap_or(name);
        let (writers, files) = (model.writers, count(&model.files_per_rank, 1));
        let how = |preset| parallelism(model, ranks, preset);
        let written = match (&model.bytes, &model.preset, &model.parameters, &model.transformer) {
            (Some(bytes), None, None, None) => Written::plain(name, bytes.value.0, how(None), writers, files),
            (None, Some(named), None, None) => {
                let preset = self.preset(named)?;
                Written::shaped(preset.name, &preset.shape, self.precision(model)?, how(Some(preset)), writers, files)
            }
            (None, None, Some(count), None) => {
                Written::counted(name, count.value, self.precision(model)?, how(None), writers, files)
            }
            (None, None, None, Some(shape)) => {
                Written::shaped(name, &shape.transformer(), self.precision(model)?, how(None), writers, files)
            }
            _ => {
                let message = "[model] takes exactly one of `bytes`, `preset`, `parameters` and `transformer`";
                return Err(self.at(&span, message, "says what is saved").help("leave the others out"));
            }
        };
        written.map(Some).map_err(|misfit| self.refused(&misfit, model, span, ranks))
    }

    fn refused(&self, misfit: &Misfit, model: &Model, whole: Span, ranks: Option<u64>) -> Fault {
        if let (Some(ranks), "ranks") = (ranks, misfit.key) {
            return Fault::new(format!("--ranks {ranks}: {}", misfit.problem)).help(misfit.help.clone());
        }
        let key = match misfit.key {
            "ranks" => &model.ranks,
            "tensor" => &model.tensor,
            "pipeline" => &model.pipeline,
            "zero" => &model.zero,
            _ => &None,
        };
        let span = key.as_ref().map_or(whole, |figure| figure.span.clone());
        let label = if misfit.problem.ends_with("is 0") { "must be above zero" } else { "does not come out even" };
        self.at(&span, &format!("model: {}", misfit.problem), label).help(misfit.help.clone())
    }

    fn preset(&self, named: &At<String>) -> Result<&'static Preset, Fault> {
        Preset::named(&named.value).ok_or_else(|| {
            let known: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
            let label = nearest(&named.value, known.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
            let message = format!("`model.preset`: there is no model called \"{}\"", named.value);
            self.at(&named.span, &message, &label.unwrap_or_else(|| "no such model".into()))
                .help(format!("one of {}", known.join(", ")))
        })
    }

    fn precision(&self, model: &Model) -> Result<Precision, Fault> {
        Ok(Precision {
            weights: self.datatype("datatype", &model.datatype, Datatype::Bf16)?,
            optimizer: self.datatype("optimizer_datatype", &model.optimizer_datatype, Datatype::Fp32)?,
            states: count(&model.optimizer_states, Precision::MIXED.states),
        })
    }

    fn datatype(&self, key: &str, name: &Option<At<String>>, otherwise: Datatype) -> Result<Datatype, Fault> {
        let Some(name) = name else { return Ok(otherwise) };
        Datatype::named(&name.value).ok_or_else(|| {
            let known: Vec<&str> = Datatype::ALL.iter().map(|(known, _)| *known).collect();
            let label = nearest(&name.value, known.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
            let message = format!("`model.{key}`: \"{}\" is no datatype", name.value);
            self.at(&name.span, &message, &label.unwrap_or_else(|| "no such datatype".into()))
                .help(format!("one of {}", known.join(", ")))
        })
    }
}

fn count(figure: &Option<Figure<u64>>, otherwise: u64) -> u64 {
    figure.as_ref().map_or(otherwise, |figure| figure.value)
}

impl Shape {
    fn transformer(&self) -> Transformer {
        Transformer {
            layers: self.layers.value,
            hidden: self.hidden.value,
            feed_forward: self.feed_forward.value,
            vocabulary: self.vocabulary.value,
            heads: self.heads.value,
            kv_heads: self.kv_heads.value,
        }
    }
}

fn parallelism(model: &Model, ranks: Option<u64>, preset: Option<&Preset>) -> Parallelism {
    let of = |figure: &Option<Figure<u64>>, preset: Option<u64>, otherwise| count(figure, preset.unwrap_or(otherwise));
    let (tensor, pipeline) =
        (of(&model.tensor, preset.map(|p| p.tensor), 1), of(&model.pipeline, preset.map(|p| p.pipeline), 1));
    let own = of(&model.ranks, preset.map(|p| p.ranks), tensor.saturating_mul(pipeline).max(8));
    Parallelism { ranks: ranks.unwrap_or(own), tensor, pipeline, zero: of(&model.zero, preset.map(|p| p.zero), 1) }
}
