//! No lock-step: how much longer or shorter than its mean each service takes.
//!
//! Knows a coefficient of variation and numbers of requests. Must not know what is served.
//!
//! Equal requests with equal services fall into step and stay there; those of real machines vary. A service of mean `m` takes
//! `m f` with `f` from a shifted exponential distribution of mean 1 and standard deviation `c`: `f = 1 - c - c ln(1 - u)`, the
//! shape of a latency that has a least value and a tail. `u` takes 64 values, evenly spread, once in every block of 64 requests,
//! in an order of its own for each block; so each block has the mean exactly. A block begins where none of its partial sums
//! is below the mean (there is always such a rotation), so that whatever has been served took no less than its mean in all.

use crate::draw::Stream;
use crate::units::Factor;

/// One, as factors are counted.
pub const UNIT: u64 = 1 << 16;

const BLOCK: usize = 64;
const BLOCKS: usize = 64;

/// The factors of all services.
#[derive(Debug)]
pub struct Spread {
    table: Vec<u32>,
}

impl Spread {
    /// Factors of a coefficient of variation, in an order that the seed decides; `None` where there is none.
    pub fn new(variation: Option<Factor>, seed: u64) -> Option<Spread> {
        let variation = variation.filter(|variation| variation.0 > 0)?.as_f64().min(1.0);
        let factors = block(variation);
        let mut stream = Stream::named(seed, "spread");
        let table = (0..BLOCKS).flat_map(|_| rotated(shuffled(factors.clone(), &mut stream)));
        Some(Spread { table: table.collect() })
    }

    /// The factor of a request's service, in [`UNIT`]: by its lane, by what is done, and by its number in the lane.
    pub fn factor(&self, lane: u32, activity: u32, request: u32) -> u64 {
        let block = (lane as usize).wrapping_mul(37).wrapping_add((activity as usize).wrapping_mul(11)) % BLOCKS;
        u64::from(self.table[(block * BLOCK + request as usize) % self.table.len()])
    }
}

/// The factors of a block, the smallest first, of mean exactly one.
fn block(variation: f64) -> Vec<u32> {
    let at = |place: usize| {
        let u = (place as f64 + 0.5) / BLOCK as f64;
        1.0 - variation - variation * libm::log(1.0 - u)
    };
    let all: f64 = (0..BLOCK).map(at).sum();
    let mut factors: Vec<u32> =
        (0..BLOCK).map(|place| (at(place) * BLOCK as f64 / all * UNIT as f64).round() as u32).collect();
    let rest: u32 = factors[..BLOCK - 1].iter().sum();
    factors[BLOCK - 1] = (BLOCK as u32) * UNIT as u32 - rest;
    factors
}

/// An order drawn evenly (Fisher and Yates).
fn shuffled(mut factors: Vec<u32>, stream: &mut Stream) -> Vec<u32> {
    for last in (1..factors.len()).rev() {
        factors.swap(last, stream.between(0, last as u64) as usize);
    }
    factors
}

/// Begun where no partial sum is below its mean: right after the place where the sum is the farthest below.
fn rotated(mut factors: Vec<u32>) -> Vec<u32> {
    let (mut sum, mut lowest, mut at) = (0i64, 0i64, 0);
    for (place, &factor) in factors.iter().enumerate() {
        sum += i64::from(factor) - UNIT as i64;
        if sum < lowest {
            (lowest, at) = (sum, place + 1);
        }
    }
    factors.rotate_left(at % BLOCK);
    factors
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread() -> Spread {
        Spread::new(Some(Factor(200_000_000)), 7).unwrap()
    }

    #[test]
    fn every_block_has_the_mean_exactly_and_no_partial_sum_is_below_it() {
        for lane in 0..9 {
            let factors: Vec<u64> = (0..BLOCK as u32).map(|request| spread().factor(lane, 3, request)).collect();
            assert_eq!(factors.iter().sum::<u64>(), BLOCK as u64 * UNIT);
            let mut sum = 0;
            for (place, factor) in factors.iter().enumerate() {
                sum += factor;
                assert!(sum >= (place as u64 + 1) * UNIT, "lane {lane}, request {place}");
            }
        }
    }

    #[test]
    fn factors_scatter_as_asked() {
        let factors: Vec<f64> = spread().table.iter().map(|&factor| f64::from(factor) / UNIT as f64).collect();
        let squares: f64 = factors.iter().map(|factor| (factor - 1.0) * (factor - 1.0)).sum();
        let deviation = libm::sqrt(squares / factors.len() as f64);
        assert!((deviation - 0.2).abs() < 0.01, "{deviation}");
    }

    #[test]
    fn without_a_spread_there_is_none() {
        assert!(Spread::new(None, 1).is_none() && Spread::new(Some(Factor::ZERO), 1).is_none());
    }
}
