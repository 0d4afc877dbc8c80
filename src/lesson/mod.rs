//! Lessons: questions, predictions, runs and what they show, from files of `scenarios/lessons/`.
//!
//! Knows how to put runs, ways and figures together into a lesson. Must not know how a terminal or a page asks.
//!
//! [`find`] and [`list`] read lessons, [`tell`] carries out a lesson's runs and fills in every figure, and
//! [`Question::judge`] judges a prediction. All that [`Told`] holds becomes JSON.

mod figure;
mod fill;
mod formula;
mod read;
mod runs;
mod sheet;
mod show;
mod tell;
mod text;

pub use read::{Read, find, list};
pub use runs::scenario;
pub use sheet::{key, sheet};
pub use show::Side;
pub use tell::{Answer, Question, Told, ToldRun, ToldStep, Verdict, tell};
pub use text::{Page, after, answered, before, head, judged, listed, whole};

use figure::Unit;
use fill::Figures;

use crate::format::{LessonMode, LessonRun, LessonScenario};

/// The command that gives the same figures as a lesson's run.
fn command(lesson: &str, name: &str, run: &LessonRun) -> String {
    let scenario = match &run.scenario {
        LessonScenario::Named(scenario) => scenario.clone(),
        LessonScenario::Embedded(_) => return format!("hopsim lesson {lesson} --scenario {name} > {name}.toml"),
    };
    let set: String =
        run.set.iter().map(runs::edit).map(|edit| format!(" --set '{}={}'", edit.key, edit.value)).collect();
    let mode = if run.mode == LessonMode::Settled { " --mode settled" } else { "" };
    format!("hopsim run {scenario}{set}{mode}")
}
