//! A trial: all points run with some values of the parameters, and how far they are off.
//!
//! Knows how a point is run. Must not know how the next values are chosen.

use rayon::prelude::*;
use serde_json::Value;

use super::parameter::Parameter;
use crate::error::Fault;
use crate::import::csv::Measurement;
use crate::platform::{Edit, Library, load};
use crate::report::value_at;
use crate::study::{self, Options};
use engine::Mode;

/// What is calibrated, and on which points.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The scenario's name or file.
    pub scenario: &'a str,
    /// Where models live.
    pub library: &'a Library,
    /// Edits laid over the scenario in every trial.
    pub edits: Vec<Edit>,
    /// What is fitted.
    pub parameters: Vec<Parameter>,
    /// What was measured.
    pub points: Vec<Measurement>,
    /// What the messages call the table of points.
    pub data: String,
}

impl Question<'_> {
    /// What comes out for every point at some places of the parameters; without places, with the model as it is.
    pub fn predict(&self, places: Option<&[f64]>) -> Result<Vec<f64>, Fault> {
        self.each(places, Mode::Settled)
    }

    /// The same from stream mode, in which no request is looked at: quick, and near.
    pub fn guess(&self, places: &[f64]) -> Result<Vec<f64>, Fault> {
        self.each(Some(places), Mode::Fluid)
    }

    fn each(&self, places: Option<&[f64]>, mode: Mode) -> Result<Vec<f64>, Fault> {
        let places = places.unwrap_or_default();
        let fitted: Vec<Edit> = self.parameters.iter().zip(places).map(|(parameter, p)| parameter.edit(*p)).collect();
        self.points.par_iter().with_max_len(1).map(|point| self.one(point, &fitted, mode)).collect()
    }

    /// Whether each key to fit is there, and takes what lies between its bounds.
    pub fn knows_its_keys(&self) -> Result<(), Fault> {
        let Some(point) = self.points.first() else { return Ok(()) };
        self.parameters.iter().try_for_each(|parameter| {
            let [low, high] = parameter.bounds();
            let about = |fault: Fault| fault.about(format!("--fit {}={low}..{high}", parameter.key));
            load(self.scenario, self.library, &self.laid_over(point, &[parameter.edit(0.5)])).map_err(about).map(|_| ())
        })
    }

    fn laid_over(&self, point: &Measurement, fitted: &[Edit]) -> Vec<Edit> {
        let set = point.set.iter().map(|(key, value)| Edit { key: key.clone(), value: value.clone() });
        self.edits.iter().cloned().chain(set).chain(fitted.iter().cloned()).collect()
    }

    fn one(&self, point: &Measurement, fitted: &[Edit], mode: Mode) -> Result<f64, Fault> {
        let edits = self.laid_over(point, fitted);
        let about = |fault: Fault| fault.about(format!("{}, line {}", self.data, point.line));
        let loaded = load(self.scenario, self.library, &edits).map_err(about)?;
        let options = Options { mode: Some(mode), skip_ends: true, ..Options::default() };
        let report = study::run(&loaded, &options, None).map_err(about)?;
        let tree = serde_json::to_value(&report).unwrap_or(Value::Null);
        value_at(&tree, &point.key).and_then(|value| value.as_f64()).filter(|value| *value > 0.0).ok_or_else(|| {
            about(Fault::new(format!("the report has no number above zero at `{}`", point.key)))
                .help("`hopsim run --format json` shows all keys; works are named as in works.gds.throughput_gb_s")
        })
    }

    /// The weighted mean of the squared logarithms of predicted over measured.
    pub fn cost(&self, predicted: &[f64]) -> f64 {
        let squares = self.residuals(predicted).into_iter().map(|residual| residual * residual).sum::<f64>();
        squares / self.points.iter().map(|point| point.weight).sum::<f64>()
    }

    /// Logarithms of predicted over measured, each times the root of its weight.
    pub fn residuals(&self, predicted: &[f64]) -> Vec<f64> {
        let residual =
            |(point, value): (&Measurement, &f64)| libm::sqrt(point.weight) * libm::log(value / point.measured);
        self.points.iter().zip(predicted).map(residual).collect()
    }
}
