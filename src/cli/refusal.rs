//! Scenarios that must be refused: their `[[expect]]` lines say `error = "part of the message"`.
//!
//! Knows where a scenario's text is. Must not know why it is refused.

use std::path::Path;

use super::World;
use crate::error::{self, Fault};
use crate::format::FileKind;

/// What a scenario that was refused says about that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It must be refused, with this message.
    AsExpected,
    /// It must be refused, but with a message that says this.
    Otherwise(String),
    /// Nothing: it should have run.
    Unexpected,
}

/// Judges a refusal by the scenario's own text.
pub(super) fn judge(scenario: &str, fault: &Fault, world: &World) -> Verdict {
    let expected = text(scenario, world).map(|text| expected_errors(&text)).unwrap_or_default();
    let whole = error::render(fault, false, usize::MAX);
    let missing = expected.iter().find(|part| !fault.message().contains(*part) && !whole.contains(*part));
    match (expected.is_empty(), missing) {
        (true, _) => Verdict::Unexpected,
        (false, None) => Verdict::AsExpected,
        (false, Some(part)) => Verdict::Otherwise(part.clone()),
    }
}

fn text(scenario: &str, world: &World) -> Option<String> {
    let shipped = world.library.find(FileKind::Scenario, scenario, None).ok().flatten().map(|entry| entry.text);
    let path = Path::new(scenario);
    if path.is_file() { std::fs::read_to_string(path).ok() } else { shipped }
}

/// The errors that a scenario's text expects. A text that is no TOML at all may still expect that: its lines are then read
/// one by one.
fn expected_errors(text: &str) -> Vec<String> {
    match text.parse::<toml::Table>() {
        Ok(table) => errors_of(&table),
        Err(_) => text.lines().filter_map(|line| line.trim().parse::<toml::Table>().ok()).flat_map(one_error).collect(),
    }
}

fn errors_of(table: &toml::Table) -> Vec<String> {
    let expectations = table.get("expect").and_then(toml::Value::as_array).into_iter().flatten();
    expectations.filter_map(|e| e.get("error")?.as_str().map(str::to_string)).collect()
}

fn one_error(line: toml::Table) -> Option<String> {
    line.get("error")?.as_str().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expected_error_is_found_in_a_scenario() {
        assert_eq!(expected_errors("x = 1\n[[expect]]\nerror = \"no unit\"\nwhy = \"because\""), ["no unit"]);
    }

    #[test]
    fn an_expected_error_is_found_in_a_text_that_is_no_toml() {
        assert_eq!(expected_errors("x = = 1\n[[expect]]\nerror = \"equals sign\""), ["equals sign"]);
    }

    #[test]
    fn a_scenario_that_expects_figures_expects_no_error() {
        assert!(expected_errors("[[expect]]\nthat = \"works.a.duration_s\"\nequals = 1").is_empty());
    }
}
