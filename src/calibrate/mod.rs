//! Figures fitted to measurements: a search within bounds, what is left of the errors, and what the data leave open.
//!
//! Knows points, keys and bounds. Must not know the terminal, nor where a patch is kept.

mod likeness;
mod parameter;
mod patch;
mod route;
mod search;
mod text;
mod trial;

use serde::Serialize;

use crate::error::Fault;

pub use likeness::{Likeness, likeness};
pub use parameter::Parameter;
pub use patch::patch;
pub use route::is_of;
pub use text::text;
pub use trial::Question;

/// How far apart two trials are for a derivative, as a share of the range between the bounds.
const STEP: f64 = 0.02;

/// The share of the cost that a fit must save to be one.
const LEAST_GAIN: f64 = 1e-3;

/// What a calibration came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Calibration {
    /// What the table of points is called.
    pub data: String,
    /// The fitted values, in the order that the keys were given.
    pub fitted: Vec<Fitted>,
    /// What is left at every point.
    pub residuals: Vec<Residual>,
    /// What the data leave open.
    pub likeness: Likeness,
    /// Whether the fitted values are nearer to the data than the model was.
    pub improved: bool,
}

/// A fitted value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// The key.
    pub key: String,
    /// The value with its unit.
    pub value: String,
    /// The bounds that it was looked for between.
    pub bounds: [String; 2],
    /// Whether it is a plain number.
    pub is_number: bool,
}

/// A point before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Residual {
    /// The line of the table.
    pub line: u64,
    /// What was set.
    pub set: Vec<(String, String)>,
    /// The key of the report.
    pub key: String,
    /// What was measured.
    pub measured: f64,
    /// What the model predicted as it was.
    pub before: f64,
    /// What it predicts with the fitted values.
    pub after: f64,
}

/// Fits. Tells `progress` the share that is done.
///
/// # Errors
/// A [`Fault`] if there are fewer points than keys, or a point cannot be run.
pub fn calibrate(question: &Question<'_>, progress: &dyn Fn(f64)) -> Result<Calibration, Fault> {
    check(question)?;
    let before = question.predict(None)?;
    question.knows_its_keys()?;
    // Whatever the bounds make impossible is said here; the search itself steps over it.
    question.predict(Some(&vec![0.5; question.parameters.len()]))?;
    let places = search::search(question, &before, progress)?;
    let after = question.predict(Some(&places))?;
    // Rounding of the last digit is no improvement.
    let improved = question.cost(&after) < question.cost(&before) * (1.0 - LEAST_GAIN);
    let after = if improved { after } else { before.clone() };
    let columns = jacobian(question, &places)?;
    let fitted = question.parameters.iter().zip(&places).map(|(parameter, place)| Fitted {
        key: parameter.key.clone(),
        value: parameter.text(*place),
        bounds: parameter.bounds(),
        is_number: parameter.is_number(),
    });
    let residuals = question.points.iter().zip(before.iter().zip(&after)).map(|(point, (before, after))| Residual {
        line: point.line,
        set: point.set.clone(),
        key: point.key.clone(),
        measured: point.measured,
        before: *before,
        after: *after,
    });
    Ok(Calibration {
        data: question.data.clone(),
        fitted: fitted.collect(),
        residuals: residuals.collect(),
        likeness: likeness(&columns),
        improved,
    })
}

fn check(question: &Question<'_>) -> Result<(), Fault> {
    let (points, keys) = (question.points.len(), question.parameters.len());
    if points < keys {
        return Err(
            Fault::new(format!("{points} points cannot fix {keys} keys")).help("fit fewer keys, or measure more")
        );
    }
    let twice =
        question.parameters.iter().enumerate().find(|(i, p)| question.parameters[..*i].iter().any(|o| o.key == p.key));
    match twice {
        Some((_, parameter)) => Err(Fault::new(format!("--fit names {} twice", parameter.key)).help("name it once")),
        None => Ok(()),
    }
}

/// How the residuals answer to each parameter, by central differences (one-sided at a bound).
fn jacobian(question: &Question<'_>, places: &[f64]) -> Result<Vec<Vec<f64>>, Fault> {
    let column = |index: usize| {
        let at = |place: f64| {
            let mut moved = places.to_vec();
            moved[index] = place;
            question.guess(&moved).map(|predicted| question.residuals(&predicted))
        };
        let (low, high) = ((places[index] - STEP).max(0.0), (places[index] + STEP).min(1.0));
        let (left, right) = (at(low)?, at(high)?);
        Ok(left.iter().zip(&right).map(|(left, right)| (right - left) / (high - low)).collect())
    };
    (0..places.len()).map(column).collect()
}
