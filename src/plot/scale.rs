//! Scales: from values to pixels, and where the ticks stand.
//!
//! Knows arithmetic. Must not know what a value measures.

/// A range of values laid over a range of pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: i32,
    to: i32,
    doubling: bool,
}

impl Scale {
    /// A scale from `low` at pixel `from` to `high` at pixel `to`; a doubling one puts equal ratios equally far apart.
    pub(super) fn new((low, high): (f64, f64), (from, to): (i32, i32), doubling: bool) -> Scale {
        Scale { low: warp(low, doubling), high: warp(high, doubling), from, to, doubling }
    }

    /// The pixel of a value.
    pub(super) fn pixel(&self, value: f64) -> i32 {
        let width = self.high - self.low;
        let part = if width > 0.0 { (warp(value, self.doubling) - self.low) / width } else { 0.5 };
        self.from + (part * f64::from(self.to - self.from)).round() as i32
    }
}

fn warp(value: f64, doubling: bool) -> f64 {
    if doubling { libm::log2(value) } else { value }
}

/// Round values from 0 to at least `top`, about `count` steps.
pub(super) fn round_ticks(top: f64, count: usize) -> Vec<f64> {
    let top = if top > 0.0 && top.is_finite() { top } else { 1.0 };
    let step = round_step(top / count as f64);
    let steps = (top / step - 1e-9).ceil() as usize;
    (0..=steps).map(|n| n as f64 * step).collect()
}

/// The least of 1, 2, 2.5, 5 and 10 times a power of ten that is no less than `least`.
fn round_step(least: f64) -> f64 {
    let power = libm::exp10(libm::floor(libm::log10(least)));
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|n| n * power)
        .find(|step| *step >= least * 0.999_999)
        .unwrap_or(10.0 * power)
}

/// Which of the labels at `(middle, width)` fit beside each other with `gap` pixels between, the first one first.
pub(super) fn fitting(labels: &[(i32, i32)], gap: i32) -> Vec<bool> {
    let stride = (1..=labels.len().max(1)).find(|stride| fits(labels.iter().step_by(*stride), gap)).unwrap_or(1);
    (0..labels.len()).map(|index| index.is_multiple_of(stride)).collect()
}

fn fits<'a>(labels: impl Iterator<Item = &'a (i32, i32)>, gap: i32) -> bool {
    let mut end = i32::MIN;
    for (middle, width) in labels {
        if middle - width / 2 < end {
            return false;
        }
        end = middle + width / 2 + gap;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_are_equally_far_apart() {
        let scale = Scale::new((1.0, 16.0), (0, 400), true);
        assert_eq!([1.0, 2.0, 4.0, 8.0, 16.0].map(|x| scale.pixel(x)), [0, 100, 200, 300, 400]);
    }

    #[test]
    fn a_single_value_stands_in_the_middle() {
        assert_eq!(Scale::new((3.0, 3.0), (0, 100), false).pixel(3.0), 50);
    }

    #[test]
    fn ticks_are_round_and_reach_the_top() {
        assert_eq!(round_ticks(96.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(round_ticks(100.0, 5), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(round_ticks(0.0, 5).last(), Some(&1.0));
    }

    #[test]
    fn labels_are_thinned_evenly_until_they_fit() {
        let labels: Vec<(i32, i32)> = (0..5).map(|n| (n * 10, 15)).collect();
        assert_eq!(fitting(&labels, 2), [true, false, true, false, true]);
    }
}
