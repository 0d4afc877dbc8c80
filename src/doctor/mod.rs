//! Which path the bytes of a real node take: captured diagnostics judged by the rules of the path, and what the simulator says of it.
//!
//! Knows facts, prerequisites and GPUs. Must not know the formats of tools, nor the terminal.

mod brief;
mod collect;
mod gpus;
mod hardware;
mod held;
mod links;
mod local;
mod logs;
mod machine;
mod places;
mod predict;
mod prerequisites;
mod software;
mod storage;
mod text;

use serde::Serialize;

use crate::error::Fault;
use crate::import::{self, Capture, Fact, Figure};
use crate::platform::Library;
use crate::platform::rules::Answer;

pub use brief::brief;
pub use collect::SCRIPT;
pub use gpus::{GpuPath, Taken};
pub use held::Held;
pub use places::PlacePath;
pub use predict::Prediction;
pub use text::text;

use machine::Machine;

/// A line that shows something.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// The captured text.
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    /// The line itself.
    pub text: String,
}

/// A prerequisite and what was found about it.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The word for it, as in the rules of the path where one of them decides.
    pub word: &'static str,
    /// What is asked; yes is good.
    pub question: &'static str,
    /// The answer.
    #[serde(serialize_with = "as_word")]
    pub answer: Answer,
    /// What was found, in words.
    pub says: String,
    /// The lines that show it.
    pub evidence: Vec<Evidence>,
    /// What to do.
    pub advice: Option<String>,
}

fn as_word<S: serde::Serializer>(answer: &Answer, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(said(*answer))
}

/// An answer as a person says it.
fn said(answer: Answer) -> &'static str {
    match answer {
        Answer::Yes => "yes",
        Answer::No => "no",
        Answer::Unknown => "cannot tell",
    }
}

/// A tool's output that was recognised.
#[derive(Clone, Debug, Serialize)]
pub struct Recognised {
    /// The captured text.
    pub file: String,
    /// The tool.
    pub tool: &'static str,
    /// The first and the last line that say something.
    pub lines: (usize, usize),
    /// What they say.
    pub facts: Vec<Read>,
    /// What was measured.
    pub figures: Vec<Figure>,
}

/// A fact with its line.
#[derive(Clone, Debug, Serialize)]
pub struct Read {
    /// The line, from 1.
    pub line: usize,
    /// What it says.
    pub fact: Fact,
}

/// What will happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// GDS will be used for all GPUs.
    All,
    /// It will not be used for all.
    NotAll,
    /// Something that decides is not known.
    CannotTell,
    /// Nothing was understood.
    NothingUnderstood,
}

/// All that is found.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// Version of this shape: 1.
    pub schema: u32,
    /// What will happen.
    pub verdict: Verdict,
    /// The verdict in a sentence.
    pub summary: String,
    /// What was recognised.
    pub recognised: Vec<Recognised>,
    /// Texts in which nothing was.
    pub not_understood: Vec<String>,
    /// The formats that are known, where something was not understood.
    pub known_formats: Option<String>,
    /// The prerequisites.
    pub prerequisites: Vec<Finding>,
    /// The path that each GPU's bytes take.
    pub gpus: Vec<GpuPath>,
    /// The path to each place that holds data.
    pub storage: Vec<PlacePath>,
    /// What the simulator says.
    pub prediction: Option<Prediction>,
    /// What was measured, held against what the simulator says of the same requests.
    pub held: Vec<Held>,
    /// Lines that no importer knows, by file: the first and the last of each stretch, and its first line.
    pub unread: Vec<Unread>,
}

/// A stretch of lines that no importer knows.
#[derive(Clone, Debug, Serialize)]
pub struct Unread {
    /// The captured text.
    pub file: String,
    /// The first and the last line.
    pub lines: (usize, usize),
    /// The first line itself.
    pub text: String,
}

/// Judges captured diagnostics.
///
/// # Errors
/// A [`Fault`] if the models that the prediction stands on cannot be read.
pub fn diagnose(captures: &[Capture], library: &Library) -> Result<Diagnosis, Fault> {
    let machine = Machine::new(captures);
    let prerequisites = prerequisites::all(&machine);
    let gpus = gpus::all(&machine);
    let recognised = recognised(captures);
    let not_understood: Vec<String> = captures
        .iter()
        .filter(|capture| capture.sections.is_empty())
        .map(|capture| capture.text.name.clone())
        .collect();
    let storage = places::all(&machine);
    let verdict = if recognised.is_empty() { Verdict::NothingUnderstood } else { verdict(&gpus, &storage) };
    let prediction = match verdict {
        Verdict::NothingUnderstood => None,
        _ => predict::predict(&machine, &gpus, library)?,
    };
    let held = held::all(&machine, captures, &gpus, library)?;
    Ok(Diagnosis {
        schema: 1,
        verdict,
        summary: summary(verdict, &gpus, &storage),
        known_formats: (!not_understood.is_empty()).then(import::known),
        prerequisites: if recognised.is_empty() { Vec::new() } else { prerequisites },
        gpus: if recognised.is_empty() { Vec::new() } else { gpus },
        recognised,
        not_understood,
        storage,
        prediction,
        held,
        unread: captures.iter().flat_map(unread).collect(),
    })
}

fn recognised(captures: &[Capture]) -> Vec<Recognised> {
    let of_capture = |capture: &Capture| {
        let file = capture.text.name.clone();
        let section = move |section: &import::Section| {
            let reading = &section.reading;
            let facts = reading.facts.iter().filter(|(_, fact)| *fact != Fact::Heading);
            Some(Recognised {
                file: file.clone(),
                tool: section.importer.name,
                lines: reading.lines()?,
                facts: facts.map(|(line, fact)| Read { line: *line, fact: fact.clone() }).collect(),
                figures: reading.figures.clone(),
            })
        };
        capture.sections.iter().filter_map(section).collect::<Vec<_>>()
    };
    captures.iter().flat_map(of_capture).collect()
}

/// Stretches of lines outside of every output that was recognised.
fn unread(capture: &Capture) -> Vec<Unread> {
    let known: Vec<(usize, usize)> = capture.sections.iter().filter_map(|section| section.reading.lines()).collect();
    let mut stretches: Vec<Unread> = Vec::new();
    if known.is_empty() {
        return stretches;
    }
    let mut goes_on = false;
    for line in &capture.text.lines {
        let inside = known.iter().any(|(first, last)| (*first..=*last).contains(&line.number));
        // Of a JSON document each importer takes what it knows.
        let json = line.body().trim_start().starts_with(['{', '}', '[', ']', '"']);
        if inside || json || line.body().trim().is_empty() || import::is_prompt(line.body()) {
            goes_on = false;
            continue;
        }
        match stretches.last_mut().filter(|_| goes_on) {
            Some(stretch) => stretch.lines.1 = line.number,
            None => stretches.push(Unread {
                file: capture.text.name.clone(),
                lines: (line.number, line.number),
                text: line.shown.trim().to_string(),
            }),
        }
        goes_on = true;
    }
    stretches
}

fn verdict(gpus: &[GpuPath], storage: &[PlacePath]) -> Verdict {
    let other_way = |place: &PlacePath| matches!(place.taken, Taken::Compat | Taken::Refused);
    let any = |taken: fn(&Taken) -> bool| gpus.iter().any(|gpu| taken(&gpu.taken));
    match () {
        () if any(|taken| matches!(taken, Taken::Compat | Taken::Refused)) => Verdict::NotAll,
        () if gpus.is_empty() || any(|taken| *taken == Taken::CannotTell) => Verdict::CannotTell,
        // The data stands in several places, and not all of them are reached directly.
        () if storage.iter().any(|place| place.holds_data && other_way(place)) => Verdict::NotAll,
        () => Verdict::All,
    }
}

/// Names with commas; of many the first three.
fn listed(names: &[&str]) -> String {
    match names.len() {
        0..=3 => names.join(", "),
        count => format!("{} and {} more", names[..3].join(", "), count - 3),
    }
}

fn summary(verdict: Verdict, gpus: &[GpuPath], storage: &[PlacePath]) -> String {
    let first = gpus.iter().find(|gpu| !gpu.taken.is_gds());
    let why = first.map(|gpu| gpu.why.join("; ")).unwrap_or_default();
    let hops = first.and_then(|gpu| gpu.hops).unwrap_or(5);
    let places = |direct: bool| {
        let places = storage.iter().filter(|place| place.taken.is_gds() == direct);
        listed(&places.map(|place| place.place.as_str()).collect::<Vec<_>>())
    };
    // Places that go another way than the one that holds the data.
    let others = storage.len() > 1 && storage.iter().any(|place| !place.taken.is_gds());
    match verdict {
        Verdict::All if !others => "GPUDirect Storage will be used for every GPU.".to_string(),
        Verdict::All | Verdict::NotAll if others && first.is_none() => {
            format!("GPUDirect Storage will be used for every GPU on {}, not on {}.", places(true), places(false))
        }
        Verdict::NotAll if gpus.iter().any(|gpu| gpu.taken == Taken::Refused) => {
            format!("GPUDirect Storage will not be used: opening a file for it fails ({why}).")
        }
        Verdict::NotAll => {
            let silently = if first.is_some_and(|gpu| gpu.silent) { ", silently" } else { "" };
            format!(
                "GPUDirect Storage will not be used: the bytes take {hops} hops through system memory{silently} ({why})."
            )
        }
        Verdict::All => "GPUDirect Storage will be used for every GPU.".to_string(),
        Verdict::CannotTell => format!("Cannot tell whether GPUDirect Storage will be used: {why}."),
        Verdict::NothingUnderstood => "No line was understood.".to_string(),
    }
}
