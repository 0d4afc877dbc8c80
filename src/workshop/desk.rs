//! The desk that questions come to: it knows what was asked before, and gives what is new to whoever has room.
//!
//! Knows questions, memory and room. Must not know HTTP.

use std::sync::Arc;

use serde::Serialize;

use crate::error::Fault;
use crate::format::FileKind;
use crate::platform::Library;
use crate::report::Report;

use super::ask::{Ask, Parameters, PathChoice, Sheet};
use super::curve::{self, Place};
use super::knobs::{Knob, Slider};
use super::memory::Memory;
use super::point::{Depth, Point, point};
use super::room::{Refusal, Room};

/// Points that are remembered: some 20 MB.
const MOST_POINTS: usize = 512;
/// Scenarios and lessons that are remembered.
const MOST_SHEETS: usize = 64;

/// Carries out a lesson's runs and tells it, as JSON.
pub type Teller = Box<dyn Fn(&str) -> Result<serde_json::Value, Fault> + Send + Sync>;

/// Lessons as somebody else tells them.
pub struct Lessons {
    /// Name, title, aim and minutes of each, as JSON.
    pub titles: serde_json::Value,
    /// Tells one of them.
    pub tell: Teller,
}

/// The desk.
#[derive(Debug)]
pub struct Desk {
    library: Arc<Library>,
    lessons: Arc<Lessons>,
    /// Room for first estimates, which nothing else may hold up.
    first: Room,
    /// Room for points, which people wait for.
    quick: Room,
    /// Room for curves and ranges, which come after.
    patient: Room,
    /// Room for lessons, one at a time: each is run once.
    classroom: Room,
    sheets: Memory<String, Arc<Sheet>>,
    points: Memory<(Ask, Depth), Result<Arc<Served>, Fault>>,
    told: Memory<String, Result<String, Fault>>,
}

/// A point as it is sent, and its figures for curves.
#[derive(Debug)]
struct Served {
    json: String,
    report: Report,
}

/// A scenario as the page lists it.
#[derive(Serialize)]
struct Listed {
    name: String,
    title: Option<String>,
    works: Vec<ListedWork>,
    sliders: Vec<Slider>,
    paths: Vec<PathChoice>,
    /// Why it cannot be chosen.
    fault: Option<String>,
}

#[derive(Serialize)]
struct ListedWork {
    name: String,
    path: String,
}

impl Desk {
    /// A desk that has so many cores to run on.
    pub fn new(library: Library, lessons: Lessons, cores: usize) -> Desk {
        Desk {
            library: Arc::new(library),
            lessons: Arc::new(lessons),
            first: Room::new(cores),
            quick: Room::new(cores),
            patient: Room::new(cores.saturating_sub(1)),
            classroom: Room::new(1),
            sheets: Memory::new(MOST_SHEETS),
            points: Memory::new(MOST_POINTS),
            told: Memory::new(MOST_SHEETS),
        }
    }

    /// All scenarios with their sliders, as JSON.
    pub(super) async fn scenarios(&self) -> Result<String, Refusal> {
        let library = self.library.clone();
        self.quick.run(move |_| scenarios(&library)).await
    }

    /// A point, as JSON.
    pub(super) async fn point(&self, mut query: Parameters) -> Result<String, Refusal> {
        let depth = take_depth(&mut query);
        let sheet = self.sheet(&query).await?;
        let ask = sheet.ask(&query)?;
        let room = match depth {
            Depth::Estimate => &self.first,
            Depth::Plain => &self.quick,
            Depth::WithRange => &self.patient,
        };
        Ok(self.served(&sheet, ask, depth, room).await??.json.clone())
    }

    /// The curve along a slider, as JSON.
    pub(super) async fn curve(&self, mut query: Parameters) -> Result<String, Refusal> {
        let along = query.iter().position(|(name, _)| name == "along").map(|index| query.remove(index).1);
        let knob = along.as_deref().and_then(Knob::of_name);
        let knob = knob.ok_or_else(|| Fault::new("a curve goes along a slider").help("add along=SLIDER"))?;
        let sheet = self.sheet(&query).await?;
        let mut places = Vec::new();
        for (value, ask) in curve::along(&sheet, &sheet.ask(&query)?, knob)? {
            let served = self.served(&sheet, ask, Depth::Plain, &self.patient).await?;
            places.push(Place::of(value, served.as_ref().map(|served| &served.report)));
        }
        Ok(text(&places))
    }

    /// The titles of the lessons, as JSON.
    pub(super) fn lesson_titles(&self) -> String {
        self.lessons.titles.to_string()
    }

    /// A lesson told, as JSON.
    pub(super) async fn lesson(&self, name: &str) -> Result<String, Refusal> {
        let known = self.lessons.titles.as_array().is_some_and(|all| all.iter().any(|title| title["name"] == name));
        if !known {
            return Err(Fault::new("there is no lesson of this name")
                .help("the page lists those that there are")
                .into());
        }
        let cell = self.told.cell(&name.to_string());
        let (lessons, name) = (self.lessons.clone(), name.to_string());
        let tell = move |_| Ok((lessons.tell)(&name).map(|told| told.to_string()));
        Ok(cell.get_or_try_init(|| self.classroom.run(tell)).await?.clone()?)
    }

    /// The scenario that a query names.
    async fn sheet(&self, query: &Parameters) -> Result<Arc<Sheet>, Refusal> {
        let name = query.iter().find(|(name, _)| name == "scenario").map(|(_, value)| value.clone());
        let name = name.ok_or_else(|| Fault::new("no scenario is named").help("add scenario=NAME"))?;
        // A name that nobody knows takes no place in the memory.
        let known = self.library.find(FileKind::Scenario, &name, None)?.is_some();
        let library = self.library.clone();
        let (key, read) = (name.clone(), move |_| Sheet::named(&name, &library).map(Arc::new));
        if !known {
            return self.quick.run(read).await;
        }
        self.sheets.cell(&key).get_or_try_init(|| self.quick.run(read)).await.cloned()
    }

    /// A point that was run before, or is now.
    async fn served(
        &self,
        sheet: &Arc<Sheet>,
        ask: Ask,
        depth: Depth,
        room: &Room,
    ) -> Result<Result<Arc<Served>, Fault>, Refusal> {
        let cell = self.points.cell(&(ask.clone(), depth));
        let (sheet, library) = (sheet.clone(), self.library.clone());
        let run = move |limit| Ok(point(&sheet, &ask, depth, limit, &library).map(|point| Arc::new(served(point))));
        // What is refused is remembered too: it would be refused again, after as long a run.
        Ok(cell.get_or_try_init(|| room.run(run)).await?.clone())
    }
}

/// How thorough a point is to be: a query says `estimate`, `range`, or neither.
fn take_depth(query: &mut Parameters) -> Depth {
    let mut asks = |what: &str| {
        let asked = query.len();
        query.retain(|(name, _)| name != what);
        query.len() < asked
    };
    match (asks("range"), asks("estimate")) {
        (true, _) => Depth::WithRange,
        (false, true) => Depth::Estimate,
        (false, false) => Depth::Plain,
    }
}

fn served(point: Point) -> Served {
    Served { json: text(&point), report: point.report }
}

/// Plain structs with text keys cannot fail to become JSON.
fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// All scenarios that the library lists, as JSON.
pub(super) fn scenarios(library: &Library) -> Result<String, Fault> {
    let entries = library.list(FileKind::Scenario, None)?;
    let listed = entries.into_iter().map(|entry| {
        let (name, title) = (entry.name.clone(), entry.title.clone());
        match Sheet::of(entry, library) {
            Ok(sheet) => Listed { name, title, ..listed(sheet) },
            Err(fault) => Listed { name, title, fault: Some(fault.to_string()), ..Listed::nothing() },
        }
    });
    Ok(text(&listed.collect::<Vec<_>>()))
}

fn listed(sheet: Sheet) -> Listed {
    let works = sheet.scenario.works.iter();
    let works = works.map(|(name, work)| ListedWork { name: name.clone(), path: work.value.path.value.clone() });
    Listed { works: works.collect(), sliders: sheet.sliders, paths: sheet.paths, ..Listed::nothing() }
}

impl Listed {
    fn nothing() -> Listed {
        let (name, title, fault) = (String::new(), None, None);
        Listed { name, title, works: Vec::new(), sliders: Vec::new(), paths: Vec::new(), fault }
    }
}

impl std::fmt::Debug for Lessons {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lessons").field("titles", &self.titles).finish_non_exhaustive()
    }
}
