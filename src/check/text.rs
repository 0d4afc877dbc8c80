//! Judgements as a person reads them.
//!
//! Knows lines and widths. Must not know how a verdict came about.

use super::over::all_units;
use super::{Explanation, Judged, Verdict};
use crate::readable::{gb_s, percent, wrap};

/// Writes judgements, one after another, in lines of at most `width` characters.
pub fn text(all: &[Judged], width: usize) -> String {
    all.iter().map(|judged| one(judged, width)).collect::<Vec<_>>().join("\n")
}

fn one(judged: &Judged, width: usize) -> String {
    let line = judged.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let mut out = format!("{line}{}: {}\n", judged.claim, all_units(judged.gb_s));
    let mut add = |text: String, indent: usize| out.push_str(&(wrap(&text, width, indent) + "\n"));
    add(format!("  {} against {}", verdict(judged), judged.against), 4);
    if let (Some(limit), Some(by), true) = (judged.limit_gb_s, &judged.limit_by, judged.verdict != Verdict::NotJudged) {
        add(format!("  at most {} ({by})", all_units(limit)), 4);
    }
    if let Some(expected) = judged.expected {
        let ends = if expected.low_gb_s < expected.high_gb_s {
            format!(" ({} .. {})", gb_s(expected.low_gb_s), gb_s(expected.high_gb_s))
        } else {
            String::new()
        };
        add(format!("  expected {}{ends}", gb_s(expected.gb_s)), 4);
    }
    for slow in &judged.too_slow {
        add(
            format!(
                "  {} carries {} and would have to be {:.2} times as fast",
                slow.name,
                gb_s(slow.carries_gb_s),
                slow.times
            ),
            4,
        );
    }
    judged.notes.iter().for_each(|note| add(format!("  {note}"), 4));
    if !judged.explanations.is_empty() {
        add("  what could explain it:".to_string(), 4);
        judged.explanations.iter().for_each(|explanation| add(explained(explanation), 6));
    }
    out
}

fn verdict(judged: &Judged) -> String {
    let share =
        judged.share.map(|share| format!(", {} of {}", percent_whole(share), limit_word(judged))).unwrap_or_default();
    match judged.verdict {
        Verdict::Possible => format!("possible{share}"),
        Verdict::Impossible => format!("IMPOSSIBLE{share}"),
        Verdict::NotJudged => "not judged".to_string(),
    }
}

fn limit_word(judged: &Judged) -> &str {
    if judged.limit_by.as_deref() == Some("line rate") { "line rate" } else { "the ceiling" }
}

/// From one per cent on without a fraction: `172 %`.
fn percent_whole(share: f64) -> String {
    if share >= 0.01 { format!("{:.0} %", share * 100.0) } else { percent(share) }
}

fn explained(explanation: &Explanation) -> String {
    let mark = if explanation.fits { "*" } else { "-" };
    let gb = explanation
        .gb_s
        .map(|rate| format!(": {}", gb_s(rate)))
        .filter(|_| !explanation.mechanism.contains("would be"));
    format!("    {mark} {}{}; {}", explanation.mechanism, gb.unwrap_or_default(), explanation.test)
}
