//! Who writes what: a model's state over tensor, pipeline and data-parallel ranks, by ZeRO stage and writers.
//!
//! Knows how state is divided. Must not know how long anything takes.
//!
//! Ranks are numbered as Megatron-LM numbers them: tensor-parallel ranks next to each other, then pipeline stages, then
//! data-parallel replicas. ZeRO (S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
//! Models", 2020) shards the optimizer's numbers over the replicas from stage 1 on and the weights at stage 3; gradients
//! (stage 2) are not saved.

use serde::{Deserialize, Serialize};

use super::shape::{Precision, Transformer};

/// How the ranks divide the work of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Parallelism {
    /// Ranks in all.
    pub ranks: u64,
    /// Ranks that share each layer.
    pub tensor: u64,
    /// Stages that the layers are divided into.
    pub pipeline: u64,
    /// ZeRO stage, 0 to 3.
    pub zero: u64,
}

/// Who writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Writers {
    /// All ranks write what they hold, each byte once.
    #[default]
    All,
    /// The ranks of the first replica write everything.
    OneReplica,
    /// Rank 0 writes everything.
    #[serde(rename = "rank-0")]
    Rank0,
}

/// The state of each pipeline stage, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Of the weights.
    pub weights: Vec<u64>,
    /// Of the optimizer.
    pub optimizer: Vec<u64>,
}

/// What each rank writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layout {
    /// Bytes by rank.
    pub ranks: Vec<u64>,
    /// Files of a rank that writes.
    pub files_a_rank: u64,
}

/// Why state cannot be divided so: the key to blame, what is wrong and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The key.
    pub key: &'static str,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub help: String,
}

/// The most ranks that are told apart.
const MOST_RANKS: u64 = 1 << 20;

impl Parallelism {
    /// Replicas of the model.
    pub fn data(&self) -> u64 {
        self.ranks / self.model_ranks().max(1)
    }

    /// Ranks that hold one replica.
    pub fn model_ranks(&self) -> u64 {
        self.tensor.saturating_mul(self.pipeline)
    }

    /// Refuses what does not come out even.
    ///
    /// # Errors
    /// A [`Misfit`] that names the key.
    pub fn check(&self) -> Result<(), Misfit> {
        let zero = [("ranks", self.ranks), ("tensor", self.tensor), ("pipeline", self.pipeline)];
        if let Some((key, _)) = zero.into_iter().find(|(_, count)| *count == 0) {
            let problem = format!("`{key}` is 0");
            return Err(Misfit { key, problem, help: "there is at least one".into() });
        }
        if self.ranks > MOST_RANKS {
            let problem = format!("`ranks` is {}: more than are told apart", self.ranks);
            return Err(Misfit { key: "ranks", problem, help: format!("at most {MOST_RANKS}") });
        }
        if self.zero > 3 {
            let problem = format!("`zero` is {}", self.zero);
            return Err(Misfit { key: "zero", problem, help: "ZeRO has stages 0 to 3".into() });
        }
        if !self.ranks.is_multiple_of(self.model_ranks()) {
            return Err(self.uneven());
        }
        if self.zero == 3 && self.pipeline > 1 {
            let problem = "`zero = 3` shards the weights over replicas, and takes no pipeline".to_string();
            return Err(Misfit { key: "zero", problem, help: "set pipeline to 1, or zero to 1".into() });
        }
        Ok(())
    }

    fn uneven(&self) -> Misfit {
        let Parallelism { ranks, tensor, pipeline, .. } = self;
        let one = self.model_ranks();
        let problem =
            format!("tensor x pipeline = {tensor} x {pipeline} = {one} does not divide {ranks} ranks into replicas");
        let near = ranks.div_ceil(one).saturating_mul(one);
        Misfit { key: "ranks", problem, help: format!("take a multiple of {one}, such as {near}") }
    }
}

/// The most bytes of a checkpoint: an exbibyte.
pub const MOST_BYTES: u64 = 1 << 60;

/// Refuses more bytes than can be counted.
///
/// # Errors
/// A [`Misfit`] that names the key.
pub fn countable(key: &'static str, bytes: u128) -> Result<(), Misfit> {
    if bytes <= u128::from(MOST_BYTES) {
        return Ok(());
    }
    let problem = format!("`{key}` comes to more than 2^60 bytes");
    Err(Misfit { key, problem, help: "no checkpoint is that large".into() })
}

/// The most files of a rank: so many that nobody has more.
pub const MOST_FILES: u64 = 1_000_000;

/// Refuses more files than are told apart.
///
/// # Errors
/// A [`Misfit`] that names the key.
pub fn few_files(files_a_rank: u64) -> Result<(), Misfit> {
    if files_a_rank <= MOST_FILES {
        return Ok(());
    }
    let problem = format!("`files_per_rank` is {files_a_rank}: more than are told apart");
    Err(Misfit { key: "files_per_rank", problem, help: format!("at most {MOST_FILES}") })
}

/// A transformer's state by pipeline stage: layers as even as they come, the first ones of a remainder to the first stages;
/// the embedding to the first, the output matrix and the last norm to the last.
pub fn state(shape: &Transformer, precision: &Precision, pipeline: u64) -> State {
    let layer = shape.of_a_layer();
    let stage = |stage: u64| {
        let first = if stage == 0 { shape.of_the_embedding() } else { 0 };
        let last = if stage + 1 == pipeline { shape.of_the_embedding().saturating_add(shape.hidden) } else { 0 };
        part(shape.layers, pipeline, stage).saturating_mul(layer).saturating_add(first).saturating_add(last)
    };
    let parameters: Vec<u64> = (0..pipeline).map(stage).collect();
    let bytes = |each: u64| parameters.iter().map(|count| count.saturating_mul(each)).collect();
    State { weights: bytes(precision.weights.bytes()), optimizer: bytes(precision.optimizer_bytes()) }
}

/// Bytes of which no more is known, over the pipeline's stages.
pub fn plain(bytes: u64, pipeline: u64) -> State {
    let optimizer = (0..pipeline).map(|stage| part(bytes, pipeline, stage)).collect();
    State { weights: vec![0; pipeline as usize], optimizer }
}

/// What each rank writes of a state. The parallelism has been checked.
pub fn layout(state: &State, how: &Parallelism, writers: Writers, files_a_rank: u64) -> Layout {
    let share = |rank: u64| match writers {
        Writers::All => held(state, how, rank),
        Writers::OneReplica if rank < how.model_ranks() => slice(state, how, rank),
        Writers::Rank0 if rank == 0 => total(state),
        Writers::OneReplica | Writers::Rank0 => 0,
    };
    Layout { ranks: (0..how.ranks).map(share).collect(), files_a_rank }
}

fn total(state: &State) -> u64 {
    state.weights.iter().chain(&state.optimizer).sum()
}

/// A rank's part of weights and optimizer, as ZeRO leaves it.
fn held(state: &State, how: &Parallelism, rank: u64) -> u64 {
    let replica = rank / how.model_ranks();
    let (weights, optimizer) = of_model_rank(state, how, rank);
    let sharded = |bytes: u64| part(bytes, how.data(), replica);
    let of_first = |bytes: u64| if replica == 0 { bytes } else { 0 };
    match how.zero {
        0 => of_first(weights + optimizer),
        3 => sharded(weights) + sharded(optimizer),
        _ => of_first(weights) + sharded(optimizer),
    }
}

fn slice(state: &State, how: &Parallelism, rank: u64) -> u64 {
    let (weights, optimizer) = of_model_rank(state, how, rank);
    weights + optimizer
}

/// Weights and optimizer of a rank's stage and tensor-parallel part.
fn of_model_rank(state: &State, how: &Parallelism, rank: u64) -> (u64, u64) {
    let stage = (rank / how.tensor % how.pipeline) as usize;
    let tensor = rank % how.tensor;
    (part(state.weights[stage], how.tensor, tensor), part(state.optimizer[stage], how.tensor, tensor))
}

/// Part `index` of an amount that is cut into `parts` as even as they come.
fn part(amount: u64, parts: u64, index: u64) -> u64 {
    amount / parts + u64::from(index < amount % parts)
}

impl Layout {
    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.ranks.iter().sum()
    }

    /// Bytes of the rank that writes most.
    pub fn largest(&self) -> u64 {
        self.ranks.iter().copied().max().unwrap_or(0)
    }

    /// Ranks that write.
    pub fn writers(&self) -> u64 {
        self.ranks.iter().filter(|bytes| **bytes > 0).count() as u64
    }

    /// Files in all.
    pub fn files(&self) -> u64 {
        self.writers().saturating_mul(self.files_a_rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::shape::{PRESETS, Preset};
    use proptest::prelude::*;

    fn of(preset: &Preset, zero: u64) -> (State, Parallelism) {
        let Preset { ranks, tensor, pipeline, .. } = *preset;
        (state(&preset.shape, &Precision::MIXED, pipeline), Parallelism { ranks, tensor, pipeline, zero })
    }

    #[test]
    fn zero_one_leaves_the_weights_with_the_first_replica() {
        let (state, how) = of(&PRESETS[2], 1);
        let layout = layout(&state, &how, Writers::All, 1);
        let (first, second) = (layout.ranks[8], layout.ranks[8 + 256]);
        // 2 bytes of weights and 6 of the optimizer a parameter, against 6.
        assert_eq!((how.data(), first * 6 / second), (2, 8));
    }

    #[test]
    fn zero_three_leaves_all_ranks_alike() {
        let (state, how) = of(&PRESETS[0], 3);
        let layout = layout(&state, &how, Writers::All, 1);
        assert!(layout.ranks.iter().all(|bytes| layout.largest() - bytes <= 2));
    }

    #[test]
    fn the_ends_of_a_pipeline_hold_the_embedding_and_the_output() {
        let (state, how) = of(&PRESETS[3], 0);
        let layout = layout(&state, &how, Writers::All, 1);
        let stages: Vec<u64> = (0..how.pipeline as usize).map(|stage| layout.ranks[stage * 8]).collect();
        assert!(stages[0] > stages[1] && stages[63] > stages[62] && stages[1] == stages[62]);
    }

    #[test]
    fn a_replica_is_written_by_half_of_two_replicas_ranks() {
        let (state, how) = of(&PRESETS[3], 1);
        let count = |writers| layout(&state, &how, writers, 2).files();
        assert_eq!([Writers::All, Writers::OneReplica, Writers::Rank0].map(count), [2_048, 1_024, 2]);
    }

    #[test]
    fn a_parallelism_that_leaves_a_remainder_is_refused() {
        let how = Parallelism { ranks: 12, tensor: 8, pipeline: 1, zero: 1 };
        let misfit = how.check().unwrap_err();
        assert_eq!((misfit.key, misfit.help.as_str()), ("ranks", "take a multiple of 8, such as 16"));
    }

    proptest! {
        #[test]
        fn every_byte_is_written_once(
            bytes in 0u64..1 << 50, tensor in 1u64..9, pipeline in 1u64..5, data in 1u64..5, zero in 0u64..4, who in 0usize..3
        ) {
            let how = Parallelism { ranks: tensor * pipeline * data, tensor, pipeline, zero };
            let writers = [Writers::All, Writers::OneReplica, Writers::Rank0][who];
            prop_assert_eq!(layout(&plain(bytes, pipeline), &how, writers, 1).bytes(), bytes);
        }
    }
}
