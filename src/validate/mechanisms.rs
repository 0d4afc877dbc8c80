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
    /// Keys get a value, where the table that they stand in is there.
    Set(&'static [&'static str], &'static str),
    /// Slots whose name has one of the words are held no more; an empty word is in every name.
    Free(&'static [&'static str]),
    /// Tables of what adds to steps are taken out; a step that has nothing else takes no time.
    Untable(&'static str),
    /// Legs that one mover moves are moved by another.
    Mover(&'static str, &'static str),
}

const fn removed(name: &'static str, without: &'static str, keys: &'static [&'static str]) -> Mechanism {
    Mechanism { name, without, change: Change::Remove(keys) }
}

const fn freed(name: &'static str, without: &'static str, words: &'static [&'static str]) -> Mechanism {
    Mechanism { name, without, change: Change::Free(words) }
}

const fn set(
    name: &'static str,
    without: &'static str,
    keys: &'static [&'static str],
    value: &'static str,
) -> Mechanism {
    Mechanism { name, without, change: Change::Set(keys, value) }
}

/// What has named steps, and tables of what adds to them.
const PARTS: &[&str] = &["node.*", "fabric", "target", "works.*.target"];
/// How much slower a copy is on memory than on the last cache.
const PACES: &[&str] = &[
    "node.dram.cache.pace_in",
    "node.dram.cache.pace_out",
    "node.dram.cache.pace_staging_to",
    "node.dram.cache.pace_staging_from",
];
/// From which size on pageable copies go one at a time.
const SERIAL: &[&str] =
    &["node.gpu.copies.pageable.serial_above_to_gpu", "node.gpu.copies.pageable.serial_above_from_gpu"];
/// What a NIC takes for a message.
const MESSAGES: &[&str] = &["node.nic.message_service", "node.nic.queue_pairs", "node.nic.stream_cap"];
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

/// What devices reach peer to peer.
const PEERS: &[&str] = &[
    "node.peer_to_peer.root_complex_to_gpu",
    "node.peer_to_peer.root_complex_from_gpu",
    "node.peer_to_peer.across_sockets",
    "node.peer_to_peer.switch_to_gpu",
    "node.peer_to_peer.switch_from_gpu",
];

/// All mechanisms.
pub const MECHANISMS: &[Mechanism] = &[
    removed("soft-dram", "system memory slows nobody before it is full", &["node.dram.soft"]),
    removed("residency", "no copy finds its bytes in the last cache", &["node.dram.cache"]),
    removed("hot-lines", "a copy engine does not mind lines in a core's cache", &["node.gpu.copies.hot_lines"]),
    removed("pace", "a copy is as fast on memory as on the last cache", PACES),
    freed("locks", "no slot that a path names is held", &[""]),
    freed("inode-lock", "writers of one file do not wait for each other", &["inode"]),
    freed("submit-lock", "threads submit to a GPU side by side", &["submit", "driver"]),
    freed("cufile-lock", "calls of cuFile do not wait for each other", &["cufile"]),
    set("staging-lock", "the driver copies any number of pageable buffers at a time", SERIAL, "1 PB"),
    Mechanism {
        name: "staging",
        without: "pageable buffers are copied as pinned ones are",
        change: Change::Mover("staging", "copy_engine"),
    },
    Mechanism {
        name: "by-size",
        without: "steps take the same time at every size",
        change: Change::Untable("costs_by_size"),
    },
    removed("by-outstanding", "steps take the same time however many are under way", &["node.cpu.costs_per_doubling"]),
    set("engine-overhead", "a copy engine takes the time of the bytes alone", OVERHEADS, "0 s"),
    removed("cut", "no request is cut into parts or pieces", &["paths.*.cut"]),
    removed("both-directions", "the directions of a link do not know each other", &["node.*.both_directions"]),
    removed("message-rate", "a NIC's queue pairs take any number of messages", MESSAGES),
    removed("server", "a target serves any number of requests at once", SERVERS),
    removed("target-caps", "a target gives all it has to one stream or client", TARGET_CAPS),
    set("peers", "devices reach each other without a ceiling but their links", PEERS, "1000 TB/s"),
    removed("write-back", "a buffered write waits until it is on storage", &["paths.*.legs.*.write_back"]),
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
    let mut root = read(resolved)?;
    mechanisms.iter().for_each(|mechanism| mechanism.leave_out(&mut root));
    Ok(root.to_string())
}

/// Whether leaving a mechanism out changes a resolved scenario.
pub fn has(resolved: &str, mechanism: &Mechanism) -> bool {
    let Ok(root) = read(resolved) else { return false };
    let mut changed = root.clone();
    mechanism.leave_out(&mut changed);
    changed != root
}

fn read(resolved: &str) -> Result<Table, Fault> {
    resolved.parse().map_err(|error| Fault::new(format!("a resolved scenario: {error}")))
}

impl Mechanism {
    fn leave_out(&self, root: &mut Table) {
        match self.change {
            Change::Remove(keys) => keys.iter().for_each(|key| remove(root, key)),
            Change::Set(keys, value) => keys.iter().for_each(|key| {
                each(root, key, &mut |at, last| {
                    at.insert(last.to_string(), Value::String(value.to_string()));
                });
            }),
            Change::Free(words) => each(root, "paths.*.legs.*.holds", &mut |leg, last| free(leg, last, words)),
            Change::Untable(table) => PARTS.iter().for_each(|part| {
                each(root, &format!("{part}.{table}"), &mut |at, last| untable(at, last));
            }),
            Change::Mover(from, to) => each(root, "paths.*.legs.*.mover", &mut |leg, last| {
                if leg.get(last).and_then(Value::as_str) == Some(from) {
                    leg.insert(last.to_string(), Value::String(to.to_string()));
                }
            }),
        }
    }
}

fn remove(root: &mut Table, key: &str) {
    each(root, key, &mut |at, last| {
        at.remove(last);
    });
}

/// Takes out a part's table, and leaves each step that it names with what else it takes, or with nothing.
fn untable(part: &mut Table, table: &str) {
    let Some(Value::Table(tabled)) = part.remove(table) else { return };
    let costs = part.entry("costs").or_insert_with(|| Value::Table(Table::new()));
    for (name, _) in tabled {
        if let Some(costs) = costs.as_table_mut() {
            costs.entry(name).or_insert_with(|| Value::String("0 s".to_string()));
        }
    }
}

fn free(leg: &mut Table, last: &str, words: &[&str]) {
    let is_free = |hold: &Value| {
        hold.get("slot").and_then(Value::as_str).is_some_and(|slot| words.iter().any(|word| slot.contains(word)))
    };
    if let Some(Value::Array(holds)) = leg.get_mut(last) {
        holds.retain(|hold| !is_free(hold));
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
[node.cpu.costs_by_size]
copy = { points = [[\"4 KiB\", \"3 us\"]] }
[paths.a]
cut = { piece = \"1 MiB\" }
[[paths.a.legs]]
name = \"copy\"
holds = [{ slot = \"inode lock\", per = \"file\" }, { slot = \"driver lock\", per = \"gpu\" }]
[[paths.a.legs]]
name = \"write back\"
write_back = true
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
        assert_eq!([slots("inode-lock"), slots("cufile-lock"), slots("locks")], [Some(1), Some(2), Some(0)]);
    }

    #[test]
    fn what_a_model_does_not_have_cannot_be_left_out() {
        let known =
            ["soft-dram", "residency", "staging", "submit-lock"].map(|name| has(RESOLVED, by_name(name).unwrap()));
        assert_eq!(known, [true, false, false, true]);
    }

    #[test]
    fn a_key_of_any_leg_is_taken_out() {
        let leg = &left("write-back")["paths"]["a"]["legs"][1];
        assert_eq!((leg.get("write_back"), leg["name"].as_str()), (None, Some("write back")));
    }

    #[test]
    fn an_overhead_becomes_nothing() {
        assert_eq!(left("engine-overhead")["node"]["gpu"]["copies"]["overhead_to_gpu"].as_str(), Some("0 s"));
    }

    #[test]
    fn a_step_that_was_only_in_a_table_takes_no_time_without_it() {
        let cpu = &left("by-size")["node"]["cpu"];
        assert_eq!((cpu.get("costs_by_size"), cpu["costs"]["copy"].as_str()), (None, Some("0 s")));
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
