//! What is done once before the first request: opening drivers and files, registering buffers.
//!
//! Knows a work's plan. Must not know how its requests go.

use super::{Lane, Plan, Work};
use crate::units::Bytes;

/// A step of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionStep {
    /// How long it takes (an index of [`Plan::delays`]).
    pub delay: usize,
    /// Whether every thread does it, all of them side by side, instead of one thread for the work.
    pub each_thread: bool,
}

impl Work {
    /// The bytes of a thread's buffers: its largest request, once for each that it keeps outstanding. Drawn sizes have no
    /// largest; a thread allows for twice their mean.
    pub fn buffer_bytes(&self) -> Bytes {
        let drawn = || Bytes(self.size.mean().0.saturating_mul(2));
        let largest = self.size.largest().unwrap_or_else(drawn);
        Bytes(largest.0.saturating_mul(self.depth))
    }

    /// How long its session takes, in picoseconds: that of its slowest lane. Its requests start after it.
    pub fn session_ps(&self, plan: &Plan) -> u64 {
        self.lanes.iter().map(|lane| lane.session_ps(plan, self.buffer_bytes())).max().unwrap_or(0)
    }

    /// Seconds of cores that its session takes, those of all threads.
    pub fn session_cpu_s(&self, plan: &Plan) -> f64 {
        let threads = self.threads as f64 * self.lane_count() as f64;
        let steps = self.lanes.first().map_or(&[][..], |lane| &lane.session).iter();
        let on_core = steps.filter(|step| plan.delays[step.delay].on_core);
        let seconds = on_core.map(|step| {
            let each = plan.delays[step.delay].mean_s(self.buffer_bytes().0);
            if step.each_thread { each * threads } else { each }
        });
        // Adding zero makes an empty sum, which is -0, plain 0.
        seconds.sum::<f64>() + 0.0
    }
}

impl Lane {
    fn session_ps(&self, plan: &Plan, buffers: Bytes) -> u64 {
        self.session.iter().map(|step| plan.delays[step.delay].ps(buffers.0)).fold(0, u64::saturating_add)
    }
}
