//! Reads a checkpoint's file: its keys checked, and what it saves.
//!
//! Knows what makes a file whole. Must not know how long anything takes.

use crate::error::{Fault, Span, nearest};
use crate::format::{At, Figure};
use crate::platform::read_file_as;

use super::checks;
use super::contents::Contents;
use super::file::{Model, Read, Shape};
use super::shape::{Datatype, PRESETS, Precision, Preset, Transformer};
use super::shard::{Misfit, Parallelism};

/// Reads a file.
pub(super) fn read(shown: &str, text: &str) -> Result<Read, Fault> {
    let (file, sources) = read_file_as(shown, text, "the file")?;
    let read = Read { file, source: (shown.to_string(), text.to_string()), sources };
    match &read.file.schema {
        Some(schema) if schema.value == 1 => checks::all(&read).map(|()| read),
        Some(schema) => Err(read.at(&schema.span, "this version of the file format is not known", "expected 1")),
        None => Err(read
            .at(&(0..1), "missing key `schema`", "`schema` is missing here")
            .help("add `schema = 1` as the first line")),
    }
}

impl Read {
    /// What is saved, if the file says so.
    pub(super) fn contents(&self, ranks: Option<u64>, name: &str) -> Result<Option<Contents>, Fault> {
        let Some(model) = &self.file.model else { return Ok(None) };
        let (model, span) = (&model.value, model.span.clone());
        let name = model.name.as_deref().unwrap_or(name);
        let (writers, files) = (model.writers, count(&model.files_per_rank, 1));
        let how = |preset| parallelism(model, ranks, preset);
        let contents = match (&model.bytes, &model.preset, &model.parameters, &model.transformer) {
            (Some(bytes), None, None, None) => Contents::plain(name, bytes.value.0, how(None), writers, files),
            (None, Some(named), None, None) => {
                let preset = self.preset(named)?;
                Contents::shaped(preset.name, &preset.shape, self.precision(model)?, how(Some(preset)), writers, files)
            }
            (None, None, Some(count), None) => {
                Contents::counted(name, count.value, self.precision(model)?, how(None), writers, files)
            }
            (None, None, None, Some(shape)) => {
                Contents::shaped(name, &shape.transformer(), self.precision(model)?, how(None), writers, files)
            }
            _ => {
                let message = "[model] takes exactly one of `bytes`, `preset`, `parameters` and `transformer`";
                return Err(self.at(&span, message, "says what is saved").help("leave the others out"));
            }
        };
        contents.map(Some).map_err(|misfit| self.refused(&misfit, model, span, ranks))
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
            "files_per_rank" => &model.files_per_rank,
            _ => &None,
        };
        let span = key.as_ref().map_or(whole, |figure| figure.span.clone());
        let label = match misfit.key {
            _ if misfit.problem.ends_with("is 0") => "must be above zero",
            "files_per_rank" => "too many",
            _ => "does not come out even",
        };
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
