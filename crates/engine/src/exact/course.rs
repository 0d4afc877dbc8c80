//! How a work is getting on: begun, under way, closed, ended, and what it has moved so far.
//!
//! Knows counts and times of one work. Must not know how its requests move.

use super::attribution::Ledger;
use super::steady_state::Settling;

/// The state of a work.
#[derive(Debug, Default)]
pub struct Course {
    /// When it began.
    pub begun: Option<u64>,
    /// Since when it is measured: its beginning, or the end of the warm-up.
    pub measured_from: u64,
    /// When it stopped offering requests and counting them: at the end of its run time, or when all is done.
    pub closed: Option<u64>,
    /// Whether its last request is done.
    pub ended: bool,
    /// Requests under way.
    pub outstanding: u64,
    /// Bytes of finished requests and of those left out, by lane.
    pub lane_bytes: Vec<u64>,
    /// When each lane's last finished request was done, with what was left out before.
    pub lane_ends: Vec<u64>,
    /// Finished requests, and those left out.
    pub requests: u64,
    /// Requests left out: the work was taken ahead of them at its steady pace.
    pub left_out: u64,
    /// Bytes that rest in host buffers.
    pub resting: u64,
    /// The most that ever rested.
    pub peak_resting: u64,
    /// The phase that may settle, in settled mode, or how many requests are done before it begins.
    pub phase: Phase,
    /// The widest interval of those at whose paces it was taken ahead.
    pub half_width: Option<f64>,
    /// Picoseconds of earlier works that were extrapolated, not simulated.
    pub skipped_before: u64,
}

/// While the same lanes have something to offer, a work may settle.
#[derive(Debug, Default)]
pub enum Phase {
    /// It will not: the run is not in settled mode, the work goes on for a given time, or nothing is left.
    #[default]
    Never,
    /// One begins after so many requests.
    After(u64),
    /// One is under way: its readings, and what had been charged when it began.
    Runs(Box<Settling>, Ledger),
}

impl Course {
    /// A work of so many lanes that has not begun.
    pub fn new(lanes: usize) -> Course {
        Course { lane_bytes: vec![0; lanes], lane_ends: vec![0; lanes], ..Course::default() }
    }

    /// Bytes of finished requests.
    pub fn bytes(&self) -> u64 {
        self.lane_bytes.iter().sum()
    }

    /// Bytes of a request in the mean.
    pub fn mean_size(&self) -> u64 {
        self.bytes() / self.requests.max(1)
    }

    /// Whether it is under way.
    pub fn is_running(&self) -> bool {
        self.begun.is_some() && !self.ended
    }

    /// Forgets what was counted: the warm-up is over.
    pub fn restart_count(&mut self, now: u64) {
        self.measured_from = now;
        self.lane_bytes.fill(0);
        self.requests = 0;
        self.peak_resting = self.resting;
    }

    /// A lane's requests are left out.
    pub fn leave_out(&mut self, lane: usize, requests: u64, bytes: u64) {
        self.lane_bytes[lane] += bytes;
        self.requests += requests;
        self.left_out += requests;
    }

    /// Bytes come to rest in host buffers.
    pub fn rests(&mut self, bytes: u64) {
        self.resting += bytes;
        self.peak_resting = self.peak_resting.max(self.resting);
    }
}
