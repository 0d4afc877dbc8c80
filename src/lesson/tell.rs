//! A lesson with its runs behind it: every figure in its place, every answer computed.
//!
//! Knows steps, answers and how a prediction is judged. Must not know whether a terminal or a page shows it.

use serde::Serialize;
use serde_json::Value;

use super::figure::Unit;
use super::fill::{Figures, fill};
use super::read::Read;
use super::runs::{self, Ran, Runs, Seen};
use super::show::{Side, side};
use crate::error::Fault;
use crate::explain::Story;
use crate::format::{LessonAnswer, LessonStep};
use crate::platform::Library;
use crate::study::Progress;

/// A lesson told: what a terminal, a sheet or a page shows.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub title: String,
    /// What one can say or do after it.
    pub aim: String,
    /// How long it takes in a room, in minutes.
    pub minutes: u64,
    /// The steps.
    pub steps: Vec<ToldStep>,
}

/// A step told.
#[derive(Clone, Debug, Serialize)]
pub struct ToldStep {
    /// A heading.
    pub title: String,
    /// What to know before the question.
    pub text: String,
    /// What to predict, if something is.
    pub question: Option<Question>,
    /// The runs, by name.
    pub runs: Vec<ToldRun>,
    /// Ways of works, told step by step.
    pub ways: Vec<Story>,
    /// Figures side by side.
    pub side: Side,
    /// What came out, and why.
    pub explanation: String,
}

/// A run that a step shows.
#[derive(Clone, Debug, Serialize)]
pub struct ToldRun {
    /// Its name in the lesson.
    pub name: String,
    /// The command that gives the same figures.
    pub command: String,
}

/// A question with its answer.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    /// What is asked.
    pub text: String,
    /// The answers to choose from; empty where a figure is asked for.
    pub choices: Vec<String>,
    /// In what form a figure is typed: "a time, such as 2.5 s".
    pub form: Option<&'static str>,
    /// The right answer.
    pub answer: Answer,
}

/// The right answer, computed from the runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// A figure.
    Figure {
        /// In its unit.
        value: f64,
        /// As people read it.
        text: String,
        /// How far a right prediction may be off, relative.
        within: f64,
        /// The word for its unit in lesson files.
        #[serde(skip)]
        unit: Unit,
    },
    /// One of the choices, from 0.
    Choice(usize),
}

/// What becomes of a prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether it is right.
    pub right: bool,
    /// What to say of it.
    pub text: String,
}

/// Tells a lesson: carries out its runs and fills its texts.
///
/// # Errors
/// A [`Fault`] if a run is refused, or at the place in the lesson's text that names a figure which no run has.
pub fn tell(read: &Read, library: &Library, progress: Option<&Progress>) -> Result<Told, Fault> {
    let runs = runs::all(&read.name, &read.lesson, library, progress)?;
    let steps = read.lesson.steps.iter().enumerate();
    let steps = steps.map(|(index, step)| Teller { read, runs: &runs, step, number: index + 1 }.step());
    let lesson = &read.lesson;
    Ok(Told {
        name: read.name.clone(),
        title: lesson.title.clone(),
        aim: lesson.aim.clone(),
        minutes: lesson.minutes,
        steps: steps.collect::<Result<_, _>>()?,
    })
}

struct Teller<'a> {
    read: &'a Read,
    runs: &'a Runs,
    step: &'a LessonStep,
    number: usize,
}

impl Teller<'_> {
    fn step(&self) -> Result<ToldStep, Fault> {
        let shown: Vec<&Ran> = self.step.runs.iter().filter_map(|name| self.runs.named(name)).collect();
        let side = side(&shown, self.step).map_err(|(key, why)| self.fault(&key, &why))?;
        Ok(ToldStep {
            title: self.step.title.clone(),
            text: self.fill(&self.step.text)?,
            question: self.question()?,
            runs: shown.iter().map(|ran| self.run(ran)).collect(),
            ways: self.ways(shown.first().copied())?,
            side,
            explanation: self.fill(&self.step.explanation)?,
        })
    }

    fn seen(&self) -> Seen<'_> {
        Seen { runs: self.runs, first: self.step.runs.first().map(String::as_str) }
    }

    fn fault(&self, part: &str, why: &str) -> Fault {
        self.read.fault(part, &format!("step {}: {why}", self.number))
    }

    fn fill(&self, text: &str) -> Result<String, Fault> {
        fill(text.trim(), &self.seen()).map_err(|(part, why)| self.fault(&part, &why))
    }

    fn run(&self, ran: &Ran) -> ToldRun {
        let command = self.read.lesson.runs.get(&ran.name).map(|run| super::command(&self.read.name, &ran.name, run));
        ToldRun { name: ran.name.clone(), command: command.unwrap_or_default() }
    }

    fn ways(&self, ran: Option<&Ran>) -> Result<Vec<Story>, Fault> {
        let way = |work: &String| {
            let found = ran.and_then(|ran| ran.ways.iter().find(|story| story.work == *work));
            found.cloned().ok_or_else(|| self.fault(work, &format!("its first run has no work \"{work}\"")))
        };
        self.step.way.iter().map(way).collect()
    }

    fn question(&self) -> Result<Option<Question>, Fault> {
        let Some(text) = &self.step.question else { return Ok(None) };
        let (answer, form) = match &self.step.answer {
            Some(answer) => {
                let (answer, unit) = self.figure(answer)?;
                (answer, Some(unit.asked_in()))
            }
            None => (Answer::Choice(self.right_choice()?), None),
        };
        let choices = self.step.choices.iter().map(|choice| self.fill(&choice.text)).collect::<Result<_, _>>()?;
        Ok(Some(Question { text: self.fill(text)?, choices, form, answer }))
    }

    fn figure(&self, answer: &LessonAnswer) -> Result<(Answer, Unit), Fault> {
        let fault = |why: String| self.fault(&answer.is, &why);
        let unit = match &answer.unit {
            Some(word) => Unit::from_word(word).map_err(fault)?,
            None => Unit::of_key(&answer.is),
        };
        let value = self.seen().value(&answer.is).map_err(fault)?;
        let value = value.as_f64().ok_or_else(|| fault(format!("the answer is no figure: {value}")))?;
        Ok((Answer::Figure { value, text: unit.written(value), within: answer.within, unit }, unit))
    }

    /// The one choice that is true of the runs.
    fn right_choice(&self) -> Result<usize, Fault> {
        let mut right = Vec::new();
        for (index, choice) in self.step.choices.iter().enumerate() {
            match self.seen().value(&choice.when).map_err(|why| self.fault(&choice.when, &why))? {
                Value::Bool(true) => right.push(index),
                Value::Bool(false) => {}
                other => return Err(self.fault(&choice.when, &format!("it is neither true nor false but {other}"))),
            }
        }
        match right.as_slice() {
            [one] => Ok(*one),
            [] => Err(self.fault(&self.step.choices[0].when, "none of the choices is true of the runs")),
            [_, second, ..] => {
                Err(self.fault(&self.step.choices[*second].when, "more than one of the choices is true of the runs"))
            }
        }
    }
}

impl Question {
    /// The right answer in words.
    pub fn answer_text(&self) -> &str {
        match &self.answer {
            Answer::Figure { text, .. } => text,
            Answer::Choice(right) => self.choices.get(*right).map_or("", String::as_str),
        }
    }

    /// Judges a prediction as it was typed; `None` where it cannot be read as an answer.
    pub fn judge(&self, typed: &str) -> Option<Verdict> {
        match &self.answer {
            Answer::Choice(right) => {
                let chosen = choice(typed, self.choices.len())?;
                Some(match chosen == *right {
                    true => Verdict { right: true, text: "Right.".to_string() },
                    false => Verdict { right: false, text: format!("No: {}", self.answer_text()) },
                })
            }
            Answer::Figure { value, text, within, unit } => Some(verdict(unit.read(typed)?, *value, text, *within)),
        }
    }
}

/// The choice that was typed: a letter or a number.
fn choice(typed: &str, count: usize) -> Option<usize> {
    let typed = typed.trim().trim_end_matches([')', '.']).to_ascii_lowercase();
    let letter = match typed.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(usize::from(letter - b'a')),
        _ => typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1)),
    };
    letter.filter(|chosen| *chosen < count)
}

fn verdict(predicted: f64, value: f64, text: &str, within: f64) -> Verdict {
    let off = (predicted - value).abs();
    if off <= within * value.abs() {
        let exactly = if off <= 1e-9 * value.abs() { "Right" } else { "Right, near enough" };
        return Verdict { right: true, text: format!("{exactly}: {text}.") };
    }
    let near = off <= 0.25 * value.abs();
    let text = if near { format!("Near: it is {text}.") } else { format!("It is {text}.") };
    Verdict { right: false, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(value: f64, unit: Unit) -> Question {
        let answer = Answer::Figure { value, text: unit.written(value), within: 0.05, unit };
        Question { text: String::new(), choices: Vec::new(), form: None, answer }
    }

    fn judged(question: &Question, typed: &str) -> Option<(bool, String)> {
        question.judge(typed).map(|verdict| (verdict.right, verdict.text))
    }

    #[test]
    fn a_prediction_is_right_near_or_wrong() {
        let question = figure(6.4, Unit::Seconds);
        assert_eq!(judged(&question, "6.4 s"), Some((true, "Right: 6.4 s.".into())));
        assert_eq!(judged(&question, "6.2"), Some((true, "Right, near enough: 6.4 s.".into())));
        assert_eq!(judged(&question, "5.5 s"), Some((false, "Near: it is 6.4 s.".into())));
        assert_eq!(judged(&question, "3.2 s"), Some((false, "It is 6.4 s.".into())));
        assert_eq!(judged(&question, "long"), None);
    }

    #[test]
    fn a_choice_is_a_letter_or_a_number() {
        let choices = vec!["the NICs".to_string(), "the CPU".to_string()];
        let question = Question { text: String::new(), choices, form: None, answer: Answer::Choice(1) };
        for typed in ["b", "B", "2", "b)"] {
            assert_eq!(judged(&question, typed), Some((true, "Right.".into())), "{typed}");
        }
        assert_eq!(judged(&question, "a"), Some((false, "No: the CPU".into())));
        assert_eq!([judged(&question, "c"), judged(&question, ""), judged(&question, "0")], [None, None, None]);
    }
}
