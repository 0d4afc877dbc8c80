//! What a calibration came to, as text for people.
//!
//! Knows residuals and likeness. Must not know the terminal.

use super::likeness::Likeness;
use super::{Calibration, Fitted, Residual};
use crate::readable::counted;
use crate::statistics::{Spread, error_percent, spread};
use crate::table::{Column, Lean, plain};
use engine::units::significant;

/// Columns of the widest line.
const WIDTH: usize = 140;
const FITTED: &[Column<'_>] = &[("key", Lean::Left), ("fitted", Lean::Right), ("bounds", Lean::Left), ("", Lean::Left)];
const RESIDUALS: &[Column<'_>] = &[
    ("line", Lean::Right),
    ("set", Lean::Left),
    ("key", Lean::Left),
    ("measured", Lean::Right),
    ("before", Lean::Right),
    ("after", Lean::Right),
    ("error", Lean::Right),
];

/// Writes it.
pub fn text(calibration: &Calibration) -> String {
    let mut text = plain(FITTED, calibration.fitted.iter().map(fitted).collect(), WIDTH);
    text.push('\n');
    text.push_str(&plain(RESIDUALS, calibration.residuals.iter().map(residual).collect(), WIDTH));
    text.push('\n');
    text.push_str(&likeness(&calibration.likeness, &calibration.fitted));
    let of = |figure: fn(&Residual) -> f64| {
        spread(calibration.residuals.iter().map(|residual| error_percent(figure(residual), residual.measured)))
    };
    let (before, after) = (errors(of(|r| r.before)), errors(of(|r| r.after)));
    let points = counted(calibration.residuals.len() as u64, "point", "points");
    text.push_str(&format!("{points}: before {before}; after {after}\n"));
    if !calibration.improved {
        text.push_str("no values between these bounds are nearer to the data than the model is: it is left as it is\n");
    }
    text
}

fn errors(spread: Option<Spread>) -> String {
    spread.map_or_else(String::new, |s| format!("median {:.2} %, p90 {:.2} %", s.median, s.p90))
}

fn fitted(fitted: &Fitted) -> Vec<String> {
    let [low, high] = &fitted.bounds;
    let at = if [low, high].contains(&&fitted.value) { "at its bound: the best may lie beyond" } else { "" };
    vec![fitted.key.clone(), fitted.value.clone(), format!("{low} .. {high}"), at.to_string()]
}

fn residual(residual: &Residual) -> Vec<String> {
    let set: Vec<String> = residual.set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let error = 100.0 * (residual.after / residual.measured - 1.0);
    vec![
        residual.line.to_string(),
        set.join(" "),
        residual.key.clone(),
        significant(residual.measured),
        significant(residual.before),
        significant(residual.after),
        format!("{error:+.2} %"),
    ]
}

fn likeness(likeness: &Likeness, fitted: &[Fitted]) -> String {
    let name = |index: usize| fitted.get(index).map_or("", |fitted| fitted.key.as_str());
    let mut text = String::new();
    for index in &likeness.silent {
        text.push_str(&format!("the data say nothing about {}: no point answers to it\n", name(*index)));
    }
    for mixture in &likeness.mixtures {
        let parts: Vec<String> = mixture.iter().map(|(index, part)| format!("{part:+.2} {}", name(*index))).collect();
        text.push_str(&format!("the data cannot tell apart: {}\n", parts.join("  ")));
    }
    for (a, b, correlation) in &likeness.correlations {
        text.push_str(&format!("correlated: {} and {} ({correlation:+.3})\n", name(*a), name(*b)));
    }
    if text.is_empty() { "the data tell all fitted keys apart\n\n".to_string() } else { text + "\n" }
}
