//! When a work has settled: batch means of its throughput agree.
//!
//! Knows bytes and times of finished requests. Must not know what the requests do.
//!
//! Finished requests are gathered into batches; the first batches (a tenth, at least one) are left out as the start-up. Once
//! there are 40 batches they are joined in pairs, so that a batch grows with the run. The work has settled when the
//! half-width of the 95 % interval of the mean time per byte, by Student's t over at least ten batches, is below the stated
//! share of the mean. (Law and Kelton, "Simulation Modeling and Analysis", batch means.)

/// The interval that a settled run must reach, as a share of the mean.
pub const HALF_WIDTH: f64 = 0.002;

const MOST_BATCHES: usize = 40;
const FEWEST_BATCHES: usize = 10;

/// Student's t for 95 %, two-sided, by degrees of freedom 9 to 39 (largest of the range, so that the interval is not too small).
const STUDENT: f64 = 2.262;

/// Bytes finished and the time that it took.
#[derive(Clone, Copy, Debug, Default)]
struct Batch {
    bytes: u64,
    time: u64,
    requests: u64,
}

/// The batches of a work.
#[derive(Clone, Debug)]
pub struct Settling {
    batches: Vec<Batch>,
    open: Batch,
    opened: u64,
    /// Requests in a batch.
    length: u64,
}

/// What settled: picoseconds per byte and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steady {
    /// Mean picoseconds per payload byte.
    pub ps_per_byte: f64,
    /// Half-width of the 95 % interval over the mean.
    pub half_width: f64,
}

impl Settling {
    /// A work that starts now with so many requests outstanding.
    pub fn new(now: u64, outstanding: u64) -> Settling {
        Settling { batches: Vec::new(), open: Batch::default(), opened: now, length: outstanding.max(16) }
    }

    /// A request is done. Says whether the work has settled.
    pub fn done(&mut self, now: u64, bytes: u64) -> Option<Steady> {
        self.open.bytes += bytes;
        self.open.requests += 1;
        if self.open.requests < self.length {
            return None;
        }
        self.open.time = now - self.opened;
        self.opened = now;
        self.batches.push(std::mem::take(&mut self.open));
        let steady = self.steady().filter(|steady| steady.half_width <= HALF_WIDTH);
        if self.batches.len() == MOST_BATCHES {
            self.join_pairs();
        }
        steady
    }

    fn join_pairs(&mut self) {
        let join = |pair: &[Batch]| Batch {
            bytes: pair[0].bytes + pair[1].bytes,
            time: pair[0].time + pair[1].time,
            requests: pair[0].requests + pair[1].requests,
        };
        self.batches = self.batches.chunks_exact(2).map(join).collect();
        self.length *= 2;
    }

    fn steady(&self) -> Option<Steady> {
        let start_up = (self.batches.len() / 10).max(1);
        let kept = self.batches.get(start_up..)?;
        if kept.len() < FEWEST_BATCHES {
            return None;
        }
        let count = kept.len() as f64;
        let paces = || kept.iter().map(|batch| batch.time as f64 / batch.bytes as f64);
        let mean = paces().sum::<f64>() / count;
        let variance = paces().map(|pace| (pace - mean) * (pace - mean)).sum::<f64>() / (count - 1.0);
        let half_width = STUDENT * libm::sqrt(variance / count) / mean;
        Some(Steady { ps_per_byte: mean, half_width })
    }
}
