//! A pure delay: how long a step takes, by what is moved.
//!
//! Knows a time and what adds to it. Must not know when it passes.

use super::Kind;
use crate::units::{Bytes, Time};

/// A pure delay.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delay {
    /// Its name: `target.media_read`.
    pub name: String,
    /// What it is a delay of.
    pub kind: Kind,
    /// What happens meanwhile, in words.
    pub what: String,
    /// How long it takes.
    pub time: Time,
    /// What the bytes of the request add: a table of sizes and times, in order of size.
    pub by_size: Vec<(Bytes, Time)>,
    /// An extra time drawn evenly between nothing and this.
    pub jitter: Time,
    /// Whether a core works meanwhile.
    pub on_core: bool,
    /// The pool whose fixed service this is, if it is one.
    pub service_of: Option<usize>,
    /// Whether the time is assumed.
    pub assumed: bool,
    /// It passes only for more bytes than this.
    pub above: Bytes,
    /// It is done for each command of so many bytes. The first delays the request; a core makes the others while that one is
    /// under way.
    pub command: Option<Bytes>,
}

impl Delay {
    /// Whether it passes for a request of so many bytes.
    pub fn passes(&self, bytes: u64) -> bool {
        bytes > self.above.0 || self.above.0 == 0
    }

    /// How long it takes for a request of so many bytes, in picoseconds, without jitter.
    pub fn ps(&self, bytes: u64) -> u64 {
        if self.passes(bytes) { self.time.0 + interpolated(&self.by_size, bytes) } else { 0 }
    }

    /// The mean with jitter, in seconds.
    pub fn mean_s(&self, bytes: u64) -> f64 {
        let jitter = if self.passes(bytes) { self.jitter.0 as f64 / 2.0 } else { 0.0 };
        (self.ps(bytes) as f64 + jitter) / 1e12
    }

    /// How often it is done for a request of so many bytes: once, or for each of its commands.
    pub fn times(&self, bytes: u64) -> u64 {
        self.command.map_or(1, |command| bytes.div_ceil(command.0.max(1)).max(1))
    }
}

/// A table read on straight lines between its points; the first value below them, the last slope above them.
fn interpolated(table: &[(Bytes, Time)], bytes: u64) -> u64 {
    let (Some(&(first, lowest)), Some(last)) = (table.first(), table.len().checked_sub(1)) else { return 0 };
    if bytes <= first.0 || last == 0 {
        return lowest.0;
    }
    let right = table.partition_point(|(size, _)| size.0 < bytes).clamp(1, last);
    let ((left, low), (right, high)) = (table[right - 1], table[right]);
    let along = (bytes - left.0) as i128 * (high.0 as i128 - low.0 as i128) / (right.0 - left.0).max(1) as i128;
    u64::try_from(low.0 as i128 + along).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delay(above: u64, command: Option<u64>) -> Delay {
        Delay {
            name: String::new(),
            kind: Kind::Nic,
            what: String::new(),
            time: Time(5),
            by_size: Vec::new(),
            jitter: Time(2),
            on_core: false,
            service_of: None,
            assumed: false,
            above: Bytes(above),
            command: command.map(Bytes),
        }
    }

    #[test]
    fn a_step_of_large_requests_takes_nothing_of_small_ones() {
        let [at, above] = [4096, 4097].map(|bytes| (delay(4096, None).ps(bytes), delay(4096, None).mean_s(bytes)));
        assert_eq!((at, above), ((0, 0.0), (5, 6e-12)));
    }

    #[test]
    fn a_step_of_every_command_is_done_as_often_as_there_are_commands() {
        assert_eq!([1, 10, 11, 25].map(|bytes| delay(0, Some(10)).times(bytes)), [1, 1, 2, 3]);
    }
}
