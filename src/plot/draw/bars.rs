//! Bars drawn: groups from the top, bars to the right, parts of a bar told apart by shade and hatching.
//!
//! Knows pixels. Must not know how the figures came about.

use plotters::backend::DrawingBackend;
use plotters::element::{PathElement, Rectangle};
use plotters::style::ShapeStyle;
use plotters::style::text_anchor::HPos;

use super::super::labels::Area;
use super::super::picture::{Bar, Bars, Group};
use super::super::scale::round_ticks;
use super::pens::{BLACK, GREY, PALE, PENS};
use super::{Drawn, ErrorOf, FONT, LETTERS, NAMES, NOTES, Paper, headline, text, width};
use crate::readable;

/// The right end of the names of bars where there are any.
const NAMES_END: i32 = 420;
/// Room at the right for what is written at a bar's end.
const ENDS: i32 = 260;

/// Where things stand.
struct Layout {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    /// The height of a group's title, and of a bar with its gap.
    title: i32,
    step: i32,
}

/// Draws groups of bars.
pub(super) fn draw<B: DrawingBackend>(bars: &Bars, paper: &Paper<B>) -> Drawn<B> {
    headline(paper, &bars.title, &bars.subtitle)?;
    let rows = legend(bars, paper)?;
    let layout = Layout::new(bars, paper.dim_in_pixel(), rows);
    let longest = |groups: &[Group]| groups.iter().flat_map(|g| &g.bars).map(Bar::length).fold(0.0, f64::max);
    let mut y = layout.top;
    let shared = bars.axis.as_ref().map(|_| longest(&bars.groups));
    if let (Some(title), Some(top)) = (&bars.axis, shared) {
        axis(paper, &layout, title, top)?;
    }
    for each in &bars.groups {
        let top = shared.unwrap_or_else(|| longest(std::slice::from_ref(each)));
        y = group(each, paper, &layout, top, y)?;
    }
    Ok(())
}

impl Layout {
    fn new(bars: &Bars, (width, height): (u32, u32), rows: i32) -> Layout {
        let named = bars.groups.iter().flat_map(|group| &group.bars).any(|bar| !bar.name.is_empty());
        let top = 126 + rows * 42;
        let bottom = height as i32 - if bars.axis.is_some() { 110 } else { 30 };
        let groups = bars.groups.len().max(1) as i32;
        let count = bars.groups.iter().map(|group| group.bars.len()).sum::<usize>().max(1) as i32;
        let title = 44;
        let step = ((bottom - top - groups * (title + 16)) / count).clamp(16, 92);
        Layout { left: if named { NAMES_END } else { 60 }, right: width as i32 - ENDS, top, bottom, title, step }
    }

    fn x(&self, value: f64, top: f64) -> i32 {
        let part = if top > 0.0 { value / top } else { 0.0 };
        self.left + (part * f64::from(self.right - self.left)).round() as i32
    }
}

fn legend<B: DrawingBackend>(bars: &Bars, paper: &Paper<B>) -> Result<i32, ErrorOf<B>> {
    let (mut x, mut row) = (40, 0);
    let end = paper.dim_in_pixel().0 as i32 - 20;
    for (turn, name) in bars.legend.iter().enumerate() {
        let width = 50 + width(paper, name, (FONT, LETTERS))? + 46;
        if x > 40 && x + width > end {
            (x, row) = (40, row + 1);
        }
        let y = 136 + row * 42;
        part(paper, (x, y - 14, x + 34, y + 14), turn)?;
        text(paper, name, (x + 46, y + 3), (FONT, LETTERS), BLACK, HPos::Left)?;
        x += width;
    }
    Ok(row + 1)
}

fn axis<B: DrawingBackend>(paper: &Paper<B>, layout: &Layout, title: &str, top: f64) -> Drawn<B> {
    let middle = (layout.left + layout.right) / 2;
    for tick in ticks(top) {
        let x = layout.x(tick, top);
        let line = vec![(x, layout.top), (x, layout.bottom)];
        paper.draw(&PathElement::new(line, ShapeStyle::from(&PALE).stroke_width(1)))?;
        text(paper, &readable::seconds(tick), (x, layout.bottom + 22), (FONT, LETTERS), BLACK, HPos::Center)?;
    }
    text(paper, title, (middle, layout.bottom + 70), (FONT, LETTERS), BLACK, HPos::Center)
}

/// Round values up to the longest bar.
fn ticks(top: f64) -> Vec<f64> {
    round_ticks(top, 5).into_iter().filter(|tick| *tick <= top * 1.001).collect()
}

/// Draws a group from `y` down; returns where the next one begins.
fn group<B: DrawingBackend>(
    group: &Group,
    paper: &Paper<B>,
    layout: &Layout,
    top: f64,
    mut y: i32,
) -> Result<i32, ErrorOf<B>> {
    text(paper, &group.title, (40, y + layout.title / 2), (FONT, LETTERS), BLACK, HPos::Left)?;
    y += layout.title;
    for (turn, bar) in group.bars.iter().enumerate() {
        one(bar, turn, paper, layout, top, y)?;
        y += layout.step;
    }
    Ok(y + 16)
}

fn one<B: DrawingBackend>(bar: &Bar, turn: usize, paper: &Paper<B>, layout: &Layout, top: f64, y: i32) -> Drawn<B> {
    let (high, low) = (y + layout.step / 8, y + layout.step - layout.step / 8);
    let middle = (high + low) / 2;
    text(paper, &bar.name, (layout.left - 16, middle), (NAMES, NOTES.min(layout.step)), GREY, HPos::Right)?;
    let mut sum = 0.0;
    for (index, value) in bar.parts.iter().enumerate() {
        let from = layout.x(sum, top);
        sum += value;
        let area = (from, high, layout.x(sum, top), low);
        part(paper, area, if bar.parts.len() == 1 { turn } else { index })?;
    }
    text(paper, &bar.text, (layout.x(sum, top) + 14, middle), (FONT, LETTERS.min(layout.step + 6)), BLACK, HPos::Left)
}

/// A part of a bar: full, hatched or outlined, so that no two differ by colour alone.
fn part<B: DrawingBackend>(paper: &Paper<B>, (left, top, right, bottom): Area, turn: usize) -> Drawn<B> {
    if right <= left {
        return Ok(());
    }
    let color = PENS[turn % PENS.len()].color;
    let area = [(left, top), (right, bottom)];
    if turn.is_multiple_of(3) {
        paper.draw(&Rectangle::new(area, ShapeStyle::from(&color).filled()))?;
    } else if turn % 3 == 1 {
        for start in (left - (bottom - top)..right).step_by(10) {
            hatch(paper, (left, top, right, bottom), start, ShapeStyle::from(&color).stroke_width(3))?;
        }
    }
    paper.draw(&Rectangle::new(area, ShapeStyle::from(&color).stroke_width(3)))
}

/// A stroke from the lower left to the upper right that begins at `start`, cut off at the edges.
fn hatch<B: DrawingBackend>(
    paper: &Paper<B>,
    (left, top, right, bottom): Area,
    start: i32,
    pen: ShapeStyle,
) -> Drawn<B> {
    let end = start + bottom - top;
    let from = (start.max(left), bottom - (start.max(left) - start));
    let to = (end.min(right), top + (end - end.min(right)));
    if to.0 <= from.0 { Ok(()) } else { paper.draw(&PathElement::new(vec![from, to], pen)) }
}
