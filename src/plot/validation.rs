//! Predicted against measured: a point a case, a series a family.
//!
//! Knows pairs of numbers. Must not know where they come from, nor pixels.

use serde::Serialize;

/// Factors that the bands mark: within them a prediction is good, and fair.
pub(super) const BANDS: [f64; 2] = [1.1, 1.5];

/// All that the picture shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validation {
    /// The families.
    pub series: Vec<Series>,
    /// What the errors come to, in a line.
    pub note: String,
}

/// A family's points in the order of its cases.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// The family.
    pub name: String,
    /// Its points.
    pub pairs: Vec<Pair>,
}

/// A point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// What was measured.
    pub measured: f64,
    /// What was predicted.
    pub predicted: f64,
    /// Whether figures were fitted on it.
    pub fitted: bool,
    /// The unit of both.
    pub unit: String,
}

impl Pair {
    /// Whether it has a place on a scale of ratios.
    pub(super) fn is_positive(&self) -> bool {
        [self.measured, self.predicted].iter().all(|value| value.is_finite() && *value > 0.0)
    }
}

impl Validation {
    /// The units that occur, each once.
    pub(super) fn units(&self) -> String {
        let mut units: Vec<&str> = self.series.iter().flat_map(|s| s.pairs.iter().map(|p| p.unit.as_str())).collect();
        units.sort_unstable();
        units.dedup();
        units.retain(|unit| !unit.is_empty());
        units.join(", ")
    }
}

impl Series {
    /// What of it can be drawn.
    pub(super) fn drawn(&self) -> impl Iterator<Item = &Pair> {
        self.pairs.iter().filter(|pair| pair.is_positive())
    }
}

/// The smallest and the largest of some values, a little wider; for nothing, 1 to 10.
pub(super) fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, 0.0), |(low, high), value| (f64::min(low, value), f64::max(high, value)));
    if high > 0.0 { (low / 1.3, high * 1.3) } else { (1.0, 10.0) }
}

/// The powers of ten between two values.
pub(super) fn decades((low, high): (f64, f64)) -> Vec<f64> {
    (-15..16).map(|power| libm::exp10(f64::from(power))).filter(|value| (low..=high).contains(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_the_powers_of_ten_between_the_ends() {
        assert_eq!(decades((0.05, 120.0)), [0.1, 1.0, 10.0, 100.0]);
    }

    #[test]
    fn nothing_still_has_ends() {
        assert_eq!(ends([].into_iter()), (1.0, 10.0));
    }
}
