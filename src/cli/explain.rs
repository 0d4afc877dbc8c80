//! `hopsim explain`: the way of one request, step by step.
//!
//! Knows what was asked, and keys. Must not know how the story comes about.

use std::io::IsTerminal;
use std::path::PathBuf;

use console::{Key, Term};

use super::options::Edits;
use super::{Outcome, World, output};
use crate::error::Fault;
use crate::explain::{Story, at_step, explain, markdown, scenes, svg, together};
use crate::platform::{Assumed, load, seal};

/// Tell the way of one request, alone, step by step.
///
/// Who acts, what it costs, how long the bytes move and what sets the pace, where they rest and what they wait for; of several
/// works, side by side.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  hopsim explain one-at-a-time-textbook --work gds\n  hopsim explain one-at-a-time-textbook --step\n  \
                  hopsim explain one-at-a-time-textbook --svg hops.svg"
)]
pub(super) struct Args {
    /// A scenario: a file, or the name of one that ships
    #[arg(value_name = "SCENARIO")]
    scenario: String,
    /// Tell of this work only
    #[arg(long, value_name = "NAME")]
    work: Option<String>,
    #[command(flatten)]
    edits: Edits,
    /// Show one step at a time with the node's diagram, and wait for a key: on, back, quit
    #[arg(long, conflicts_with_all = ["format", "markdown"])]
    step: bool,
    /// Draw the node into this SVG file too, a panel a leg with its hops lit
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// How to write it
    #[arg(long, short, value_name = "FORMAT", value_parser = ["text", "json", "markdown"], default_value = "text")]
    format: String,
    /// A hand-out: short for --format markdown
    #[arg(long, conflicts_with = "format")]
    markdown: bool,
}

/// Explains.
pub(super) fn run(args: &Args, world: &World) -> Result<Outcome, Fault> {
    let loaded = load(&args.scenario, &world.library, &args.edits.read()?)?;
    let plan = seal(&loaded.scenario, &loaded.sources, Assumed::Value)?;
    let stories = explain(&plan, args.work.as_deref())?;
    if let Some(file) = &args.svg {
        output::whole(file, svg(&stories).as_bytes())?;
        world.say(&format!("drawn to {}", file.display()));
    }
    if args.step {
        walk(&stories, world)?;
        return Ok(Outcome::Fine);
    }
    let told = match args.format.as_str() {
        "json" => json(&stories),
        "markdown" => markdown(&stories),
        _ if args.markdown => markdown(&stories),
        _ => together(&stories, world.style.color, world.style.width),
    };
    output::print(told.as_bytes())?;
    Ok(Outcome::Fine)
}

fn json(stories: &[Story]) -> String {
    // Plain structs with text keys cannot fail to become JSON.
    serde_json::to_string_pretty(stories).unwrap_or_default() + "\n"
}

/// Shows screen by screen; all of them at once where nobody can press a key.
fn walk(stories: &[Story], world: &World) -> Result<(), Fault> {
    let style = &world.style;
    let screens: Vec<String> = stories
        .iter()
        .flat_map(|story| scenes(story).into_iter().map(move |scene| (story, scene)))
        .map(|(story, scene)| at_step(story, &scene, style.color, style.width))
        .collect();
    let term = Term::stdout();
    if !term.is_term() || !std::io::stdin().is_terminal() {
        return output::print(screens.join("\n").as_bytes());
    }
    let mut at = 0;
    while let Some(screen) = screens.get(at) {
        // A terminal that cannot be cleared shows the screens one below the other.
        let _ = term.clear_screen();
        output::print(format!("{screen}\n{KEYS}\n").as_bytes())?;
        match turn(&term.read_key().unwrap_or(Key::Escape)) {
            Turn::On => at += 1,
            Turn::Back => at = at.saturating_sub(1),
            Turn::Stay => {}
            Turn::Quit => break,
        }
    }
    Ok(())
}

const KEYS: &str = "any key: on   ← or b: back   q: quit";

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    On,
    Back,
    Stay,
    Quit,
}

fn turn(key: &Key) -> Turn {
    match key {
        Key::ArrowLeft | Key::ArrowUp | Key::PageUp | Key::Backspace | Key::Char('b' | 'p' | 'k' | 'h') => Turn::Back,
        Key::Escape | Key::CtrlC | Key::Char('q' | '\u{4}') => Turn::Quit,
        Key::Unknown | Key::UnknownEscSeq(_) => Turn::Stay,
        _ => Turn::On,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_turn_pages() {
        let keys = [Key::Enter, Key::Char(' '), Key::ArrowRight, Key::ArrowLeft, Key::Char('q'), Key::CtrlC];
        let turns = [Turn::On, Turn::On, Turn::On, Turn::Back, Turn::Quit, Turn::Quit];
        assert_eq!(keys.map(|key| turn(&key)), turns);
    }
}
