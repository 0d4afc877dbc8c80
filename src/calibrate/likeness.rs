//! Which parameters the data cannot tell apart.
//!
//! Knows the derivatives of the residuals. Must not know what the parameters are.
//!
//! A column of the Jacobian says how all points answer to one parameter. Where a mixture of columns comes to almost nothing,
//! raising the parameters together along it changes no point: the data leave them open.

use nalgebra::DMatrix;
use serde::Serialize;

/// Columns of this length answer to nothing: a per cent of the whole range moves no point by a hundredth of that.
const SILENT: f64 = 1e-3;
/// Mixtures of unit columns that come to less are near singular; two columns do with a correlation above 0.99.
const SINGULAR: f64 = 0.1;
/// The least part in a mixture that is worth naming.
const PART: f64 = 0.2;

/// What the data say about the parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Likeness {
    /// Parameters that no point answers to.
    pub silent: Vec<usize>,
    /// Mixtures of parameters that the data leave open: each parameter with its part.
    pub mixtures: Vec<Vec<(usize, f64)>>,
    /// Pairs and their correlation in the fitted values, where it is above 0.9 either way.
    pub correlations: Vec<(usize, usize, f64)>,
}

/// Judges a Jacobian, given by columns.
pub fn likeness(columns: &[Vec<f64>]) -> Likeness {
    let length = |column: &[f64]| libm::sqrt(column.iter().map(|x| x * x).sum::<f64>());
    let rows = columns.first().map_or(0, Vec::len);
    let is_silent = |index: &usize| length(&columns[*index]) < SILENT * libm::sqrt(rows as f64);
    let (silent, heard): (Vec<usize>, Vec<usize>) = (0..columns.len()).partition(is_silent);
    if heard.is_empty() {
        return Likeness { silent, ..Likeness::default() };
    }
    let unit = |row: usize, column: usize| columns[heard[column]][row] / length(&columns[heard[column]]);
    let matrix = DMatrix::from_fn(rows, heard.len(), unit);
    let gram = matrix.transpose() * &matrix;
    let eigen = gram.symmetric_eigen();
    let named = |column: usize| {
        let parts = (0..heard.len()).map(|row| (heard[row], eigen.eigenvectors[(row, column)]));
        signed(parts.filter(|(_, part)| part.abs() >= PART).collect())
    };
    let weak = (0..heard.len()).filter(|column| libm::sqrt(eigen.eigenvalues[*column].max(0.0)) < SINGULAR);
    let mut mixtures: Vec<Vec<(usize, f64)>> = weak.map(named).collect();
    mixtures.sort_by_key(|mixture| mixture.iter().map(|part| part.0).collect::<Vec<_>>());
    Likeness { silent, mixtures, correlations: correlations(&heard, &eigen.eigenvectors, eigen.eigenvalues.as_slice()) }
}

/// A mixture and its opposite are the same; the first part is the positive one.
fn signed(mixture: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let sign = mixture.first().map_or(1.0, |part| part.1.signum());
    mixture.into_iter().map(|(index, part)| (index, sign * part)).collect()
}

/// Correlations from the covariance, the inverse of the product of the columns.
fn correlations(heard: &[usize], vectors: &DMatrix<f64>, values: &[f64]) -> Vec<(usize, usize, f64)> {
    let covariance = |i: usize, j: usize| {
        // What is all but singular is as good as infinite, not a fault of division.
        let terms = values.iter().enumerate().map(|(k, value)| vectors[(i, k)] * vectors[(j, k)] / value.max(1e-12));
        terms.sum::<f64>()
    };
    let pairs = (0..heard.len()).flat_map(|i| (i + 1..heard.len()).map(move |j| (i, j)));
    let correlated = pairs.map(|(i, j)| {
        let both = libm::sqrt(covariance(i, i) * covariance(j, j));
        (heard[i], heard[j], covariance(i, j) / both)
    });
    correlated.filter(|(_, _, correlation)| correlation.abs() > 0.9).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_answer_differently_are_told_apart() {
        assert_eq!(likeness(&[vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 0.5]]), Likeness::default());
    }

    #[test]
    fn columns_that_answer_alike_are_a_mixture() {
        let likeness = likeness(&[vec![1.0, 2.0, 3.0], vec![2.0, 4.0, 6.001], vec![1.0, 0.0, -1.0]]);
        let parts: Vec<usize> = likeness.mixtures[0].iter().map(|part| part.0).collect();
        assert_eq!((likeness.mixtures.len(), parts), (1, vec![0, 1]));
        assert!(likeness.correlations[0].2 < -0.99);
    }

    #[test]
    fn a_column_of_nothing_is_silent() {
        assert_eq!(likeness(&[vec![0.0, 0.0], vec![1.0, 1.0]]).silent, [0]);
    }
}
