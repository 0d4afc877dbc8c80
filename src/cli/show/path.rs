//! A path as a person reads it: leg by leg, step by step, hop by hop.
//!
//! Knows what a path looks like in TOML. Must not know what a step costs.

use toml::{Table, Value};

/// All paths of a file: the file itself if it is one, and those in `[paths]`.
pub(super) fn all(file: &Table) -> String {
    let inside = file.get("paths").and_then(Value::as_table).into_iter().flatten();
    let inside = inside.filter_map(|(name, path)| Some(format!("path {name}\n{}", told(path.as_table()?))));
    let own = file.contains_key("legs").then(|| told(file));
    own.into_iter().chain(inside).collect()
}

fn told(path: &Table) -> String {
    let mut hop = 0;
    let legs = list(path, "legs").map(|leg| told_leg(leg, &mut hop)).collect::<Vec<_>>();
    let held = path.get("holds_thread").and_then(Value::as_bool) == Some(true);
    let held = if held { "  a request holds a CPU thread from first to last\n" } else { "" };
    format!("{held}{}{}\n", cut(path), legs.concat())
}

/// How a path cuts requests, in words.
fn cut(path: &Table) -> String {
    let Some(cut) = path.get("cut").and_then(Value::as_table) else { return String::new() };
    let figure = |key: &str| cut.get(key).map(|value| plain(value.get("value").unwrap_or(value)));
    let most = figure("most").map(|most| format!(", at most {most}")).unwrap_or_default();
    let per = figure("helpers_per").unwrap_or_else(|| "gpu".to_string());
    let helpers = figure("helpers").map(|count| format!(", with {count} helper threads per {per}")).unwrap_or_default();
    let piece = figure("piece").map(|piece| format!("  cut into pieces of {piece} side by side{most}{helpers}\n"));
    let part = figure("part").map(|part| format!("  cut into parts of at most {part}, one after another\n"));
    piece.into_iter().chain(part).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn told_leg(leg: &Table, hop: &mut usize) -> String {
    let mut lines = vec![format!("  leg \"{}\", moved by {}\n", word(leg, "name"), word(leg, "mover"))];
    lines.extend(list(leg, "holds").map(slot));
    lines.extend(list(leg, "before").map(step));
    for ends in list(leg, "hops") {
        *hop += 1;
        lines.push(format!("    hop {hop}: {} > {}\n", word(ends, "from"), word(ends, "to")));
    }
    lines.extend(list(leg, "after").map(step));
    lines.concat()
}

fn slot(slot: &Table) -> String {
    let places = slot.get("places").map_or(1, |places| places.as_integer().unwrap_or(1));
    let many = if places == 1 { String::new() } else { format!(", {places} places") };
    format!("    holds {} (one per {}{many})\n", word(slot, "slot"), word(slot, "per"))
}

fn step(step: &Table) -> String {
    format!("    {}  ({})\n", word(step, "what"), word(step, "cost"))
}

fn list<'a>(table: &'a Table, key: &str) -> impl Iterator<Item = &'a Table> {
    table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}

fn word<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hops_are_numbered_along_the_whole_path() {
        let path = "[[legs]]\nname = \"fetch\"\nmover = \"nic\"\nbefore = [{ what = \"asks\", cost = \"cpu.call\" }]\n\
                    hops = [{ from = \"storage\", to = \"nic\" }, { from = \"nic\", to = \"kernel buffer\" }]\n\
                    [[legs]]\nname = \"copy\"\nmover = \"cpu\"\nhops = [{ from = \"kernel buffer\", to = \"user buffer\" }]\n";
        insta::assert_snapshot!(all(&path.parse().unwrap()));
    }
}
