//! A lesson at a terminal.
//!
//! Knows words, columns and colour. Must not know how a prediction is typed.

use super::Read;
use super::show::Side;
use super::tell::{Question, Told, ToldStep, Verdict};
use crate::explain;
use crate::readable::wrap;
use crate::table::plain;

/// How a lesson looks.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Whether to colour.
    pub color: bool,
    /// The widest line, in characters.
    pub width: usize,
}

/// All lessons, a line or two each.
pub fn listed(lessons: &[Read], width: usize) -> String {
    let names = lessons.iter().map(|read| read.name.chars().count()).max().unwrap_or(0);
    let line = |read: &Read| {
        let line = format!("  {:names$}  {:>2} min  {}", read.name, read.lesson.minutes, read.lesson.title);
        wrap(&line, width, names + 12) + "\n"
    };
    let lines: String = lessons.iter().map(line).collect();
    format!(
        "Lessons, each building on those before it:\n\n{lines}\nhopsim lesson NAME takes one; --sheet and --key print it.\n"
    )
}

/// The lesson in one go, answers included.
pub fn whole(told: &Told, page: &Page) -> String {
    let steps = (0..told.steps.len()).map(|index| {
        let step = &told.steps[index];
        let answer = step.question.as_ref().map(|question| format!("\n{}\n", answered(question, page)));
        before(told, index, page) + &answer.unwrap_or_default() + &after(step, page)
    });
    head(told, page) + &steps.collect::<String>()
}

/// Its title and aim.
pub fn head(told: &Told, page: &Page) -> String {
    let aim = wrap(&format!("After it: {}", told.aim), page.width, 10);
    format!("{}  {} minutes\n{aim}\n", bold(&told.title, page), told.minutes)
}

/// A step up to its question.
pub fn before(told: &Told, index: usize, page: &Page) -> String {
    let step = &told.steps[index];
    let title = format!("\n{}\n", bold(&format!("{} of {}  {}", index + 1, told.steps.len(), step.title), page));
    let question = step.question.as_ref().map(|question| format!("\n{}", asked(question, page))).unwrap_or_default();
    title + &paragraphs(&step.text, page.width) + &question
}

fn asked(question: &Question, page: &Page) -> String {
    let text = bold(&wrap(&format!("? {}", question.text), page.width, 2), page);
    let choices = question.choices.iter().enumerate();
    let choices = choices.map(|(index, choice)| wrap(&format!("  {}) {choice}", letter(index)), page.width, 5) + "\n");
    let form = question.form.map(|form| format!("  ({form})\n")).unwrap_or_default();
    format!("{text}\n{form}{}", choices.collect::<String>())
}

/// The letter of a choice.
pub(super) fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

/// The right answer where nobody predicted.
pub fn answered(question: &Question, page: &Page) -> String {
    paint(&wrap(&format!("= {}", question.answer_text()), page.width, 2), "36", page)
}

/// What became of a prediction.
pub fn judged(verdict: &Verdict, page: &Page) -> String {
    paint(&wrap(&format!("= {}", verdict.text), page.width, 2), if verdict.right { "32" } else { "33" }, page)
}

/// A step from its runs on.
pub fn after(step: &ToldStep, page: &Page) -> String {
    let commands: String = step.runs.iter().map(|run| paint(&format!("  $ {}\n", run.command), "2", page)).collect();
    let commands = if commands.is_empty() { commands } else { format!("\n{commands}") };
    let ways: String =
        step.ways.iter().map(|way| format!("\n{}", explain::text(way, page.color, page.width))).collect();
    let side = table(&step.side, page.width);
    format!("{commands}{ways}{side}\n{}", paragraphs(&step.explanation, page.width))
}

fn table(side: &Side, width: usize) -> String {
    let (columns, rows) = side.table();
    if rows.is_empty() { String::new() } else { format!("\n{}", plain(&columns, rows, width)) }
}

/// Paragraphs stand apart by an empty line; a single line break is a blank.
fn paragraphs(text: &str, width: usize) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| wrap(&paragraph.replace('\n', " "), width, 0) + "\n");
    paragraphs.collect::<Vec<_>>().join("\n")
}

fn bold(text: &str, page: &Page) -> String {
    paint(text, "1", page)
}

fn paint(text: &str, code: &str, page: &Page) -> String {
    if page.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
}
