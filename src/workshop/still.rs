//! The page as static files: the same page with the plain scenarios' and the lessons' runs inside, for rooms without a
//! server.
//!
//! Knows what the page asks for when nothing was moved. Must not know where files are written.

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::Fault;
use crate::format::FileKind;
use crate::platform::Library;
use crate::study::Limit;

use super::ask::{Ask, Sheet};
use super::assets::ASSETS;
use super::curve::{Place, along};
use super::desk::{Lessons, scenarios};
use super::knobs::{Knob, Slider};
use super::point::{Depth, MOST_MOMENTS, Point, point};

/// The files of the page by name.
///
/// Scenarios that are refused or take too long are listed with that.
///
/// # Errors
/// A [`Fault`] if scenarios cannot be listed or a lesson cannot be told.
pub fn pages(library: &Library, lessons: &Lessons) -> Result<Vec<(&'static str, String)>, Fault> {
    let mut files: Vec<(&'static str, String)> = ASSETS.iter().map(|asset| (asset.name, asset.text.into())).collect();
    let data = format!("globalThis.hopsimStill = {};\n", data(library, lessons)?);
    files.retain(|(name, _)| *name != DATA);
    files.push((DATA, data));
    Ok(files)
}

/// The file that holds the runs; a server's own is empty.
const DATA: &str = "data.js";

fn data(library: &Library, lessons: &Lessons) -> Result<Value, Fault> {
    let (mut points, mut refused, mut curves, mut told) = (Map::new(), Map::new(), Map::new(), Map::new());
    for entry in library.list(FileKind::Scenario, None)? {
        let name = entry.name.clone();
        // A scenario that is wrong is listed with what is wrong.
        let Ok(sheet) = Sheet::of(entry, library) else { continue };
        let plain = sheet.ask(&Vec::new())?;
        match run(&sheet, &plain, Depth::WithRange, library) {
            Ok(point) => points.insert(name.clone(), value(&point)),
            // One that is to be refused, or takes too long, is listed with that.
            Err(fault) => {
                refused.insert(name, Value::String(fault.to_string()));
                continue;
            }
        };
        curves.insert(name, Value::Object(curves_of(&sheet, &plain, library)?));
    }
    for title in lessons.titles.as_array().into_iter().flatten().filter_map(|title| title["name"].as_str()) {
        told.insert(title.to_string(), (lessons.tell)(title)?);
    }
    let mut scenarios: Vec<Value> = serde_json::from_str(&scenarios(library)?).unwrap_or_default();
    for listed in &mut scenarios {
        if let Some(fault) = listed["name"].as_str().and_then(|name| refused.remove(name)) {
            listed["fault"] = fault;
        }
    }
    Ok(json!({ "scenarios": scenarios, "points": points, "curves": curves, "titles": lessons.titles, "lessons": told }))
}

fn run(sheet: &Sheet, ask: &Ask, depth: Depth, library: &Library) -> Result<Point, Fault> {
    let limit = Limit { moments: MOST_MOMENTS, called_off: Default::default() };
    point(sheet, ask, depth, limit, library)
}

/// Sliders with curves in static files: those along which every point settles soon.
const CURVES: [Knob; 3] = [Knob::Size, Knob::Nics, Knob::TargetRate];

/// The curves along some sliders, each with the others where the scenario has them.
fn curves_of(sheet: &Sheet, plain: &Ask, library: &Library) -> Result<Map<String, Value>, Fault> {
    let curve = |slider: &Slider| {
        let places = along(sheet, plain, slider.knob)?.into_par_iter();
        let places: Vec<Place> = places.map(|(text, ask)| place(sheet, text, &ask, library)).collect();
        Ok((slider.knob.name().to_string(), value(&places)))
    };
    sheet.sliders.iter().filter(|slider| CURVES.contains(&slider.knob)).map(curve).collect()
}

fn place(sheet: &Sheet, text: String, ask: &Ask, library: &Library) -> Place {
    let report = run(sheet, ask, Depth::Plain, library).map(|point| point.report);
    Place::of(text, report.as_ref())
}

/// Plain structs with text keys cannot fail to become JSON.
fn value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
