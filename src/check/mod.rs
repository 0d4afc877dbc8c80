//! Can this number be true? A claimed or measured throughput against links, or against a scenario.
//!
//! Knows limits and mechanisms. Must not know the terminal, nor how a tool writes its figures.

mod claim;
mod mechanisms;
mod over;
mod scenario;
mod text;

use serde::Serialize;

pub use claim::{Claim, rate};
pub use over::{Over, over};
pub use scenario::{Question, judge};
pub use text::text;

/// Whether a figure is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing forbids it.
    Possible,
    /// It passes what something on the way can carry.
    Impossible,
    /// The scenario says nothing about such a figure.
    NotJudged,
}

/// A figure, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The figure as it was written.
    pub claim: String,
    /// The line that shows it, in a log.
    pub line: Option<usize>,
    /// The figure in 10^9 bytes a second.
    pub gb_s: f64,
    /// What it was held against.
    pub against: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The most that is possible, 10^9 bytes a second.
    pub limit_gb_s: Option<f64>,
    /// What sets that limit.
    pub limit_by: Option<String>,
    /// The figure as a share of the limit.
    pub share: Option<f64>,
    /// What would have to be faster.
    pub too_slow: Vec<TooSlow>,
    /// What the simulator expects.
    pub expected: Option<Expected>,
    /// Mechanisms that could explain it, the best first.
    pub explanations: Vec<Explanation>,
    /// What else to know.
    pub notes: Vec<String>,
}

/// A resource that would have to be faster for a figure to be true.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TooSlow {
    /// The resource.
    pub name: String,
    /// What it lets through, 10^9 bytes of payload a second.
    pub carries_gb_s: f64,
    /// How many times as fast it would have to be.
    pub times: f64,
}

/// What the simulator expects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Expected {
    /// 10^9 bytes a second.
    pub gb_s: f64,
    /// With every assumed figure at its slow end.
    pub low_gb_s: f64,
    /// With every assumed figure at its fast end.
    pub high_gb_s: f64,
}

/// A mechanism that could explain a figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The mechanism.
    pub mechanism: String,
    /// The figure that it would lead to, 10^9 bytes a second; none where it sets no figure.
    pub gb_s: Option<f64>,
    /// Whether that is the figure, within 15 %.
    pub fits: bool,
    /// How to tell.
    pub test: String,
}

impl Explanation {
    /// A mechanism that leads to `expected`, for a figure `seen`; both in 10^9 bytes a second.
    fn new(mechanism: impl Into<String>, expected: f64, seen: f64, test: impl Into<String>) -> Explanation {
        let fits = off(expected, seen) < libm::log(1.15);
        Explanation { mechanism: mechanism.into(), gb_s: Some(expected), fits, test: test.into() }
    }
}

/// How far two figures are apart: the logarithm of their ratio.
fn off(a: f64, b: f64) -> f64 {
    libm::log(a / b).abs()
}
