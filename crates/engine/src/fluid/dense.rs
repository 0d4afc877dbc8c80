//! A small dense system: the damped least-squares step that a search for rest takes.
//!
//! Knows numbers in rows and columns. Must not know what they stand for.

/// A square matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    size: usize,
    cells: Vec<f64>,
}

impl Dense {
    /// Of zeros.
    pub fn zeros(size: usize) -> Dense {
        Dense { size, cells: vec![0.0; size * size] }
    }

    /// Adds to a cell.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.cells[row * self.size + column] += value;
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    /// The length of each column.
    pub fn column_lengths(&self) -> Vec<f64> {
        let squares = |column| (0..self.size).map(|row| self.at(row, column) * self.at(row, column)).sum::<f64>();
        (0..self.size).map(|column| libm::sqrt(squares(column))).collect()
    }

    /// The step `x` for which `|A x + wrong|^2 + damping |x|^2` is least, each column counting in its own measure; none where
    /// that cannot be told.
    pub fn damped_step(&self, wrong: &[f64], measures: &[f64], damping: f64) -> Option<Vec<f64>> {
        let mut squares = Dense::zeros(self.size);
        let mut aim = vec![0.0; self.size];
        let mut scaled = vec![0.0; self.size];
        for (row, wrong) in wrong.iter().enumerate() {
            (0..self.size).for_each(|column| scaled[column] = self.at(row, column) / measures[column]);
            for left in (0..self.size).filter(|&left| scaled[left] != 0.0) {
                aim[left] -= scaled[left] * wrong;
                (0..=left).for_each(|right| squares.add(left, right, scaled[left] * scaled[right]));
            }
        }
        (0..self.size).for_each(|place| squares.add(place, place, damping));
        squares
            .factor()?
            .solve(aim)
            .map(|step| step.iter().zip(measures).map(|(step, measure)| step / measure).collect())
    }

    /// The lower factor of a positive definite matrix of which the lower half is given (A.-L. Cholesky).
    fn factor(mut self) -> Option<Dense> {
        for row in 0..self.size {
            for column in 0..=row {
                let known: f64 = (0..column).map(|inner| self.at(row, inner) * self.at(column, inner)).sum();
                let left = self.at(row, column) - known;
                self.cells[row * self.size + column] = match row == column {
                    true if left > 0.0 => libm::sqrt(left),
                    true => return None,
                    false => left / self.at(column, column),
                };
            }
        }
        Some(self)
    }

    /// Solves for a right-hand side by a lower factor and its transpose.
    fn solve(&self, mut values: Vec<f64>) -> Option<Vec<f64>> {
        for row in 0..self.size {
            let known: f64 = (0..row).map(|column| self.at(row, column) * values[column]).sum();
            values[row] = (values[row] - known) / self.at(row, row);
        }
        for row in (0..self.size).rev() {
            let known: f64 = (row + 1..self.size).map(|column| self.at(column, row) * values[column]).sum();
            values[row] = (values[row] - known) / self.at(row, row);
        }
        values.iter().all(|value| value.is_finite()).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_without_damping_solves_the_system() {
        let mut system = Dense::zeros(2);
        for (row, column, value) in [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)] {
            system.add(row, column, value);
        }
        let measures = system.column_lengths();
        let step = system.damped_step(&[-3.0, -4.0], &measures, 0.0).unwrap();
        assert!(step.iter().all(|value| (value - 1.0).abs() < 1e-12), "{step:?}");
    }

    #[test]
    fn of_two_columns_that_are_one_neither_runs_away() {
        let mut system = Dense::zeros(2);
        [(0, 0), (0, 1)].into_iter().for_each(|(row, column)| system.add(row, column, 1.0));
        let step = system.damped_step(&[-1.0, 0.0], &system.column_lengths(), 1e-6).unwrap();
        assert!(step.iter().all(|value| (value - 0.5).abs() < 1e-3), "{step:?}");
    }
}
