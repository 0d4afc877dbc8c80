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
    format!("{held}{}\n", legs.concat())
}

fn told_leg(leg: &Table, hop: &mut usize) -> String {
    let mut lines = vec![format!("  leg \"{}\", moved by {}\n", word(leg, "name"), word(leg, "mover"))];
    lines.extend(list(leg, "before").map(step));
    for ends in list(leg, "hops") {
        *hop += 1;
        lines.push(format!("    hop {hop}: {} > {}\n", word(ends, "from"), word(ends, "to")));
    }
    lines.extend(list(leg, "after").map(step));
    lines.concat()
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
