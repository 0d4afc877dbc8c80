//! Paths side by side: their steps in columns, and what each costs.
//!
//! Knows stories. Must not know which of them is the better one.

use super::text::short;
use super::{Step, Story};
use crate::readable::{bytes, seconds};
use crate::table::{Column, Lean};
use engine::units::PS_PER_S;

/// The steps of some stories in columns, a row a step.
pub(super) fn steps(stories: &[Story]) -> (Vec<String>, Vec<Vec<String>>) {
    let columns: Vec<Vec<String>> = stories.iter().map(lines).collect();
    let most = columns.iter().map(Vec::len).max().unwrap_or(0);
    let row = |at: usize| columns.iter().map(|lines| lines.get(at).cloned().unwrap_or_default()).collect();
    let heads = stories.iter().map(|story| format!("{}: {}", story.work, story.path)).collect();
    (heads, (0..most).map(row).collect())
}

fn lines(story: &Story) -> Vec<String> {
    story.steps.iter().enumerate().map(|(index, step)| format!("{}. {}", index + 1, short(step))).collect()
}

/// What each path costs: columns and rows of a table.
pub(super) fn costs(stories: &[Story]) -> (Vec<Column<'_>>, Vec<Vec<String>>) {
    let columns = stories.iter().map(|story| (story.work.as_str(), Lean::Right));
    let row = |(name, of): &(&str, fn(&Story) -> String)| {
        std::iter::once(name.to_string()).chain(stories.iter().map(of)).collect()
    };
    (std::iter::once(("one request alone", Lean::Left)).chain(columns).collect(), FIGURES.iter().map(row).collect())
}

type Figure = (&'static str, fn(&Story) -> String);

const FIGURES: [Figure; 10] = [
    ("path", |story| story.path.clone()),
    ("hops", |story| story.hops.to_string()),
    ("host buffers", |story| story.host_buffers.to_string()),
    ("CPU copies", |story| story.cpu_copies.to_string()),
    ("system memory traffic", |story| bytes(story.dram_bytes)),
    ("control steps", |story| controls(story).count().to_string()),
    ("a core is busy", |story| time(on_core(story))),
    ("other waiting", |story| time(controls(story).map(|(ps, _)| ps).sum::<u64>() - steps_on_core(story))),
    ("the bytes move", |story| time(story.moving_ps)),
    ("all together", |story| time(story.total_ps)),
];

fn time(ps: u64) -> String {
    seconds(ps as f64 / PS_PER_S as f64)
}

/// The control steps: how long each takes, and whether a core is busy meanwhile.
fn controls(story: &Story) -> impl Iterator<Item = (u64, bool)> {
    story.steps.iter().filter_map(|step| match step {
        Step::Control { ps, on_core, .. } => Some((*ps, *on_core)),
        _ => None,
    })
}

fn steps_on_core(story: &Story) -> u64 {
    controls(story).filter(|(_, on_core)| *on_core).map(|(ps, _)| ps).sum()
}

/// Control steps and copies by a thread.
fn on_core(story: &Story) -> u64 {
    let copies = story.steps.iter().map(|step| match step {
        Step::Move { who, ps, .. } if who.starts_with("CPU") => *ps,
        _ => 0,
    });
    steps_on_core(story) + copies.sum::<u64>()
}
