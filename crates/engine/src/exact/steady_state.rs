//! When a work has settled: batch means of its throughput agree.
//!
//! Knows progress in bytes and times. Must not know what the requests do, nor what is done once they have settled.
//!
//! Progress counts finished requests and the finished part of those under way: counting finished ones alone would take a
//! slow change in how requests bunch for a change of throughput. It is read once a round (as many requests as are
//! outstanding; long rounds more often); what passed between two readings is a batch. Once there are 128 batches they are
//! joined in pairs, so that a batch grows with the run. The first half of all batches is the start-up and left out. The work
//! has settled when there are at least 64 batches, the half-width of the 95 % interval of the mean time per byte, by Student's
//! t over the kept half, is below the stated share of the mean, and the kept half's own halves agree as closely, so that
//! nothing drifts. A single leg is not believed: one that binds goes steadily from the start, while the requests behind it
//! bunch and may yet fall into a slower march.
//! (Law and Kelton, "Simulation Modeling and Analysis", batch means and initial transients.)

/// The interval that a settled run must reach, as a share of the mean.
pub const HALF_WIDTH: f64 = 0.005;

/// What is enough after so many joinings: the longer it takes, the less is asked for. Loops that bunch up anew and anew
/// would else be simulated to their end.
const ENOUGH: [f64; 6] = [HALF_WIDTH, HALF_WIDTH, HALF_WIDTH, 0.01, 0.01, 0.02];

/// Loops of more outstanding requests are read more than once a round, at most [`READINGS`] times: their many requests
/// make a batch steady that is shorter than a round.
const LONG_ROUND: u64 = 128;
const READINGS: u64 = 8;

const MOST_BATCHES: usize = 128;
const FEWEST_BATCHES: usize = 64;

/// The kept batches are put together to so many or up to twice as many, since what one batch has too much the next one
/// often has too little, and Student's t for 95 %, two-sided, at the fewest degrees of freedom.
const GROUPS: usize = 16;
const STUDENT: f64 = 2.131;

/// How far every lane had come at a time.
#[derive(Clone, Debug)]
struct Reading {
    time: u64,
    lanes: Vec<f64>,
}

/// The readings of a work since its lanes last changed.
#[derive(Clone, Debug)]
pub struct Settling {
    readings: Vec<Reading>,
    /// Requests done since the last reading, and how many make a batch.
    done: u64,
    length: u64,
    /// How often batches were joined.
    joined: usize,
}

/// What settled.
#[derive(Clone, Debug, PartialEq)]
pub struct Steady {
    /// Bytes a picosecond, by lane.
    pub paces: Vec<f64>,
    /// Half-width of the 95 % interval of the time per byte over its mean.
    pub half_width: f64,
}

impl Settling {
    /// A work whose lanes have come so far now, with so many requests outstanding.
    pub fn new(now: u64, lanes: Vec<f64>, outstanding: u64) -> Settling {
        let length = outstanding.clamp(16, LONG_ROUND).max(outstanding / READINGS);
        Settling { readings: vec![Reading { time: now, lanes }], done: 0, length, joined: 0 }
    }

    /// A request is done. Says whether it is time to read the progress.
    pub fn is_due(&mut self) -> bool {
        self.done += 1;
        self.done >= self.length
    }

    /// The lanes have come so far now. Says whether the work has settled.
    pub fn read(&mut self, now: u64, lanes: Vec<f64>) -> Option<Steady> {
        self.readings.push(Reading { time: now, lanes });
        self.done = 0;
        let steady = self.steady();
        if self.readings.len() > MOST_BATCHES {
            self.join_pairs();
        }
        steady
    }

    fn join_pairs(&mut self) {
        self.readings = std::mem::take(&mut self.readings).into_iter().step_by(2).collect();
        self.length *= 2;
        self.joined += 1;
    }

    fn steady(&self) -> Option<Steady> {
        let count = self.readings.len() - 1;
        if count < FEWEST_BATCHES {
            return None;
        }
        let kept = &self.readings[count / 2..];
        let half_width = half_width(kept, ENOUGH[self.joined.min(ENOUGH.len() - 1)])?;
        Some(Steady { paces: paces(kept), half_width })
    }
}

/// Half the width of the interval of the time per byte over its mean, if that is narrow enough and does not drift.
fn half_width(kept: &[Reading], enough: f64) -> Option<f64> {
    let (middle, size) = (kept.len() / 2, (kept.len() - 1) / GROUPS);
    let drift = time_per_byte(&kept[..=middle]) / time_per_byte(&kept[middle..]) - 1.0;
    let mean = time_per_byte(kept);
    let groups: Vec<f64> = kept.windows(size + 1).step_by(size).map(time_per_byte).collect();
    let (count, squares) = (groups.len() as f64, groups.iter().map(|group| (group - mean) * (group - mean)));
    let half_width = STUDENT * libm::sqrt(squares.sum::<f64>() / (count - 1.0) / count) / mean;
    (drift.abs() <= enough && half_width <= enough).then_some(half_width)
}

/// Picoseconds per byte from the first of some readings to the last.
fn time_per_byte(readings: &[Reading]) -> f64 {
    let [first, .., last] = readings else { return 0.0 };
    let bytes = last.lanes.iter().sum::<f64>() - first.lanes.iter().sum::<f64>();
    (last.time - first.time) as f64 / bytes.max(1.0)
}

/// Bytes a picosecond of each lane from the first of some readings to the last.
fn paces(readings: &[Reading]) -> Vec<f64> {
    let [first, .., last] = readings else { return Vec::new() };
    let time = (last.time - first.time).max(1) as f64;
    last.lanes.iter().zip(&first.lanes).map(|(last, first)| (last - first) / time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: u64 = 16;

    /// Two lanes that have come so far, of which a request is done every picosecond; looked at for so many rounds.
    fn read(rounds: u64, lane: impl Fn(f64) -> f64) -> Option<Steady> {
        let mut settling = Settling::new(0, vec![lane(0.0); 2], ROUND);
        let lanes = |time: u64| vec![lane(time as f64); 2];
        (1..=rounds * ROUND).find_map(|time| settling.is_due().then(|| settling.read(time, lanes(time))).flatten())
    }

    #[test]
    fn an_even_pace_settles_with_the_fewest_batches() {
        let even = |time: f64| 1000.0 * time;
        assert_eq!(read(FEWEST_BATCHES as u64 - 1, even), None);
        assert_eq!(read(FEWEST_BATCHES as u64, even).unwrap().paces, [1000.0, 1000.0]);
    }

    #[test]
    fn a_pace_that_drifts_does_not_settle() {
        assert_eq!(read(1000, |time| 1000.0 * time + time * time), None);
    }

    #[test]
    fn a_pace_that_swings_settles_once_the_swing_is_small_beside_what_has_moved() {
        let swinging = |time: f64| 1000.0 * time + 5000.0 * libm::sin(time * 2.3);
        assert_eq!(read(80, swinging), None);
        let steady = read(10_000, swinging).unwrap();
        assert!((steady.paces[0] / 1000.0 - 1.0).abs() < 0.02, "{steady:?}");
    }
}
