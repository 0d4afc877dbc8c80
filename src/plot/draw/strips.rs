//! Strips under a chart: for each curve, what binds along each stretch of the axis.
//!
//! Knows pixels. Must not know what the names mean.

use plotters::backend::DrawingBackend;
use plotters::element::Rectangle;
use plotters::style::text_anchor::HPos;
use plotters::style::{RGBColor, ShapeStyle, WHITE};

use super::super::chart::{Chart, Curve};
use super::frame::Frame;
use super::pens::{BLACK, PENS, Pen};
use super::{Drawn, FONT, NAMES, Paper, text, width};

/// Letters of names.
const LETTERS: i32 = 24;
/// The height of a strip, and from one to the next.
const HEIGHT: i32 = 32;
const STEP: i32 = 38;
/// More curves than these have no strips: they would leave no room.
const MOST: usize = 6;

/// How much room a chart's strips take.
pub(super) fn height(chart: &Chart) -> i32 {
    match told(chart).count() as i32 {
        0 => 0,
        count => count * STEP + 12,
    }
}

/// The curves that have strips, with their pens.
fn told(chart: &Chart) -> impl Iterator<Item = (&Curve, &'static Pen)> {
    let many = chart.curves.len() > MOST;
    let curves = chart.curves.iter().zip(PENS.iter().cycle());
    curves.filter(move |(curve, _)| !many && !curve.stretches().is_empty())
}

/// Draws the strips under the title of the axis.
pub(super) fn draw<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>, frame: &Frame) -> Drawn<B> {
    let top = frame.area.3 + 112;
    if told(chart).next().is_some() {
        text(paper, "binds:", (40, top + HEIGHT / 2 + 2), (FONT, LETTERS), BLACK, HPos::Left)?;
    }
    for (row, (curve, pen)) in told(chart).enumerate() {
        strip(curve, pen, paper, frame, top + row as i32 * STEP)?;
    }
    Ok(())
}

fn strip<B: DrawingBackend>(curve: &Curve, pen: &Pen, paper: &Paper<B>, frame: &Frame, top: i32) -> Drawn<B> {
    for (turn, (from, to)) in curve.stretches().into_iter().enumerate() {
        let (left, right) = (edge(curve, frame, from), edge(curve, frame, to + 1));
        let area = [(left + 1, top), (right - 1, top + HEIGHT)];
        // Neighbours differ in shade, so that a stretch too short for its name is seen all the same.
        paper.draw(&Rectangle::new(area, ShapeStyle::from(&tint(pen.color, turn)).filled()))?;
        paper.draw(&Rectangle::new(area, ShapeStyle::from(&pen.color).stroke_width(2)))?;
        let name = &curve.points[from].binds;
        if let Some((words, letters)) = fitting(paper, name, right - left - 10) {
            let middle = ((left + right) / 2, top + HEIGHT / 2 + 4);
            text(paper, &words, middle, (NAMES, letters), BLACK, HPos::Center)?;
        }
    }
    Ok(())
}

/// A name in letters, or a beginning of it, that fit.
fn fitting<B: DrawingBackend>(paper: &Paper<B>, name: &str, room: i32) -> Option<(String, i32)> {
    let last = name.rsplit('.').next().unwrap_or(name);
    let tries = [(name, LETTERS), (name, 20), (name, 17), (last, LETTERS), (last, 20), (last, 17)];
    let fits = |(words, letters): &(&str, i32)| width(paper, words, (NAMES, *letters)).is_ok_and(|width| width <= room);
    tries.into_iter().find(fits).map(|(words, letters)| (words.to_string(), letters))
}

/// Where a point's part of the axis begins: half way from the one before.
fn edge(curve: &Curve, frame: &Frame, index: usize) -> i32 {
    let x = |index: usize| frame.x(curve.points[index].x);
    match index {
        0 => frame.area.0 + 2,
        _ if index == curve.points.len() => frame.area.2,
        _ => (x(index - 1) + x(index)) / 2,
    }
}

/// A light shade of a colour; every other one is white.
fn tint(color: RGBColor, turn: usize) -> RGBColor {
    if turn % 2 == 1 {
        return WHITE;
    }
    let light = |part: u8| 255 - (255 - part) / 5;
    RGBColor(light(color.0), light(color.1), light(color.2))
}
