//! Lesson files (`scenarios/lessons/*.toml`): questions, the runs that answer them, and what to say afterwards.
//!
//! Figures in a lesson's texts are written `{works.gds.duration_s}`: a key of a run's report between braces, so that a
//! text stays true when a model changes. Answers are keys too.

use std::fmt;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::scenario::Literal;

/// A lesson: a few steps, each with a question, a prediction to make, runs, and what they show.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    /// The version of the file format: 1.
    pub schema: u64,
    /// One line about it.
    pub title: String,
    /// What one can say or do after it.
    pub aim: String,
    /// How long it takes in a room, in minutes.
    pub minutes: u64,
    /// Its runs by name.
    pub runs: IndexMap<String, LessonRun>,
    /// The steps in order.
    pub steps: Vec<LessonStep>,
}

/// A run that a lesson's figures come from.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LessonRun {
    /// A scenario's name, or a whole scenario as a table.
    pub scenario: LessonScenario,
    /// Keys to replace in it, such as `"works.*.depth" = 4`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub set: IndexMap<String, Literal>,
    /// How it is run; `"settled"` where nothing is said.
    #[serde(default)]
    pub mode: LessonMode,
    /// Whether it is run at both ends of its assumed figures too, for `low_s` and `high_s`.
    #[serde(default)]
    pub ends: bool,
}

/// How a lesson's run is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LessonMode {
    /// Until throughput settles, the rest at its pace.
    #[default]
    Settled,
    /// Every request.
    Request,
}

/// The scenario of a lesson's run.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LessonScenario {
    /// One that ships, or a file.
    Named(String),
    /// One that the lesson brings.
    Embedded(toml::Table),
}

/// A step: read, predict, run, compare.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// A heading.
    pub title: String,
    /// What to know before the question.
    pub text: String,
    /// What to predict.
    pub question: Option<String>,
    /// The answer where it is a figure.
    pub answer: Option<LessonAnswer>,
    /// The answers to choose from where it is none; exactly one of them is true of the runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<LessonChoice>,
    /// The runs that are shown, by name. Keys without a run's name are of the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<String>,
    /// The works that are shown; all of them where nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub works: Vec<String>,
    /// Works of the first run whose way is told step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub way: Vec<String>,
    /// Figures of the works of all its runs to set side by side: keys of a work, such as `"duration_s"`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<String>,
    /// What came out, and why.
    pub explanation: String,
}

/// An answer that is a figure of a run.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LessonAnswer {
    /// The key of the report, or a sum over keys, such as `"works.bounce.dram_bytes / works.bounce.bytes"`.
    pub is: String,
    /// Its unit: `s`, `gb_s`, `bytes`, `percent`, `times`, `count`; without it, the one that the key's name ends in.
    pub unit: Option<String>,
    /// How far a right prediction may be off, relative; 0.05 where nothing is said.
    #[serde(default = "five_percent")]
    pub within: f64,
}

/// An answer to choose.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LessonChoice {
    /// The answer in words.
    pub text: String,
    /// When it is true: a comparison of keys, such as `"works.gds.binding.0.name = 'nic'"`.
    pub when: String,
}

fn five_percent() -> f64 {
    0.05
}

impl<'de> Deserialize<'de> for LessonScenario {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = LessonScenario;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a scenario's name in quotes, or a table that is one")
    }

    fn visit_str<E>(self, name: &str) -> Result<LessonScenario, E> {
        Ok(LessonScenario::Named(name.to_string()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LessonScenario, A::Error> {
        toml::Table::deserialize(MapAccessDeserializer::new(map)).map(LessonScenario::Embedded)
    }
}

impl JsonSchema for LessonScenario {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "LessonScenario".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "string" }, { "type": "object" }] })
    }
}
