//! The foot of a chart: its ceilings by name, where there are too many to be written along their lines.
//!
//! Knows a chart's limits. Must not know where the frame is.

use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::HPos;

use super::super::chart::{Chart, Limit};
use super::pens::GREY;
use super::{Drawn, NAMES, Paper, text};

/// As many ceilings leave room for their names among the curves.
const MOST_ALONG: usize = 2;
/// Letters of a name, and the height of its row.
const LETTERS: i32 = 24;
const ROW: i32 = 32;

/// The ceilings that are named here.
pub(super) fn limits(chart: &Chart) -> &[Limit] {
    if chart.limits.len() > MOST_ALONG { &chart.limits } else { &[] }
}

/// How much room the foot takes.
pub(super) fn height(chart: &Chart) -> i32 {
    match limits(chart).len() as i32 {
        0 => 0,
        rows => rows * ROW + 16,
    }
}

/// Writes the names at the bottom of the paper.
pub(super) fn draw<B: DrawingBackend>(chart: &Chart, paper: &Paper<B>) -> Drawn<B> {
    let top = paper.dim_in_pixel().1 as i32 - height(chart);
    for (row, limit) in limits(chart).iter().enumerate() {
        let middle = top + row as i32 * ROW + ROW / 2;
        text(paper, &limit.name, (40, middle), (NAMES, LETTERS), GREY, HPos::Left)?;
    }
    Ok(())
}
