//! What a model's state measures: parameters of a transformer, bytes by datatype, optimizer states.
//!
//! Knows shapes and datatypes. Must not know who writes which part.
//!
//! A transformer with vocabulary `V`, hidden size `h`, `L` layers, `a` heads, `k` key-value heads and feed-forward size `f`,
//! with grouped queries, a gated feed-forward and separate embedding and output matrices, has
//! `2 V h + L (h^2 (2 + 2 k / a) + 3 h f + 2 h) + h` parameters. (A. Grattafiori et al., "The Llama 3 Herd of Models", 2024,
//! table 3, for the shapes; that 16-bit weights and three 32-bit optimizer states, 14 bytes a parameter, give the
//! checkpoints of MLPerf Storage v3.0 is held by a test.)

use serde::Serialize;

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Datatype {
    /// 64 bits.
    Fp64,
    /// 32 bits.
    Fp32,
    /// 16 bits, IEEE.
    Fp16,
    /// 16 bits with the exponent of 32.
    Bf16,
    /// 8 bits.
    Fp8,
    /// 8 bits, whole.
    Int8,
    /// 8 bits, whole and not negative.
    Uint8,
}

impl Datatype {
    /// All of them, by name.
    pub const ALL: [(&'static str, Datatype); 7] = [
        ("fp64", Datatype::Fp64),
        ("fp32", Datatype::Fp32),
        ("fp16", Datatype::Fp16),
        ("bf16", Datatype::Bf16),
        ("fp8", Datatype::Fp8),
        ("int8", Datatype::Int8),
        ("uint8", Datatype::Uint8),
    ];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Datatype> {
        Datatype::ALL.iter().find(|(known, _)| *known == name).map(|(_, datatype)| *datatype)
    }

    /// Bytes of a number.
    pub fn bytes(self) -> u64 {
        match self {
            Datatype::Fp64 => 8,
            Datatype::Fp32 => 4,
            Datatype::Fp16 | Datatype::Bf16 => 2,
            Datatype::Fp8 | Datatype::Int8 | Datatype::Uint8 => 1,
        }
    }
}

/// A transformer's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Transformer {
    /// Layers.
    pub layers: u64,
    /// Hidden size.
    pub hidden: u64,
    /// Size of the feed-forward part.
    pub feed_forward: u64,
    /// Vocabulary.
    pub vocabulary: u64,
    /// Attention heads.
    pub heads: u64,
    /// Key-value heads.
    pub kv_heads: u64,
}

impl Transformer {
    /// Parameters of one layer.
    pub fn of_a_layer(&self) -> u64 {
        let (h, f) = (u128::from(self.hidden), u128::from(self.feed_forward));
        let (a, k) = (u128::from(self.heads.max(1)), u128::from(self.kv_heads));
        saturated(h * h * 2 * (a + k) / a + 3 * h * f + 2 * h)
    }

    /// Parameters of the embedding; the output matrix has as many.
    pub fn of_the_embedding(&self) -> u64 {
        saturated(u128::from(self.vocabulary) * u128::from(self.hidden))
    }

    /// All parameters.
    pub fn parameters(&self) -> u64 {
        let layers = u128::from(self.layers) * u128::from(self.of_a_layer());
        saturated(2 * u128::from(self.of_the_embedding()) + layers + u128::from(self.hidden))
    }
}

fn saturated(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// How a parameter is stored, and what the optimizer keeps of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Precision {
    /// Of the weights.
    pub weights: Datatype,
    /// Of the optimizer's numbers.
    pub optimizer: Datatype,
    /// Numbers that the optimizer keeps of each parameter: 3 for Adam with a master copy, 0 to save weights alone.
    pub states: u64,
}

impl Precision {
    /// Mixed precision with Adam: 14 bytes a parameter.
    pub const MIXED: Precision = Precision { weights: Datatype::Bf16, optimizer: Datatype::Fp32, states: 3 };

    /// Bytes of the optimizer's numbers of one parameter.
    pub fn optimizer_bytes(&self) -> u64 {
        self.optimizer.bytes() * self.states
    }

    /// Bytes of one parameter in all.
    pub fn bytes(&self) -> u64 {
        self.weights.bytes() + self.optimizer_bytes()
    }
}

/// A model that is known by name, with the ranks that MLPerf Storage saves it from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Transformer,
    /// Ranks.
    pub ranks: u64,
    /// Tensor-parallel ranks.
    pub tensor: u64,
    /// Pipeline stages.
    pub pipeline: u64,
    /// ZeRO stage.
    pub zero: u64,
}

const VOCABULARY: u64 = 128_256;

/// The four models of MLPerf Storage's checkpoints. Heads as its files state them: 128 for the 70B.
pub const PRESETS: [Preset; 4] = [
    preset("llama3-8b", [32, 4_096, 14_336, 32, 8], [8, 1, 1, 3]),
    preset("llama3-70b", [80, 8_192, 28_672, 128, 8], [64, 8, 1, 3]),
    preset("llama3-405b", [126, 16_384, 53_248, 128, 8], [512, 8, 32, 1]),
    preset("llama3-1t", [128, 25_872, 98_304, 192, 32], [1_024, 8, 64, 1]),
];

const fn preset(name: &'static str, shape: [u64; 5], ranks: [u64; 4]) -> Preset {
    let [layers, hidden, feed_forward, heads, kv_heads] = shape;
    let [ranks, tensor, pipeline, zero] = ranks;
    let shape = Transformer { layers, hidden, feed_forward, vocabulary: VOCABULARY, heads, kv_heads };
    Preset { name, shape, ranks, tensor, pipeline, zero }
}

impl Preset {
    /// The one of that name.
    pub fn named(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_models_measure_what_mlperf_storage_reports() {
        // mlcommons/storage_results_v3.0, checkpoint size of each model; the field is labelled GB and is GiB.
        let reported = [104.7045, 911.2121, 5292.2487, 15426.589];
        for (preset, reported) in PRESETS.iter().zip(reported) {
            let gib = (preset.shape.parameters() * Precision::MIXED.bytes()) as f64 / (1u64 << 30) as f64;
            let off = (gib / reported - 1.0).abs();
            assert!(off < 0.0002, "{}: {gib} GiB, reported {reported}", preset.name);
        }
    }

    #[test]
    fn adam_in_mixed_precision_takes_fourteen_bytes_a_parameter() {
        assert_eq!((Precision::MIXED.bytes(), Precision::MIXED.optimizer_bytes()), (14, 12));
    }

    #[test]
    fn a_shape_beyond_all_bounds_does_not_overflow() {
        let many = 1 << 40;
        let shape =
            Transformer { layers: many, hidden: many, feed_forward: many, vocabulary: many, heads: 1, kv_heads: 1 };
        assert_eq!(shape.parameters(), u64::MAX);
    }
}
