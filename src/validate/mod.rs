//! Predictions held against measurements: cases in files, run in parallel, their errors in a table.
//!
//! Knows cases, runs and errors. Must not know pictures or the terminal.

mod case;
mod errors;
mod figures;
mod json;
mod markdown;
mod mechanisms;
mod rows;
mod runs;
mod settings;
mod sign;
mod text;

use crate::error::{Fault, nearest};
use crate::platform::Library;

pub use case::{Family, Gate, Use};
pub use errors::{Errors, FamilyErrors, Point, Table};
pub use mechanisms::{MECHANISMS, Mechanism, by_name};
pub use rows::total;
pub use runs::Running;
pub use sign::{Signs, Wrong};

/// A form in which the table can be written.
#[derive(Debug)]
pub struct Form {
    /// What `--format` calls it.
    pub name: &'static str,
    /// Writes it.
    pub write: fn(&Table) -> String,
}

/// All forms; the first is the default.
pub const FORMS: &[Form] = &[
    Form { name: "text", write: text::table },
    Form { name: "markdown", write: markdown::table },
    Form { name: "json", write: json::table },
];

/// The families of a library: those asked for, or all.
///
/// # Errors
/// A [`Fault`] if there is no such family, or none at all, or a file does not say what it must.
pub fn families(library: &Library, asked: &[String]) -> Result<Vec<Family>, Fault> {
    let all: Vec<Family> = library.families()?.iter().map(case::read).collect::<Result<_, _>>()?;
    for name in asked {
        if !all.iter().any(|family| is_called(family, name)) {
            let known: Vec<&str> = all.iter().map(|family| family.name.as_str()).collect();
            let near = nearest(name, known.iter().copied()).map(|n| format!("did you mean {n}? ")).unwrap_or_default();
            return Err(Fault::new(format!("there is no family called \"{name}\""))
                .help(format!("{near}known: {}", known.join(", "))));
        }
    }
    if all.is_empty() {
        return Err(Fault::new("there are no validation cases").help("they live in models/validation/<family>/"));
    }
    Ok(all.into_iter().filter(|f| asked.is_empty() || asked.iter().any(|name| is_called(f, name))).collect())
}

fn is_called(family: &Family, name: &str) -> bool {
    [&family.name, &family.folder].into_iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Runs families and makes their table.
///
/// # Errors
/// Every [`Fault`] of every case.
pub fn validate(families: &[Family], running: &Running<'_>) -> Result<Table, Vec<Fault>> {
    let ran = runs::run(families, running)?;
    errors::table(families, &ran, running.without.iter().map(|mechanism| mechanism.name.to_string()).collect())
}
