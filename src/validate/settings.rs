//! What two cases must have in common to be the same measurement by two paths.
//!
//! Knows scenarios and their works. Must not know figures.

use super::case::Case;
use super::figures::{Measure, work};
use super::runs::Ran;
use super::sign::Side;
use crate::format::{Method, Size};

/// A case as one side of GDS against bounce; `None` where it is no rate or time of a work.
pub fn side(case: &Case, ran: &Ran, predicted: f64) -> Option<Side> {
    let measure = Measure::of(&case.key);
    if measure == Measure::Other || case.usage.is_bound() {
        return None;
    }
    let work = work(&ran.report, &case.key)?;
    let path = ran.loaded.scenario.paths.get(&work.path_taken)?;
    Some(Side {
        id: case.id.clone(),
        scenario: case.scenario.clone(),
        settings: case.pair.clone().map_or_else(|| settings(case, ran, &work.name), Some)?,
        direct: path.method == Method::Gds,
        is_rate: measure.is_rate(),
        measured: case.measured,
        spread: case.spread.unwrap_or(0.0),
        predicted,
    })
}

/// The system, the load and the figure, in words.
fn settings(case: &Case, ran: &Ran, name: &str) -> Option<String> {
    let scenario = &ran.loaded.scenario;
    let work = &scenario.works.get(name)?.value;
    let direction = scenario.paths.get(&work.path.value)?.direction;
    let figure = case.key.rsplit('.').next()?;
    let others = case.edits.iter().filter(|edit| !edit.key.starts_with("works."));
    let others: Vec<String> = others.map(|edit| format!("{}={}", edit.key, edit.value)).collect();
    let systems = [&scenario.node.name, &scenario.target.name, &scenario.fabric.as_ref().and_then(|f| f.name.clone())]
        .map(|name| name.clone().unwrap_or_default());
    let (gpus, threads, depth) = (scenario.node.gpus.value, work.threads.value, work.depth.value);
    Some(format!("{systems:?} {gpus} {direction:?} {} {threads} {depth} {figure} {others:?}", size(&work.size.value)))
}

fn size(size: &Size) -> String {
    match size {
        Size::Fixed(size) => size.value.to_string(),
        Size::Listed(sizes) => sizes.iter().map(|size| size.value.to_string()).collect::<Vec<_>>().join("+"),
        Size::Uniform { low, high } => format!("{}..{}", low.value, high.value),
        Size::Exponential { mean } => format!("~{}", mean.value),
    }
}
