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
//! nothing drifts. The same is asked of what has moved over each leg: in the long run all legs move as much, and while requests
//! bunch between them the one that binds goes steadily. A single leg must be five times as sure.
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

/// How much sooner than a leg alone all of them together are believed.
const ONE_LEG: f64 = 5.0;

/// How far a work has come, in bytes.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// By lane, over all its legs: a byte that is over one of three counts a third.
    pub lanes: Vec<f64>,
    /// By leg, over all lanes.
    pub legs: Vec<f64>,
}

/// How far a work had come at a time.
#[derive(Clone, Debug)]
struct Reading {
    time: u64,
    progress: Progress,
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
    /// A work that has come so far now, with so many requests outstanding.
    pub fn new(now: u64, progress: Progress, outstanding: u64) -> Settling {
        let length = outstanding.clamp(16, LONG_ROUND).max(outstanding / READINGS);
        Settling { readings: vec![Reading { time: now, progress }], done: 0, length, joined: 0 }
    }

    /// When the first reading was taken.
    pub fn since(&self) -> u64 {
        self.readings[0].time
    }

    /// A request is done. Says whether it is time to read the progress.
    pub fn is_due(&mut self) -> bool {
        self.done += 1;
        self.done >= self.length
    }

    /// The work has come so far now. Says whether it has settled.
    pub fn read(&mut self, now: u64, progress: Progress) -> Option<Steady> {
        self.readings.push(Reading { time: now, progress });
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
        let enough = ENOUGH[self.joined.min(ENOUGH.len() - 1)];
        let legs = 0..kept[0].progress.legs.len();
        let of_legs = legs.filter_map(|leg| interval(kept, |at| at.legs[leg], HALF_WIDTH / ONE_LEG));
        let of_one = || of_legs.min_by(|a, b| a.half_width.total_cmp(&b.half_width));
        let found = interval(kept, |at| at.lanes.iter().sum(), enough).or_else(of_one)?;
        Some(Steady { paces: paces(kept, found.mean), half_width: found.half_width })
    }
}

/// The time per byte and half the width of its interval over the mean.
struct Interval {
    mean: f64,
    half_width: f64,
}

/// The interval of the time per byte of some measure of progress, if it is narrow enough and does not drift.
fn interval(kept: &[Reading], bytes: impl Fn(&Progress) -> f64, enough: f64) -> Option<Interval> {
    let time_per_byte = |readings: &[Reading]| {
        let [first, .., last] = readings else { return 0.0 };
        (last.time - first.time) as f64 / f64::max(bytes(&last.progress) - bytes(&first.progress), 1.0)
    };
    let (middle, size) = (kept.len() / 2, (kept.len() - 1) / GROUPS);
    let drift = time_per_byte(&kept[..=middle]) / time_per_byte(&kept[middle..]) - 1.0;
    let mean = time_per_byte(kept);
    let groups: Vec<f64> = kept.windows(size + 1).step_by(size).map(time_per_byte).collect();
    let (count, squares) = (groups.len() as f64, groups.iter().map(|group| (group - mean) * (group - mean)));
    let half_width = STUDENT * libm::sqrt(squares.sum::<f64>() / (count - 1.0) / count) / mean;
    (drift.abs() <= enough && half_width <= enough).then_some(Interval { mean, half_width })
}

/// Bytes a picosecond of each lane from the first of some readings to the last, at so much time per byte of all of them.
fn paces(kept: &[Reading], time_per_byte: f64) -> Vec<f64> {
    let [first, .., last] = kept else { return Vec::new() };
    let moved = || last.progress.lanes.iter().zip(&first.progress.lanes).map(|(last, first)| last - first);
    let all = moved().sum::<f64>() * time_per_byte;
    moved().map(|bytes| bytes / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read every picosecond of two lanes and two legs that have come to `lanes` and `legs` bytes each.
    fn read(count: u64, lanes: impl Fn(f64) -> f64, legs: [&dyn Fn(f64) -> f64; 2]) -> Option<Steady> {
        let at = |time: u64| Progress {
            lanes: vec![lanes(time as f64); 2],
            legs: legs.iter().map(|leg| leg(time as f64)).collect(),
        };
        let mut settling = Settling::new(0, at(0), 16);
        (1..=count).find_map(|time| settling.read(time, at(time)))
    }

    /// A pace of 1000 bytes a picosecond with a swing of so many bytes about it.
    fn swinging(bytes: f64) -> impl Fn(f64) -> f64 {
        move |time| 1000.0 * time + bytes * libm::sin(time * 2.3)
    }

    #[test]
    fn an_even_pace_settles_with_the_fewest_batches() {
        let even = swinging(0.0);
        assert_eq!(read(FEWEST_BATCHES as u64 - 1, &even, [&even, &even]), None);
        let steady = read(FEWEST_BATCHES as u64, &even, [&even, &even]).unwrap();
        assert_eq!(steady.paces, [1000.0, 1000.0]);
    }

    #[test]
    fn a_pace_that_drifts_does_not_settle() {
        let drifting = |time: f64| 1000.0 * time + time * time;
        assert_eq!(read(1000, drifting, [&drifting, &drifting]), None);
    }

    #[test]
    fn a_leg_that_goes_steadily_is_believed_while_the_others_swing() {
        let (swings, steady) = (swinging(5000.0), swinging(0.0));
        assert_eq!(read(80, &swings, [&swings, &swings]), None);
        let found = read(80, &swings, [&swings, &steady]).unwrap();
        assert!(found.half_width < 1e-9 && (found.paces[0] - 500.0).abs() < 1e-9, "{found:?}");
    }
}
