//! Traces as a viewer reads them: every rule of the trace event format that ours rest on is checked event by event.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn hopsim(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").output().unwrap()
}

/// The trace of a scenario, with so many requests of each work.
fn trace(scenario: &str, requests: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["run", scenario, "--mode", "settled", "--trace", "trace.json", "--trace-requests", requests];
    let output = hopsim(folder.path(), &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&std::fs::read(folder.path().join("trace.json")).unwrap()).unwrap()
}

fn events(trace: &Value) -> &[Value] {
    trace["traceEvents"].as_array().unwrap()
}

fn of<'a>(trace: &'a Value, kinds: &'static str) -> impl Iterator<Item = &'a Value> {
    events(trace).iter().filter(move |event| kinds.contains(event["ph"].as_str().unwrap()))
}

/// Nanoseconds of a key in microseconds, which has no finer part.
fn ns(event: &Value, key: &str) -> i64 {
    let us = event[key].as_f64().unwrap_or_else(|| panic!("{key} of {event}"));
    let ns = us * 1e3;
    assert!((ns - ns.round()).abs() < 1e-3, "{event} is finer than a nanosecond");
    ns.round() as i64
}

fn row(event: &Value) -> (u64, u64) {
    (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap())
}

/// Keys that an event of a kind must have, and those that it may have besides.
fn keys_of(kind: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        "M" => (&["name", "pid", "tid", "ts", "args"], &[]),
        "X" => (&["name", "cat", "pid", "tid", "ts", "dur", "args"], &[]),
        "i" => (&["name", "cat", "pid", "tid", "ts", "s"], &[]),
        "s" | "t" => (&["name", "cat", "id", "pid", "tid", "ts"], &[]),
        "f" => (&["name", "cat", "id", "pid", "tid", "ts", "bp"], &[]),
        "C" => (&["name", "pid", "ts", "args"], &[]),
        other => panic!("events of kind {other} are none of ours"),
    }
}

fn has_the_keys_of_its_kind(event: &Value) {
    let (must, may) = keys_of(event["ph"].as_str().unwrap());
    let keys = event.as_object().unwrap();
    for key in must {
        assert!(keys.contains_key(*key), "{event} has no {key}");
    }
    for key in keys.keys().filter(|key| *key != "ph") {
        assert!(must.contains(&key.as_str()) || may.contains(&key.as_str()), "{event} has {key}");
    }
    assert!(ns(event, "ts") >= 0);
}

/// All that a viewer relies on.
fn is_well_formed(trace: &Value) {
    assert_eq!(trace["displayTimeUnit"], "ns");
    events(trace).iter().for_each(has_the_keys_of_its_kind);
    let times: Vec<i64> = events(trace).iter().map(|event| ns(event, "ts")).collect();
    assert!(times.is_sorted(), "events are in order of time");
    let named = |name: &str| -> Vec<(u64, u64)> { of(trace, "M").filter(|e| e["name"] == name).map(row).collect() };
    let (processes, threads) = (named("process_name"), named("thread_name"));
    for event in of(trace, "Xistf") {
        let (pid, tid) = row(event);
        assert!(threads.contains(&(pid, tid)), "{event} is on a row without a name");
    }
    for event in of(trace, "XistfC") {
        let pid = event["pid"].as_u64().unwrap();
        assert!(processes.iter().any(|process| process.0 == pid), "{event} is of a process without a name");
    }
}

/// The slices of each row, by begin.
fn slices(trace: &Value) -> BTreeMap<(u64, u64), Vec<(i64, i64)>> {
    let mut rows: BTreeMap<(u64, u64), Vec<(i64, i64)>> = BTreeMap::new();
    for event in of(trace, "X") {
        let from = ns(event, "ts");
        rows.entry(row(event)).or_default().push((from, from + ns(event, "dur")));
    }
    rows
}

/// Slices of one row lie beside or within each other: a viewer draws nothing else.
fn slices_nest(trace: &Value) {
    for (row, mut slices) in slices(trace) {
        slices.sort_by_key(|(from, to)| (*from, -to));
        let mut open: Vec<i64> = Vec::new();
        for (from, to) in slices {
            open.retain(|end| *end > from);
            assert!(open.last().is_none_or(|end| to <= *end), "slices of {row:?} overlap at {from}");
            open.push(to);
        }
    }
}

/// Every arrow starts once and ends once, runs forward, and stands on slices all the way.
fn arrows_stand_on_slices(trace: &Value) {
    let rows = slices(trace);
    let mut arrows: BTreeMap<u64, Vec<(String, i64)>> = BTreeMap::new();
    for event in of(trace, "stf") {
        let at = ns(event, "ts");
        let on = &rows[&row(event)];
        assert!(on.iter().any(|(from, to)| *from <= at && at < *to), "{event} stands on nothing");
        let kind = event["ph"].as_str().unwrap().to_string();
        arrows.entry(event["id"].as_u64().unwrap()).or_default().push((kind, at));
    }
    assert!(!arrows.is_empty());
    for (id, parts) in arrows {
        let kinds: String = parts.iter().map(|part| part.0.as_str()).collect();
        let middle = kinds.trim_start_matches('s').trim_end_matches('f');
        assert!(kinds.starts_with('s') && kinds.ends_with('f'), "arrow {id} is {kinds}");
        assert!(middle.chars().all(|part| part == 't') && middle.len() + 2 == kinds.len(), "arrow {id} is {kinds}");
        assert!(parts.iter().map(|part| part.1).is_sorted(), "arrow {id} runs backwards");
    }
}

#[test]
fn a_trace_keeps_the_format_that_viewers_read() {
    for scenario in ["one-at-a-time-textbook", "checkpoint-140gb"] {
        let trace = trace(scenario, "40");
        is_well_formed(&trace);
        slices_nest(&trace);
        arrows_stand_on_slices(&trace);
    }
}

#[test]
fn an_arrow_goes_along_every_hop_of_a_request() {
    let trace = trace("one-at-a-time-textbook", "1");
    let mut stops: Vec<usize> = Vec::new();
    for id in of(&trace, "s").map(|event| event["id"].as_u64().unwrap()) {
        stops.push(of(&trace, "stf").filter(|event| event["id"].as_u64() == Some(id)).count());
    }
    stops.sort_unstable();
    assert_eq!(stops, [3, 5], "three hops with GDS and five without");
}

#[test]
fn counters_tell_shares_of_the_whole_and_end_at_nothing() {
    let trace = trace("load-640gb-textbook", "0");
    let mut last: BTreeMap<(u64, String), f64> = BTreeMap::new();
    for event in of(&trace, "C") {
        let value = event["args"].as_object().unwrap().values().next().unwrap().as_f64().unwrap();
        let name = event["name"].as_str().unwrap().to_string();
        assert!((0.0..=100.01).contains(&value) || name != "utilisation", "{event}");
        last.insert((event["pid"].as_u64().unwrap(), name), value);
    }
    assert!(last.len() > 5 && last.values().all(|value| *value == 0.0), "{last:?}");
}

#[test]
fn what_binds_is_marked_when_it_changes() {
    let trace = trace("checkpoint-140gb", "0");
    let marks: Vec<&str> = of(&trace, "i").map(|event| event["name"].as_str().unwrap()).collect();
    let has = |name: &str| marks.contains(&name);
    assert!(has("binds: root_complex") && has("binds: dram"), "{marks:?}");
}

#[test]
fn a_trace_is_bounded_and_says_what_it_left_out() {
    let (few, many) = (trace("load-640gb-textbook", "10"), trace("load-640gb-textbook", "20"));
    let requests = |trace: &Value| of(trace, "X").filter(|event| event["cat"] == "request").count();
    assert_eq!((requests(&few), requests(&many)), (20, 40));
    let said = few["otherData"]["left_out"].as_str().unwrap();
    assert!(said.contains("gds: the first 10 of ") && said.contains("counters and marks cover"), "{said}");
    assert!(of(&few, "M").any(|event| event["args"]["labels"] == few["otherData"]["left_out"]));
}

#[test]
fn the_same_bytes_come_twice() {
    assert_eq!(trace("checkpoint-140gb", "20").to_string(), trace("checkpoint-140gb", "20").to_string());
}

#[test]
fn several_scenarios_do_not_go_into_one_trace() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["run", "load-640gb", "checkpoint-140gb", "--trace", "t.json"];
    let output = hopsim(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("several scenarios cannot go into one trace"));
}
