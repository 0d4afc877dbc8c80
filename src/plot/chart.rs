//! A chart as plain data: curves over one axis, limits that no curve passes, notes along them.
//!
//! Knows numbers and words. Must not know pixels or colours.

use serde::Serialize;

use crate::study::vary::Scale;

/// All that a picture shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// The headline.
    pub title: String,
    /// A second line in smaller letters.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// What the vertical axis measures, with its unit.
    pub y: String,
    /// The highest value that there can be, for shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<f64>,
    /// The curves.
    pub curves: Vec<Curve>,
    /// What no curve passes.
    pub limits: Vec<Limit>,
    /// Points that somebody measured, laid over it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
}

/// A measured point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What the legend calls its series.
    pub name: String,
    /// Along the axis, in its unit.
    pub x: f64,
    /// Upwards, in the unit of the chart.
    pub y: f64,
}

/// The horizontal axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it measures, with its unit where the ticks do not carry it.
    pub title: String,
    /// What its values are.
    pub scale: Scale,
    /// Whether each doubling is equally far.
    pub doubling: bool,
}

/// A curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// Its points in the order of the axis.
    pub points: Vec<Point>,
    /// The point from which on it grows no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee: Option<usize>,
}

/// A knee is where so much of the highest point is reached: no step from there on gains more.
const KNEE: f64 = 0.95;

impl Curve {
    /// The first point that reaches nearly all that the curve ever does, unless it still grows at its end.
    pub fn find_knee(points: &[Point]) -> Option<usize> {
        let top = points.iter().map(|point| point.y).fold(0.0, f64::max);
        let knee = points.iter().position(|point| point.y >= KNEE * top)?;
        (knee > 0 && knee + 1 < points.len()).then_some(knee)
    }

    /// The first and last points of each stretch along which one thing binds; none where nothing is said to bind.
    pub fn stretches(&self) -> Vec<(usize, usize)> {
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for (index, point) in self.points.iter().enumerate().filter(|(_, point)| !point.binds.is_empty()) {
            match stretches.last_mut() {
                Some(last) if self.points[last.0].binds == point.binds => last.1 = index,
                _ => stretches.push((index, index)),
            }
        }
        stretches
    }
}

/// A point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Along the axis, in its unit (bytes, GB/s, seconds, a plain number).
    pub x: f64,
    /// The value as the key takes it.
    pub x_text: String,
    /// Upwards, in the unit of the chart.
    pub y: f64,
    /// What binds here.
    pub binds: String,
    /// What is written beside it: what binds, where that changes.
    pub note: Option<String>,
}

/// A limit, shared by all curves that it holds for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Limit {
    /// What is written beside it.
    pub name: String,
    /// The curves that it limits.
    pub curves: Vec<String>,
    /// Its points `(x, y)`.
    pub points: Vec<(f64, f64)>,
}

impl Chart {
    /// All values along the horizontal axis, each once, rising, with their texts.
    pub fn xs(&self) -> Vec<(f64, String)> {
        let points = self.curves.iter().flat_map(|c| &c.points);
        let mut xs: Vec<(f64, String)> = points.map(|p| (p.x, p.x_text.clone())).collect();
        xs.sort_by(|a, b| a.0.total_cmp(&b.0));
        xs.dedup_by(|a, b| a.0 == b.0);
        xs
    }

    /// The highest value of curves and limits.
    pub fn top(&self) -> f64 {
        let curves = self.curves.iter().flat_map(|c| c.points.iter().map(|p| p.y));
        let limits = self.limits.iter().flat_map(|l| l.points.iter().map(|p| p.1));
        let measured = self.measured.iter().map(|point| point.y);
        curves.chain(limits).chain(measured).filter(|y| y.is_finite()).fold(0.0, f64::max)
    }
}
