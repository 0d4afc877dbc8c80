//! Named random streams: adding a part to a scenario disturbs no other part's draws.
//!
//! Knows a seed and a name. Must not know what is drawn.
//!
//! A stream is ChaCha8 keyed by SHA-256 of the seed (8 bytes, little endian) and the stream's name. Exponential draws invert
//! the distribution function, with `libm`'s logarithm, so that every machine draws the same.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// A random stream of its own.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of this name under this seed.
    pub fn named(seed: u64, name: &str) -> Stream {
        let mut digest = Sha256::new();
        digest.update(seed.to_le_bytes());
        digest.update(name.as_bytes());
        Stream(ChaCha8Rng::from_seed(digest.finalize().into()))
    }

    /// A whole number, evenly from `low` to `high`, both included.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let width = (high - low) as u128 + 1;
        low + ((self.0.next_u64() as u128 * width) >> 64) as u64
    }

    /// An exponential draw of this mean, rounded to a whole number.
    pub fn exponential(&mut self, mean: u64) -> u64 {
        let uniform = ((self.0.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-libm::log(uniform) * mean as f64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_is_another_stream_and_the_same_name_the_same() {
        let draw = |name| Stream::named(1, name).between(0, u64::MAX);
        assert_eq!(draw("a"), draw("a"));
        assert_ne!(draw("a"), draw("b"));
    }

    #[test]
    fn the_mean_of_exponential_draws_is_the_mean_asked_for() {
        let mut stream = Stream::named(7, "mean");
        let sum: u64 = (0..100_000).map(|_| stream.exponential(1_000_000)).sum();
        let mean = sum as f64 / 1e5;
        assert!((mean / 1e6 - 1.0).abs() < 0.01, "{mean}");
    }
}
