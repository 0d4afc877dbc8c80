//! One event of a trace.
//!
//! Knows the letters of the trace event format. Must not know what an event is about.

use serde_json::{Value, json};

use super::rows::Row;

/// Whole nanoseconds: viewers keep no finer time, and what abuts must not overlap.
pub(super) fn ns(ps: u64) -> u64 {
    ps / 1000
}

/// Where an arrow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Start,
    Step,
    Finish,
}

/// An event; times are in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// When it begins.
    pub ts: u64,
    rest: Value,
}

impl Event {
    /// Something that lasts; `None` where it lasts less than a nanosecond.
    pub(super) fn slice(row: Row, name: &str, category: &str, from: u64, to: u64, about: Value) -> Option<Event> {
        let dur = us(to.checked_sub(from).filter(|lasts| *lasts > 0)?);
        let (pid, tid) = (row.process, row.thread);
        let rest = json!({ "ph": "X", "name": name, "cat": category, "pid": pid, "tid": tid, "dur": dur, "args": about });
        Some(Event { ts: from, rest })
    }

    /// A moment for all tracks to see.
    pub(super) fn mark(row: Row, name: &str, at: u64) -> Event {
        let (pid, tid) = (row.process, row.thread);
        Event { ts: at, rest: json!({ "ph": "i", "s": "g", "name": name, "cat": "binds", "pid": pid, "tid": tid }) }
    }

    /// A part of an arrow, at the slice that goes on there then.
    pub(super) fn arrow(row: Row, id: usize, flow: Flow, at: u64) -> Event {
        let ph = match flow {
            Flow::Start => "s",
            Flow::Step => "t",
            Flow::Finish => "f",
        };
        let (pid, tid) = (row.process, row.thread);
        let mut rest = json!({ "ph": ph, "name": "next hop", "cat": "hops", "id": id, "pid": pid, "tid": tid });
        if let (Flow::Finish, Some(rest)) = (flow, rest.as_object_mut()) {
            // It ends at the slice around it, not at the next one.
            rest.insert("bp".to_string(), json!("e"));
        }
        Event { ts: at, rest }
    }

    /// A quantity from now on.
    pub(super) fn counter(process: u64, name: &str, unit: &str, at: u64, value: f64) -> Event {
        Event { ts: at, rest: json!({ "ph": "C", "name": name, "pid": process, "args": { unit: value } }) }
    }

    /// As the format wants it: times in microseconds.
    pub(super) fn json(&self) -> Value {
        let mut event = self.rest.clone();
        if let Some(event) = event.as_object_mut() {
            event.insert("ts".to_string(), json!(us(self.ts)));
        }
        event
    }
}

/// Microseconds with three decimals, exactly as far as viewers read them.
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}
