//! What was measured, held against what the simulator says of the same requests on the same path.
//!
//! Knows figures and predictions. Must not know how a figure was written.

use serde::Serialize;

use super::gpus::{GpuPath, Taken};
use super::machine::Machine;
use super::predict::{self, Asked};
use crate::error::Fault;
use crate::import::{Capture, Figure, Route};
use crate::platform::Library;
use crate::readable::gb_s;
use engine::Direction;

/// Further apart than this is a finding.
const APART: f64 = 0.15;
/// So many figures are held at most: each is a run of the simulator.
const MOST: usize = 6;

/// A measured figure beside the simulator's.
#[derive(Clone, Debug, Serialize)]
pub struct Held {
    /// The captured text.
    pub file: String,
    /// The line that shows it.
    pub line: usize,
    /// The tool and what it measured.
    pub what: String,
    /// 10^9 bytes a second, as measured.
    pub measured_gb_s: f64,
    /// As the simulator says for the same requests.
    pub predicted_gb_s: f64,
    /// The path that was simulated.
    pub path: String,
    /// Whether the two are further apart than 15 %.
    pub apart: bool,
    /// What could explain it; what contradicts the figure's own threads and latency is left out.
    pub explanations: Vec<String>,
}

/// All figures of a path to storage that can be held.
pub(super) fn all(
    machine: &Machine<'_>,
    captures: &[Capture],
    gpus: &[GpuPath],
    library: &Library,
) -> Result<Vec<Held>, Fault> {
    let Some(gpu) = gpus.first() else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for capture in captures {
        for figure in capture.figures() {
            if all.len() == MOST {
                return Ok(all);
            }
            all.extend(one(machine, &capture.text.name, figure, gpu, library)?);
        }
    }
    Ok(all)
}

/// The path of a figure, as far as its route and the node tell.
fn path(figure: &Figure, gpu: &GpuPath) -> Option<&'static str> {
    match (figure.route, gpu.taken) {
        (Route::Gds, Taken::Gds | Taken::Staged) => Some("gds"),
        (Route::Gds, Taken::Compat) => Some("compat"),
        (Route::Bounce, taken) if taken != Taken::CannotTell => Some("bounce"),
        _ => None,
    }
}

fn one(
    machine: &Machine<'_>,
    file: &str,
    figure: &Figure,
    gpu: &GpuPath,
    library: &Library,
) -> Result<Option<Held>, Fault> {
    let (Some(path), Some(direction), Some(size), Some(threads)) =
        (path(figure, gpu), figure.direction, figure.size, figure.threads)
    else {
        return Ok(None);
    };
    // The simulated node has one GPU.
    if figure.gpus.is_some_and(|gpus| gpus > 1) || size == 0 || threads == 0 || threads > 4096 || size > 1 << 32 {
        return Ok(None);
    }
    let asked = Asked { size, threads, depth: figure.depth.unwrap_or(1).clamp(1, 1024) };
    let word = if direction == Direction::Read { "read" } else { "write" };
    let Some(work) = predict::alone(machine, gpu, path, word, asked, library)? else { return Ok(None) };
    let (measured, predicted) = (figure.bytes_per_s / 1e9, work.throughput_gb_s);
    let apart = libm::log(measured / predicted).abs() > libm::log1p(APART);
    Ok(Some(Held {
        file: file.to_string(),
        line: figure.line,
        what: format!("{} {}", figure.tool, figure.what),
        measured_gb_s: measured,
        predicted_gb_s: predicted,
        path: work.path_taken.clone(),
        apart,
        explanations: if apart { explanations(figure, asked, predicted) } else { Vec::new() },
    }))
}

/// What could lie between the two.
fn explanations(figure: &Figure, asked: Asked, predicted: f64) -> Vec<String> {
    let measured = figure.bytes_per_s / 1e9;
    if measured > predicted {
        return vec!["storage or links faster than what was assumed, or bytes that a cache served".to_string()];
    }
    let mut all =
        vec![format!("storage that serves no more than {} to this node: its rate was assumed", gb_s(measured))];
    let under_way = asked.threads as f64 * asked.depth as f64;
    if let Some(latency) = figure.latency_s {
        // Little's law: what the figure itself says was under way.
        let seen = figure.bytes_per_s * latency / asked.size as f64;
        if seen < under_way * 0.8 {
            all.push(format!("by its own latency {seen:.1} requests were under way, not {under_way:.0}"));
        } else {
            let ms = latency * 1e3;
            all.push(format!("{under_way:.0} requests were under way (its latency says so), each of {ms:.2} ms: latency, not too few threads"));
        }
    }
    all
}
