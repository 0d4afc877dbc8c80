//! Predicted against measured, drawn: all points on scales of ratios at the left, every family's own curve at the right.
//!
//! Knows pixels and colours. Must not know what a family is.

use std::path::Path;

use plotters::backend::DrawingBackend;
use plotters::element::{PathElement, Polygon};
use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};
use plotters::style::text_anchor::HPos;
use plotters::style::{RGBColor, ShapeStyle, WHITE};

use super::super::scale::Scale;
use super::super::validation::{BANDS, Series, Validation, decades, ends};
use super::pens::{BLACK, GREY, Marker, PALE, PENS, Pen};
use super::{Drawn, FONT, Paper, register_fonts, stroke, text};
use crate::error::Fault;
use crate::plot::dash::Spot;
use crate::plot::labels::Area;
use engine::units::significant;

const SIZE: (u32, u32) = (1800, 1000);
const HEADLINE: i32 = 40;
const LETTERS: i32 = 28;
const SMALL: i32 = 22;
/// The large frame.
const SCATTER: Area = (120, 150, 880, 890);
/// Where the families' own frames are.
const CURVES: Area = (940, 130, 1780, 970);
/// The wide band, the narrow band.
const BAND_COLORS: [RGBColor; 2] = [RGBColor(190, 214, 236), RGBColor(229, 239, 248)];
const MARKERS: [Marker; 5] = [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Cross];

/// Draws into a file; the ending says how.
pub(in crate::plot) fn to_file(validation: &Validation, file: &Path) -> Result<(), Fault> {
    let fault = |error: String| Fault::new(format!("the plot could not be drawn to {}: {error}", file.display()));
    register_fonts();
    match file.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => {
            draw(validation, &SVGBackend::new(file, SIZE).into_drawing_area()).map_err(|e| fault(e.to_string()))
        }
        Some("png") => {
            draw(validation, &BitMapBackend::new(file, SIZE).into_drawing_area()).map_err(|e| fault(e.to_string()))
        }
        _ => Err(fault("the ending is not known".to_string()).help("give a file that ends in .svg or .png")),
    }
}

fn draw<B: DrawingBackend>(validation: &Validation, paper: &Paper<B>) -> Drawn<B> {
    paper.fill(&WHITE)?;
    text(paper, "Predicted against measured", (40, 40), (FONT, HEADLINE), BLACK, HPos::Left)?;
    text(paper, &validation.note, (40, 84), (FONT, SMALL), GREY, HPos::Left)?;
    scatter(validation, paper)?;
    curves(validation, paper)?;
    paper.present()
}

/// A family's pen: with six colours and five shapes, thirty families differ.
fn pen(index: usize) -> Pen {
    Pen {
        marker: Some(MARKERS[(index + index / PENS.len()) % MARKERS.len()]),
        dashes: &[],
        width: 3,
        ..PENS[index % PENS.len()]
    }
}

fn scatter<B: DrawingBackend>(validation: &Validation, paper: &Paper<B>) -> Drawn<B> {
    let all = validation.series.iter().flat_map(Series::drawn).flat_map(|pair| [pair.measured, pair.predicted]);
    let range = ends(all);
    let (x, y) = (Scale::new(range, (SCATTER.0, SCATTER.2), true), Scale::new(range, (SCATTER.3, SCATTER.1), true));
    bands(paper, range, &x, &y)?;
    for value in decades(range) {
        tick(paper, value, (x.pixel(value), y.pixel(value)))?;
    }
    border(paper, SCATTER)?;
    let unit = format!("({}, as published)", validation.units());
    let middle = (SCATTER.0 + SCATTER.2) / 2;
    text(paper, &format!("measured {unit}"), (middle, SCATTER.3 + 70), (FONT, LETTERS), BLACK, HPos::Center)?;
    let [good, fair] = BANDS.map(significant);
    let words = format!("predicted (bands: within {good} and {fair} times; rings: fitted)");
    text(paper, &words, (40, SCATTER.1 - 26), (FONT, LETTERS), BLACK, HPos::Left)?;
    for (index, series) in validation.series.iter().enumerate() {
        for pair in series.drawn() {
            let spot = (x.pixel(pair.measured), y.pixel(pair.predicted));
            point(paper, spot, &pen(index), pair.fitted)?;
        }
    }
    Ok(())
}

/// The bands around equality, the wide one first, and equality itself.
fn bands<B: DrawingBackend>(paper: &Paper<B>, (low, high): (f64, f64), x: &Scale, y: &Scale) -> Drawn<B> {
    for (factor, color) in BANDS.into_iter().zip(BAND_COLORS).rev() {
        // Cut where the band would leave the frame.
        let corners = [
            (low, low),
            (low, low * factor),
            (high / factor, high),
            (high, high),
            (high, high / factor),
            (low * factor, low),
        ];
        let spots: Vec<Spot> = corners.into_iter().map(|(a, b)| (x.pixel(a), y.pixel(b))).collect();
        paper.draw(&Polygon::new(spots, ShapeStyle::from(&color).filled()))?;
    }
    let equal = vec![(x.pixel(low), y.pixel(low)), (x.pixel(high), y.pixel(high))];
    paper.draw(&PathElement::new(equal, ShapeStyle::from(&GREY).stroke_width(2)))
}

fn tick<B: DrawingBackend>(paper: &Paper<B>, value: f64, (x, y): Spot) -> Drawn<B> {
    let pale = ShapeStyle::from(&PALE).stroke_width(1);
    paper.draw(&PathElement::new(vec![(x, SCATTER.1), (x, SCATTER.3)], pale))?;
    paper.draw(&PathElement::new(vec![(SCATTER.0, y), (SCATTER.2, y)], pale))?;
    text(paper, &significant(value), (x, SCATTER.3 + 26), (FONT, SMALL), BLACK, HPos::Center)?;
    text(paper, &significant(value), (SCATTER.0 - 12, y), (FONT, SMALL), BLACK, HPos::Right)
}

fn border<B: DrawingBackend>(paper: &Paper<B>, (left, top, right, bottom): Area) -> Drawn<B> {
    let line = vec![(left, top), (left, bottom), (right, bottom)];
    paper.draw(&PathElement::new(line, ShapeStyle::from(&BLACK).stroke_width(2)))
}

/// A point; a fitted one is a small grey dot, since it proves nothing.
fn point<B: DrawingBackend>(paper: &Paper<B>, spot: Spot, pen: &Pen, fitted: bool) -> Drawn<B> {
    if fitted {
        return paper.draw(&plotters::element::Circle::new(spot, 4, ShapeStyle::from(&pen.color).stroke_width(1)));
    }
    pen.mark(paper, spot)
}

/// A small frame a family: what was measured as points, what is predicted as a line.
fn curves<B: DrawingBackend>(validation: &Validation, paper: &Paper<B>) -> Drawn<B> {
    let count = validation.series.len().max(1) as i32;
    let columns = (1..=count).find(|columns| columns * columns >= count).unwrap_or(1).min(4);
    let rows = (count + columns - 1) / columns;
    let (wide, high) = ((CURVES.2 - CURVES.0) / columns, (CURVES.3 - CURVES.1) / rows);
    for (index, series) in validation.series.iter().enumerate() {
        let (row, column) = (index as i32 / columns, index as i32 % columns);
        let corner = (CURVES.0 + column * wide, CURVES.1 + row * high);
        family(paper, series, &pen(index), (corner.0 + 46, corner.1 + 44, corner.0 + wide - 14, corner.1 + high - 24))?;
    }
    let words = "line: predicted, dots: measured, in the order of the cases";
    text(paper, words, (CURVES.0 + 46, CURVES.3 - 10), (FONT, 16), GREY, HPos::Left)
}

fn family<B: DrawingBackend>(paper: &Paper<B>, series: &Series, pen: &Pen, frame: Area) -> Drawn<B> {
    let range = ends(series.drawn().flat_map(|pair| [pair.measured, pair.predicted]));
    let last = series.drawn().count().saturating_sub(1).max(1);
    let x = Scale::new((0.0, last as f64), (frame.0 + 10, frame.2 - 10), false);
    let y = Scale::new(range, (frame.3, frame.1), true);
    border(paper, frame)?;
    pen.mark(paper, (frame.0 - 30, frame.1 - 20))?;
    text(paper, &series.name, (frame.0 - 12, frame.1 - 18), (FONT, SMALL), BLACK, HPos::Left)?;
    for value in decades(range) {
        let at = y.pixel(value);
        paper.draw(&PathElement::new(vec![(frame.0, at), (frame.2, at)], ShapeStyle::from(&PALE).stroke_width(1)))?;
        text(paper, &significant(value), (frame.0 - 6, at), (FONT, 18), BLACK, HPos::Right)?;
    }
    let line: Vec<Spot> =
        series.drawn().enumerate().map(|(n, pair)| (x.pixel(n as f64), y.pixel(pair.predicted))).collect();
    stroke(paper, &line, pen)?;
    for (n, pair) in series.drawn().enumerate() {
        let spot = (x.pixel(n as f64), y.pixel(pair.measured));
        paper.draw(&plotters::element::Circle::new(spot, 4, ShapeStyle::from(&BLACK).filled()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::validation::Pair;
    use super::*;

    fn validation() -> Validation {
        let pair =
            |measured: f64, off: f64, fitted| Pair { measured, predicted: measured * off, fitted, unit: "GB/s".into() };
        let series = |name: &str, off: f64| Series {
            name: name.into(),
            pairs: (0..8)
                .map(|n| pair(0.1 * libm::exp2(f64::from(n)), off * (1.0 + f64::from(n % 3) / 10.0), n == 0))
                .collect(),
        };
        let names = ["A01", "A03", "A13", "host", "D04", "C02", "B02"];
        let all = names.into_iter().enumerate().map(|(n, name)| series(name, 0.8 + n as f64 / 10.0)).collect();
        Validation { series: all, note: "total: 49 points".into() }
    }

    #[test]
    fn both_kinds_of_file_are_drawn_and_the_same_bytes_come_twice() {
        let folder = tempfile::tempdir().unwrap();
        for ending in crate::plot::ENDINGS {
            let bytes = ["a", "b"].map(|name| {
                let file = folder.path().join(format!("{name}.{ending}"));
                to_file(&validation(), &file).unwrap();
                std::fs::read(file).unwrap()
            });
            assert!(bytes[0].len() > 1000 && bytes[0] == bytes[1], "{ending}");
        }
    }

    #[test]
    fn nothing_to_draw_draws_an_empty_frame() {
        let file = tempfile::tempdir().unwrap().path().with_extension("svg");
        assert!(to_file(&Validation { series: Vec::new(), note: String::new() }, &file).is_ok());
        let _ = std::fs::remove_file(file);
    }
}
