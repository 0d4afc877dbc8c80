//! `--trace`: a run as a trace for Perfetto.
//!
//! Knows where the trace goes and how much of it is wanted. Must not know what is in it.

use std::path::{Path, PathBuf};

use super::{World, output};
use crate::error::Fault;
use crate::export::{Traced, trace};
use crate::platform::{Assumed, Loaded, seal};
use crate::study::{Options, watch};
use crate::trace::{Journeys, Timeline, changes};

/// A trace beside the report.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Tracing {
    /// Write a trace that ui.perfetto.dev opens (Chrome trace JSON): resources, requests, arrows from hop to hop
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// How many requests of each work the trace shows one by one; counters always cover the whole run
    #[arg(long, value_name = "N", default_value_t = 500, requires = "trace", value_parser = clap::value_parser!(u64).range(0..=100_000))]
    trace_requests: u64,
}

impl Tracing {
    /// A trace is of one scenario.
    pub(super) fn of_one(&self, scenarios: &[String]) -> Result<(), Fault> {
        match (&self.trace, scenarios.len()) {
            (Some(file), 2..) => {
                Err(Fault::new(format!("--trace {}: several scenarios cannot go into one trace", file.display()))
                    .help("run them one at a time, each with a file of its own"))
            }
            _ => Ok(()),
        }
    }

    /// Where it goes, if one is wanted.
    pub(super) fn file(&self) -> Option<&Path> {
        self.trace.as_deref()
    }

    /// Runs once more with eyes on every request, and writes what they saw.
    pub(super) fn write(&self, loaded: &Loaded, options: &Options, world: &World) -> Result<(), Fault> {
        let Some(file) = &self.trace else { return Ok(()) };
        let plan = seal(&loaded.scenario, &loaded.sources, Assumed::Value)?;
        let observers =
            |plan: &engine::Plan| (Timeline::new(plan), Journeys::new(plan.works.len(), self.trace_requests));
        let (report, (timeline, journeys)) = watch(loaded, options, observers)?;
        let tracks = timeline.tracks();
        let changes = changes(&tracks);
        let traced = Traced { plan: &plan, report: &report, journeys: &journeys, tracks: &tracks, changes: &changes };
        output::whole(file, trace(&traced).as_bytes())?;
        world.say(&format!("trace in {}: open it at https://ui.perfetto.dev", file.display()));
        Ok(())
    }
}
