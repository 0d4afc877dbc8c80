//! The table of errors: what every family's points come to.
//!
//! Knows measured and predicted figures. Must not know how the table is printed or drawn.

use serde::Serialize;

use super::case::{Case, Family, Gate, Use};
use super::figures::{Figures, Measure, figures};
use super::runs::Ran;
use super::settings::side;
use super::sign::{Side, Signs, signs};
use crate::error::{Fault, nearest};
use crate::statistics::{Spread, error_percent, spread};

/// All families and the total.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Mechanisms that were left out.
    pub without: Vec<String>,
    /// The families, in the order of their folders.
    pub families: Vec<FamilyErrors>,
    /// Over the predicted points of gated families.
    pub total: Errors,
    /// Whether every gated family meets its gate.
    pub meets_gates: bool,
}

/// A family's errors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FamilyErrors {
    /// What it is called.
    pub family: String,
    /// One line about it.
    pub title: String,
    /// Where it was published.
    pub reference: String,
    /// What its predicted points must reach, if anything.
    pub gate: Option<Gate>,
    /// Whether they do.
    pub meets_gate: Option<bool>,
    /// Of points that nothing was fitted on.
    pub predicted: Errors,
    /// Of points that figures were fitted on.
    pub fitted: Errors,
    /// Bounds that are kept.
    pub bounds_kept: usize,
    /// Cases whose bound is violated.
    pub bounds_violated: Vec<String>,
    /// GDS against bounce.
    pub signs: Signs,
    /// Every point, in the order of the cases.
    pub points: Vec<Point>,
}

/// Errors of the three predictions over the same points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Errors {
    /// The simulation's.
    pub simulated: Option<Spread>,
    /// The roofline's, over the points that it has a figure for.
    pub roofline: Option<Spread>,
    /// The closed form's, over the points that it has a figure for.
    pub closed_form: Option<Spread>,
}

/// A case and what was predicted for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The case.
    pub id: String,
    /// The key of the report.
    pub key: String,
    /// The unit of the figures.
    pub unit: &'static str,
    /// How the point was used.
    #[serde(rename = "use")]
    pub usage: Use,
    /// What was measured.
    pub measured: f64,
    /// Its relative spread, where published.
    pub spread: Option<f64>,
    /// What the simulation predicts.
    pub predicted: f64,
    /// What the roofline predicts.
    pub roofline: Option<f64>,
    /// What the closed form predicts.
    pub closed_form: Option<f64>,
    /// The simulation's absolute error, per cent of what was measured.
    pub error_percent: f64,
}

impl Point {
    /// Whether a bound is kept; `None` for what is no bound.
    pub fn keeps_bound(&self) -> Option<bool> {
        match self.usage {
            Use::AtLeast => Some(self.predicted >= self.measured),
            Use::AtMost => Some(self.predicted <= self.measured),
            Use::Predicted | Use::Fitted => None,
        }
    }
}

impl FamilyErrors {
    /// The predicted points, the worst first.
    pub fn worst(&self) -> Vec<&Point> {
        let mut points: Vec<&Point> = self.points.iter().filter(|point| point.usage == Use::Predicted).collect();
        points.sort_by(|a, b| b.error_percent.total_cmp(&a.error_percent));
        points
    }
}

/// The table of families that were run.
///
/// # Errors
/// A [`Fault`] for each case whose key is not in the report.
pub fn table(families: &[Family], ran: &[Vec<std::sync::Arc<Ran>>], without: Vec<String>) -> Result<Table, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut rows = Vec::new();
    for (family, ran) in families.iter().zip(ran) {
        match family_errors(family, ran) {
            Ok(row) => rows.push(row),
            Err(more) => faults.extend(more),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let gated: Vec<&Point> = rows.iter().filter(|row| row.gate.is_some()).flat_map(|row| &row.points).collect();
    let total = errors(&gated, Use::Predicted);
    let meets_gates = rows.iter().all(|row| row.meets_gate != Some(false));
    Ok(Table { without, families: rows, total, meets_gates })
}

fn family_errors(family: &Family, ran: &[std::sync::Arc<Ran>]) -> Result<FamilyErrors, Vec<Fault>> {
    let (mut points, mut sides, mut faults) = (Vec::new(), Vec::<Side>::new(), Vec::new());
    for (case, ran) in family.cases.iter().zip(ran) {
        match figures(&ran.report, &case.key) {
            Some(figures) => {
                sides.extend(side(case, ran, figures.simulated));
                points.push(point(case, &figures));
            }
            None => faults.push(no_key(case, ran)),
        }
    }
    if faults.is_empty() { Ok(row(family, points, &sides)) } else { Err(faults) }
}

fn row(family: &Family, points: Vec<Point>, sides: &[Side]) -> FamilyErrors {
    let all: Vec<&Point> = points.iter().collect();
    let predicted = errors(&all, Use::Predicted);
    let violated = points.iter().filter(|point| point.keeps_bound() == Some(false)).map(|point| point.id.clone());
    FamilyErrors {
        family: family.name.clone(),
        title: family.title.clone(),
        reference: family.reference.clone(),
        gate: family.gate,
        meets_gate: family.gate.map(|gate| meets(&gate, predicted.simulated.as_ref())),
        predicted,
        fitted: errors(&all, Use::Fitted),
        bounds_kept: points.iter().filter(|point| point.keeps_bound() == Some(true)).count(),
        bounds_violated: violated.collect(),
        signs: signs(sides),
        points,
    }
}

/// A family without predicted points has nothing to miss its gate with.
fn meets(gate: &Gate, errors: Option<&Spread>) -> bool {
    errors.is_none_or(|errors| errors.median <= gate.median && errors.p90 <= gate.p90)
}

fn point(case: &Case, figures: &Figures) -> Point {
    Point {
        id: case.id.clone(),
        key: case.key.clone(),
        unit: Measure::of(&case.key).unit(),
        usage: case.usage,
        measured: case.measured,
        spread: case.spread,
        predicted: figures.simulated,
        roofline: figures.roofline,
        closed_form: figures.closed_form,
        error_percent: error_percent(figures.simulated, case.measured),
    }
}

/// Errors over the points of one use.
fn errors(points: &[&Point], usage: Use) -> Errors {
    let of = |figure: fn(&Point) -> Option<f64>| {
        let points = points.iter().filter(|point| point.usage == usage);
        spread(points.filter_map(|point| Some(error_percent(figure(point)?, point.measured))))
    };
    Errors {
        simulated: of(|point| Some(point.predicted)),
        roofline: of(|point| point.roofline),
        closed_form: of(|point| point.closed_form),
    }
}

fn no_key(case: &Case, ran: &Ran) -> Fault {
    let works: Vec<&str> = ran.report.works.iter().map(|work| work.name.as_str()).collect();
    let typed = case.key.split('.').nth(1).unwrap_or_default();
    let near = nearest(typed, works.iter().copied()).filter(|near| *near != typed);
    let near = near.map(|near| format!("did you mean works.{near}? ")).unwrap_or_default();
    Fault::new(format!("{}: the report has no number `{}`", case.id, case.key)).help(format!(
        "{near}the works of {} are {}; `hopsim run --format json` shows all keys",
        case.scenario,
        works.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(usage: Use, measured: f64, predicted: f64) -> Point {
        Point {
            id: format!("{measured}-{predicted}"),
            key: "works.a.throughput_gb_s".into(),
            unit: "GB/s",
            usage,
            measured,
            spread: None,
            predicted,
            roofline: Some(2.0 * measured),
            closed_form: None,
            error_percent: error_percent(predicted, measured),
        }
    }

    fn family(gate: Option<Gate>) -> Family {
        Family {
            name: "F".into(),
            folder: "f".into(),
            title: "A family".into(),
            reference: String::new(),
            gate,
            scenarios: indexmap::IndexMap::new(),
            cases: Vec::new(),
        }
    }

    #[test]
    fn fitted_points_and_bounds_do_not_enter_the_predicted_errors() {
        use Use::{AtLeast, AtMost, Fitted, Predicted};
        let points = [(Predicted, 1.1), (Fitted, 1.5), (AtLeast, 3.0), (AtMost, 3.0)];
        let row = row(&family(None), points.map(|(usage, predicted)| point(usage, 1.0, predicted)).to_vec(), &[]);
        assert_eq!(row.predicted.simulated.map(|s| (s.points, s.median.round())), Some((1, 10.0)));
        assert_eq!(row.fitted.simulated.map(|s| (s.points, s.median)), Some((1, 50.0)));
        assert_eq!((row.bounds_kept, row.bounds_violated), (1, vec!["1-3".to_string()]));
    }

    #[test]
    fn a_gate_asks_for_the_median_and_for_the_worst_tenth() {
        let points = |errors: [f64; 3]| errors.map(|e| point(Use::Predicted, 100.0, 100.0 + e)).to_vec();
        let meets = |errors, gate| row(&family(gate), points(errors), &[]).meets_gate;
        let gate = Some(Gate { median: 10.0, p90: 30.0 });
        assert_eq!(meets([1.0, 9.0, 20.0], gate), Some(true));
        assert_eq!(meets([11.0, 12.0, 13.0], gate), Some(false));
        assert_eq!(meets([1.0, 2.0, 60.0], gate), Some(false));
        assert_eq!(meets([1.0, 2.0, 60.0], None), None);
    }

    #[test]
    fn the_worst_point_comes_first() {
        let points = [1.2, 1.9, 1.1].map(|predicted| point(Use::Predicted, 1.0, predicted)).to_vec();
        assert_eq!(row(&family(None), points, &[]).worst()[0].predicted, 1.9);
    }
}
