//! JSON Schemas of the TOML files, for editors.
//!
//! Knows the types of the files and where a model's name may stand for a part. Must not know what is in `models/`.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{Cpu, Dram, Fabric, FileKind, Gpu, Host, Lesson, Link, Nic, Node, Path, Scenario, Software, Target, Wire};

/// The types that a model's name may stand for, as the schema calls them.
const PARTS: [&str; 9] = ["Node", "Fabric", "Target", "Gpu", "Nic", "Cpu", "Dram", "Link", "Software"];

/// The JSON Schema of a kind of file.
pub fn schema(kind: FileKind) -> Value {
    let mut schema = match kind {
        FileKind::Scenario => schema_of::<Scenario>(),
        FileKind::Path => schema_of::<Path>(),
        FileKind::Host => schema_of::<Host>(),
        FileKind::Wire => schema_of::<Wire>(),
        FileKind::Lesson => schema_of::<Lesson>(),
        FileKind::Node => schema_of::<Node>(),
        FileKind::Fabric => schema_of::<Fabric>(),
        FileKind::Target => schema_of::<Target>(),
        FileKind::Gpu => schema_of::<Gpu>(),
        FileKind::Nic => schema_of::<Nic>(),
        FileKind::Cpu => schema_of::<Cpu>(),
        FileKind::Dram => schema_of::<Dram>(),
        FileKind::Link => schema_of::<Link>(),
        FileKind::Software => schema_of::<Software>(),
    };
    if kind.folder().starts_with("models/") {
        with_model(&mut schema);
    }
    schema
}

/// The JSON Schema of a type of file, with models' names where they may stand.
pub fn schema_of<T: JsonSchema>() -> Value {
    // Editors for TOML read this draft.
    let mut schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<T>().to_value();
    for (name, part) in schema.get_mut("definitions").and_then(Value::as_object_mut).into_iter().flatten() {
        if PARTS.contains(&name.as_str()) {
            *part = part_or_name(part.take());
        }
    }
    schema
}

/// A part inside another file: a model's name, or a table in which every key may come from a model.
fn part_or_name(mut part: Value) -> Value {
    let description = part.get("description").cloned().unwrap_or(Value::Null);
    with_model(&mut part);
    if let Some(part) = part.as_object_mut() {
        // What is not here may come from a model that an outer table names, so nothing is required.
        part.remove("anyOf");
    }
    json!({ "description": description, "anyOf": [{ "type": "string", "description": "The name of a model." }, part] })
}

/// Lets a table name a model, beside which no key is required.
fn with_model(part: &mut Value) {
    let Some(part) = part.as_object_mut() else { return };
    let model = json!({ "type": "string", "description": "The name of a model, whose keys those beside it replace." });
    if let Some(properties) = part.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("model".to_string(), model);
    }
    if let Some(required) = part.remove("required") {
        let either =
            Map::from_iter([("anyOf".to_string(), json!([{ "required": ["model"] }, { "required": required }]))]);
        part.extend(either);
    }
}
