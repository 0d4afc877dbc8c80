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

/// Teaches at a terminal.
fn teach(told: &Told, world: &World) -> Result<(), Fault> {
    Desk { input: std::io::stdin().lock(), output: std::io::stdout().lock(), page: page(world) }.teach(told)
}

/// Where questions are put and predictions typed.
struct Desk<R, W> {
    input: R,
    output: W,
    page: Page,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Right,
    Wrong,
    Passed,
    Nothing,
    Leaves,
}

impl<R: BufRead, W: Write> Desk<R, W> {
    /// Asks step by step; ends early where the person leaves.
    fn teach(&mut self, told: &Told) -> Result<(), Fault> {
        self.say(&lesson::head(told, &self.page));
        let (mut right, mut asked) = (0, 0);
        for (index, step) in told.steps.iter().enumerate() {
            self.say(&lesson::before(told, index, &self.page));
            let answer = self.ask(step)?;
            if answer == Asked::Leaves {
                return Ok(());
            }
            right += usize::from(answer == Asked::Right);
            asked += usize::from(answer != Asked::Nothing);
            self.say(&lesson::after(step, &self.page));
            let last = index + 1 == told.steps.len();
            if !last && self.line("\nEnter goes on, q leaves > ")?.is_none() {
                return Ok(());
            }
        }
        let aim = wrap(&told.aim, self.page.width, 0);
        self.say(&format!("\n{right} of {asked} predictions were right.\n\n{aim}\n"));
        Ok(())
    }

    /// Takes a prediction and says what became of it.
    fn ask(&mut self, step: &ToldStep) -> Result<Asked, Fault> {
        let Some(question) = &step.question else { return Ok(Asked::Nothing) };
        loop {
            let Some(typed) = self.line("\nYour prediction (Enter passes, q leaves) > ")? else {
                return Ok(Asked::Leaves);
            };
            if typed.trim().is_empty() {
                self.say(&format!("\n{}\n", lesson::answered(question, &self.page)));
                return Ok(Asked::Passed);
            }
            if let Some(verdict) = question.judge(&typed) {
                self.say(&format!("\n{}\n", lesson::judged(&verdict, &self.page)));
                return Ok(if verdict.right { Asked::Right } else { Asked::Wrong });
            }
            self.say(&format!("Please type {}.\n", expected(question)));
        }
    }

    fn say(&mut self, text: &str) {
        // Who is not listening any more is not asked for long: the next line read is the end.
        let _ = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
    }

    /// A line that is typed; `None` at the end of input, or where the person leaves.
    fn line(&mut self, prompt: &str) -> Result<Option<String>, Fault> {
        self.say(prompt);
        let mut typed = String::new();
        let read = self.input.read_line(&mut typed);
        let count = read.map_err(|error| Fault::new(format!("standard input cannot be read: {error}")))?;
        let leaves = count == 0 || matches!(typed.trim(), "q" | "quit" | "exit");
        Ok((!leaves).then_some(typed))
    }
}

fn expected(question: &Question) -> String {
    match question.form {
        Some(form) => form.to_string(),
        None => format!("a letter from a to {}", char::from(b'a' + question.choices.len().saturating_sub(1) as u8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Library;

    fn taught(typed: &str) -> String {
        let library = Library::default();
        let told = lesson::tell(&lesson::find("count-the-hops", &library).unwrap(), &library, None).unwrap();
        let page = Page { color: false, width: 100 };
        let mut desk = Desk { input: typed.as_bytes(), output: Vec::new(), page };
        desk.teach(&told).unwrap();
        String::from_utf8(desk.output).unwrap()
    }

    #[test]
    fn predictions_are_judged_and_counted() {
        let said = taught("5\n\n4\n\n2 bytes\n\n\n");
        assert!(said.contains("= Right: 5.") && said.contains("= It is 3.") && said.contains("= Right: 2."), "{said}");
        assert!(said.contains("2 of 4 predictions were right."), "{said}");
    }

    #[test]
    fn what_is_no_answer_is_asked_for_again_and_q_leaves() {
        let said = taught("five\nq\n");
        assert!(said.contains("Please type a number, such as 4."), "{said}");
        assert!(!said.contains("2 of 4"), "{said}");
    }

    #[test]
    fn the_end_of_input_is_the_end_of_the_lesson() {
        assert!(!taught("5\n").contains("2 of 4"));
    }
}
