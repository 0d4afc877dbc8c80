//! What is narrowest at each time, from how busy resources are and how long lines are.
//!
//! Knows tracks. Must not know requests, nor replace what the report charges each request's time to.

use super::timeline::{Track, Tracks};

/// A resource this busy binds.
const BUSY: f64 = 0.9;
/// A line this long binds where nothing is that busy.
const LONG: f64 = 0.5;
/// So many bins of something else make a change.
const LASTING: usize = 2;

/// From some time on, something binds.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When, in seconds.
    pub at_s: f64,
    /// What: a resource, a pool, or latency.
    pub to: String,
}

/// When what binds changes, the first at the beginning. What does not last is left out.
pub fn changes(tracks: &Tracks) -> Vec<Change> {
    let bins = tracks.busy.iter().chain(&tracks.in_line).map(|track| track.values.len()).max().unwrap_or(0);
    let binds: Vec<&str> = (0..bins).map(|bin| narrowest(tracks, bin)).collect();
    let mut changes: Vec<Change> = Vec::new();
    for (bin, name) in binds.iter().enumerate() {
        let lasts = binds[bin..].iter().take(LASTING).all(|other| other == name);
        if lasts && changes.last().is_none_or(|last| last.to != *name) {
            changes.push(Change { at_s: bin as f64 * tracks.bin_s, to: name.to_string() });
        }
    }
    changes
}

fn narrowest(tracks: &Tracks, bin: usize) -> &str {
    highest(&tracks.busy, bin, BUSY).or_else(|| highest(&tracks.in_line, bin, LONG)).unwrap_or("latency")
}

fn highest(tracks: &[Track], bin: usize, least: f64) -> Option<&str> {
    let value = |track: &Track| track.values.get(bin).copied().unwrap_or(0.0);
    // Of two alike the first by name.
    let reach = tracks.iter().filter(|track| value(track) >= least).rev();
    reach.max_by(|a, b| value(a).total_cmp(&value(b))).map(|track| track.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(name: &str, values: &[f64]) -> Track {
        Track { name: name.into(), values: values.to_vec() }
    }

    #[test]
    fn a_full_resource_comes_before_a_long_line_and_a_line_before_latency() {
        let tracks = Tracks {
            bin_s: 1.0,
            busy: vec![track("dram", &[0.2, 0.2, 0.2, 0.2, 0.99, 0.99]), track("nic", &[0.1; 6])],
            in_line: vec![track("copy_engine", &[0.0, 0.0, 3.0, 3.0, 3.0, 3.0])],
            outstanding: Vec::new(),
        };
        let told: Vec<(f64, String)> = changes(&tracks).into_iter().map(|change| (change.at_s, change.to)).collect();
        assert_eq!(told, [(0.0, "latency".into()), (2.0, "copy_engine".into()), (4.0, "dram".into())]);
    }

    #[test]
    fn what_lasts_for_one_bin_is_no_change() {
        let busy = vec![track("nic", &[0.95, 0.95, 0.5, 0.95, 0.95])];
        let tracks = Tracks { bin_s: 1.0, busy, in_line: Vec::new(), outstanding: Vec::new() };
        assert_eq!(changes(&tracks).len(), 1);
    }
}
