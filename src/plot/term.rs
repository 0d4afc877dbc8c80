//! Curves in a terminal, in dots of Braille letters.
//!
//! Knows characters. Must not know how the figures came about.

use textplots::{Chart as Dots, Plot as _, Shape};

use super::chart::{Chart, Curve};
use engine::units::significant;

/// Dots across and down: 72 characters by 15 lines.
const SIZE: (u32, u32) = (144, 60);

/// The chart's curves, each in a frame of its own on the same scales, with what binds along it.
pub fn term(chart: &Chart) -> String {
    let frames = chart.curves.iter().map(|curve| frame(chart, curve));
    format!("{}\n{}\n{}", chart.title, chart.y, frames.collect::<String>())
}

fn frame(chart: &Chart, curve: &Curve) -> String {
    let along = |x: f64| (if chart.x.doubling { libm::log2(x) } else { x }) as f32;
    let dots: Vec<(f32, f32)> = curve.points.iter().map(|point| (along(point.x), point.y as f32)).collect();
    let (Some(first), Some(last)) = (curve.points.first(), curve.points.last()) else { return String::new() };
    let top = (chart.top() * 1.05) as f32;
    let (from, to) = (along(first.x), along(last.x));
    let shape = Shape::Lines(&dots);
    let mut plot = Dots::new_with_y_range(SIZE.0, SIZE.1, from, to, 0.0, top);
    let plot = plot.lineplot(&shape);
    plot.axis();
    plot.figures();
    let body = plot.to_string();
    let lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    // The last line is of the scale's own numbers, which are logarithms here: the values themselves are said instead.
    let body = lines[..lines.len().saturating_sub(1)].join("\n");
    let ends = format!("{:<58}{:>14}", first.x_text, last.x_text);
    format!("\n{}\n{body}\n{ends}\n{}", curve.name, stretches(curve))
}

/// A line for each stretch along which one thing binds, and one for the knee.
fn stretches(curve: &Curve) -> String {
    let mut text = String::new();
    for (from, to) in curve.stretches() {
        let (first, last) = (&curve.points[from], &curve.points[to]);
        let range = if from == to { first.x_text.clone() } else { format!("{} to {}", first.x_text, last.x_text) };
        text += &format!("  {range}: {} GB/s, bound by {}\n", significant(last.y), first.binds);
    }
    if let Some(knee) = curve.knee.and_then(|knee| curve.points.get(knee)) {
        text += &format!("  knee at {}: {} GB/s\n", knee.x_text, significant(knee.y));
    }
    text
}
