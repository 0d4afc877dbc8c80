//! Measured points from any text that holds them: a table of measurements, or a benchmark's output.
//!
//! Knows that what a benchmark measured is a throughput at a size and a concurrency. Must not know what is done with it.

use super::csv::{self, Measurement};
use super::{Capture, Figure};
use crate::error::Fault;
use engine::units::Bytes;

/// How far apart repeated runs of a benchmark usually are.
const USUAL_SPREAD: f64 = 0.05;

/// Reads points. `measure` is the key of the report that all points measure; a benchmark's output needs it.
///
/// # Errors
/// A [`Fault`]: a table that is wrong, or a text that no importer knows.
pub fn measurements(name: &str, text: &str, measure: Option<&str>) -> Result<Vec<Measurement>, Fault> {
    measurements_of(name, text, measure, &|_| true).map(|(points, _)| points)
}

/// The same of those figures that `wanted` takes, and the others.
///
/// # Errors
/// A [`Fault`]: a table that is wrong, a text that no importer knows, or one in which nothing is wanted.
pub fn measurements_of(
    name: &str,
    text: &str,
    measure: Option<&str>,
    wanted: &dyn Fn(&Figure) -> bool,
) -> Result<(Vec<Measurement>, Vec<Figure>), Fault> {
    let capture = Capture::read(name, text.as_bytes());
    let figures: Vec<&Figure> = capture.figures().collect();
    if figures.is_empty() {
        return csv::measurements(name, text, measure).map(|points| (points, Vec::new()));
    }
    let Some(key) = measure else {
        let message =
            format!("{name} holds what {} measured, and nothing says which key of the report that is", figures[0].tool);
        return Err(Fault::new(message).help("add --measure, as in --measure works.gds.throughput_gb_s"));
    };
    let work = key.strip_prefix("works.").and_then(|rest| rest.split('.').next()).unwrap_or("*");
    let (kept, left): (Vec<&Figure>, Vec<&Figure>) = figures.into_iter().partition(|figure| wanted(figure));
    if kept.is_empty() {
        let what = left.iter().map(|figure| format!("line {}: {} {}", figure.line, figure.tool, figure.what));
        let what = what.take(4).collect::<Vec<_>>().join("; ");
        return Err(Fault::new(format!("no figure in {name} is of the direction and path of {key} ({what})"))
            .help("name the work that did what was measured, as in --measure works.read.throughput_gb_s"));
    }
    let points = kept.into_iter().map(|figure| point(figure, key, work)).collect();
    Ok((points, left.into_iter().cloned().collect()))
}

/// A benchmark's figures as a table of points for a plot against `key`: columns x (as the key takes it), y (10^9 bytes a second)
/// and name. None where the text is no benchmark's output, or says nothing of that key.
pub fn table(name: &str, text: &str, key: &str) -> Option<String> {
    let capture = Capture::read(name, text.as_bytes());
    let along = |figure: &Figure| match key.rsplit('.').next()? {
        "size" => figure.size.map(|size| Bytes(size).to_string()),
        "threads" => figure.threads.map(|threads| threads.to_string()),
        "depth" => figure.depth.map(|depth| depth.to_string()),
        "gpus" => figure.gpus.map(|gpus| gpus.to_string()),
        _ => None,
    };
    let row = |figure: &Figure| {
        let (x, y) = (along(figure)?, figure.bytes_per_s / 1e9);
        Some(format!("{x},{y},{} {}\n", figure.tool, figure.what.replace([',', '"'], " ")))
    };
    let rows: String = capture.figures().filter_map(row).collect();
    (!rows.is_empty()).then(|| format!("x,y,name\n{rows}"))
}

fn point(figure: &Figure, key: &str, work: &str) -> Measurement {
    let mut set = Vec::new();
    let mut add =
        |name: &str, value: Option<String>| set.extend(value.map(|value| (format!("works.{work}.{name}"), value)));
    add("size", figure.size.map(|size| Bytes(size).to_string()));
    add("threads", figure.threads.map(|threads| threads.to_string()));
    add("depth", figure.depth.map(|depth| depth.to_string()));
    let unit = if key.ends_with("_gib_s") { (1u64 << 30) as f64 } else { 1e9 };
    Measurement {
        line: figure.line as u64,
        set,
        key: key.to_string(),
        measured: figure.bytes_per_s / unit,
        weight: 1.0,
        spread: USUAL_SPREAD,
    }
}
