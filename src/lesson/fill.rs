//! Texts with figures in them: `It takes {works.gds.duration_s}, {a / b | times} times as long.`
//!
//! Knows braces and units. Must not know where a figure comes from.

use serde_json::Value;

use super::figure::Unit;
use super::formula::Sum;

/// Where the figures of a text come from.
pub(super) trait Figures {
    /// What a sum over keys comes to.
    fn value(&self, formula: &str) -> Sum;
    /// The unit of a sum that says none.
    fn unit(&self, formula: &str) -> Unit;
}

/// The text with all its figures; or the placeholder that has none, and why.
pub(super) fn fill(text: &str, figures: &dyn Figures) -> Result<String, (String, String)> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let (inner, after) =
            after.split_once('}').ok_or_else(|| ("{".to_string(), "a brace is not closed".to_string()))?;
        filled.push_str(&figure(inner, figures).map_err(|why| (format!("{{{inner}}}"), why))?);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn figure(inner: &str, figures: &dyn Figures) -> Result<String, String> {
    let (formula, unit) = match inner.split_once('|') {
        Some((formula, unit)) => (formula, Unit::from_word(unit.trim())?),
        None => (inner, figures.unit(inner)),
    };
    match figures.value(formula)? {
        Value::String(text) => Ok(text),
        Value::Bool(truth) => Ok(if truth { "yes" } else { "no" }.to_string()),
        Value::Number(number) => Ok(unit.written(number.as_f64().unwrap_or(f64::NAN))),
        Value::Null => Err("it has no value in this run".to_string()),
        Value::Array(_) | Value::Object(_) => Err("it is a list or a table, not a figure".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::formula::compute;

    struct Fixed;

    impl Figures for Fixed {
        fn value(&self, formula: &str) -> Sum {
            compute(formula, &|key| match key {
                "works.a.duration_s" => Ok(Value::from(6.4)),
                "by" => Ok(Value::from("nic")),
                _ => Err(format!("no key `{key}`")),
            })
        }
        fn unit(&self, formula: &str) -> Unit {
            Unit::of_key(formula.trim())
        }
    }

    #[test]
    fn keys_become_figures_with_their_units() {
        let text = "It takes {works.a.duration_s}, {works.a.duration_s / 3.2 | times} times the floor, by {by}.";
        assert_eq!(fill(text, &Fixed).unwrap(), "It takes 6.4 s, 2 times the floor, by nic.");
    }

    #[test]
    fn a_placeholder_without_a_figure_is_named() {
        assert_eq!(fill("a {b.c} d", &Fixed).unwrap_err(), ("{b.c}".to_string(), "no key `b.c`".to_string()));
        assert_eq!(fill("a {b", &Fixed).unwrap_err().1, "a brace is not closed");
        assert!(fill("{works.a.duration_s | stones}", &Fixed).unwrap_err().1.starts_with("\"stones\" is no unit"));
    }
}
