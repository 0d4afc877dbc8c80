//! The frame of a chart: which part of the paper it takes, and where values and ticks stand in it.
//!
//! Knows pixels and units of axes. Must not know colours.

use super::super::chart::{Chart, Point};
use super::super::labels::Area;
use super::super::scale::{Scale as Ruler, round_ticks};
use crate::readable;
use crate::study::vary::Scale;
use engine::units::{Bytes, significant};

/// The most values that each get a tick of their own.
const OWN_TICKS: usize = 14;

/// The frame.
pub(super) struct Frame {
    /// Its box on the paper.
    pub area: Area,
    x: Ruler,
    y: Ruler,
    ticks: Vec<f64>,
    scale: Scale,
}

impl Frame {
    /// The frame of a chart on paper of that size; `head`, rows of the legend and strips take their room from it.
    pub(super) fn new(chart: &Chart, size: (u32, u32), (head, rows, strips): (i32, i32, i32)) -> Frame {
        let foot = if chart.x.title.is_empty() { 60 } else { 125 };
        let area = (130, head + 76 + rows * 42, size.0 as i32 - 50, size.1 as i32 - foot - strips);
        let xs = chart.xs();
        let ends = (xs.first().map_or(0.0, |x| x.0), xs.last().map_or(1.0, |x| x.0));
        // Room above the highest line for what is written along it.
        let steps = if area.3 - area.1 > 300 { 6 } else { 3 };
        let ticks = round_ticks(chart.whole.unwrap_or(chart.top() * 1.08), steps);
        let top = chart.whole.map_or_else(|| ticks.last().copied().unwrap_or(1.0), |whole| whole * 1.03);
        Frame {
            area,
            x: Ruler::new(ends, (area.0 + 40, area.2 - 60), chart.x.doubling),
            y: Ruler::new((0.0, top), (area.3, area.1), false),
            ticks,
            scale: chart.x.scale,
        }
    }

    /// A point's value on the horizontal axis, as the ticks say it.
    pub(super) fn x_label(&self, point: &Point) -> String {
        label(self.scale, point.x)
    }

    /// The pixel of a value on the horizontal axis.
    pub(super) fn x(&self, value: f64) -> i32 {
        self.x.pixel(value)
    }

    /// The pixel of a value on the vertical axis.
    pub(super) fn y(&self, value: f64) -> i32 {
        self.y.pixel(value)
    }

    /// The part of it that remarks may cover.
    pub(super) fn inside(&self) -> Area {
        (self.area.0 + 8, self.area.1 + 4, self.area.2 - 4, self.area.3 - 8)
    }

    /// The values and labels of the vertical axis.
    pub(super) fn y_ticks(&self) -> Vec<(f64, String)> {
        self.ticks.iter().map(|value| (*value, significant(*value))).collect()
    }

    /// The pixels and labels of the horizontal axis: the values themselves, or round ones where there are many.
    pub(super) fn x_ticks(&self, chart: &Chart) -> Vec<(i32, String)> {
        let xs: Vec<f64> = chart.xs().into_iter().map(|x| x.0).collect();
        let (first, last) = (xs.first().copied().unwrap_or(0.0), xs.last().copied().unwrap_or(1.0));
        let values = match chart.x.doubling {
            _ if xs.len() <= OWN_TICKS => xs,
            true if chart.x.scale == Scale::Time => decades(first, last),
            true => (-60..63).map(|n| libm::exp2(f64::from(n))).filter(|x| (first..=last).contains(x)).collect(),
            false => round_ticks(last, 8).into_iter().filter(|x| (first..=last).contains(x)).collect(),
        };
        values.into_iter().map(|value| (self.x(value), label(chart.x.scale, value))).collect()
    }
}

/// 1, 2 and 5 times the powers of ten within a range; evenly spread round values where these are few.
fn decades(first: f64, last: f64) -> Vec<f64> {
    let values = (-12..6).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * libm::exp10(f64::from(power))));
    let within: Vec<f64> = values.filter(|value| (first..=last).contains(value)).collect();
    if within.len() >= 3 {
        return within;
    }
    let step = round_ticks(last - first, 6).get(1).copied().unwrap_or(last);
    let count = (last / step) as usize;
    (0..=count).map(|n| n as f64 * step).filter(|value| (first..=last).contains(value)).collect()
}

/// A value of the horizontal axis with its unit.
fn label(scale: Scale, value: f64) -> String {
    match scale {
        Scale::Bytes => size(value as u64),
        Scale::Rate => readable::gb_s(value),
        Scale::Time => readable::seconds(value),
        Scale::Number | Scale::Word => significant(value),
    }
}

/// A size in the unit that suits it; whole multiples of 2^10 read as such.
fn size(bytes: u64) -> String {
    let whole = bytes >= 1024 && bytes.is_multiple_of(1024) && !bytes.is_multiple_of(1_000_000);
    if whole { Bytes(bytes).to_string() } else { readable::bytes(bytes) }
}
