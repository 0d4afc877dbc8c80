//! Mechanisms that can be left out, to see what each brings: one line a mechanism in [`MECHANISMS`].
//!
//! Knows keys of resolved scenarios. Must not know what a mechanism does to time.

use toml::{Table, Value};

use crate::error::{Fault, nearest};

/// Something that a model may have.
#[derive(Clone, Copy, Debug)]
pub struct Mechanism {
    /// Its name, as it is typed.
    pub name: &'static str,
    /// What a system without it is like.
    pub without: &'static str,
    change: Change,
}

/// What is done to a scenario with everything inside it.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// Keys are taken out; `*` is any name or item.
    Remove(&'static [&'static str]),
    /// Keys that are there get a value instead of what they hold.
    Replace(&'static [&'static str], &'static str),
    /// Slots whose name has the word are held no more; an empty word is in every name.
    Free(&'static str),
}

const fn removed(name: &'static str, without: &'static str, keys: &'static [&'static str]) -> Mechanism {
    Mechanism { name, without, change: Change::Remove(keys) }
}

const fn freed(name: &'static str, without: &'static str, word: &'static str) -> Mechanism {
    Mechanism { name, without, change: Change::Free(word) }
}

/// Where tables by size stand.
const BY_SIZE: &[&str] =
    &["node.*.costs_by_size", "fabric.costs_by_size", "target.costs_by_size", "works.*.target.costs_by_size"];
/// What a copy engine takes for a transfer beside its bytes.
const OVERHEADS: &[&str] = &["node.gpu.copies.overhead_to_gpu", "node.gpu.copies.overhead_from_gpu"];
/// Servers of a target.
const SERVERS: &[&str] =
    &["target.read_server", "target.write_server", "works.*.target.read_server", "works.*.target.write_server"];
/// Caps of a target's single streams and clients.
const TARGET_CAPS: &[&str] = &[
    "target.stream_cap",
    "target.stream_cap_read",
    "target.stream_cap_write",
    "target.client_cap_read",
    "target.client_cap_write",
    "works.*.target.stream_cap",
    "works.*.target.stream_cap_read",
    "works.*.target.stream_cap_write",
    "works.*.target.client_cap_read",
    "works.*.target.client_cap_write",
];

/// All mechanisms.
pub const MECHANISMS: &[Mechanism] = &[
    removed("soft-dram", "system memory slows nobody before it is full", &["node.dram.soft"]),
    removed("residency", "no copy finds its bytes in the last cache", &["node.dram.cache"]),
    removed("hot-lines", "a copy engine does not mind lines in a core's cache", &["node.gpu.copies.hot_lines"]),
    freed("locks", "no slot that a path names is held", ""),
    freed("inode-lock", "writers of one file do not wait for each other", "inode"),
    freed("staging-lock", "the driver's staging buffers are free at once", "staging"),
    freed("submit-lock", "threads submit to a GPU side by side", "submit"),
    freed("driver-lock", "threads are in the driver side by side", "driver"),
    removed("pageable", "pageable buffers are copied like pinned ones", &["node.gpu.copies.pageable"]),
    removed("by-size", "steps take the same time at every size", BY_SIZE),
    Mechanism {
        name: "engine-overhead",
        without: "a copy engine takes the time of the bytes alone",
        change: Change::Replace(OVERHEADS, "0 s"),
    },
    removed("cut", "no request is cut into parts or pieces", &["paths.*.cut"]),
    removed("both-directions", "the directions of a link do not know each other", &["node.*.both_directions"]),
    removed("message-rate", "a NIC's queue pairs take any number of messages", &["node.nic.message_service"]),
    removed("server", "a target serves any number of requests at once", SERVERS),
    removed("target-caps", "a target gives all it has to one stream or client", TARGET_CAPS),
    removed("write-overhead", "a write sends its payload and no more", &["target.write_overhead"]),
];

/// The mechanism of that name.
///
/// # Errors
/// A [`Fault`] that lists the known ones.
pub fn by_name(name: &str) -> Result<&'static Mechanism, Fault> {
    MECHANISMS.iter().find(|mechanism| mechanism.name == name).ok_or_else(|| {
        let known = MECHANISMS.iter().map(|mechanism| mechanism.name);
        let near = nearest(name, known.clone()).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        Fault::new(format!("--without {name}: there is no such mechanism"))
            .help(format!("{near}known: {}", known.collect::<Vec<_>>().join(", ")))
    })
}

/// A resolved scenario without some mechanisms.
pub fn without(resolved: &str, mechanisms: &[&Mechanism]) -> Result<String, Fault> {
    let mut root: Table = resolved.parse().map_err(|error| Fault::new(format!("a resolved scenario: {error}")))?;
    for mechanism in mechanisms {
        match mechanism.change {
            Change::Remove(keys) => keys.iter().for_each(|key| remove(&mut root, key)),
            Change::Replace(keys, value) => {
                keys.iter().for_each(|key| each(&mut root, key, &mut |at, last| replace(at, last, value)));
            }
            Change::Free(word) => each(&mut root, "paths.*.legs.*.holds", &mut |leg, last| free(leg, last, word)),
        }
    }
    Ok(root.to_string())
}

fn remove(root: &mut Table, key: &str) {
    each(root, key, &mut |at, last| {
        at.remove(last);
    });
}

fn replace(at: &mut Table, last: &str, value: &str) {
    if at.contains_key(last) {
        at.insert(last.to_string(), Value::String(value.to_string()));
    }
}

fn free(leg: &mut Table, last: &str, word: &str) {
    if let Some(Value::Array(holds)) = leg.get_mut(last) {
        holds.retain(|hold| !hold.get("slot").and_then(Value::as_str).is_some_and(|slot| slot.contains(word)));
    }
}

/// Does something to every table that a dotted key leads to, with the key's last name.
fn each(table: &mut Table, key: &str, act: &mut dyn FnMut(&mut Table, &str)) {
    let Some((first, rest)) = key.split_once('.') else { return act(table, key) };
    for (_, below) in table.iter_mut().filter(|(name, _)| first == "*" || first == name.as_str()) {
        step(below, rest, act);
    }
}

fn step(value: &mut Value, rest: &str, act: &mut dyn FnMut(&mut Table, &str)) {
    match value {
        Value::Table(table) => each(table, rest, act),
        Value::Array(items) => {
            // Every item of a list, whichever way the key spells that.
            let rest = rest.strip_prefix("*.").unwrap_or(rest);
            items.iter_mut().for_each(|item| step(item, rest, act));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESOLVED: &str = "schema = 1
[node.dram]
rate = \"400 GB/s\"
soft = { cpu = \"1 GB/s\" }
[node.gpu.copies]
overhead_to_gpu = { value = \"2 us\", source = \"fitted\" }
[paths.a]
cut = { piece = \"1 MiB\" }
[[paths.a.legs]]
name = \"copy\"
holds = [{ slot = \"inode lock\", per = \"file\" }, { slot = \"driver lock\", per = \"gpu\" }]
";

    fn left(name: &str) -> Table {
        without(RESOLVED, &[by_name(name).unwrap()]).unwrap().parse().unwrap()
    }

    #[test]
    fn a_key_of_a_part_is_taken_out_and_the_rest_stays() {
        let dram = &left("soft-dram")["node"]["dram"];
        assert_eq!((dram.get("soft"), dram["rate"].as_str()), (None, Some("400 GB/s")));
    }

    #[test]
    fn one_lock_is_freed_and_the_others_are_held() {
        let slots = |name: &str| left(name)["paths"]["a"]["legs"][0]["holds"].as_array().map(Vec::len);
        assert_eq!([slots("inode-lock"), slots("staging-lock"), slots("locks")], [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn an_overhead_becomes_nothing() {
        assert_eq!(left("engine-overhead")["node"]["gpu"]["copies"]["overhead_to_gpu"].as_str(), Some("0 s"));
    }

    #[test]
    fn cuts_go_from_every_path() {
        assert!(left("cut")["paths"]["a"].get("cut").is_none());
    }

    #[test]
    fn an_unknown_mechanism_is_refused_with_the_known_ones() {
        let fault = by_name("inode_lock").unwrap_err();
        assert!(fault.advice().is_some_and(|advice| advice.starts_with("did you mean inode-lock? known: soft-dram")));
    }
}
