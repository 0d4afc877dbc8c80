//! What a lane still has to offer: how much, in which sizes, and when it arrives.
//!
//! Knows amounts, sizes and streams. Must not know what happens to a request.

use crate::plan::{Amount, Arrivals, Sizes, Work};

use super::extrapolate::Rest;
use crate::draw::Stream;

/// The requests that a lane has not begun yet.
#[derive(Debug)]
pub struct Supply {
    left: Left,
    sizes: Sizes,
    turn: usize,
    stream: Stream,
    arrivals: Option<(Arrivals, Stream)>,
    jitter: Stream,
}

#[derive(Clone, Copy, Debug)]
enum Left {
    Bytes(u64),
    Requests(u64),
    Unlimited,
}

impl Supply {
    /// A lane's part of a work.
    pub fn new(work: &Work, lane: usize, seed: u64) -> Supply {
        let left = match work.amount {
            Amount::Bytes(_) => Left::Bytes(work.part(lane)),
            Amount::Requests(_) => Left::Requests(work.part(lane)),
            Amount::RunTime { .. } => Left::Unlimited,
        };
        let gpu = work.lanes[lane].gpu_name();
        let stream = |use_: &str| Stream::named(seed, &format!("{}/{gpu}/{use_}", work.name));
        let arrivals = work.arrivals.map(|arrivals| (arrivals, stream("arrivals")));
        Supply { left, sizes: work.size.clone(), turn: 0, stream: stream("sizes"), arrivals, jitter: stream("delays") }
    }

    /// The size of the next request, if there is one. The last one of an amount of bytes is as short as it must be.
    pub fn next_size(&mut self) -> Option<u64> {
        match self.left {
            Left::Bytes(0) | Left::Requests(0) => return None,
            _ => {}
        }
        let drawn = self.draw_size();
        let size = match &mut self.left {
            Left::Bytes(left) => {
                let size = drawn.min(*left);
                *left -= size;
                size
            }
            Left::Requests(left) => {
                *left -= 1;
                drawn
            }
            Left::Unlimited => drawn,
        };
        Some(size)
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        matches!(self.left, Left::Bytes(0) | Left::Requests(0))
    }

    /// What is left, in requests, or in rounds of a list of sizes.
    pub fn rest(&self) -> Rest {
        let (requests, bytes) = self.round();
        let rounds = match self.left {
            Left::Bytes(left) => left / bytes.max(1),
            Left::Requests(left) => left / requests,
            Left::Unlimited => 0,
        };
        Rest { rounds, bytes }
    }

    /// Leaves out so many rounds of what is left; how many requests and bytes they are.
    pub fn leave_out(&mut self, rounds: u64) -> (u64, u64) {
        let (requests, bytes) = self.round();
        let (requests, bytes) = (rounds * requests, rounds * bytes);
        match &mut self.left {
            Left::Bytes(left) => *left = left.saturating_sub(bytes),
            Left::Requests(left) => *left = left.saturating_sub(requests),
            Left::Unlimited => {}
        }
        (requests, bytes)
    }

    /// The requests and bytes of one round: through a list of sizes, or one request of the mean size.
    fn round(&self) -> (u64, u64) {
        match &self.sizes {
            Sizes::Listed(sizes) => (sizes.len() as u64, sizes.iter().map(|size| size.0).sum()),
            drawn => (1, drawn.mean().0),
        }
    }

    /// Picoseconds until the next arrival of an open loop of `lanes` lanes.
    pub fn next_gap(&mut self, lanes: u64) -> Option<u64> {
        let (arrivals, stream) = self.arrivals.as_mut()?;
        let mean = arrivals.gap.0 * lanes;
        Some(if arrivals.poisson { stream.exponential(mean) } else { mean })
    }

    /// An extra delay, evenly between nothing and `most`.
    pub fn jitter(&mut self, most: u64) -> u64 {
        self.jitter.between(0, most)
    }

    fn draw_size(&mut self) -> u64 {
        match &self.sizes {
            Sizes::Listed(sizes) => {
                let size = sizes[self.turn % sizes.len()].0;
                self.turn += 1;
                size
            }
            &Sizes::Uniform(low, high) => self.stream.between(low.0, high.0),
            &Sizes::Exponential(mean) => self.stream.exponential(mean.0).max(1),
        }
    }
}
