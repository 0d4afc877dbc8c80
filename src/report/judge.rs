//! Expectations of a scenario, judged on its report.
//!
//! Knows keys of the report and what a scenario says of them. Must not know how judgements are printed.

use serde_json::Value;

use crate::format::{Expectation, Literal};

use super::shape::{Judgement, Report};

/// Judges all expectations but those of an error.
pub fn judge(report: &Report, expectations: &[Expectation]) -> Vec<Judgement> {
    let tree = serde_json::to_value(report).unwrap_or(Value::Null);
    let judged = expectations.iter().filter(|expectation| expectation.error.is_none());
    judged.map(|expectation| judge_one(&tree, expectation)).collect()
}

fn judge_one(tree: &Value, expectation: &Expectation) -> Judgement {
    let that = expectation.that.clone().unwrap_or_default();
    let actual = value_at(tree, &that);
    let (expected, holds) = verdict(tree, expectation, actual.as_ref());
    let actual = match (&expectation.ratio_to, &actual) {
        (_, None) => "no such key in the report".to_string(),
        (Some(ratio), Some(value)) => {
            quotient(value, value_at(tree, &ratio.key).as_ref()).map_or("no ratio".into(), |q| format!("{q:.4}"))
        }
        (None, Some(value)) => text_of(value),
    };
    Judgement { that, expected, actual, holds, why: expectation.why.clone().unwrap_or_default() }
}

/// What was expected in words, and whether it holds.
fn verdict(tree: &Value, expectation: &Expectation, actual: Option<&Value>) -> (String, bool) {
    let number = actual.and_then(Value::as_f64);
    let mut said = Vec::new();
    let mut holds = true;
    let mut note = |words: String, truth: bool| {
        said.push(words);
        holds &= truth;
    };
    if let Some(literal) = &expectation.equals {
        note(literal_text(literal), actual.is_some_and(|value| equals(value, literal)));
    }
    if let Some(part) = &expectation.contains {
        note(format!("contains {part}"), actual.is_some_and(|value| contains(value, part)));
    }
    if let Some([low, high]) = expectation.within {
        note(format!("{low} to {high}"), number.is_some_and(|n| low <= n && n <= high));
    }
    if let Some(least) = expectation.at_least {
        note(format!("at least {least}"), number.is_some_and(|n| n >= least));
    }
    if let Some(most) = expectation.at_most {
        note(format!("at most {most}"), number.is_some_and(|n| n <= most));
    }
    if let Some(ratio) = &expectation.ratio_to {
        let [low, high] = ratio.within;
        let quotient = actual.and_then(|value| quotient(value, value_at(tree, &ratio.key).as_ref()));
        note(format!("{low} to {high} times {}", ratio.key), quotient.is_some_and(|q| low <= q && q <= high));
    }
    (said.join(" and "), holds)
}

fn quotient(value: &Value, other: Option<&Value>) -> Option<f64> {
    let (value, other) = (value.as_f64()?, other?.as_f64()?);
    (other != 0.0).then(|| value / other)
}

fn equals(value: &Value, literal: &Literal) -> bool {
    match literal {
        Literal::Bool(truth) => value.as_bool() == Some(*truth),
        Literal::Number(number) => value.as_f64() == Some(*number),
        Literal::Text(text) => value.as_str() == Some(text),
    }
}

/// Whether a text holds a part, or one text of a list does.
fn contains(value: &Value, part: &str) -> bool {
    match value {
        Value::String(text) => text.contains(part),
        Value::Array(items) => items.iter().any(|item| contains(item, part)),
        _ => false,
    }
}

fn literal_text(literal: &Literal) -> String {
    match literal {
        Literal::Bool(truth) => truth.to_string(),
        Literal::Number(number) => number.to_string(),
        Literal::Text(text) => text.clone(),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// The value at a dotted key. In a list, a part of the key is an element's number, its name (which may itself hold dots), or
/// `len`; in a list of texts it is only a number.
pub fn value_at(tree: &Value, key: &str) -> Option<Value> {
    if key.is_empty() {
        return Some(tree.clone());
    }
    match tree {
        Value::Object(map) => {
            let (first, rest) = key.split_once('.').unwrap_or((key, ""));
            value_at(map.get(first)?, rest)
        }
        Value::Array(items) if key == "len" => Some(Value::from(items.len())),
        Value::Array(items) => {
            let named = items.iter().find_map(|item| {
                let name = item.get("name")?.as_str()?;
                let rest = key.strip_prefix(name)?;
                let rest = if rest.is_empty() { rest } else { rest.strip_prefix('.')? };
                value_at(item, rest)
            });
            let (first, rest) = key.split_once('.').unwrap_or((key, ""));
            named.or_else(|| value_at(items.get(first.parse::<usize>().ok()?)?, rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_part_is_found_in_a_text_and_in_a_list_of_texts() {
        let why = json!(["nvidia-fs: the module is not loaded", "tcp: a core copies"]);
        assert!(contains(&why, "not loaded") && contains(&why[1], "core"));
        assert!(!contains(&why, "loaded, tcp") && !contains(&json!(1), "1"));
    }

    #[test]
    fn elements_are_found_by_number_and_by_names_with_dots() {
        let tree = json!({ "works": [{ "name": "gds", "resources": [{ "name": "nic0.rx", "bytes": 7 }] }] });
        assert_eq!(value_at(&tree, "works.gds.resources.nic0.rx.bytes"), Some(json!(7)));
        assert_eq!(value_at(&tree, "works.0.resources.len"), Some(json!(1)));
        assert_eq!(value_at(&tree, "works.bounce"), None);
    }
}
