//! `hopsim lesson`: a lesson at the terminal, or on paper.
//!
//! Knows prompts and keys. Must not know what a lesson teaches.

use std::io::{BufRead, IsTerminal, Write};

use super::{Outcome, World, output, progress};
use crate::error::Fault;
use crate::lesson::{self, Page, Question, Read, Told, ToldStep};
use crate::readable::wrap;

/// Learn the data paths: a question, your prediction, the run, and why.
///
/// Without a NAME, lists the lessons in the order in which they build on each other. Where standard input is no terminal, the
/// lesson is told in one go, with its answers.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim lesson\n  hopsim lesson count-the-hops\n  hopsim lesson count-the-hops --sheet > sheet.md"
)]
pub(super) struct Args {
    /// The lesson
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print the exercise sheet (Markdown): questions and room for answers
    #[arg(long, requires = "name", conflicts_with_all = ["key", "json", "scenario"])]
    sheet: bool,
    /// Print the teacher's key (Markdown): questions, answers and explanations
    #[arg(long, requires = "name", conflicts_with_all = ["json", "scenario"])]
    key: bool,
    /// Print the lesson with all its figures as JSON
    #[arg(long, requires = "name", conflicts_with = "scenario")]
    json: bool,
    /// Print the scenario of one of its runs (TOML), to run and to change
    #[arg(long, value_name = "RUN", requires = "name")]
    scenario: Option<String>,
}

/// Lists lessons, or teaches one.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let Some(name) = &args.name else {
        output::print(lesson::listed(&lesson::list(&world.library)?, world.style.width).as_bytes())?;
        return Ok(Outcome::Fine);
    };
    let read = lesson::find(name, &world.library)?;
    if let Some(run) = &args.scenario {
        output::print(scenario(&read, run, world)?.as_bytes())?;
        return Ok(Outcome::Fine);
    }
    let told = progress::shown(world, name, |progress| lesson::tell(&read, &world.library, progress))?;
    match args {
        Args { sheet: true, .. } => output::print(lesson::sheet(&told).as_bytes())?,
        Args { key: true, .. } => output::print(lesson::key(&told).as_bytes())?,
        Args { json: true, .. } => output::print(json(&told).as_bytes())?,
        _ if std::io::stdin().is_terminal() => teach(&told, world)?,
        _ => output::print(lesson::whole(&told, &page(world)).as_bytes())?,
    }
    Ok(Outcome::Fine)
}

fn page(world: &World) -> Page {
    Page { color: world.style.color, width: world.style.width }
}

fn json(told: &Told) -> String {
    // Plain structs with text keys cannot fail to become JSON.
    serde_json::to_string_pretty(told).unwrap_or_default() + "\n"
}

fn scenario(read: &Read, run: &str, world: &World) -> Result<String, Fault> {
    let Some(what) = read.lesson.runs.get(run) else {
        let known: Vec<&str> = read.lesson.runs.keys().map(String::as_str).collect();
        let message = format!("the lesson {} has no run called \"{run}\"", read.name);
        return Err(Fault::new(message).help(format!("its runs are: {}", known.join(", "))));
    };
    Ok(lesson::scenario(&read.name, run, what, &world.library)?.resolved)
}

/// Asks step by step; ends early where the person leaves.
fn teach(told: &Told, world: &World) -> Result<(), Fault> {
    let page = page(world);
    output::print(lesson::head(told, &page).as_bytes())?;
    let (mut right, mut asked) = (0, 0);
    for (index, step) in told.steps.iter().enumerate() {
        output::print(lesson::before(told, index, &page).as_bytes())?;
        let Some(answered) = ask(step, &page)? else { return Ok(()) };
        asked += usize::from(step.question.is_some());
        right += usize::from(answered);
        output::print(lesson::after(step, &page).as_bytes())?;
        let last = index + 1 == told.steps.len();
        if !last && line("\nEnter goes on, q leaves > ")?.is_none_or(|typed| leaves(&typed)) {
            return Ok(());
        }
    }
    output::print(
        format!("\n{right} of {asked} predictions were right. {}\n", wrap(&told.aim, page.width, 0)).as_bytes(),
    )
}

/// Takes a prediction and says what became of it: whether it was right, or `None` where the person leaves.
fn ask(step: &ToldStep, page: &Page) -> Result<Option<bool>, Fault> {
    let Some(question) = &step.question else { return Ok(Some(false)) };
    loop {
        let Some(typed) = line("\nYour prediction (Enter passes, q leaves) > ")?.filter(|typed| !leaves(typed)) else {
            return Ok(None);
        };
        if typed.trim().is_empty() {
            output::print(format!("\n{}\n", lesson::answered(question, page)).as_bytes())?;
            return Ok(Some(false));
        }
        if let Some(verdict) = question.judge(&typed) {
            output::print(format!("\n{}\n", lesson::judged(&verdict, page)).as_bytes())?;
            return Ok(Some(verdict.right));
        }
        output::print(format!("Please type {}.\n", expected(question)).as_bytes())?;
    }
}

fn expected(question: &Question) -> String {
    match question.form {
        Some(form) => form.to_string(),
        None => format!("a letter from a to {}", char::from(b'a' + question.choices.len().saturating_sub(1) as u8)),
    }
}

fn leaves(typed: &str) -> bool {
    matches!(typed.trim(), "q" | "quit" | "exit")
}

/// A line that is typed; `None` at the end of input.
fn line(prompt: &str) -> Result<Option<String>, Fault> {
    let mut out = std::io::stdout().lock();
    // A terminal that cannot be written to cannot be asked either.
    let _ = out.write_all(prompt.as_bytes()).and_then(|()| out.flush());
    let mut typed = String::new();
    let read = std::io::stdin().lock().read_line(&mut typed);
    let count = read.map_err(|error| Fault::new(format!("standard input cannot be read: {error}")))?;
    Ok((count > 0).then_some(typed))
}
