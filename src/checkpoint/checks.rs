//! Figures of a checkpoint's file that no checkpoint can have.
//!
//! Knows keys and their places. Must not know what comes of them.

use crate::error::{Fault, Span};
use crate::format::Figure;
use engine::units::{Factor, Quantity};

use super::file::{Model, Read};

/// A key, whether its figure is nothing, and where it stands.
type Look = (&'static str, bool, Span);

fn look<T: Quantity>(key: &'static str, figure: &Option<Figure<T>>) -> Option<Look> {
    figure.as_ref().map(|figure| (key, figure.value.is_zero(), figure.span.clone()))
}

/// Refuses what is nothing where there must be something.
///
/// # Errors
/// A [`Fault`] at the figure.
pub(super) fn all(read: &Read) -> Result<(), Fault> {
    let (save, training, failures) = (&read.file.save, &read.file.training, &read.file.failures);
    let figures = [
        look("save.size", &save.size),
        look("save.threads", &save.threads),
        look("save.depth", &save.depth),
        look("save.serialise", &save.serialise),
        look("save.repetitions", &save.repetitions),
        look("training.step", &training.step),
        look("failures.mtbf", &failures.mtbf),
        look("failures.interval", &failures.interval),
    ];
    let model = read.file.model.iter().flat_map(|model| of_model(&model.value));
    if let Some((key, _, span)) = figures.into_iter().flatten().chain(model).find(|look| look.1) {
        let fault = read.at(&span, &format!("`{key}` is zero"), "must be above zero");
        return Err(match why(key) {
            "" => fault,
            why => fault.help(why),
        });
    }
    exposed(read)?;
    tiny(read)?;
    trace(read)
}

fn of_model(model: &Model) -> Vec<Look> {
    let shape = model.transformer.iter().flat_map(|shape| {
        let keys = [
            look("model.transformer.layers", &Some(shape.layers.clone())),
            look("model.transformer.hidden", &Some(shape.hidden.clone())),
            look("model.transformer.heads", &Some(shape.heads.clone())),
        ];
        keys.into_iter().flatten()
    });
    let own = [
        look("model.bytes", &model.bytes),
        look("model.parameters", &model.parameters),
        look("model.files_per_rank", &model.files_per_rank),
    ];
    own.into_iter().flatten().chain(shape).collect()
}

/// What to do about a figure that is nothing.
fn why(key: &str) -> &'static str {
    match key {
        "model.bytes" | "model.parameters" => "nothing is saved: say how much",
        "save.serialise" => "leave it out where nothing is serialised",
        "save.repetitions" => "one is the least",
        "failures.mtbf" => "something that always fails never trains: write it as \"6300 h\" or \"5 y\"",
        "failures.interval" => "leave it out to have the best one taken",
        _ => "",
    }
}

/// Bytes below which nothing is a checkpoint: what is meant is a number of parameters.
const TINY: u64 = 100_000;

fn tiny(read: &Read) -> Result<(), Fault> {
    let bytes = read.file.model.as_ref().and_then(|model| model.value.bytes.as_ref());
    match bytes {
        Some(bytes) if bytes.value.0 < TINY => {
            let message = format!("`model.bytes` is {}: no checkpoint is that small", bytes.value);
            let help = "70 billion parameters are `parameters = 70000000000`, a size is `bytes = \"140 GB\"`";
            Err(read.at(&bytes.span, &message, "bytes, not billions of parameters").help(help))
        }
        _ => Ok(()),
    }
}

fn exposed(read: &Read) -> Result<(), Fault> {
    match &read.file.training.exposed {
        Some(share) if share.value.0 > Factor::ONE.0 => {
            let message = "`training.exposed` is a share: 1 at most";
            Err(read.at(&share.span, message, "more than all of it").help("write it as 0.3 or \"30 %\""))
        }
        _ => Ok(()),
    }
}

fn trace(read: &Read) -> Result<(), Fault> {
    let failures = &read.file.failures;
    let Some(trace) = &failures.trace else { return Ok(()) };
    if let Some(file) = &failures.trace_file {
        let message = "`failures.trace` and `failures.trace_file` both say when something failed";
        return Err(read.at(&file.span, message, "the second of them").help("leave one of them out"));
    }
    let list = &trace.value;
    let Some(last) = list.last() else {
        return Err(read
            .at(&trace.span, "`failures.trace` is empty", "no failure")
            .help("give at least one time, or leave it out for failures at random"));
    };
    if let Some(pair) = list.windows(2).find(|pair| pair[1].value < pair[0].value) {
        let message = "`failures.trace`: times stand in order, counted from the beginning";
        return Err(read.at(&pair[1].span, message, "earlier than the one before").help("sort them"));
    }
    if last.value.0 == 0 {
        return Err(read.at(&last.span, "`failures.trace`: nothing lies between its failures", "all at the beginning"));
    }
    Ok(())
}
