//! Errors of predictions, what is typical of them, and how far values scatter.
//!
//! Knows arithmetic. Must not know what was predicted.

use serde::Serialize;

/// What is typical of a list of errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// How many there are.
    pub points: usize,
    /// Half of them are no larger, per cent.
    pub median: f64,
    /// Nine of ten are no larger, per cent.
    pub p90: f64,
}

/// The absolute error of a prediction, per cent of what was measured.
pub fn error_percent(predicted: f64, measured: f64) -> f64 {
    100.0 * ((predicted - measured) / measured).abs()
}

/// Median and 90th percentile; `None` of nothing.
pub fn spread(errors: impl IntoIterator<Item = f64>) -> Option<Spread> {
    let mut errors: Vec<f64> = errors.into_iter().collect();
    errors.sort_by(f64::total_cmp);
    Some(Spread { points: errors.len(), median: quantile(&errors, 0.5)?, p90: quantile(&errors, 0.9)? })
}

/// The mean of some values and their variance, as of a sample; the variance of one value is nothing.
pub fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (mean, squares / (count - 1.0).max(1.0))
}

/// A quantile of sorted values, on straight lines between them (the common definition, Hyndman and Fan's seventh).
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * (sorted.len().checked_sub(1)?) as f64;
    let (left, right) = (place.floor() as usize, place.ceil() as usize);
    let (low, high) = (*sorted.get(left)?, *sorted.get(right)?);
    // Equal ends need no arithmetic, which keeps infinite errors what they are.
    Some(if low == high { low } else { low + (high - low) * (place - left as f64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_is_that_of_a_sample() {
        assert_eq!(mean_and_variance(&[1.0, 2.0, 3.0, 6.0]), (3.0, 14.0 / 3.0));
        assert_eq!(mean_and_variance(&[5.0]), (5.0, 0.0));
    }

    #[test]
    fn an_error_is_relative_to_what_was_measured() {
        assert_eq!([error_percent(110.0, 100.0), error_percent(50.0, 100.0)], [10.0, 50.0]);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let typical = spread([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((typical.points, typical.median), (4, 2.5));
    }

    #[test]
    fn nine_of_ten_errors_are_within_the_ninetieth_percentile() {
        let typical = spread((0..=10).map(f64::from)).unwrap();
        assert_eq!((typical.median, typical.p90), (5.0, 9.0));
    }

    #[test]
    fn one_error_is_its_own_median_and_none_has_none() {
        assert_eq!(spread([7.0]), Some(Spread { points: 1, median: 7.0, p90: 7.0 }));
        assert_eq!(spread([]), None);
    }
}
