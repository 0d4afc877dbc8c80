//! What the page asks for: a scenario, the sliders that were moved, the paths that were chosen; all of it checked.
//!
//! Knows the parameters of a query. Must not know what is done with them.

use std::collections::BTreeMap;

use crate::error::{Fault, nearest};
use crate::format::{FileKind, Scenario};
use crate::platform::{Edit, Entry, Library, Loaded, edited_text, load_text};
use engine::Direction;

use super::knobs::{KNOBS, Knob, Slider};

/// Parameters as they came: names and values in order.
pub(super) type Parameters = Vec<(String, String)>;

/// A scenario as its file has it, with its sliders.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    /// Its file.
    pub entry: Entry,
    /// What the file says.
    pub scenario: Scenario,
    /// The sliders.
    pub sliders: Vec<Slider>,
    /// The paths that a work may take: name, direction, title.
    pub paths: Vec<PathChoice>,
}

/// A path that a work may take.
#[derive(Clone, Debug, serde::Serialize)]
pub(super) struct PathChoice {
    /// Its name.
    pub name: String,
    /// Which way its bytes go.
    pub direction: Direction,
    /// One line about it.
    pub title: Option<String>,
}

/// A checked question: two questions that ask for the same are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ask {
    scenario: String,
    knobs: BTreeMap<Knob, u64>,
    /// Work and path, where it is not the work's own.
    paths: BTreeMap<String, String>,
}

impl Sheet {
    /// The scenario of that name, among those that the library lists.
    pub(super) fn named(name: &str, library: &Library) -> Result<Sheet, Fault> {
        let Some(entry) = library.find(FileKind::Scenario, name, None)? else {
            let known: Vec<String> =
                library.list(FileKind::Scenario, None)?.into_iter().map(|entry| entry.name).collect();
            let near = nearest(name, known.iter().map(String::as_str));
            let near = near.map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
            let fault = Fault::new(format!("there is no scenario called \"{}\"", short(name)));
            return Err(fault.help(format!("{near}known: {}", known.join(", "))));
        };
        Sheet::of(entry, library)
    }

    pub(super) fn of(entry: Entry, library: &Library) -> Result<Sheet, Fault> {
        let scenario = load_text(&entry.name, &entry.text, library, &[])?.scenario;
        let sliders = KNOBS.into_iter().filter_map(|knob| knob.slider(&scenario)).collect();
        let paths = path_choices(&scenario, library)?;
        Ok(Sheet { entry, scenario, sliders, paths })
    }

    /// Checks a query's parameters.
    pub(super) fn ask(&self, parameters: &Parameters) -> Result<Ask, Fault> {
        let (knobs, paths) = Default::default();
        let mut ask = Ask { scenario: self.entry.name.clone(), knobs, paths };
        for (name, value) in parameters.iter().filter(|(name, _)| name != "scenario") {
            match name.strip_prefix("path.") {
                Some(work) => self.choose(&mut ask, work, value)?,
                None => self.turn(&mut ask, name, value)?,
            }
        }
        Ok(ask)
    }

    fn turn(&self, ask: &mut Ask, name: &str, value: &str) -> Result<(), Fault> {
        let slider = Knob::of_name(name).and_then(|knob| self.slider(knob));
        let slider = slider.ok_or_else(|| {
            let known: Vec<&str> = self.sliders.iter().map(|slider| slider.knob.name()).collect();
            Fault::new(format!("there is no slider called \"{}\"", short(name)))
                .help(format!("known: {}, and path.WORK", known.join(", ")))
        })?;
        let amount = slider.knob.read(short(value), slider)?;
        let is_own = !slider.mixed && slider.values.get(slider.own) == Some(&slider.knob.text(amount));
        if !is_own {
            ask.knobs.insert(slider.knob, amount);
        }
        Ok(())
    }

    fn choose(&self, ask: &mut Ask, work: &str, path: &str) -> Result<(), Fault> {
        let spec = self.scenario.works.get(work).map(|work| &work.value.path.value);
        let own = spec.ok_or_else(|| {
            let known: Vec<&str> = self.scenario.works.keys().map(String::as_str).collect();
            Fault::new(format!("the scenario has no work called \"{}\"", short(work)))
                .help(format!("its works: {}", known.join(", ")))
        })?;
        let direction = self.paths.iter().find(|choice| choice.name == *own).map(|choice| choice.direction);
        let fits: Vec<&str> =
            self.paths.iter().filter(|p| Some(p.direction) == direction).map(|p| p.name.as_str()).collect();
        if !fits.contains(&path) {
            return Err(Fault::new(format!("work \"{}\" cannot take a path called \"{}\"", short(work), short(path)))
                .help(format!("paths of its direction: {}", fits.join(", "))));
        }
        if path != own {
            ask.paths.insert(work.to_string(), path.to_string());
        }
        Ok(())
    }

    /// The slider of a knob.
    pub(super) fn slider(&self, knob: Knob) -> Option<&Slider> {
        self.sliders.iter().find(|slider| slider.knob == knob)
    }

    /// The edits that a question lays over the file.
    pub(super) fn edits(&self, ask: &Ask) -> Vec<Edit> {
        let path = |(work, path): (&String, &String)| Edit { key: format!("works.{work}.path"), value: path.clone() };
        let paths = ask.paths.iter().map(path);
        paths.chain(ask.knobs.iter().flat_map(|(knob, amount)| knob.edits(*amount, &self.scenario))).collect()
    }

    /// The scenario with what was asked laid over it.
    pub(super) fn load(&self, ask: &Ask, library: &Library) -> Result<Loaded, Fault> {
        load_text(&self.entry.name, &self.entry.text, library, &self.edits(ask))
    }

    /// The file that a person would write for it.
    pub(super) fn toml(&self, ask: &Ask) -> Result<String, Fault> {
        let edits = self.edits(ask);
        if edits.is_empty() {
            return Ok(self.entry.text.clone());
        }
        edited_text(&self.entry.name, &self.entry.text, &edits)
    }

    /// The command that prints the same figures.
    pub(super) fn command(&self, ask: &Ask) -> String {
        let set = |edit: Edit| {
            let (key, value) = (edit.key, edit.value);
            format!(" --set '{key}={value}'")
        };
        let sets: String = self.edits(ask).into_iter().map(set).collect();
        format!("hopsim run {} --mode settled{sets}", self.entry.name)
    }
}

impl Ask {
    /// The same with one knob at another value.
    pub(super) fn with(&self, sheet: &Sheet, knob: Knob, text: &str) -> Result<Ask, Fault> {
        let mut ask = self.clone();
        ask.knobs.remove(&knob);
        sheet.turn(&mut ask, knob.name(), text)?;
        Ok(ask)
    }
}

fn path_choices(scenario: &Scenario, library: &Library) -> Result<Vec<PathChoice>, Fault> {
    let mut choices: Vec<PathChoice> = Vec::new();
    for (name, path) in &scenario.paths {
        choices.push(PathChoice { name: name.clone(), direction: path.direction, title: path.title.clone() });
    }
    for entry in library.list(FileKind::Path, None)? {
        if let Some(direction) = direction(&entry)
            && !choices.iter().any(|choice| choice.name == entry.name)
        {
            choices.push(PathChoice { name: entry.name, direction, title: entry.title });
        }
    }
    choices.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(choices)
}

/// Which way the bytes of a path's file go.
fn direction(entry: &Entry) -> Option<Direction> {
    let table: toml::Table = entry.text.parse().ok()?;
    match table.get("direction")?.as_str()? {
        "read" => Some(Direction::Read),
        "write" => Some(Direction::Write),
        _ => None,
    }
}

/// What somebody sent, short enough to be said back.
fn short(text: &str) -> &str {
    text.char_indices().nth(80).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        Sheet::named("load-640gb-textbook", &Library::default()).unwrap()
    }

    fn asked(parameters: &[(&str, &str)]) -> Result<Ask, Fault> {
        let parameters = parameters.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        sheet().ask(&parameters)
    }

    #[test]
    fn a_slider_at_its_own_value_asks_for_nothing() {
        assert_eq!(
            asked(&[("gpus", "8"), ("size", "1024 KiB"), ("path.gds", "gds-read")]).unwrap(),
            asked(&[]).unwrap()
        );
    }

    #[test]
    fn an_unknown_slider_work_or_path_is_refused_with_the_known_ones() {
        for wrong in [("gpu", "4"), ("path.x", "gds-read"), ("path.gds", "gds-write"), ("path.gds", "../../etc/passwd")]
        {
            let fault = asked(&[wrong]).unwrap_err();
            assert!(fault.advice().is_some(), "{wrong:?}");
        }
    }

    #[test]
    fn the_short_file_and_the_edits_are_the_same_scenario() {
        let sheet = sheet();
        let library = Library::default();
        let all = asked(&[
            ("gpus", "4"),
            ("threads", "2"),
            ("depth", "4"),
            ("size", "64 KiB"),
            ("nics", "1"),
            ("gpu_lanes", "8"),
            ("nic_lanes", "4"),
            ("target_rate", "40 GB/s"),
            ("path.gds", "compat-read"),
        ])
        .unwrap();
        let file = load_text("load-640gb-textbook", &sheet.toml(&all).unwrap(), &library, &[]).unwrap();
        let edited = sheet.load(&all, &library).unwrap();
        let sections = |text: &str| -> Vec<String> {
            let all = text.split("\n\n").map(|section| section.trim().to_string());
            all.filter(|section| !section.starts_with("[[expect]]")).collect()
        };
        assert_eq!(sections(&file.canonical), sections(&edited.canonical));
    }
}
