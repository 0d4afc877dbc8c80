//! Bins over time whose width doubles as the run goes on, so that memory stays the same.
//!
//! Knows picoseconds. Must not know what is counted.

/// Bins at most.
const MOST: usize = 600;
/// The first width: a microsecond.
const WIDTH: u64 = 1_000_000;

/// Amounts over time, several rows side by side.
#[derive(Clone, Debug)]
pub(super) struct Bins {
    /// Picoseconds of a bin.
    pub width: u64,
    rows: Vec<Vec<f64>>,
}

impl Bins {
    /// So many empty rows.
    pub(super) fn new(rows: usize) -> Bins {
        Bins { width: WIDTH, rows: vec![Vec::new(); rows] }
    }

    /// Adds `amount` for each picosecond between two times.
    pub(super) fn add(&mut self, row: usize, from: u64, to: u64, amount: f64) {
        while to.div_ceil(self.width) as usize > MOST {
            self.double();
        }
        let width = self.width;
        let bins = &mut self.rows[row];
        bins.resize(bins.len().max(to.div_ceil(width) as usize), 0.0);
        let mut start = from;
        while start < to {
            let bin = start / width;
            let end = to.min((bin + 1) * width);
            bins[bin as usize] += amount * (end - start) as f64;
            start = end;
        }
    }

    /// The row's mean amount in each bin up to the time `end`.
    pub(super) fn means(&self, row: usize, end: u64) -> Vec<f64> {
        let count = end.div_ceil(self.width) as usize;
        let length = |bin: usize| (end - bin as u64 * self.width).min(self.width) as f64;
        (0..count).map(|bin| self.rows[row].get(bin).copied().unwrap_or(0.0) / length(bin)).collect()
    }

    /// Doubles the width until it is that wide.
    pub(super) fn widen(&mut self, width: u64) {
        while self.width < width {
            self.double();
        }
    }

    fn double(&mut self) {
        for row in &mut self.rows {
            *row = row.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        self.width *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_shared_by_the_bins_that_it_spans() {
        let mut bins = Bins::new(1);
        bins.add(0, WIDTH / 2, 2 * WIDTH, 3.0);
        assert_eq!(bins.means(0, 2 * WIDTH), [1.5, 3.0]);
    }

    #[test]
    fn long_runs_have_wider_bins_and_no_more_of_them() {
        let mut bins = Bins::new(1);
        for second in 0..100 {
            bins.add(0, second * 1_000_000_000_000, (second + 1) * 1_000_000_000_000, 2.0);
        }
        let means = bins.means(0, 100_000_000_000_000);
        assert!(means.len() <= MOST && means.iter().all(|mean| (mean - 2.0).abs() < 1e-9));
    }
}
