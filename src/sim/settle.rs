//! When a work has settled: batch means of its throughput agree.
//!
//! Knows progress in bytes and times. Must not know what the requests do.
//!
//! Progress counts finished requests and the finished part of those under way: counting finished ones alone would take a
//! slow change in how requests bunch for a change of throughput. It is read once a round (as many requests as are
//! outstanding; long rounds more often); two readings make a batch. Once there are 128 batches they are joined in pairs, so
//! that a batch grows with the run. The first half of all batches is the start-up and left out. The work has settled when there are at least 64
//! batches, the half-width of the 95 % interval of the mean time per byte, by Student's t over the kept half, is below the
//! stated share of the mean, the kept half's own halves agree as closely, so that nothing drifts, and the lanes of a closed
//! loop are even; uneven ones are simulated to their end.
//! (Law and Kelton, "Simulation Modeling and Analysis", batch means and initial transients.)

/// The interval that a settled run must reach, as a share of the mean.
pub const HALF_WIDTH: f64 = 0.005;

/// Lanes are even if the last has come at least this share of the way of the first.
const EVEN: f64 = 0.98;

/// What is enough after so many joinings: the longer it takes, the less is asked for. Loops that bunch up anew and anew
/// would else be simulated to their end.
const ENOUGH: [f64; 6] = [HALF_WIDTH, HALF_WIDTH, HALF_WIDTH, 0.01, 0.01, 0.02];

/// Loops of more outstanding requests are read more than once a round, at most [`READINGS`] times: their many requests
/// make a batch steady that is shorter than a round.
const LONG_ROUND: u64 = 128;
const READINGS: u64 = 8;

const MOST_BATCHES: usize = 128;
const FEWEST_BATCHES: usize = 64;

/// Student's t for 95 %, two-sided, at 31 degrees of freedom, the fewest that are used.
const STUDENT: f64 = 2.04;

/// Bytes of progress and the time that they took.
#[derive(Clone, Copy, Debug)]
struct Batch {
    bytes: f64,
    time: f64,
}

/// The batches of a work.
#[derive(Clone, Debug)]
pub struct Settling {
    batches: Vec<Batch>,
    /// Time and progress at the last reading.
    last: (u64, f64),
    /// Requests done since then, and how many make a batch.
    done: u64,
    length: u64,
    /// How often batches were joined.
    joined: usize,
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
        let length = outstanding.clamp(16, LONG_ROUND).max(outstanding / READINGS);
        Settling { batches: Vec::new(), last: (now, 0.0), done: 0, length, joined: 0 }
    }

    /// A request is done. Says whether it is time to read the progress.
    pub fn is_due(&mut self) -> bool {
        self.done += 1;
        self.done >= self.length
    }

    /// The progress is so many bytes now. Says whether the work has settled.
    pub fn read(&mut self, now: u64, progress: f64) -> Option<Steady> {
        self.batches.push(Batch { bytes: progress - self.last.1, time: (now - self.last.0) as f64 });
        self.last = (now, progress);
        self.done = 0;
        let steady = self.steady().filter(|steady| steady.half_width <= self.enough());
        if self.batches.len() == MOST_BATCHES {
            self.join_pairs();
        }
        steady
    }

    fn join_pairs(&mut self) {
        let join = |pair: &[Batch]| Batch { bytes: pair[0].bytes + pair[1].bytes, time: pair[0].time + pair[1].time };
        self.batches = self.batches.chunks_exact(2).map(join).collect();
        self.length *= 2;
        self.joined += 1;
    }

    fn enough(&self) -> f64 {
        ENOUGH[self.joined.min(ENOUGH.len() - 1)]
    }

    fn steady(&self) -> Option<Steady> {
        if self.batches.len() < FEWEST_BATCHES {
            return None;
        }
        let kept = &self.batches[self.batches.len() / 2..];
        let (early, late) = kept.split_at(kept.len() / 2);
        let (mean, count) = (pace(kept), kept.len() as f64);
        if (pace(early) / pace(late) - 1.0).abs() > self.enough() {
            return None;
        }
        let off = |batch: &Batch| pace(std::slice::from_ref(batch)) - mean;
        let variance = kept.iter().map(|batch| off(batch) * off(batch)).sum::<f64>() / (count - 1.0);
        Some(Steady { ps_per_byte: mean, half_width: STUDENT * libm::sqrt(variance / count) / mean })
    }
}

/// Whether the lanes of a closed loop have come equally far. Where they have not, those ahead will be done early and leave
/// their room to the others, so that the pace of now is not that of the rest.
pub fn are_even(lanes: &[f64]) -> bool {
    let least = lanes.iter().copied().fold(f64::INFINITY, f64::min);
    let most = lanes.iter().copied().fold(0.0, f64::max);
    least >= EVEN * most
}

/// Picoseconds that the rest takes at the steady pace, each lane going on with its part of it: a work ends with its slowest
/// lane. `whole` are the bytes of each lane in all, `done` those that it has moved.
pub fn rest_ps(steady: &Steady, whole: &[u64], done: &[f64]) -> u64 {
    let all: f64 = done.iter().sum();
    let rest =
        |(&whole, &done): (&u64, &f64)| (whole as f64 - done).max(0.0) * steady.ps_per_byte * all / done.max(1.0);
    whole.iter().zip(done).map(rest).fold(0.0, f64::max) as u64
}

/// Picoseconds per byte over some batches.
fn pace(batches: &[Batch]) -> f64 {
    let (time, bytes) = batches.iter().fold((0.0, 0.0), |sum, batch| (sum.0 + batch.time, sum.1 + batch.bytes));
    time / f64::max(bytes, 1.0)
}
