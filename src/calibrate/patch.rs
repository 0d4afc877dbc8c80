//! The patch: fitted figures as TOML, with where they come from.
//!
//! Knows keys and values. Must not know where the file is kept.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Calibration;

/// Writes the patch. With a model's name it is a model of its own that stands on that one; without, keys to lay over the
/// scenario. `prefix` is what the keys have before them in the scenario and not in the model.
pub fn patch(calibration: &Calibration, model: Option<&str>, prefix: &str) -> String {
    let reference = format!("fitted on {} points of {}", calibration.residuals.len(), calibration.data);
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    for fitted in &calibration.fitted {
        let key = fitted.key.strip_prefix(prefix).unwrap_or(&fitted.key);
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let value = if fitted.is_number { fitted.value.clone() } else { quoted(&fitted.value) };
        let line = format!("{name} = {{ value = {value}, source = \"fitted\", reference = {} }}\n", quoted(&reference));
        tables.entry(table.to_string()).or_default().push_str(&line);
    }
    let mut text = match model {
        Some(model) => format!(
            "# The model {model} with fitted figures; give this file a name of its own.\nmodel = {}\n",
            quoted(model)
        ),
        None => "# Fitted figures: lay these keys over those of the scenario.\n".to_string(),
    };
    for (table, lines) in tables {
        let _ = if table.is_empty() { write!(text, "{lines}") } else { write!(text, "\n[{table}]\n{lines}") };
    }
    text
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}
