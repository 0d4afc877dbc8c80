//! What each mechanism brings: the errors with it left out, one mechanism at a time.
//!
//! Knows which mechanisms a family's models have. Must not know what they do.

use serde::Serialize;

use super::case::{Family, Use};
use super::errors::{Errors, Point, Table, errors};
use super::mechanisms::{MECHANISMS, Mechanism, has};
use super::rows;
use super::runs::{Running, load};
use super::validate;
use crate::error::Fault;
use crate::table::plain;

/// Columns of the widest line.
const WIDTH: usize = 160;

/// Errors over the predicted points of all families asked for, gated or not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Brought {
    /// What was left out; none of all in the first row.
    pub without: Option<String>,
    /// What a system without it is like.
    pub meaning: String,
    /// The errors that are left then.
    pub errors: Errors,
    /// The bounds and signs that are wrong then.
    pub wrong: usize,
}

/// The errors with everything, then with each mechanism left out that some model has.
///
/// # Errors
/// Every [`Fault`] of every case, if it cannot be run with everything.
pub fn ablation(families: &[Family], running: &Running<'_>) -> Result<Vec<Brought>, Vec<Fault>> {
    let mut rows = vec![row(None, &validate(families, running)?)];
    for mechanism in MECHANISMS.iter().filter(|mechanism| anybody_has(families, running, mechanism)) {
        let without = [running.without, &[mechanism]].concat();
        rows.push(match validate(families, &Running { without: &without, ..*running }) {
            Ok(table) => row(Some(mechanism), &table),
            Err(faults) => stays(mechanism, &faults),
        });
    }
    Ok(rows)
}

/// Whether a family's scenario has it; one case of each scenario is looked at.
fn anybody_has(families: &[Family], running: &Running<'_>, mechanism: &Mechanism) -> bool {
    families.iter().any(|family| {
        family.scenarios.keys().any(|name| {
            let case = family.cases.iter().find(|case| case.scenario == *name);
            let loaded = case.and_then(|case| load(family, case, running.library).ok());
            loaded.is_some_and(|loaded| has(&loaded.resolved, mechanism))
        })
    })
}

/// Models that do not run without a mechanism say so.
fn stays(mechanism: &Mechanism, faults: &[Fault]) -> Brought {
    let why = faults.first().map_or("", Fault::message);
    let meaning = format!("{} cases cannot be run: {why}", faults.len());
    Brought { without: Some(mechanism.name.to_string()), meaning, errors: Errors::default(), wrong: 0 }
}

fn row(mechanism: Option<&Mechanism>, table: &Table) -> Brought {
    let points: Vec<&Point> = table.families.iter().flat_map(|family| &family.points).collect();
    Brought {
        without: mechanism.map(|mechanism| mechanism.name.to_string()),
        meaning: mechanism.map_or("everything as the models say", |mechanism| mechanism.without).to_string(),
        errors: errors(&points, Use::Predicted),
        wrong: table.families.iter().map(|f| f.bounds_violated.len() + f.signs.wrong.len()).sum(),
    }
}

/// The rows as text for people.
pub fn ablation_text(brought: &[Brought]) -> String {
    plain(rows::ABLATION, brought.iter().map(rows::brought).collect(), WIDTH)
}
