//! A lesson on paper: an exercise sheet and the teacher's key, in Markdown.
//!
//! Knows Markdown. Must not know how a lesson is run.

use super::show::Side;
use super::tell::{Question, Told, ToldStep};
use super::text::letter;
use crate::table::markdown;

/// The exercise sheet: texts, questions, room for predictions and for what came out.
pub fn sheet(told: &Told) -> String {
    let steps = told.steps.iter().enumerate().map(|(index, step)| format!("{}{}", heading(index, step), task(step)));
    format!("{}Name: ____________________\n{}", head(told, ""), steps.collect::<String>())
}

/// The teacher's key: the same with answers, figures and explanations.
pub fn key(told: &Told) -> String {
    let steps =
        told.steps.iter().enumerate().map(|(index, step)| format!("{}{}", heading(index, step), solution(step)));
    let head = head(told, ": the teacher's key");
    format!("{head}{} minutes. After it: {}\n{}", told.minutes, told.aim, steps.collect::<String>())
}

fn head(told: &Told, what: &str) -> String {
    format!("# {}{what}\n\n", told.title)
}

fn heading(index: usize, step: &ToldStep) -> String {
    format!("\n## {}. {}\n\n{}\n", index + 1, step.title, step.text)
}

fn task(step: &ToldStep) -> String {
    let Some(question) = &step.question else { return commands(step) };
    let room = match question.choices.is_empty() {
        true => "My prediction: ____________________   The run says: ____________________\n",
        false => "My prediction: ____   The run says: ____\n",
    };
    format!(
        "\n{}\n{room}{}\nWhy? ______________________________________________________________\n",
        asked(question),
        commands(step)
    )
}

fn asked(question: &Question) -> String {
    let choices = question.choices.iter().enumerate();
    let choices: String = choices.map(|(index, choice)| format!("- {}) {choice}\n", letter(index))).collect();
    let form = question.form.map(|form| format!(" ({form})")).unwrap_or_default();
    let choices = if choices.is_empty() { choices } else { format!("\n{choices}") };
    format!("**{}**{form}\n{choices}", question.text)
}

fn commands(step: &ToldStep) -> String {
    let lines: String = step.runs.iter().map(|run| format!("    {}\n", run.command)).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn solution(step: &ToldStep) -> String {
    let question = step.question.as_ref().map(|question| {
        let right = match &question.answer {
            super::Answer::Choice(right) => format!("{}) ", letter(*right)),
            super::Answer::Figure { .. } => String::new(),
        };
        format!("\n{}\nAnswer: **{right}{}**\n", asked(question), question.answer_text())
    });
    let side = table(&step.side);
    format!("{}{}{side}\n{}\n", question.unwrap_or_default(), commands(step), step.explanation)
}

fn table(side: &Side) -> String {
    let (columns, rows) = side.table();
    if rows.is_empty() { String::new() } else { format!("\n{}", markdown(&columns, rows)) }
}
