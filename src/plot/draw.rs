//! A chart drawn to SVG or PNG with a font that the binary carries.
//!
//! Knows pixels, colours and letters. Must not know how the figures came about.

mod bars;
mod foot;
mod frame;
mod pens;
mod scatter;
mod strips;

use std::path::Path;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::element::{Circle, EmptyElement, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{BitMapBackend, DrawingArea, IntoDrawingArea, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE, register_font};

use super::chart::{Chart, Curve, Limit, Point};
use super::dash::Spot;
use super::labels::{Area, Wish, nearest, place};
use super::picture::Picture;
use crate::error::Fault;

pub(super) use scatter::to_file as validation_to_file;

use frame::Frame;
use pens::{BAND, BLACK, GREY, PALE, PENS, Pen};

/// The size of a picture: that of a slide. One that tells of many curves is taller.
const SIZE: (u32, u32) = (1600, 900);
/// The room that a slide has for strips, and the curves in a row of the legend.
const STRIPS: i32 = 88;
const IN_A_ROW: usize = 2;
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

/// Draws a picture into a file; the ending says how.
pub(super) fn to_file(picture: &Picture, file: &Path) -> Result<(), Fault> {
    let fault = |error: String| Fault::new(format!("the plot could not be drawn to {}: {error}", file.display()));
    register_fonts();
    match file.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => {
            draw(picture, &SVGBackend::new(file, size(picture)).into_drawing_area()).map_err(|e| fault(e.to_string()))
        }
        Some("png") => draw(picture, &BitMapBackend::new(file, size(picture)).into_drawing_area())
            .map_err(|e| fault(e.to_string())),
        _ => Err(fault("the ending is not known".to_string()).help("give a file that ends in .svg or .png")),
    }
}

fn size(picture: &Picture) -> (u32, u32) {
    let Picture::Curves(chart) = picture else { return SIZE };
    let rows = chart.curves.len().div_ceil(IN_A_ROW).max(1) as i32;
    let more = (strips::height(chart) - STRIPS).max(0) + foot::height(chart) + (rows - 1) * ROW;
    (SIZE.0, SIZE.1 + more as u32)
}

/// How much of the paper the first of several panels takes, in hundredths.
const FIRST_PANEL: u32 = 60;

fn draw<B: DrawingBackend>(picture: &Picture, paper: &Paper<B>) -> Drawn<B> {
    paper.fill(&WHITE)?;
    match picture {
        Picture::Curves(chart) => panel(chart, paper)?,
        Picture::Panels(charts) => panels(charts, paper)?,
        Picture::Bars(bars) => bars::draw(bars, paper)?,
    }
    paper.present()
}

fn panels<B: DrawingBackend>(charts: &[Chart], paper: &Paper<B>) -> Drawn<B> {
    let (first, rest) = paper.split_vertically(SIZE.1 * FIRST_PANEL / 100);
    let rest = rest.split_evenly((charts.len().saturating_sub(1).max(1), 1));
    charts.iter().zip(std::iter::once(first).chain(rest)).try_for_each(|(chart, paper)| panel(chart, &paper))
}

/// A chart with its headline, legend, frame and strips.
fn panel<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>) -> Drawn<B> {
    headline(paper, &chart.title, &chart.subtitle)?;
    let head = if chart.title.is_empty() { 0 } else { 110 };
    let rows = legend(chart, paper, head)?;
    let frame = Frame::new(chart, paper.dim_in_pixel(), (head, rows, strips::height(chart) + foot::height(chart)));
    bands(chart, paper, &frame)?;
    axes(chart, paper, &frame)?;
    let lines = limits(chart, paper, &frame)?;
    let lines = [lines, curves(chart, paper, &frame)?].concat();
    measured(chart, paper, &frame)?;
    notes(chart, paper, &frame, &lines)?;
    strips::draw(chart, paper, &frame)?;
    foot::draw(chart, paper)
}

fn headline<B: DrawingBackend>(paper: &Paper<B>, title: &str, subtitle: &str) -> Drawn<B> {
    text(paper, title, (40, 42), (FONT, HEADLINE), BLACK, HPos::Left)?;
    text(paper, subtitle, (40, 88), (FONT, NOTES), GREY, HPos::Left)
}

/// The legend above the frame; returns how many rows it takes.
fn legend<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, head: i32) -> Result<i32, ErrorOf<B>> {
    let marked = |curve: &Curve| curve.points.len() <= MARKED || curve.points.iter().any(|p| p.note.is_some());
    let bare = |(curve, pen): (&Curve, &Pen)| if marked(curve) { *pen } else { Pen { marker: None, ..*pen } };
    let pens = chart.curves.iter().zip(PENS.iter().cycle()).map(bare);
    let curves = chart.curves.iter().map(|curve| curve.name.as_str()).zip(pens);
    let series = series(chart).into_iter().zip(std::iter::repeat(pens::MEASURED));
    let (mut x, mut row) = (40, 0);
    for (name, pen) in curves.chain(series) {
        let width = 90 + width(paper, name, (FONT, LETTERS))? + 50;
        if x > 40 && x + width > SIZE.0 as i32 - 20 {
            (x, row) = (40, row + 1);
        }
        let y = head + 26 + row * ROW;
        if pen.width > 0 {
            stroke(paper, &[(x, y), (x + 70, y)], &pen)?;
        }
        pen.mark(paper, (x + 35, y))?;
        text(paper, name, (x + 84, y + 3), (FONT, LETTERS), BLACK, HPos::Left)?;
        x += width;
    }
    Ok(row + 1)
}

/// The height of a row of the legend.
const ROW: i32 = 42;

/// The names of measured series, each once.
fn series(chart: &Chart) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for point in &chart.measured {
        if !names.contains(&point.name.as_str()) {
            names.push(&point.name);
        }
    }
    names
}

/// A band from the ceiling to a little below it: a curve in it is as good as at the ceiling.
fn bands<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Drawn<B> {
    for limit in &chart.limits {
        let at = |part: f64| -> Vec<Spot> {
            let line: Vec<Spot> = limit.points.iter().map(|p| (frame.x(p.0), frame.y(p.1 * part))).collect();
            to_the_edges(line, frame)
        };
        let mut area = at(1.0);
        area.extend(at(NEAR).into_iter().rev());
        paper.draw(&Polygon::new(area, ShapeStyle::from(&BAND).filled()))?;
    }
    Ok(())
}

/// How near the ceiling the band reaches down.
const NEAR: f64 = 0.95;

/// A line that runs on to the edges of the frame, so that it is seen beside the curves' ends.
fn to_the_edges(mut line: Vec<Spot>, frame: &Frame) -> Vec<Spot> {
    if let (Some(first), Some(last)) = (line.first().copied(), line.last().copied()) {
        line.insert(0, (frame.area.0, first.1));
        line.push((frame.area.2, last.1));
    }
    line
}

fn measured<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Drawn<B> {
    chart.measured.iter().try_for_each(|point| pens::MEASURED.mark(paper, (frame.x(point.x), frame.y(point.y))))
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
        let line = limit.points.iter().map(|p| (frame.x(p.0), frame.y(p.1))).collect();
        let line = to_the_edges(line, frame);
        stroke(paper, &line, &pens::LIMIT)?;
        lines.push(line);
    }
    Ok(lines)
}

/// Curves of more points than this show a line alone.
const MARKED: usize = 60;

fn curves<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Result<Vec<Vec<Spot>>, ErrorOf<B>> {
    let mut lines = Vec::new();
    for (curve, pen) in chart.curves.iter().zip(PENS.iter().cycle()) {
        let line: Vec<Spot> = curve.points.iter().map(|p| (frame.x(p.x), frame.y(p.y))).collect();
        stroke(paper, &line, pen)?;
        for (spot, point) in line.iter().zip(&curve.points) {
            if line.len() <= MARKED || point.note.is_some() {
                pen.mark(paper, *spot)?;
            }
        }
        if let Some(knee) = curve.knee.and_then(|knee| line.get(knee)) {
            paper.draw(&Circle::new(*knee, 17, ShapeStyle::from(&pen.color).stroke_width(3)))?;
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
    let along = if foot::limits(chart).is_empty() { chart.limits.as_slice() } else { &[] };
    let limits = along.iter().map(|limit| limit_remark(limit, frame));
    curves.chain(limits).collect()
}

/// The knee; and what is marked along the curve, where no strip tells of it.
fn curve_remarks(curve: &Curve, pen: &Pen, frame: &Frame) -> Vec<Remark> {
    if !curve.stretches().is_empty() {
        return curve
            .knee
            .and_then(|knee| curve.points.get(knee))
            .map(|p| knee_remark(p, pen, frame))
            .into_iter()
            .collect();
    }
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

fn knee_remark(point: &Point, pen: &Pen, frame: &Frame) -> Remark {
    let at = vec![(frame.x(point.x), frame.y(point.y))];
    Remark { words: format!("knee {}", frame.x_label(point)), at, color: pen.color, is_local: true }
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
            to_file(&Picture::Curves(sample::chart()), &file).unwrap();
            assert!(std::fs::metadata(&file).unwrap().len() > 5_000, "{ending}");
        }
    }

    #[test]
    fn ceilings_that_have_no_room_among_the_curves_are_named_beneath_on_a_taller_picture() {
        let mut chart = sample::chart();
        let limit = chart.limits[0].clone();
        chart.limits = ["one", "two", "three"].map(|name| Limit { name: name.into(), ..limit.clone() }).into();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chart.svg");
        let picture = Picture::Curves(chart);
        to_file(&picture, &file).unwrap();
        let svg = std::fs::read_to_string(&file).unwrap();
        assert!(["one", "two", "three"].iter().all(|name| svg.lines().any(|line| line.trim() == *name)));
        assert!(size(&picture).1 > SIZE.1);
    }

    #[test]
    fn an_unknown_ending_is_refused() {
        assert!(to_file(&Picture::Curves(sample::chart()), Path::new("chart.gif")).is_err());
    }
}
