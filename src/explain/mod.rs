//! One request alone through its path: who acts, what it costs, what sets the pace, where the bytes rest.
//!
//! Knows the sealed plan and its closed form (delays and bytes over rate, leg after leg). Must not know that other requests
//! exist, nor how a run is carried out.

mod canvas;
mod cut;
mod diagram;
mod layout;
mod markdown;
mod pace;
#[cfg(test)]
mod sample;
mod scene;
mod side;
mod svg;
mod teller;
mod text;

use serde::Serialize;

use crate::error::Fault;
use engine::units::{Bytes, Factor};
use engine::{Direction, Kind, Lane, Leg, Plan, Sizes, Station, Work};

pub use cut::Pieces;
pub use diagram::diagram;
pub use markdown::markdown;
pub use pace::{Pace, Slowed, pace};
pub use scene::{Place, Scene, State, Way, overview, scenes};
pub use svg::svg;
use teller::{session, steps};
pub use text::{at_step, opening, text, together};

/// One request's way, told in steps.
#[derive(Clone, Debug, Serialize)]
pub struct Story {
    /// The work's name.
    pub work: String,
    /// Which way the bytes go.
    pub direction: Direction,
    /// The path that the request takes.
    pub path: String,
    /// The path that it asked for.
    pub path_asked: String,
    /// The rules that decided.
    pub why: Vec<String>,
    /// What the request measures, in bytes.
    pub bytes: u64,
    /// How that size was chosen where the work has several.
    pub size_note: Option<String>,
    /// The GPU whose request it is.
    pub gpu: u64,
    /// What it holds from its first step to its last.
    pub holds: Vec<String>,
    /// What is done once before the first request, in order; no part of the total.
    pub session: Vec<Step>,
    /// How software cuts it, if it does; the steps are then those of one part.
    pub cut: Option<Pieces>,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// All together, in picoseconds.
    pub total_ps: u64,
    /// How long the bytes of one part move, in picoseconds.
    pub moving_ps: u64,
    /// Hops of the path.
    pub hops: usize,
    /// Host buffers in which the bytes rest on their way.
    pub host_buffers: usize,
    /// Copies that the CPU issues for a byte.
    pub cpu_copies: u64,
    /// What the request charges to system memory, in bytes.
    pub dram_bytes: u64,
    /// Requests that the work keeps outstanding, on all GPUs together; 0 for an open loop.
    pub outstanding: u64,
}

/// A step of the way.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Step {
    /// Somebody does something that takes time and moves no payload.
    Control {
        /// Who acts.
        who: String,
        /// What is done.
        what: String,
        /// The cost's name: `cpu.read_call`.
        cost: String,
        /// How long it takes, in picoseconds.
        ps: u64,
        /// Up to how much longer it may take, at random, in picoseconds.
        jitter_ps: u64,
        /// Whether a core is busy meanwhile.
        on_core: bool,
        /// For how many commands it is done; the first delays the request, the others are made meanwhile.
        commands: u64,
        /// The running total, in picoseconds.
        total_ps: u64,
    },
    /// It takes a place that only so many hold at a time; alone it need not wait.
    Hold {
        /// The pool.
        slot: String,
        /// How many hold a place of it at a time.
        places: u64,
        /// How many places it takes.
        takes: u64,
        /// Until when it is held, in words.
        until: String,
    },
    /// The bytes of a leg move.
    Move {
        /// The leg.
        leg: String,
        /// Who moves them.
        who: String,
        /// The hops that they stream across, numbered along the whole path.
        hops: Vec<Hop>,
        /// What it holds meanwhile.
        holds: Vec<String>,
        /// What sets the pace; `None` where nothing does.
        pace: Option<Pace>,
        /// How long they move, in picoseconds.
        ps: u64,
        /// The running total, in picoseconds.
        total_ps: u64,
    },
    /// The bytes rest.
    Rest {
        /// Where.
        at: Station,
        /// Whether this is the end of the way.
        arrived: bool,
    },
}

/// A hop and what it crosses.
#[derive(Clone, Debug, Serialize)]
pub struct Hop {
    /// Its number on the path, from 1.
    pub number: usize,
    /// Where the bytes come from.
    pub from: Station,
    /// Where they go.
    pub to: Station,
    /// The capacities that it crosses, by name.
    pub crosses: Vec<String>,
}

/// The story of one request of each work, or of the work of that name.
pub fn explain(plan: &Plan, only: Option<&str>) -> Result<Vec<Story>, Fault> {
    let mut works: Vec<&Work> = plan.works.iter().collect();
    works.sort_by_key(|work| work.position);
    if let Some(name) = only {
        let known: Vec<String> = works.iter().map(|w| w.name.clone()).collect();
        works.retain(|work| work.name == name);
        if works.is_empty() {
            let fault = Fault::new(format!("the scenario has no work \"{name}\""));
            return Err(fault.help(format!("its works are: {}", known.join(", "))));
        }
    }
    works.into_iter().map(|work| story(plan, work)).collect()
}

fn story(plan: &Plan, work: &Work) -> Result<Story, Fault> {
    let lane = work.lanes.first().ok_or_else(|| Fault::new(format!("work \"{}\" has no GPU in use", work.name)))?;
    let (bytes, size_note) = one_size(&work.size);
    let cut = cut::pieces(plan, lane, bytes.0);
    let part = cut.as_ref().map_or(bytes, |cut| Bytes(cut.part_bytes));
    let steps = steps(plan, work, lane, part).ok_or_else(|| too_long(work))?;
    let total_ps = match &cut {
        Some(cut) => cut.in_turn(|bytes| Some(total(&self::steps(plan, work, lane, Bytes(bytes))?))),
        None => Some(total(&steps)),
    };
    let total_ps = total_ps.ok_or_else(|| too_long(work))?;
    let in_host = |leg: &&Leg| leg.hops.last().is_some_and(|hop| is_host_buffer(hop.to));
    Ok(Story {
        work: work.name.clone(),
        direction: work.direction,
        path: work.path_taken.clone(),
        path_asked: work.path_asked.clone(),
        why: work.why.clone(),
        bytes: bytes.0,
        size_note,
        gpu: lane.gpu,
        holds: lane.holds.iter().map(|hold| plan.pools[hold.pool].name.clone()).collect(),
        session: session(plan, work, lane).ok_or_else(|| too_long(work))?,
        cut,
        moving_ps: steps.iter().map(Step::moving_ps).sum(),
        steps,
        total_ps,
        hops: lane.legs.iter().map(|leg| leg.hops.len()).sum(),
        host_buffers: lane.legs.iter().filter(in_host).count(),
        cpu_copies: work.cpu_copies,
        dram_bytes: dram_bytes(plan, lane, bytes),
        outstanding: if work.arrivals.is_some() { 0 } else { work.threads * work.depth * work.lanes.len() as u64 },
    })
}

/// What a request of so many bytes charges to system memory.
fn dram_bytes(plan: &Plan, lane: &Lane, bytes: Bytes) -> u64 {
    let crossings = lane.legs.iter().flat_map(|leg| &leg.hops).flat_map(|hop| &hop.crosses);
    let memory = crossings.filter(|crossing| plan.capacities[crossing.capacity].kind == Kind::Dram);
    let charges: u128 = memory.map(|crossing| crossing.charge.0 as u128).sum();
    u64::try_from(charges * bytes.0 as u128 / Factor::ONE.0 as u128).unwrap_or(u64::MAX)
}

/// The time of a row of steps, in picoseconds.
fn total(steps: &[Step]) -> u64 {
    steps.iter().filter_map(Step::total_ps).next_back().unwrap_or(0)
}

fn too_long(work: &Work) -> Fault {
    Fault::new(format!("a request of work \"{}\" alone would take longer than 213 days", work.name))
        .help("check the rates on its path: `hopsim show` lists them")
}

/// The size of the request that is told, and how it was chosen where there are several.
fn one_size(sizes: &Sizes) -> (Bytes, Option<String>) {
    match sizes {
        Sizes::Listed(sizes) => {
            let note = (sizes.len() > 1).then(|| format!("the first of {} sizes", sizes.len()));
            (sizes.first().copied().unwrap_or_default(), note)
        }
        Sizes::Uniform(low, high) => (
            Bytes(low.0 / 2 + high.0 / 2 + (low.0 % 2 + high.0 % 2) / 2),
            Some(format!("the middle of {low} .. {high}")),
        ),
        Sizes::Exponential(mean) => (*mean, Some("the mean size".to_string())),
    }
}

impl Step {
    /// How long its bytes move, in picoseconds.
    fn moving_ps(&self) -> u64 {
        if let Step::Move { ps, .. } = self { *ps } else { 0 }
    }

    /// The running total after the step, where it takes time.
    fn total_ps(&self) -> Option<u64> {
        match self {
            Step::Control { total_ps, .. } | Step::Move { total_ps, .. } => Some(*total_ps),
            Step::Hold { .. } | Step::Rest { .. } => None,
        }
    }
}

fn is_host_buffer(station: Station) -> bool {
    matches!(station, Station::SocketBuffer | Station::KernelBuffer | Station::UserBuffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_read_as_their_golden_files_say() {
        for direction in [Direction::Read, Direction::Write] {
            let stories = explain(&sample::plan(direction), None).unwrap();
            let told: Vec<String> = stories.iter().map(|s| text(s, false, 100)).collect();
            insta::assert_snapshot!(format!("explain-{direction:?}").to_lowercase(), told.join("\n"));
        }
    }

    #[test]
    fn the_total_is_every_delay_and_every_leg_in_motion() {
        let stories = explain(&sample::plan(Direction::Read), Some("gds")).unwrap();
        // 1 MiB at 50 GB/s, rounded up to a picosecond, after 3 us + 80 us and before 2 us.
        assert_eq!(stories[0].total_ps, 85_000_000 + (1u64 << 20) * 20);
    }

    #[test]
    fn three_hops_without_a_host_buffer_and_five_with_two() {
        let stories = explain(&sample::plan(Direction::Read), None).unwrap();
        let counts: Vec<_> = stories.iter().map(|s| (s.hops, s.host_buffers)).collect();
        assert_eq!(counts, [(3, 0), (5, 2)]);
    }

    #[test]
    fn an_unknown_work_is_refused_with_the_known_ones() {
        let fault = explain(&sample::plan(Direction::Read), Some("gdx")).unwrap_err();
        assert_eq!(fault.message(), "the scenario has no work \"gdx\"");
    }
}
