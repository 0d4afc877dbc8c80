//! What is saved: a name, a model's state or plain bytes, and which rank writes how much of it.
//!
//! Knows shapes and layouts. Must not know files, nor how long anything takes.

use serde::Serialize;

use super::shape::{Precision, Preset, Transformer};
use super::shard::{self, Layout, Misfit, Parallelism, Writers};

/// What is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// What it is called.
    pub name: String,
    /// Parameters, where they are known.
    pub parameters: Option<u64>,
    /// How they are stored.
    pub precision: Option<Precision>,
    /// How the ranks divide the model.
    pub parallelism: Parallelism,
    /// Who writes.
    pub writers: Writers,
    /// What each rank writes.
    pub layout: Layout,
}

/// The same in figures, for a sheet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContentsSheet {
    /// What it is called.
    pub name: String,
    /// Parameters.
    pub parameters: Option<u64>,
    /// How they are stored.
    pub precision: Option<Precision>,
    /// How the ranks divide the model.
    pub parallelism: Parallelism,
    /// Who writes.
    pub writers: Writers,
    /// Bytes in all.
    pub bytes: u64,
    /// The same in 2^30 bytes.
    pub size_gib: f64,
    /// Ranks that write.
    pub writing_ranks: u64,
    /// Bytes of the rank that writes most.
    pub largest_rank_bytes: u64,
    /// Files in all.
    pub files: u64,
}

impl Contents {
    /// Bytes of which no more is known.
    ///
    /// # Errors
    /// A [`Misfit`] if the ranks cannot be divided so.
    pub fn plain(
        name: &str,
        bytes: u64,
        how: Parallelism,
        writers: Writers,
        files_a_rank: u64,
    ) -> Result<Contents, Misfit> {
        how.check()?;
        shard::few_files(files_a_rank)?;
        shard::countable("bytes", u128::from(bytes))?;
        let layout = shard::layout(&shard::plain(bytes, how.pipeline), &how, writers, files_a_rank);
        Ok(Contents { name: name.into(), parameters: None, precision: None, parallelism: how, writers, layout })
    }

    /// So many parameters of which no more is known.
    ///
    /// # Errors
    /// A [`Misfit`] if the ranks cannot be divided so.
    pub fn counted(
        name: &str,
        parameters: u64,
        precision: Precision,
        how: Parallelism,
        writers: Writers,
        files_a_rank: u64,
    ) -> Result<Contents, Misfit> {
        how.check()?;
        shard::few_files(files_a_rank)?;
        shard::countable("parameters", u128::from(parameters) * u128::from(precision.bytes()))?;
        let all = shard::plain(parameters, how.pipeline).optimizer;
        let bytes = |each: u64| all.iter().map(|count| count.saturating_mul(each)).collect();
        let state =
            shard::State { weights: bytes(precision.weights.bytes()), optimizer: bytes(precision.optimizer_bytes()) };
        let layout = shard::layout(&state, &how, writers, files_a_rank);
        let (parameters, precision) = (Some(parameters), Some(precision));
        Ok(Contents { name: name.into(), parameters, precision, parallelism: how, writers, layout })
    }

    /// A transformer.
    ///
    /// # Errors
    /// A [`Misfit`] if the ranks cannot be divided so.
    pub fn shaped(
        name: &str,
        shape: &Transformer,
        precision: Precision,
        how: Parallelism,
        writers: Writers,
        files_a_rank: u64,
    ) -> Result<Contents, Misfit> {
        how.check()?;
        shard::few_files(files_a_rank)?;
        shard::countable("transformer", u128::from(shape.parameters()) * u128::from(precision.bytes()))?;
        let layout = shard::layout(&shard::state(shape, &precision, how.pipeline), &how, writers, files_a_rank);
        let (parameters, precision) = (Some(shape.parameters()), Some(precision));
        Ok(Contents { name: name.into(), parameters, precision, parallelism: how, writers, layout })
    }

    /// A model known by name, from its own ranks or so many others.
    ///
    /// # Errors
    /// A [`Misfit`] if so many ranks cannot divide it.
    pub fn preset(preset: &Preset, ranks: Option<u64>) -> Result<Contents, Misfit> {
        let Preset { tensor, pipeline, zero, .. } = *preset;
        let how = Parallelism { ranks: ranks.unwrap_or(preset.ranks), tensor, pipeline, zero };
        Contents::shaped(preset.name, &preset.shape, Precision::MIXED, how, Writers::All, 1)
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.layout.bytes()
    }

    /// In figures.
    pub fn sheet(&self) -> ContentsSheet {
        ContentsSheet {
            name: self.name.clone(),
            parameters: self.parameters,
            precision: self.precision,
            parallelism: self.parallelism,
            writers: self.writers,
            bytes: self.bytes(),
            size_gib: self.bytes() as f64 / (1u64 << 30) as f64,
            writing_ranks: self.layout.writers(),
            largest_rank_bytes: self.layout.largest(),
            files: self.layout.files(),
        }
    }
}
