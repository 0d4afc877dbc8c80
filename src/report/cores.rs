//! Seconds of CPU threads: what they spend on control steps, and what on moving bytes.
//!
//! Knows a work's plan and how long its legs moved. Must not know who waited for what.

use engine::{Lane, Leg, Mover, Plan, Work, WorkOutcome};

/// Seconds of all CPU threads of a work together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cores {
    /// Posting work, reaping completions, calling drivers; all the time that a thread polls.
    pub(super) control_s: f64,
    /// Copies that threads make.
    pub(super) data_s: f64,
}

/// What a work takes of the CPU.
pub(super) fn seconds(plan: &Plan, work: &Work, out: &WorkOutcome) -> Cores {
    let Some(lane) = work.lanes.first() else { return Cores { control_s: 0.0, data_s: 0.0 } };
    let data_s = copying_s(lane, out);
    let steps = steps_s(plan, lane, out.bytes.0 / out.requests.max(1)) * out.requests as f64;
    let control_s = if work.polls { steps.max(polling_s(work, out) - data_s) } else { steps };
    Cores { control_s, data_s }
}

/// Steps on a core for a request of so many bytes. What is done for each command takes a core as often.
fn steps_s(plan: &Plan, lane: &Lane, size: u64) -> f64 {
    let (trips, part) = (lane.cut.cycles(size) as f64, lane.cut.part_bytes(size));
    let steps = lane.legs.iter().flat_map(Leg::delays).map(|delay| &plan.delays[delay]).filter(|delay| delay.on_core);
    // Adding zero makes an empty sum, which is -0, plain 0.
    steps.map(|delay| delay.mean_s(part) * delay.times(part) as f64).sum::<f64>() * trips + 0.0
}

/// Legs that a thread moves.
fn copying_s(lane: &Lane, out: &WorkOutcome) -> f64 {
    let moved = lane.legs.iter().zip(&out.spent).filter(|(leg, _)| matches!(leg.mover, Mover::Cpu | Mover::Staging));
    moved.map(|(_, spent)| spent.moving as f64 / 1e12).sum::<f64>() + 0.0
}

/// A thread that polls is busy from the first request to the last. An open loop has no threads to count.
fn polling_s(work: &Work, out: &WorkOutcome) -> f64 {
    let threads = if work.arrivals.is_some() { 0 } else { work.threads * work.lane_count() };
    threads as f64 * out.duration.seconds()
}
