//! Stories as a hand-out in Markdown: steps as tables, a diagram a leg, what each path costs.
//!
//! Knows Markdown. Must not know how the figures came about.

use super::diagram::diagram;
use super::scene::{overview, scenes};
use super::text::{control, heading, lines, takes_and_total};
use super::{Step, Story, side};
use crate::table::{Column, Lean, markdown as table};

/// The stories as a hand-out.
pub fn markdown(stories: &[Story]) -> String {
    let told: Vec<String> = stories.iter().map(story).collect();
    let costs = if stories.len() > 1 { costs(stories) } else { String::new() };
    told.join("\n") + &costs
}

fn costs(stories: &[Story]) -> String {
    let (columns, rows) = side::costs(stories);
    format!("\n## Side by side\n\n{}", table(&columns, rows))
}

fn story(story: &Story) -> String {
    let drawn: String = scenes(story)
        .iter()
        .zip(&story.steps)
        .filter(|(_, step)| matches!(step, Step::Move { .. }))
        .map(|(scene, _)| format!("\nStep {}:\n\n```text\n{}```\n", scene.step, diagram(scene, false)))
        .collect();
    let (head, sum) = (heading(story), super::text::sum(story));
    format!(
        "## {}\n\n{head}\n\n```text\n{}```\n\n{}{}\n{sum}\n{drawn}",
        story.work,
        diagram(&overview(story), false),
        session(story),
        steps(story)
    )
}

/// What is done once before the first request.
fn session(story: &Story) -> String {
    if story.session.is_empty() {
        return String::new();
    }
    let line = |step: &Step| {
        let [takes, _] = takes_and_total(step).unwrap_or_default();
        format!("- {}: {takes}\n", control(step).join("; "))
    };
    format!("Once, before the first request:\n\n{}\n", story.session.iter().map(line).collect::<String>())
}

fn steps(story: &Story) -> String {
    let columns: [Column<'_>; 4] =
        [("step", Lean::Right), ("what happens", Lean::Left), ("takes", Lean::Right), ("total", Lean::Right)];
    let row = |(index, step): (usize, &Step)| {
        let what: Vec<String> = lines(story, index).iter().map(|line| line.trim().to_string()).collect();
        let [takes, total] = takes_and_total(step).unwrap_or_default();
        vec![(index + 1).to_string(), what.join("; "), takes, total]
    };
    table(&columns, story.steps.iter().enumerate().map(row).collect())
}
