//! The runs of a lesson, and the values that its texts look up in them.
//!
//! Knows how a lesson's run is loaded and carried out. Must not know what is asked about it.

use serde_json::{Map, Value};

use super::figure::as_number;
use super::formula::{Sum, compute};
use super::{Figures, Unit};
use crate::error::Fault;
use crate::explain::{Story, explain};
use crate::format::{Lesson, LessonMode, LessonRun, LessonScenario, Literal};
use crate::platform::{Assumed, Edit, Library, Loaded, load, load_text, seal};
use crate::report::{Report, value_at};
use crate::study::{Options, Progress, run};
use engine::Mode;

/// A run that is over.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Its name in the lesson.
    pub name: String,
    /// What came out.
    pub report: Report,
    /// The ways of its works, one request each.
    pub ways: Vec<Story>,
    /// The report, the scenario's keys below `given` and the ways below `way`, as values.
    values: Value,
}

/// All runs of a lesson, in the order of its file.
#[derive(Clone, Debug)]
pub struct Runs(pub(super) Vec<Ran>);

/// The scenario of a lesson's run, with its edits.
///
/// # Errors
/// A [`Fault`] if it does not describe a system that can run.
pub fn scenario(lesson: &str, name: &str, run: &LessonRun, library: &Library) -> Result<Loaded, Fault> {
    let edits: Vec<Edit> = run.set.iter().map(edit).collect();
    let loaded = match &run.scenario {
        LessonScenario::Named(scenario) => load(scenario, library, &edits),
        LessonScenario::Embedded(table) => load_text(&format!("{lesson}-{name}"), &table.to_string(), library, &edits),
    };
    loaded.map_err(|fault| fault.about(format!("lesson {lesson}, run {name}")))
}

pub(super) fn edit((key, value): (&String, &Literal)) -> Edit {
    let value = match value {
        Literal::Bool(truth) => truth.to_string(),
        Literal::Number(number) => number.to_string(),
        Literal::Text(text) => toml::Value::from(text.as_str()).to_string(),
    };
    Edit { key: key.clone(), value }
}

/// Carries all runs out.
pub(super) fn all(name: &str, lesson: &Lesson, library: &Library, progress: Option<&Progress>) -> Result<Runs, Fault> {
    let one = |(run, what): (&String, &LessonRun)| one(name, run, what, library, progress);
    lesson.runs.iter().map(one).collect::<Result<_, _>>().map(Runs)
}

fn one(lesson: &str, name: &str, what: &LessonRun, library: &Library, told: Option<&Progress>) -> Result<Ran, Fault> {
    let about = |fault: Fault| fault.about(format!("lesson {lesson}, run {name}"));
    let loaded = scenario(lesson, name, what, library)?;
    let mode = if what.mode == LessonMode::Settled { Mode::Settled } else { Mode::Request };
    let options = Options { mode: Some(mode), skip_ends: !what.ends, gains: true, ..Options::default() };
    let report = run(&loaded, &options, told).map_err(about)?;
    let plan = seal(&loaded.scenario, &loaded.sources, Assumed::Value).map_err(about)?;
    let ways = explain(&plan, None).map_err(about)?;
    let values = values(&report, &loaded, &ways);
    Ok(Ran { name: name.to_string(), report, ways, values })
}

fn values(report: &Report, loaded: &Loaded, ways: &[Story]) -> Value {
    let mut values = match serde_json::to_value(report) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let given = loaded.resolved.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok());
    values.insert("given".to_string(), given.unwrap_or(Value::Null));
    let way = |story: &Story| (story.work.clone(), serde_json::to_value(story).unwrap_or(Value::Null));
    values.insert("way".to_string(), Value::Object(ways.iter().map(way).collect()));
    Value::Object(values)
}

impl Ran {
    /// The value at a key; a figure of the scenario is its value.
    fn at(&self, key: &str) -> Option<Value> {
        let found = value_at(&self.values, key)?;
        let inner = found.as_object().and_then(|map| map.get("value")).cloned();
        Some(inner.unwrap_or(found))
    }
}

impl Runs {
    /// The run of that name, or the first.
    pub(super) fn named(&self, name: &str) -> Option<&Ran> {
        self.0.iter().find(|ran| ran.name == name)
    }
}

/// The figures as a step sees them: keys without a run's name are of its first run.
pub(super) struct Seen<'a> {
    pub runs: &'a Runs,
    pub first: Option<&'a str>,
}

impl Seen<'_> {
    fn look(&self, key: &str) -> Sum {
        let (run, key) = match key.split_once(':') {
            Some((run, key)) => (run, key),
            None => {
                let first = self.first.ok_or_else(|| format!("`{key}` names no run, and the step has none"))?;
                (first, key)
            }
        };
        let ran = self.runs.named(run).ok_or_else(|| format!("there is no run called \"{run}\""))?;
        ran.at(key).ok_or_else(|| format!("the run \"{run}\" has no key `{key}`"))
    }
}

impl Figures for Seen<'_> {
    fn value(&self, formula: &str) -> Sum {
        match self.look(formula.trim()) {
            // One key alone keeps its own form: a text stays a text.
            Ok(value) => Ok(value),
            Err(_) => compute(formula, &|key| self.look(key).map(|value| as_number(&value))),
        }
    }

    fn unit(&self, formula: &str) -> Unit {
        Unit::of_key(formula.trim())
    }
}
