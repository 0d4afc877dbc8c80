//! A figure held against a scenario: the ceiling that no run passes, what would have to be faster, and what was to be expected.
//!
//! Knows how a claim's size and threads are laid over a work. Must not know how a run goes.

use super::claim::Claim;
use super::over::{Over, tolerance};
use super::{Expected, Judged, TooSlow, Verdict, mechanisms};
use crate::error::Fault;
use crate::format::Method;
use crate::import::Route;
use crate::platform::{Edit, Library, Loaded, load};
use crate::report::{Report, WorkReport};
use crate::study::{self, Options};
use engine::units::Bytes;
use engine::{Direction, Mode};

/// What figures are held against.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The scenario's name or file.
    pub scenario: &'a str,
    /// Where models live.
    pub library: &'a Library,
    /// Edits laid over it.
    pub edits: Vec<Edit>,
    /// The work; each by itself where none is named.
    pub work: Option<&'a str>,
}

impl Question<'_> {
    /// The scenario with some more edits.
    pub(super) fn load(&self, more: &[Edit]) -> Result<Loaded, Fault> {
        let edits: Vec<Edit> = self.edits.iter().chain(more).cloned().collect();
        load(self.scenario, self.library, &edits)
    }

    /// Runs it until throughput settles.
    pub(super) fn run(&self, more: &[Edit], skip_ends: bool) -> Result<Report, Fault> {
        let options = Options { mode: Some(Mode::Settled), skip_ends, ..Options::default() };
        study::run(&self.load(more)?, &options, None)
    }
}

/// Judges a figure: once for each work that it may speak of.
///
/// # Errors
/// A [`Fault`] if the scenario cannot be read or run, or has no such work.
pub fn judge(claim: &Claim, question: &Question<'_>) -> Result<Vec<Judged>, Fault> {
    let loaded = question.load(&[])?;
    if let Some(judged) = of_a_part(claim, &loaded) {
        return Ok(vec![judged]);
    }
    let known: Vec<&String> = loaded.scenario.works.keys().collect();
    if let Some(work) = question.work
        && !known.iter().any(|name| *name == work)
    {
        let names = known.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
        return Err(Fault::new(format!("{} has no work called \"{work}\"", question.scenario))
            .help(format!("its works are {names}")));
    }
    let edits = edits(claim, question.work);
    let report = question.run(&edits, false)?;
    let named = |work: &&WorkReport| question.work.is_none_or(|name| work.name == name);
    let fits = |work: &&WorkReport| {
        claim.direction.is_none_or(|direction| work.direction == direction) && route_fits(claim, work, &loaded)
    };
    let mut works: Vec<&WorkReport> = report.works.iter().filter(named).filter(fits).collect();
    let other_way = works.is_empty();
    if other_way {
        works = report.works.iter().filter(named).collect();
    }
    // What was measured without a GPU is nearest to the paths through system memory.
    let host = |work: &&WorkReport| method(&loaded, &work.path_asked) == Some(Method::Bounce);
    if claim.route == Some(Route::Storage) && works.iter().any(host) {
        works.retain(host);
        // Nothing says how its bytes left the kernel: the way that allows most is the one that nothing forbids.
        works.sort_by(|a, b| b.ceiling_gb_s.total_cmp(&a.ceiling_gb_s));
    }
    let most = if claim.route == Some(Route::Storage) { 1 } else { works.len() };
    let mut judged: Vec<Judged> = works
        .into_iter()
        .take(most)
        .map(|work| of_work(claim, work, question, &edits))
        .collect::<Result<_, Fault>>()?;
    if other_way {
        let note = "the scenario has no work of this direction and path: held against what it has";
        judged.iter_mut().for_each(|one| one.notes.push(note.to_string()));
    }
    Ok(judged)
}

/// Whether a work takes the way that a tool measured, where it says which.
fn route_fits(claim: &Claim, work: &WorkReport, loaded: &Loaded) -> bool {
    let method = method(loaded, &work.path_asked);
    match claim.route {
        Some(Route::Gds) => method != Some(Method::Bounce),
        Some(Route::Bounce | Route::Cached) => method != Some(Method::Gds),
        _ => true,
    }
}

/// By which method a path goes.
pub(super) fn method(loaded: &Loaded, path: &str) -> Option<Method> {
    loaded.scenario.paths.get(path).map(|path| path.method)
}

/// The claim's size and concurrency, for the works that are judged.
fn edits(claim: &Claim, work: Option<&str>) -> Vec<Edit> {
    let work = work.unwrap_or("*");
    // A benchmark of storage alone counts its threads, not those of a GPU.
    let per_gpu = claim.route != Some(Route::Storage);
    let share = |threads: u64| (threads / claim.gpus.unwrap_or(1).max(1)).max(1);
    let edit = |key: &str, value: Option<String>| value.map(|value| Edit { key: format!("works.{work}.{key}"), value });
    let gpus = claim.gpus.filter(|_| !matches!(claim.route, Some(Route::Copy)));
    [
        edit("size", claim.size.map(|size| Bytes(size).to_string())),
        edit("threads", claim.threads.filter(|_| per_gpu).map(|threads| share(threads).to_string())),
        edit("depth", claim.depth.filter(|_| per_gpu).map(|depth| depth.to_string())),
        gpus.map(|gpus| Edit { key: "node.gpus".into(), value: gpus.to_string() }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_work(claim: &Claim, work: &WorkReport, question: &Question<'_>, edits: &[Edit]) -> Result<Judged, Fault> {
    let seen = claim.gb_s();
    let rate = |seconds: Option<f64>| seconds.map_or(work.throughput_gb_s, |seconds| work.bytes as f64 / seconds / 1e9);
    let expected = Expected { gb_s: work.throughput_gb_s, low_gb_s: rate(work.high_s), high_gb_s: rate(work.low_s) };
    let (limit, limit_by) = limit(claim, work, expected);
    let impossible = seen > limit * (1.0 + tolerance(claim));
    let far_below = !impossible && seen < expected.low_gb_s.min(expected.gb_s) * 0.95;
    let explanations =
        if impossible || far_below { mechanisms::all(claim, work, question, edits)? } else { Vec::new() };
    Ok(Judged {
        claim: claim.written.clone(),
        line: claim.line,
        gb_s: seen,
        against: format!("works.{} ({}, {})", work.name, work.path_taken, direction(work.direction)),
        verdict: if impossible { Verdict::Impossible } else { Verdict::Possible },
        limit_gb_s: Some(limit),
        limit_by: Some(limit_by),
        share: Some(seen / limit),
        too_slow: if impossible { too_slow(seen, work) } else { Vec::new() },
        expected: Some(expected),
        explanations,
        notes: notes(claim, expected, impossible),
    })
}

fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Read => "read",
        Direction::Write => "write",
    }
}

/// The most that is possible: the ceiling, or what comes out with every assumed figure at its fast end.
fn limit(claim: &Claim, work: &WorkReport, expected: Expected) -> (f64, String) {
    let (limit, by) = match expected.high_gb_s > work.ceiling_gb_s {
        true => (expected.high_gb_s, format!("{}, every assumed figure at its fast end", work.ceiling_by)),
        false => (work.ceiling_gb_s, work.ceiling_by.clone()),
    };
    // What was measured without a GPU meets none of what a GPU's bytes meet: only the link to storage is sure.
    match (claim.route, work.line_rate_gb_s, &work.line_rate_by) {
        (Some(Route::Storage), Some(line), Some(link)) if line > limit => {
            (line, format!("line rate of {link}; the figure has no GPU in it"))
        }
        _ => (limit, by),
    }
}

/// Every resource that carries less, the slowest first, alike ones together; what sets the ceiling is one even where it is no resource.
fn too_slow(seen: f64, work: &WorkReport) -> Vec<TooSlow> {
    let mut all: Vec<(String, f64, u32)> = Vec::new();
    for resource in work.resources.iter().filter(|resource| resource.floor_s > 0.0) {
        let (name, carries) = (alike(&resource.name), work.bytes as f64 / resource.floor_s / 1e9);
        match all.iter_mut().find(|other| other.0 == name) {
            Some(other) => *other = (name, other.1.min(carries), other.2 + 1),
            None => all.push((name, carries, 1)),
        }
    }
    if !all.iter().any(|other| other.0.starts_with(&work.ceiling_by)) {
        all.push((work.ceiling_by.clone(), work.ceiling_gb_s, 1));
    }
    all.retain(|other| other.1 < seen);
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    let shown = |(name, _, count): &(String, f64, u32)| {
        if *count > 1 { format!("{name} ({count} together)") } else { name.clone() }
    };
    all.iter().map(|one| TooSlow { name: shown(one), carries_gb_s: one.1, times: seen / one.1 }).collect()
}

/// A resource's name with a star for its number.
fn alike(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('*') => {}
            true => out.push('*'),
            false => out.push(c),
        }
    }
    out
}

fn notes(claim: &Claim, expected: Expected, impossible: bool) -> Vec<String> {
    if impossible {
        return Vec::new();
    }
    let seen = claim.gb_s();
    let share = seen / expected.gb_s;
    match share {
        _ if seen > expected.high_gb_s * 1.05 => vec![
            "above what the simulator expects, and below what is impossible: see that no cache served it".to_string(),
        ],
        _ if seen >= expected.low_gb_s.min(expected.gb_s) * 0.95 => vec!["as expected".to_string()],
        _ => {
            let below = format!("{:.0} % below what is expected", (1.0 - share) * 100.0);
            std::iter::once(below).chain(under_way(claim)).collect()
        }
    }
}

/// What a figure's own threads and latency say.
fn under_way(claim: &Claim) -> Option<String> {
    let (threads, latency, size) = (claim.threads?, claim.latency_s?, claim.size?);
    let requests = threads.saturating_mul(claim.depth.unwrap_or(1));
    let ms = latency * 1e3;
    claim.kept_its_requests_under_way().then(|| {
        format!(
            "its own {requests} requests of {} under way for {ms:.2} ms each are the figure: what makes them wait is to be found, not more threads",
            crate::readable::bytes(size)
        )
    })
}

/// Figures of a part alone: copies against the GPU's link, a network test against a port.
fn of_a_part(claim: &Claim, loaded: &Loaded) -> Option<Judged> {
    let node = &loaded.scenario.node;
    let (over, expected) = match claim.route? {
        Route::Copy => {
            let link = &node.gpu.link;
            let coding = link.encoding.as_ref().map_or(1.0, |encoding| encoding.value.as_f64());
            let to_gpu = claim.direction != Some(Direction::Write);
            let engine = if to_gpu { &node.gpu.copies.rate_to_gpu } else { &node.gpu.copies.rate_from_gpu };
            let over = part("the link of a GPU", link.raw.value.0 as f64 * coding);
            (over, (!crowded(claim)).then(|| engine.value.gb_s()))
        }
        Route::Network => {
            let nic = node.nic.as_ref()?;
            let line = nic.line_rate.value;
            let rate = nic.rate.as_ref().map_or(line, |rate| rate.value).gb_s();
            (part("the line rate of a NIC", line.0 as f64), Some(rate))
        }
        Route::Peer => return Some(not_judged(claim)),
        _ => return None,
    };
    let mut judged = over.judge(claim);
    let Some(expected) = expected else {
        judged
            .notes
            .push("other copies ran beside it, or the GPU's cores copied: only the line rate bounds it".to_string());
        return Some(judged);
    };
    let expected = if claim.both_directions { 2.0 * expected } else { expected };
    judged.expected = Some(Expected { gb_s: expected, low_gb_s: expected, high_gb_s: expected });
    let large = claim.size.is_none_or(|size| size >= 1 << 20);
    if judged.verdict == Verdict::Possible && claim.gb_s() < expected * 0.9 && large {
        let below = (1.0 - claim.gb_s() / expected) * 100.0;
        judged.notes.push(format!("{below:.0} % below what such a part usually reaches"));
        judged.explanations = mechanisms::of_a_part(claim.gb_s(), expected);
    }
    Some(judged)
}

/// Whether a copy was not alone, or not by a copy engine.
fn crowded(claim: &Claim) -> bool {
    ["bidirectional", "all_", "_all", "_sm"].iter().any(|word| claim.written.contains(word))
}

fn not_judged(claim: &Claim) -> Judged {
    Judged {
        claim: claim.written.clone(),
        line: claim.line,
        gb_s: claim.gb_s(),
        against: "the scenario".to_string(),
        verdict: Verdict::NotJudged,
        limit_gb_s: None,
        limit_by: None,
        share: None,
        too_slow: Vec::new(),
        expected: None,
        explanations: Vec::new(),
        notes: vec!["copies between GPUs are on no path to storage".to_string()],
    }
}

fn part(name: &str, bytes_per_s: f64) -> Over {
    Over { written: name.to_string(), bytes_per_s }
}
