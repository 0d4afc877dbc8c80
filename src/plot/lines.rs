//! Lines of plain figures: named rows of points over one axis, some with a note.
//!
//! Knows numbers and words. Must not know where they come from.

use super::chart::{Axis, Chart, Curve, Point};
use super::picture::Picture;
use crate::study::vary::Scale;

/// A point: along the axis, upwards, and what is written beside it.
pub type Spot = (f64, f64, Option<String>);

/// What a picture of lines says besides its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Words {
    /// The headline.
    pub title: String,
    /// A second line.
    pub subtitle: String,
    /// What the horizontal axis measures.
    pub x: String,
    /// What its values are.
    pub scale: Scale,
    /// Whether each doubling is equally far.
    pub doubling: bool,
    /// What the vertical axis measures, with its unit.
    pub y: String,
}

/// The picture of some lines.
pub fn lines(words: Words, rows: Vec<(String, Vec<Spot>)>) -> Picture {
    let point = |(x, y, note): Spot| Point { x, x_text: engine::units::significant(x), y, binds: String::new(), note };
    let curve =
        |(name, spots): (String, Vec<Spot>)| Curve { name, points: spots.into_iter().map(point).collect(), knee: None };
    Picture::Curves(Chart {
        title: words.title,
        subtitle: words.subtitle,
        x: Axis { title: words.x, scale: words.scale, doubling: words.doubling },
        y: words.y,
        whole: None,
        curves: rows.into_iter().map(curve).collect(),
        limits: Vec::new(),
        measured: Vec::new(),
    })
}
