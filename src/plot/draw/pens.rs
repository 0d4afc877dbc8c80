//! Pens: a colour, a dash and a marker for each curve, so that no two differ by colour alone.
//!
//! Knows the palette of Okabe and Ito, which colour-blind people tell apart. Must not know what a curve shows.

use plotters::backend::DrawingBackend;
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::style::{RGBColor, ShapeStyle, WHITE};

use super::super::dash::Spot;
use super::{Drawn, Paper};

/// Letters and axes.
pub(super) const BLACK: RGBColor = RGBColor(20, 20, 20);
/// Limits and remarks.
pub(super) const GREY: RGBColor = RGBColor(95, 95, 95);
/// The band below a ceiling.
pub(super) const BAND: RGBColor = RGBColor(236, 236, 240);
/// Lines behind everything.
pub(super) const PALE: RGBColor = RGBColor(222, 222, 222);

/// The shape of a point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Cross,
}

/// How a curve is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    /// Its colour.
    pub color: RGBColor,
    /// Lengths of strokes and gaps in pixels; empty is solid.
    pub dashes: &'static [f64],
    /// The shape of its points.
    pub marker: Option<Marker>,
    /// Its width in pixels.
    pub width: u32,
}

const fn pen(color: RGBColor, dashes: &'static [f64], marker: Marker) -> Pen {
    Pen { color, dashes, marker: Some(marker), width: 4 }
}

/// The pens in the order of the curves.
pub(super) const PENS: &[Pen] = &[
    pen(RGBColor(0, 114, 178), &[], Marker::Circle),
    pen(RGBColor(213, 94, 0), &[18.0, 9.0], Marker::Square),
    pen(RGBColor(0, 135, 100), &[4.0, 8.0], Marker::Triangle),
    pen(RGBColor(170, 80, 130), &[22.0, 8.0, 4.0, 8.0], Marker::Diamond),
    pen(RGBColor(176, 118, 0), &[10.0, 6.0], Marker::Cross),
    pen(RGBColor(40, 40, 40), &[30.0, 8.0], Marker::Circle),
];

/// The mark of measured points.
pub(super) const MEASURED: Pen = Pen { color: BLACK, dashes: &[], marker: Some(Marker::Cross), width: 0 };

/// The pen of limits.
pub(super) const LIMIT: Pen = Pen { color: GREY, dashes: &[3.0, 7.0], marker: None, width: 3 };

impl Pen {
    /// Draws a point.
    pub(super) fn mark<B: DrawingBackend>(&self, paper: &Paper<B>, (x, y): Spot) -> Drawn<B> {
        let solid = ShapeStyle::from(&self.color).filled();
        match self.marker {
            None => Ok(()),
            Some(Marker::Circle) => paper.draw(&Circle::new((x, y), 9, solid)),
            Some(Marker::Square) => {
                paper.draw(&Rectangle::new([(x - 9, y - 9), (x + 9, y + 9)], solid))?;
                paper.draw(&Rectangle::new([(x - 5, y - 5), (x + 5, y + 5)], ShapeStyle::from(&WHITE).filled()))
            }
            Some(Marker::Triangle) => {
                paper.draw(&Polygon::new(vec![(x, y - 11), (x + 11, y + 9), (x - 11, y + 9)], solid))
            }
            Some(Marker::Diamond) => {
                paper.draw(&Polygon::new(vec![(x, y - 12), (x + 12, y), (x, y + 12), (x - 12, y)], solid))
            }
            Some(Marker::Cross) => {
                let thick = ShapeStyle::from(&self.color).stroke_width(4);
                paper.draw(&PathElement::new(vec![(x - 8, y - 8), (x + 8, y + 8)], thick))?;
                paper.draw(&PathElement::new(vec![(x - 8, y + 8), (x + 8, y - 8)], thick))
            }
        }
    }
}
