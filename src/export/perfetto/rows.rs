//! The rows of a trace: processes by name, in them threads by name and by how many slices overlap.
//!
//! Knows names and times. Must not know what a slice is of.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::event::Event;

/// A row: where a slice goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    /// The process's number, from 1.
    pub process: u64,
    /// The thread's number, from 1; no two rows share one.
    pub thread: u64,
}

/// Something on a resource for a while, in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Slice {
    pub process: String,
    pub thread: String,
    pub name: String,
    pub from: u64,
    pub to: u64,
    /// The journey that it is a part of.
    pub journey: usize,
    /// The hop that it is the first capacity of.
    pub hop: Option<usize>,
}

impl Slice {
    /// As an event on a row.
    pub(super) fn event(&self, row: Row) -> Option<Event> {
        Event::slice(row, &self.name, "hop", self.from, self.to, json!({}))
    }
}

/// All rows so far. Processes are numbered in the order that they come up, which is the order that viewers show.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    processes: Vec<String>,
    /// Threads: process, name and which of the rows of that name.
    threads: BTreeMap<(u64, String, usize), u64>,
}

impl Rows {
    /// The number of a process.
    pub(super) fn process(&mut self, name: &str) -> u64 {
        let known = self.processes.iter().position(|known| known == name);
        let at = known.unwrap_or_else(|| {
            self.processes.push(name.to_string());
            self.processes.len() - 1
        });
        at as u64 + 1
    }

    /// The row of a name in a process; `copy` counts rows of the same name.
    pub(super) fn row(&mut self, process: &str, thread: &str, copy: usize) -> Row {
        let process = self.process(process);
        let next = self.threads.len() as u64 + 1;
        let thread = *self.threads.entry((process, thread.to_string(), copy)).or_insert(next);
        Row { process, thread }
    }

    /// Rows for slices, so that none overlaps another on its row.
    pub(super) fn place(&mut self, mut slices: Vec<Slice>) -> Vec<(Row, Slice)> {
        slices.sort_by(|a, b| (a.from, a.journey, a.hop, &a.thread).cmp(&(b.from, b.journey, b.hop, &b.thread)));
        // When the last slice of each row ends.
        let mut ends: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
        let mut placed = Vec::with_capacity(slices.len());
        for slice in slices {
            let rows = ends.entry((slice.process.clone(), slice.thread.clone())).or_default();
            let free = rows.iter().position(|end| *end <= slice.from);
            let copy = free.unwrap_or(rows.len());
            match free {
                Some(copy) => rows[copy] = slice.to,
                None => rows.push(slice.to),
            }
            placed.push((self.row(&slice.process, &slice.thread, copy), slice));
        }
        placed
    }

    /// Events that name and order processes and threads; the first process carries what is left out.
    pub(super) fn names(&self, note: &str) -> Vec<Value> {
        let mut names = vec![meta("process_labels", 1, 0, json!({ "labels": note }))];
        for (index, name) in self.processes.iter().enumerate() {
            let pid = index as u64 + 1;
            names.push(meta("process_name", pid, 0, json!({ "name": name })));
            names.push(meta("process_sort_index", pid, 0, json!({ "sort_index": pid })));
        }
        // In order of process, name and copy.
        for (place, ((pid, name, copy), tid)) in self.threads.iter().enumerate() {
            let name = if *copy == 0 { name.clone() } else { format!("{name} ({})", copy + 1) };
            names.push(meta("thread_name", *pid, *tid, json!({ "name": name })));
            names.push(meta("thread_sort_index", *pid, *tid, json!({ "sort_index": place })));
        }
        names
    }
}

fn meta(name: &str, pid: u64, tid: u64, args: Value) -> Value {
    json!({ "ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args })
}
