//! The search for the best values: Nelder and Mead's simplex, from fixed starts.
//!
//! Knows places between 0 and 1 and what they cost. Must not know what a cost is made of.

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;

use super::trial::Question;
use crate::error::Fault;

/// Steps of one search for each parameter.
const STEPS: u64 = 40;
/// A simplex whose costs differ by less is at rest.
const REST: f64 = 1e-9;
/// A refused trial costs more than any that ran.
const REFUSED: f64 = 1e9;

/// The places that cost least, from three starts and once more around the best of them.
pub fn search(question: &Question<'_>, progress: &dyn Fn(f64)) -> Result<Vec<f64>, Fault> {
    let count = question.parameters.len();
    let start = |first: f64| (0..count).map(|i| if i % 2 == 0 { first } else { 1.0 - first }).collect::<Vec<f64>>();
    let mut best: Option<(f64, Vec<f64>)> = None;
    let better = |best: &Option<(f64, Vec<f64>)>, cost: f64| best.as_ref().is_none_or(|known| cost < known.0);
    for (index, first) in [0.5, 0.25, 0.75].into_iter().enumerate() {
        let (cost, places) = descend(question, start(first), 0.2)?;
        if better(&best, cost) {
            best = Some((cost, places));
        }
        progress((index + 1) as f64 / 4.0);
    }
    let around = best.as_ref().map_or_else(|| start(0.5), |known| known.1.clone());
    let (cost, places) = descend(question, around, 0.03)?;
    let places = if better(&best, cost) { places } else { best.map_or(places, |known| known.1) };
    progress(1.0);
    Ok(places)
}

/// One search from a start with a simplex of that size.
fn descend(question: &Question<'_>, start: Vec<f64>, size: f64) -> Result<(f64, Vec<f64>), Fault> {
    let corner = |which: usize| {
        let mut corner = start.clone();
        if let Some(place) = corner.get_mut(which) {
            *place += if *place + size > 1.0 { -size } else { size };
        }
        corner
    };
    let simplex: Vec<Vec<f64>> = (0..=start.len()).rev().map(corner).collect();
    let failed = |error: Error| Fault::new(format!("the search failed: {error}"));
    let solver = NelderMead::new(simplex).with_sd_tolerance(REST).map_err(failed)?;
    let steps = STEPS * start.len() as u64;
    let search = Executor::new(Trials { question }, solver).configure(|state| state.max_iters(steps)).timer(false);
    let end = search.run().map_err(failed)?;
    let places = end.state().get_best_param().cloned().unwrap_or(start);
    Ok((end.state().get_best_cost(), places.into_iter().map(folded).collect()))
}

/// The question as the optimiser asks it.
struct Trials<'a> {
    question: &'a Question<'a>,
}

impl CostFunction for Trials<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, places: &Vec<f64>) -> Result<f64, Error> {
        let places: Vec<f64> = places.iter().copied().map(folded).collect();
        Ok(self.question.predict(Some(&places)).map_or(REFUSED, |predicted| self.question.cost(&predicted)))
    }
}

/// A place outside the bounds, mirrored back between them.
fn folded(place: f64) -> f64 {
    let around = place - 2.0 * libm::floor(place / 2.0);
    if around > 1.0 { 2.0 - around } else { around }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_bounds_is_mirrored_back() {
        let folded = [0.25, 1.25, -0.25, 2.25].map(folded);
        assert_eq!(folded, [0.25, 0.75, 0.25, 0.25]);
    }
}
