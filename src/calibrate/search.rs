//! The search for the best values: Nelder and Mead's simplex, from fixed starts.
//!
//! Knows places between 0 and 1 and what they cost. Must not know what a cost is made of.

use argmin::core::{CostFunction, Error, Executor, State};
use argmin::solver::neldermead::NelderMead;

use super::trial::Question;
use crate::error::Fault;

/// Steps of one search for each parameter.
const STEPS: u64 = 40;
/// And by whole runs at the end.
const POLISH: u64 = 15;
/// A simplex whose costs differ by less is at rest.
const REST: f64 = 1e-9;
/// A refused trial costs more than any that ran.
const REFUSED: f64 = 1e9;

/// How often the quick trials are set right by whole ones.
const ROUNDS: usize = 4;
/// Two trials that agree so far need no more setting right.
const AGREED: f64 = 1e-4;

/// The places that cost least. Trials are quick (stream mode), each point times a factor that whole runs at the best places
/// so far give it; three starts at first, then around the best.
pub fn search(question: &Question<'_>, before: &[f64], progress: &dyn Fn(f64)) -> Result<Vec<f64>, Fault> {
    let count = question.parameters.len();
    let start = |first: f64| (0..count).map(|i| if i % 2 == 0 { first } else { 1.0 - first }).collect::<Vec<f64>>();
    let mut factors = vec![1.0; before.len()];
    let mut best = start(0.5);
    let mut kept: Option<(f64, Vec<f64>)> = None;
    for round in 0..=ROUNDS {
        let (starts, size) =
            if round == 0 { (vec![start(0.5), start(0.25), start(0.75)], 0.2) } else { (vec![best], 0.03) };
        best = descend_all(question, &factors, starts, size)?;
        let whole = question.predict(Some(&best))?;
        let cost = question.cost(&whole);
        if kept.as_ref().is_none_or(|(known, _)| cost < *known) {
            kept = Some((cost, best.clone()));
        }
        let quick = question.guess(&best)?;
        let next: Vec<f64> = whole.iter().zip(&quick).map(|(whole, quick)| whole / quick).collect();
        let moved = next.iter().zip(&factors).map(|(next, factor)| libm::log(next / factor).abs()).fold(0.0, f64::max);
        factors = next;
        progress((round + 1) as f64 / (ROUNDS + 1) as f64);
        if moved < AGREED {
            break;
        }
    }
    let best = kept.map_or(best, |(_, places)| places);
    // The last digits come by whole runs.
    let (_, polished) = descend(question, &[], best, 0.004, POLISH)?;
    progress(1.0);
    Ok(polished)
}

/// The best of searches from several starts.
fn descend_all(question: &Question<'_>, factors: &[f64], starts: Vec<Vec<f64>>, size: f64) -> Result<Vec<f64>, Fault> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for start in starts {
        let (cost, places) = descend(question, factors, start, size, STEPS)?;
        if best.as_ref().is_none_or(|known| cost < known.0) {
            best = Some((cost, places));
        }
    }
    Ok(best.map(|(_, places)| places).unwrap_or_default())
}

/// One search from a start with a simplex of that size.
fn descend(
    question: &Question<'_>,
    factors: &[f64],
    start: Vec<f64>,
    size: f64,
    steps: u64,
) -> Result<(f64, Vec<f64>), Fault> {
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
    let steps = steps * start.len() as u64;
    let search =
        Executor::new(Trials { question, factors }, solver).configure(|state| state.max_iters(steps)).timer(false);
    let end = search.run().map_err(failed)?;
    let places = end.state().get_best_param().cloned().unwrap_or(start);
    Ok((end.state().get_best_cost(), places.into_iter().map(folded).collect()))
}

/// The question as the optimiser asks it.
struct Trials<'a> {
    question: &'a Question<'a>,
    /// What a quick trial of each point is multiplied with; empty where trials are whole.
    factors: &'a [f64],
}

impl Trials<'_> {
    fn predicted(&self, places: &[f64]) -> Result<Vec<f64>, Fault> {
        if self.factors.is_empty() {
            return self.question.predict(Some(places));
        }
        let quick = self.question.guess(places)?;
        Ok(quick.iter().zip(self.factors).map(|(quick, by)| quick * by).collect())
    }
}

impl CostFunction for Trials<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, places: &Vec<f64>) -> Result<f64, Error> {
        let places: Vec<f64> = places.iter().copied().map(folded).collect();
        Ok(self.predicted(&places).map_or(REFUSED, |predicted| self.question.cost(&predicted)))
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
