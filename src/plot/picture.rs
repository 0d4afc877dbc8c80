//! What a plot comes to, as plain data: curves, panels of curves one over the other, or bars.
//!
//! Knows numbers and words. Must not know pixels or colours.

use serde::Serialize;

use super::chart::Chart;

/// All that a picture shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Picture {
    /// Curves over one axis.
    Curves(Chart),
    /// Charts one over the other, the first the tallest.
    Panels(Vec<Chart>),
    /// Bars.
    Bars(Bars),
}

/// Groups of bars that run to the right.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bars {
    /// The headline.
    pub title: String,
    /// A second line in smaller letters.
    pub subtitle: String,
    /// What the axis measures where all groups share one, in seconds; without it each group has a scale of its own.
    pub axis: Option<String>,
    /// What the parts of a bar are, for the legend; for bars of one part, what the bars of a group are.
    pub legend: Vec<String>,
    /// The groups, from the top.
    pub groups: Vec<Group>,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// What they are of.
    pub title: String,
    /// The bars, from the top.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// The lengths of its parts, from the left.
    pub parts: Vec<f64>,
    /// What is written at its end, with the unit.
    pub text: String,
}

impl Bar {
    /// The length of all its parts.
    pub fn length(&self) -> f64 {
        self.parts.iter().sum()
    }
}
