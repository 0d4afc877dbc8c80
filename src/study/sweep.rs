//! A grid of runs: each point a row, in parallel, the same rows at any number of threads.
//!
//! Knows grids, runs and rows. Must not know where rows are kept.

use std::sync::Mutex;

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Fault;
use crate::platform::{Assumed, Edit, Library, Loaded, load, seal};
use crate::report::Report;

use super::grid::{Grid, Point};
use super::run::{digest, mode_name};
use super::{Options, run};

/// More points than this are run only when asked for once more.
pub const MANY_POINTS: u64 = 1_000_000;

/// A sweep that can be run.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The scenario's name or file.
    pub scenario: String,
    /// Where models live.
    pub library: Library,
    /// Edits laid over the scenario at every point.
    pub edits: Vec<Edit>,
    /// The points.
    pub grid: Grid,
    /// How each point is run.
    pub options: Options,
    /// The scenario without the varied keys.
    pub base: Loaded,
}

/// One point's inputs and results.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The digest of the sweep that it belongs to.
    pub sweep: String,
    /// How many points that has.
    pub points: u64,
    /// Its number, from 0.
    pub point: u64,
    /// Which of the runs with these inputs it is, from 0.
    pub replicate: u64,
    /// The varied keys with the values that they took.
    pub inputs: IndexMap<String, String>,
    /// What came out.
    pub report: Report,
}

/// A part of a sweep: every `of`-th point from the `index`-th on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u64,
    /// How many parts.
    pub of: u64,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Shard = Shard { index: 1, of: 1 };

    /// Whether a point belongs to it.
    pub fn holds(self, point: u64) -> bool {
        point % self.of == self.index - 1
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((index, of)) if (1..=of).contains(&index) => Ok(Shard { index, of }),
            _ => Err("expected i/n with i from 1 to n, such as 2/4".to_string()),
        }
    }
}

impl Sweep {
    /// Reads the scenario; the grid is `grid`, or the file's own `[sweep]` where that is `None`.
    ///
    /// # Errors
    /// A [`Fault`] for a scenario that cannot be read, or a grid in which nothing is varied.
    pub fn new(
        scenario: &str,
        library: &Library,
        edits: &[Edit],
        grid: Option<Grid>,
        replicates: Option<u64>,
        options: &Options,
    ) -> Result<Sweep, Fault> {
        let base = load(scenario, library, edits)?;
        let grid = match (grid, &base.scenario.sweep) {
            (Some(grid), _) => grid,
            (None, Some(sweep)) => Grid::of_file(&sweep.value, &base.sources)?,
            (None, None) => Grid::default(),
        };
        let grid = match replicates {
            Some(replicates) => grid.replicated(replicates),
            None => grid,
        };
        if grid.is_empty() {
            return Err(Fault::new(format!("{scenario}: nothing is varied"))
                .help("add --vary works.*.size=4KiB..16MiB:x4, or a [sweep] to the scenario (docs/sweeps.md)"));
        }
        let (edits, options) = (edits.to_vec(), options.clone());
        Ok(Sweep { scenario: scenario.to_string(), library: library.clone(), edits, grid, options, base })
    }

    /// The scenario's own name.
    pub fn name(&self) -> &str {
        self.base.scenario.name.as_deref().unwrap_or("scenario")
    }

    /// The digest of the scenario, grid, seed, mode and version.
    pub fn fingerprint(&self) -> String {
        let mode = format!("{} ends={}", mode_name(&self.options), !self.options.skip_ends);
        let seed = self.seed().to_string();
        digest(&[&self.base.canonical, &self.grid.text(), &seed, &mode, env!("CARGO_PKG_VERSION")])
    }

    /// The first seed; replicates count up from it.
    pub fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(self.base.scenario.seed)
    }

    /// Tries every value of every key once, without a run.
    ///
    /// # Errors
    /// The first [`Fault`]: a key that does not exist, a value that cannot be.
    pub fn check(&self) -> Result<(), Fault> {
        for edits in self.grid.samples() {
            let loaded = self.load(&edits)?;
            seal(&loaded.scenario, &loaded.sources, Assumed::Value).map_err(|fault| fault.about(spelled(&edits)))?;
        }
        Ok(())
    }

    fn load(&self, edits: &[Edit]) -> Result<Loaded, Fault> {
        let all = [&self.edits, edits].concat();
        load(&self.scenario, &self.library, &all)
    }

    /// Runs one point.
    fn row(&self, point: Point, fingerprint: &str) -> Result<Row, Fault> {
        let seed = self.seed().wrapping_add(point.replicate);
        let options = Options { seed: Some(seed), ..self.options.clone() };
        let report = self.load(&point.edits).and_then(|loaded| run(&loaded, &options, None));
        let report = report.map_err(|fault| fault.about(spelled(&point.edits)))?;
        let inputs = point.edits.into_iter().map(|edit| (edit.key, edit.value)).collect();
        let (sweep, points) = (fingerprint.to_string(), self.grid.points());
        Ok(Row { sweep, points, point: point.number, replicate: point.replicate, inputs, report })
    }

    /// Runs some points in parallel and hands over each row as soon as it is there, in no order.
    ///
    /// # Errors
    /// The [`Fault`] of the first of the points that failed; no further points are begun after a failure.
    pub fn run(&self, todo: &[u64], keep: &(dyn Fn(Row) -> Result<(), Fault> + Sync)) -> Result<(), Fault> {
        let fingerprint = self.fingerprint();
        let failed: Mutex<Option<(u64, Fault)>> = Mutex::new(None);
        let one = |&number: &u64| {
            let done = self.row(self.grid.point(number), &fingerprint).and_then(keep);
            done.map_err(|fault| {
                let mut failed = failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| number < *other) {
                    *failed = Some((number, fault));
                }
            })
        };
        // Points differ in how long they take, so that each is handed out on its own.
        let _: Result<(), ()> = todo.par_iter().with_max_len(1).try_for_each(one);
        match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some((_, fault)) => Err(fault),
            None => Ok(()),
        }
    }
}

fn spelled(edits: &[Edit]) -> String {
    let edits: Vec<String> = edits.iter().map(|edit| format!("{}={}", edit.key, edit.value)).collect();
    format!("at {}", edits.join(" "))
}
