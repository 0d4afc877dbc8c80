//! Pictures of a checkpoint's sheet: its series handed to the plots.
//!
//! Knows both sides' plain figures. Must not know how either comes about.

use std::path::Path;

use super::super::World;
use super::super::plot;
use crate::checkpoint::curves::{self, Series};
use crate::checkpoint::{Question, Sheet};
use crate::error::{Fault, nearest};
use crate::plot::{Words, lines};
use crate::readable;
use crate::study::vary::Scale;

/// The pictures by name.
const PICTURES: [&str; 4] = ["timeline", "interval", "nodes", "ranks"];

/// Draws `NAME=FILE`.
pub(super) fn draw(asked: &str, question: &Question, sheet: &Sheet, world: &World) -> Result<(), Fault> {
    let (name, file) = split(asked)?;
    let series = match name {
        "timeline" => curves::timeline(sheet),
        "interval" => curves::lost(sheet),
        "nodes" => curves::by_nodes(question, &world.library)?,
        _ => curves::finishes(question, &world.library)?,
    };
    let rows = series.into_iter().map(|Series { name, points }| (name, points)).collect();
    let file = Path::new(file);
    plot::draw(&lines(words(name, sheet), rows), file, &plot::ending(file)?)?;
    world.say(&format!("drawn to {}", file.display()));
    Ok(())
}

/// The picture's name and its file.
pub(super) fn split(asked: &str) -> Result<(&str, &str), Fault> {
    let help = format!("write NAME=FILE, such as interval=goodput.svg; known: {}", PICTURES.join(", "));
    let Some((name, file)) = asked.split_once('=') else {
        return Err(Fault::new(format!("--plot {asked}: there is no \"=\" in it")).help(help));
    };
    if !PICTURES.contains(&name) {
        let near = nearest(name, PICTURES).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        return Err(Fault::new(format!("--plot: there is no picture \"{name}\"")).help(format!("{near}{help}")));
    }
    plot::ending(Path::new(file))?;
    Ok((name, file))
}

fn words(name: &str, sheet: &Sheet) -> Words {
    let what = format!("{}, {}", sheet.contents.name, readable::bytes(sheet.contents.bytes));
    let words = |title: &str, subtitle: &str, x: (&str, Scale, bool), y: &str| Words {
        title: format!("{what}: {title}"),
        subtitle: subtitle.to_string(),
        x: x.0.to_string(),
        scale: x.1,
        doubling: x.2,
        y: y.to_string(),
    };
    match name {
        "timeline" => words(
            "a run with three saves",
            "flat where training waits, less steep while a drain goes on beside it",
            ("time", Scale::Time, false),
            "useful work (s)",
        ),
        "interval" => words(
            "what saves and failures take from goodput",
            "100 % less the useful share of time; the best interval between saves is marked",
            ("interval (min)", Scale::Number, true),
            "lost time (%)",
        ),
        "nodes" => words(
            "save time by the nodes that share it",
            "the target as it is, half and twice as fast",
            ("nodes", Scale::Number, true),
            "save (s)",
        ),
        _ => words(
            "when each rank is done",
            "the last byte of each, from the beginning of the save",
            ("rank", Scale::Number, false),
            "done (s)",
        ),
    }
}
