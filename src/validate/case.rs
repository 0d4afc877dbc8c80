//! Cases: a measured figure, the scenario that should give it, and how the point was used.
//!
//! Knows `family.toml` and `cases.toml`. Must not know how a scenario is run.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use crate::error::{Fault, Sources, nearest};
use crate::platform::{Edit, Folder, TextFile};

/// Files of a family's folder that are no scenarios.
const OWN_FILES: [&str; 2] = ["family", "cases"];

/// A family: one publication or test bench, and what was measured there.
#[derive(Clone, Debug)]
pub struct Family {
    /// What it is called.
    pub name: String,
    /// The folder's name, by which it may be asked for too.
    pub folder: String,
    /// One line about it.
    pub title: String,
    /// Where it was published.
    pub reference: String,
    /// What the predictions must reach.
    pub gate: Option<Gate>,
    /// Its scenarios by name.
    pub scenarios: IndexMap<String, TextFile>,
    /// Its cases, in the order of the file.
    pub cases: Vec<Case>,
}

/// What a family's predicted points must reach, per cent.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// The median error at most.
    pub median: f64,
    /// The 90th percentile of the errors at most.
    pub p90: f64,
}

/// How a point was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// No figure of a model was fitted on it.
    #[default]
    Predicted,
    /// Figures were fitted on it.
    Fitted,
    /// A lower bound: the prediction must be no less.
    AtLeast,
    /// An upper bound: the prediction must be no more.
    AtMost,
}

impl Use {
    /// Whether it is a bound rather than a figure to meet.
    pub fn is_bound(self) -> bool {
        matches!(self, Use::AtLeast | Use::AtMost)
    }
}

/// A measured figure.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// The scenario that should give it.
    pub scenario: String,
    /// What differs from the scenario as it is written.
    pub edits: Vec<Edit>,
    /// The key of the report.
    pub key: String,
    /// What was measured, in that key's unit.
    pub measured: f64,
    /// The relative spread of the measurement, where it was published.
    pub spread: Option<f64>,
    /// How the point was used.
    pub usage: Use,
    /// The name that it shares with the same measurement by another path, where settings alone do not say so.
    pub pair: Option<String>,
}

/// `family.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FamilyFile {
    family: Option<String>,
    title: String,
    #[serde(default)]
    reference: String,
    gate: Option<Gate>,
}

/// `cases.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CasesFile {
    #[serde(default)]
    case: Vec<Spanned<CaseEntry>>,
}

/// A `[[case]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseEntry {
    id: String,
    scenario: Spanned<String>,
    #[serde(default)]
    set: IndexMap<String, toml::Value>,
    key: String,
    measured: Spanned<f64>,
    spread: Option<f64>,
    #[serde(default, rename = "use")]
    usage: Use,
    pair: Option<String>,
    /// For whoever reads the file.
    #[serde(rename = "note")]
    _note: Option<String>,
}

/// Reads a family from its folder.
///
/// # Errors
/// A [`Fault`] with its place if a file does not say what it must.
pub fn read(folder: &Folder) -> Result<Family, Fault> {
    let head: FamilyFile = parse(file(folder, "family")?)?;
    let listed = file(folder, "cases")?;
    let cases: CasesFile = parse(listed)?;
    let scenarios: IndexMap<String, TextFile> =
        folder.files.iter().filter(|(name, _)| !OWN_FILES.contains(&name.as_str())).map(owned).collect();
    let mut family = Family {
        name: head.family.unwrap_or_else(|| folder.name.clone()),
        folder: folder.name.clone(),
        title: head.title,
        reference: head.reference,
        gate: head.gate,
        scenarios,
        cases: Vec::new(),
    };
    for entry in cases.case {
        let case = case(entry, &family, listed)?;
        family.cases.push(case);
    }
    Ok(family)
}

fn owned((name, text): (&String, &TextFile)) -> (String, TextFile) {
    (name.clone(), text.clone())
}

fn file<'a>(folder: &'a Folder, name: &str) -> Result<&'a TextFile, Fault> {
    folder.files.get(name).ok_or_else(|| {
        Fault::new(format!("the family {} has no {name}.toml", folder.name))
            .help("a family's folder holds family.toml, cases.toml and the scenarios that the cases name")
    })
}

fn parse<T: serde::de::DeserializeOwned>(file: &TextFile) -> Result<T, Fault> {
    toml::from_str(&file.text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        at(file, span, error.message(), "here")
            .help("a case has id, scenario, key and measured; set, spread, use as needed")
    })
}

fn at(file: &TextFile, span: std::ops::Range<usize>, message: &str, label: &str) -> Fault {
    let mut sources = Sources::default();
    sources.add(&file.shown, file.text.as_str());
    Fault::at(&sources, &span, message, label)
}

fn case(entry: Spanned<CaseEntry>, family: &Family, file: &TextFile) -> Result<Case, Fault> {
    let span = entry.span();
    let entry = entry.into_inner();
    let twice = family.cases.iter().any(|other| other.id == entry.id);
    if twice {
        let message = format!("the id \"{}\" is there twice", entry.id);
        return Err(at(file, span, &message, "the second time").help("give every case an id of its own"));
    }
    let (measured, place) = (*entry.measured.get_ref(), entry.measured.span());
    if !(measured.is_finite() && measured > 0.0) {
        let message = format!("case {}: {measured} cannot have been measured", entry.id);
        return Err(
            at(file, place, &message, "expected a number above zero").help("errors are relative to this figure")
        );
    }
    if !family.scenarios.contains_key(entry.scenario.get_ref()) {
        return Err(no_scenario(&entry, family, file));
    }
    Ok(Case {
        id: entry.id,
        scenario: entry.scenario.into_inner(),
        edits: entry.set.into_iter().map(|(key, value)| Edit { key, value: value.to_string() }).collect(),
        key: entry.key,
        measured,
        spread: entry.spread,
        usage: entry.usage,
        pair: entry.pair,
    })
}

fn no_scenario(entry: &CaseEntry, family: &Family, file: &TextFile) -> Fault {
    let name = entry.scenario.get_ref();
    let known: Vec<&str> = family.scenarios.keys().map(String::as_str).collect();
    let label = nearest(name, known.iter().copied()).map(|near| format!("did you mean \"{near}\"?"));
    let message = format!("case {}: there is no {name}.toml beside cases.toml", entry.id);
    at(file, entry.scenario.span(), &message, &label.unwrap_or_else(|| "no such file".to_string()))
        .help(format!("scenarios of this family: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(cases: &str) -> Folder {
        let text = |name: &str, text: &str| {
            (name.to_string(), TextFile { shown: format!("{name}.toml"), text: text.to_string() })
        };
        let family = text("family", "family = \"F\"\ntitle = \"A family\"\ngate = { median = 10, p90 = 30 }\n");
        Folder { name: "f".into(), files: [family, text("cases", cases), text("run", "schema = 1")].into() }
    }

    #[test]
    fn a_case_is_predicted_unless_it_says_otherwise() {
        let family = read(&folder("[[case]]\nid = \"a\"\nscenario = \"run\"\nkey = \"k\"\nmeasured = 2\n")).unwrap();
        assert_eq!((family.cases[0].usage, family.cases[0].measured), (Use::Predicted, 2.0));
    }

    #[test]
    fn what_a_case_sets_becomes_edits_in_the_order_of_the_file() {
        let set = "set = { \"works.a.size\" = \"4 KiB\", \"works.a.depth\" = 8 }";
        let text = format!("[[case]]\nid = \"a\"\nscenario = \"run\"\nkey = \"k\"\nmeasured = 2.5\n{set}\n");
        let edits = read(&folder(&text)).unwrap().cases.remove(0).edits;
        let texts: Vec<String> = edits.iter().map(|edit| format!("{}={}", edit.key, edit.value)).collect();
        assert_eq!(texts, ["works.a.size=\"4 KiB\"", "works.a.depth=8"]);
    }

    #[test]
    fn what_is_wrong_with_a_case_is_said_with_its_line() {
        let whole = |cases: &str| crate::error::render(&read(&folder(cases)).unwrap_err(), false, 100);
        let good = "[[case]]\nid = \"a\"\nscenario = \"run\"\nkey = \"k\"\nmeasured = 2\n";
        insta::assert_snapshot!("case-twice", whole(&good.repeat(2)));
        insta::assert_snapshot!("case-without-scenario", whole(&good.replace("\"run\"", "\"ran\"")));
        insta::assert_snapshot!("case-of-zero", whole(&good.replace("= 2", "= 0")));
        insta::assert_snapshot!("case-unknown-key", whole(&good.replace("key =", "kay =")));
        insta::assert_snapshot!("case-unknown-use", whole(&format!("{good}use = \"guessed\"\n")));
    }
}
