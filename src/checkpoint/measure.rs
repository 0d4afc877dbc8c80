//! From a scheme's scenario to its times: run it, and read save, stall, memory and what binds off the report.
//!
//! Knows works by name and what of a report counts. Must not know how figures are printed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use crate::error::Fault;
use crate::platform::Loaded;
use crate::report::{Binding, Done, Report, WorkReport};
use crate::statistics::mean_and_variance;
use crate::study::{self, Options};
use engine::Mode;

use super::environment::{Environment, put_imbalance};
use super::file::Cache;
use super::finish;
use super::scenario::{How, Load};
use super::scheme::{Kind, Part, Scheme};

/// What is measured: where, and how bytes are put on their way.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    pub(super) environment: &'a Environment,
    pub(super) how: &'a How,
    /// Every request, or as it suits the size.
    pub(super) mode: Option<Mode>,
}

/// Times of one save.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Times {
    /// From the beginning until all is safe: the last rank's.
    pub save_s: f64,
    /// The same with every assumed figure at its fast end.
    pub low_s: Option<f64>,
    /// The same with every assumed figure at its slow end.
    pub high_s: Option<f64>,
    /// For how long training waits.
    pub stall_s: f64,
    /// How long the rest goes on beside training.
    pub drain_s: f64,
    /// When ranks have sent their last byte, in seconds from the beginning.
    pub ranks_done_s: Option<Done>,
    /// The path that the bytes took.
    pub path: String,
    /// What binds the longest part.
    pub binds: String,
    /// Its share of that part's time.
    pub binds_share: f64,
    /// What would bind next.
    pub next: Option<NextLimit>,
    /// Bytes of requests in system memory of a node at a time.
    pub in_flight_bytes: u64,
    /// The share of its time that rests on assumed figures.
    pub assumed_share: f64,
    /// By which share its times may be off, where streams found no balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unbalanced: Option<f64>,
}

/// What binds once the first limit is gone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextLimit {
    /// Its name.
    pub name: String,
    /// The least time that it allows.
    pub floor_s: f64,
}

/// Save times of several repetitions, with files laid out anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Repetitions {
    /// How many.
    pub count: u64,
    /// Mean of the last rank's time.
    pub mean_s: f64,
    /// Standard deviation.
    pub deviation_s: f64,
    /// The shortest.
    pub least_s: f64,
    /// The longest.
    pub most_s: f64,
    /// By which share one of them may be off, where streams found no balance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unbalanced: Option<f64>,
}

/// Requests beyond which a run may stop when it has settled.
const MANY: u64 = 20_000;

/// Nodes whose requests are simulated one by one; those of more are streams.
const FEW: u64 = 4;

impl Bench<'_> {
    /// How a load is simulated: every request of few; of many, as if all went on as they settle; as streams where there are many
    /// nodes, or ranks whose ends are not to be extrapolated from their beginnings.
    pub(super) fn mode(&self, load: &Load) -> Mode {
        let requests = load.bytes / self.how.size.value.0.max(1);
        self.mode.unwrap_or(match load.by_gpu.is_empty() {
            _ if load.nodes > FEW => Mode::Fluid,
            _ if requests <= MANY => Mode::Request,
            true => Mode::Settled,
            false => Mode::Fluid,
        })
    }

    fn options(&self, load: &Load, skip_ends: bool) -> Options {
        Options { mode: Some(self.mode(load)), skip_ends, ..Options::default() }
    }

    fn run(&self, loaded: &Loaded, options: &Options) -> Result<Report, Fault> {
        study::run(loaded, options, None).map_err(|fault| self.environment.told(fault))
    }

    /// Times of a save by a scheme.
    pub(super) fn save(&self, scheme: Scheme, load: &Load, skip_ends: bool) -> Result<Times, Fault> {
        let loaded = self.environment.save(scheme, load, self.how);
        let report = self.run(&loaded, &self.options(load, skip_ends))?;
        let mut times = times(scheme, &report, self.how);
        times.in_flight_bytes = times.in_flight_bytes.div_ceil(load.nodes.max(1));
        Ok(times)
    }

    /// Repeats a save with files laid over data nodes by chance.
    pub(super) fn repeat(
        &self,
        scheme: Scheme,
        load: &Load,
        files: u64,
        count: u64,
        seed: u64,
    ) -> Result<Option<Repetitions>, Fault> {
        let Some((nodes, width)) = self.environment.stripes() else { return Ok(None) };
        let (mut times, mut unbalanced) = (Vec::new(), None);
        for repetition in 0..count {
            let uneven = imbalance(files, nodes, width, seed.wrapping_add(repetition));
            let environment = self.environment.changed(|scenario| put_imbalance(&mut scenario.target, uneven));
            let save = Bench { environment: &environment, ..*self }.save(scheme, load, true)?;
            times.push(save.save_s);
            unbalanced = unbalanced.into_iter().chain(save.unbalanced).reduce(f64::max);
        }
        Ok(Some(Repetitions { unbalanced, ..repetitions(&times) }))
    }

    /// When each rank's last byte of a scheme was done, in seconds from its beginning: a node's ranks after another's.
    pub(super) fn finishes(&self, scheme: Scheme, load: &Load) -> Result<Vec<(usize, f64)>, Fault> {
        let loaded = self.environment.save(scheme, load, self.how);
        finish::of_lanes(&loaded, scheme, self.mode(load)).map_err(|fault| self.environment.told(fault))
    }

    /// Seconds of reading everything back, by a path.
    pub(super) fn load(&self, scheme: Scheme, cache: Cache, load: &Load) -> Result<(String, f64, String), Fault> {
        let path = match (cache, scheme.asks_gds() && !scheme.is_local() && !self.environment.is_tcp()) {
            (Cache::Warm, _) => "warm-read",
            (Cache::Cold, true) => "gds-read",
            (Cache::Cold, false) => "bounce-read",
        };
        let loaded = self.environment.restore(path, load, self.how);
        let report = self.run(&loaded, &self.options(load, true))?;
        let work = &report.works[0];
        Ok((work.path_taken.clone(), work.duration_s, leader(work).0))
    }

    /// How many times longer what training moves takes beside a drain of so many bytes a second from a node, and how long a
    /// byte of it takes alone.
    pub(super) fn slowdown(&self, gpus: u64, drain_bytes_a_second: f64) -> Result<(f64, f64), Fault> {
        let pace = drain_bytes_a_second / self.how.size.value.0.max(1) as f64;
        let rate = |drain: Option<f64>| -> Result<f64, Fault> {
            let loaded = self.environment.training(gpus, self.how, drain);
            let options = Options { mode: Some(Mode::Request), skip_ends: true, ..Options::default() };
            let report = self.run(&loaded, &options)?;
            let step = report.works.iter().find(|work| work.name == "step");
            Ok(step.map_or(0.0, |work| work.throughput_gb_s * 1e9))
        };
        // A pace that would be written as none is none.
        let pace = Some(pace).filter(|pace| *pace >= 0.001);
        let alone = rate(None)?;
        let beside = pace.map_or(Ok(alone), |pace| rate(Some(pace)))?;
        Ok(((alone / beside.max(1.0)).max(1.0), gpus as f64 / alone.max(1.0)))
    }
}

/// Reads a scheme's times off its report.
fn times(scheme: Scheme, report: &Report, how: &How) -> Times {
    let parts = scheme.parts();
    let of = |name: &str| report.works.iter().find(|work| work.name == name);
    let nominal: fn(&WorkReport) -> Option<f64> = |work| Some(work.duration_s);
    let chain = |stalls: Option<bool>, figure: fn(&WorkReport) -> Option<f64>| -> Option<f64> {
        let on = parts.iter().filter(|part| stalls.is_none_or(|stalls| part.stalls == stalls));
        // Drives are read while the drain goes on: the longer of the two counts.
        let reload = of("reload").and_then(figure).unwrap_or(0.0);
        let time = |part: &Part| {
            let own = of(part.name).and_then(figure)?;
            Some(match part.name {
                "reload" => 0.0,
                "drain" => own.max(reload),
                _ => own,
            })
        };
        on.map(time).sum()
    };
    // Ranks meet before they go on from a copy in memory.
    let meets = if scheme.stages() { how.barrier.seconds() } else { 0.0 };
    let movers = parts.iter().filter(|part| matches!(part.kind, Kind::Bytes | Kind::Local)).filter_map(|s| of(s.name));
    let longest = movers.clone().max_by(|a, b| a.duration_s.total_cmp(&b.duration_s)).unwrap_or(&report.works[0]);
    let (binds, binds_share) = leader(longest);
    let taken: Vec<&str> = movers.clone().map(|work| work.path_taken.as_str()).collect();
    Times {
        save_s: chain(None, nominal).unwrap_or(0.0) + meets,
        low_s: chain(None, |work| work.low_s).map(|time| time + meets),
        high_s: chain(None, |work| work.high_s).map(|time| time + meets),
        stall_s: chain(Some(true), nominal).unwrap_or(0.0) + meets,
        // Adding zero makes the sum of nothing a plain 0.
        drain_s: chain(Some(false), nominal).unwrap_or(0.0) + 0.0,
        ranks_done_s: movers.clone().next_back().and_then(|last| ranks_done(report, &parts, last, meets)),
        path: taken.join(" > "),
        binds,
        binds_share,
        next: next_limit(longest),
        in_flight_bytes: movers.map(|work| work.peak_host_bytes).max().unwrap_or(0),
        assumed_share: report.assumed_share,
        unbalanced: report.works.iter().filter_map(|work| work.unbalanced).reduce(f64::max),
    }
}

/// When ranks are done with the last mover, counted from where the works before it and, with staging, the barrier are over;
/// sessions are left out.
fn ranks_done(report: &Report, parts: &[Part], last: &WorkReport, meets: f64) -> Option<Done> {
    let earlier = parts.iter().take_while(|part| part.name != last.name).filter(|part| part.name != "reload");
    let durations = earlier.filter_map(|part| report.works.iter().find(|work| work.name == part.name));
    let before: f64 = durations.map(|work| work.duration_s).sum();
    let from = if before > 0.0 { before + meets } else { 0.0 };
    let Done { first, mean, last } = last.gpus_done_s?;
    Some(Done { first: from + first, mean: from + mean, last: from + last })
}

/// What binds a work, and its share.
fn leader(work: &WorkReport) -> (String, f64) {
    work.binding.first().map_or_else(Default::default, |entry| (entry.name.clone(), entry.share))
}

/// The longest floor of what does not bind: no schedule is faster than it, once the first limit is gone.
fn next_limit(work: &WorkReport) -> Option<NextLimit> {
    let first = work.binding.first().and_then(Binding::group);
    let next = work.floors.iter().find(|floor| Some(floor.group.as_str()) != first)?;
    Some(NextLimit { name: next.group.clone(), floor_s: next.floor_s })
}

fn repetitions(times: &[f64]) -> Repetitions {
    let (mean_s, variance) = mean_and_variance(times);
    Repetitions {
        count: times.len() as u64,
        mean_s,
        deviation_s: libm::sqrt(variance),
        least_s: times.iter().copied().fold(f64::INFINITY, f64::min),
        most_s: times.iter().copied().fold(0.0, f64::max),
        unbalanced: None,
    }
}

/// The load of the fullest of some data nodes over the mean, with files laid over `width` of them, the first by chance and
/// the others next to it.
fn imbalance(files: u64, nodes: u64, width: u64, seed: u64) -> f64 {
    let mut stream = ChaCha8Rng::seed_from_u64(seed);
    let mut load = vec![0u64; nodes as usize];
    for _ in 0..files {
        // Of 64 bits, the upper ones of the product: even to one part in 2^64 / nodes.
        let first = ((u128::from(stream.next_u64()) * u128::from(nodes)) >> 64) as u64;
        (0..width).for_each(|turn| load[((first + turn) % nodes) as usize] += 1);
    }
    let fullest = load.iter().copied().max().unwrap_or(0) as f64;
    fullest * nodes as f64 / (files * width).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_over_all_data_nodes_lie_evenly() {
        assert_eq!(imbalance(100, 10, 10, 1), 1.0);
    }

    #[test]
    fn few_files_on_one_data_node_each_lie_unevenly_and_many_less_so() {
        let mean = |files| (0..50).map(|seed| imbalance(files, 10, 1, seed)).sum::<f64>() / 50.0;
        let (few, many) = (mean(20), mean(2_000));
        assert!(few > 1.5 && (1.0..1.3).contains(&many), "{few} {many}");
    }
}
