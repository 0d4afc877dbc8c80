//! A chart drawn to SVG or PNG with a font that the binary carries.
//!
//! Knows pixels, colours and letters. Must not know how the figures came about.

mod frame;
mod pens;
mod scatter;

use std::path::Path;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::element::{EmptyElement, PathElement, Rectangle, Text};
use plotters::prelude::{BitMapBackend, DrawingArea, IntoDrawingArea, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE, register_font};

use super::chart::{Chart, Curve, Limit};
use super::dash::Spot;
use super::labels::{Area, Wish, nearest, place};
use crate::error::Fault;

pub(super) use scatter::to_file as validation_to_file;

use frame::Frame;
use pens::{BLACK, GREY, PALE, PENS, Pen};

/// The size of a picture: that of a slide.
const SIZE: (u32, u32) = (1600, 900);
/// Letters of the headline, of axes and legend, of notes.
const HEADLINE: i32 = 46;
const LETTERS: i32 = 34;
const NOTES: i32 = 28;
/// The face of words, and that of names: both travel with the binary, and an SVG's viewer has its own of the kind.
const FONT: &str = "sans-serif";
const NAMES: &str = "monospace";

type Paper<B> = DrawingArea<B, Shift>;
type Drawn<B> = Result<(), plotters::drawing::DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Makes the faces known to the drawing library.
fn register_fonts() {
    // A font that is no font would be a fault of the build, and shows as text that cannot be laid out.
    let _ = register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT);
    let _ = register_font(NAMES, FontStyle::Normal, epaint_default_fonts::HACK_REGULAR);
}

/// Draws a chart into a file; the ending says how.
pub(super) fn to_file(chart: &Chart, file: &Path) -> Result<(), Fault> {
    let fault = |error: String| Fault::new(format!("the plot could not be drawn to {}: {error}", file.display()));
    register_fonts();
    match file.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => draw(chart, &SVGBackend::new(file, SIZE).into_drawing_area()).map_err(|e| fault(e.to_string())),
        Some("png") => {
            draw(chart, &BitMapBackend::new(file, SIZE).into_drawing_area()).map_err(|e| fault(e.to_string()))
        }
        _ => Err(fault("the ending is not known".to_string()).help("give a file that ends in .svg or .png")),
    }
}

fn draw<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>) -> Drawn<B> {
    paper.fill(&WHITE)?;
    text(paper, &chart.title, (40, 42), (FONT, HEADLINE), BLACK, HPos::Left)?;
    text(paper, &chart.subtitle, (40, 88), (FONT, NOTES), GREY, HPos::Left)?;
    let rows = legend(chart, paper)?;
    let frame = Frame::new(chart, SIZE, rows);
    axes(chart, paper, &frame)?;
    let lines = limits(chart, paper, &frame)?;
    let lines = [lines, curves(chart, paper, &frame)?].concat();
    notes(chart, paper, &frame, &lines)?;
    paper.present()
}

/// The legend above the frame; returns how many rows it takes.
fn legend<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>) -> Result<i32, ErrorOf<B>> {
    let (mut x, mut row) = (40, 0);
    for (curve, pen) in chart.curves.iter().zip(PENS.iter().cycle()) {
        let width = 90 + width(paper, &curve.name, (FONT, LETTERS))? + 50;
        if x > 40 && x + width > SIZE.0 as i32 - 20 {
            (x, row) = (40, row + 1);
        }
        let y = 136 + row * 42;
        stroke(paper, &[(x, y), (x + 70, y)], pen)?;
        pen.mark(paper, (x + 35, y))?;
        text(paper, &curve.name, (x + 84, y + 3), (FONT, LETTERS), BLACK, HPos::Left)?;
        x += width;
    }
    Ok(row + 1)
}

type ErrorOf<B> = plotters::drawing::DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;

fn axes<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Drawn<B> {
    let (left, top, right, bottom) = frame.area;
    text(paper, &chart.y, (40, top - 40), (FONT, LETTERS), BLACK, HPos::Left)?;
    for (value, label) in frame.y_ticks() {
        let y = frame.y(value);
        paper.draw(&PathElement::new(vec![(left, y), (right, y)], ShapeStyle::from(&PALE).stroke_width(1)))?;
        text(paper, &label, (left - 14, y), (FONT, LETTERS), BLACK, HPos::Right)?;
    }
    let ticks = frame.x_ticks(chart);
    let mut widths = Vec::new();
    for (x, label) in &ticks {
        widths.push((*x, width(paper, label, (FONT, LETTERS))?));
    }
    for ((x, label), fits) in ticks.iter().zip(super::scale::fitting(&widths, 24)) {
        let tick = if fits { 10 } else { 5 };
        paper.draw(&PathElement::new(
            vec![(*x, bottom), (*x, bottom + tick)],
            ShapeStyle::from(&BLACK).stroke_width(2),
        ))?;
        if fits {
            text(paper, label, (*x, bottom + 32), (FONT, LETTERS), BLACK, HPos::Center)?;
        }
    }
    text(paper, &chart.x.title, ((left + right) / 2, bottom + 80), (FONT, LETTERS), BLACK, HPos::Center)?;
    let axis = vec![(left, top), (left, bottom), (right, bottom)];
    paper.draw(&PathElement::new(axis, ShapeStyle::from(&BLACK).stroke_width(2)))
}

/// Ceilings: grey dotted lines under the curves.
fn limits<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Result<Vec<Vec<Spot>>, ErrorOf<B>> {
    let mut lines = Vec::new();
    for limit in &chart.limits {
        let mut line: Vec<Spot> = limit.points.iter().map(|p| (frame.x(p.0), frame.y(p.1))).collect();
        // The line runs on to the edges of the frame, so that it is seen beside the curves' ends.
        if let (Some(first), Some(last)) = (line.first().copied(), line.last().copied()) {
            line.insert(0, (frame.area.0, first.1));
            line.push((frame.area.2, last.1));
        }
        stroke(paper, &line, &pens::LIMIT)?;
        lines.push(line);
    }
    Ok(lines)
}

fn curves<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Result<Vec<Vec<Spot>>, ErrorOf<B>> {
    let mut lines = Vec::new();
    for (curve, pen) in chart.curves.iter().zip(PENS.iter().cycle()) {
        let line: Vec<Spot> = curve.points.iter().map(|p| (frame.x(p.x), frame.y(p.y))).collect();
        stroke(paper, &line, pen)?;
        for spot in &line {
            pen.mark(paper, *spot)?;
        }
        lines.push(line);
    }
    Ok(lines)
}

/// What is written beside a curve or a limit.
struct Remark {
    words: String,
    /// The points that it may stand beside, the best first.
    at: Vec<Spot>,
    color: RGBColor,
    /// Whether it belongs to its first point rather than to the whole line.
    is_local: bool,
}

fn remarks(chart: &Chart, frame: &Frame) -> Vec<Remark> {
    let curves = chart.curves.iter().zip(PENS.iter().cycle()).flat_map(|(curve, pen)| curve_remarks(curve, pen, frame));
    let limits = chart.limits.iter().map(|limit| limit_remark(limit, frame));
    curves.chain(limits).collect()
}

/// What binds, beside the first points from which on it does.
fn curve_remarks(curve: &Curve, pen: &Pen, frame: &Frame) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    for point in &curve.points {
        let spot = (frame.x(point.x), frame.y(point.y));
        match (&point.note, remarks.last_mut()) {
            (Some(note), _) => {
                remarks.push(Remark { words: note.clone(), at: vec![spot], color: pen.color, is_local: true });
            }
            (None, Some(last)) if last.at.len() < 4 => last.at.push(spot),
            _ => {}
        }
    }
    remarks
}

fn limit_remark(limit: &Limit, frame: &Frame) -> Remark {
    let at = limit.points.iter().rev().map(|p| (frame.x(p.0), frame.y(p.1))).collect();
    Remark { words: limit.name.clone(), at, color: GREY, is_local: false }
}

fn notes<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame, lines: &[Vec<Spot>]) -> Drawn<B> {
    let remarks = remarks(chart, frame);
    let mut wishes = Vec::new();
    for remark in &remarks {
        let size = (width(paper, &remark.words, (NAMES, NOTES))? + 8, NOTES);
        wishes.push(Wish { at: remark.at.clone(), reluctance: if remark.is_local { 60 } else { 0 }, size });
    }
    for (remark, (area, at)) in remarks.iter().zip(place(&wishes, lines, frame.inside())) {
        note(paper, remark, area, at)?;
    }
    Ok(())
}

fn note<B: DrawingBackend>(paper: &Paper<B>, remark: &Remark, area: Area, at: Spot) -> Drawn<B> {
    if remark.is_local {
        let leader = ShapeStyle::from(&remark.color).stroke_width(1);
        paper.draw(&PathElement::new(vec![at, nearest(area, at)], leader))?;
    }
    paper.draw(&Rectangle::new([(area.0, area.1), (area.2, area.3)], ShapeStyle::from(&WHITE).filled()))?;
    let middle = (area.0 + 4, (area.1 + area.3) / 2);
    text(paper, &remark.words, middle, (NAMES, NOTES), remark.color, HPos::Left)
}

fn stroke<B: DrawingBackend>(paper: &Paper<B>, line: &[Spot], pen: &Pen) -> Drawn<B> {
    for part in super::dash::strokes(line, pen.dashes) {
        paper.draw(&PathElement::new(part, ShapeStyle::from(&pen.color).stroke_width(pen.width)))?;
    }
    Ok(())
}

/// A face and its size.
type Face = (&'static str, i32);

fn width<B: DrawingBackend>(paper: &Paper<B>, words: &str, face: Face) -> Result<i32, ErrorOf<B>> {
    let (width, _) = paper.estimate_text_size(words, &TextStyle::from(face.into_font()))?;
    // A viewer of the SVG may have a wider face than the one measured here.
    Ok(width as i32 * 108 / 100)
}

/// Writes words at a spot: the left end, the middle or the right end of their middle line.
fn text<B: DrawingBackend>(
    paper: &Paper<B>,
    words: &str,
    at: Spot,
    face: Face,
    color: RGBColor,
    anchor: HPos,
) -> Drawn<B> {
    let style = TextStyle::from(face.into_font()).color(&color).pos(Pos::new(anchor, VPos::Center));
    paper.draw(&(EmptyElement::at(at) + Text::new(words.to_string(), (0, 0), style)))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_chart_draws_to_both_kinds_of_file() {
        let folder = tempfile::tempdir().unwrap();
        for ending in super::super::ENDINGS {
            let file = folder.path().join(format!("chart.{ending}"));
            to_file(&sample::chart(), &file).unwrap();
            assert!(std::fs::metadata(&file).unwrap().len() > 5_000, "{ending}");
        }
    }

    #[test]
    fn an_unknown_ending_is_refused() {
        assert!(to_file(&sample::chart(), Path::new("chart.gif")).is_err());
    }
}
