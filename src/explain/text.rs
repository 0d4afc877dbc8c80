//! A story as numbered lines for people.
//!
//! Knows words and columns. Must not know how the figures came about.

use super::diagram::diagram;
use super::layout::name as station;
use super::scene::{Scene, moved, overview};
use super::{Hop, Pace, Pieces, Step, Story, side};
use crate::readable::{bytes, counted, gb_s, percent, seconds, wrap};
use crate::table::{Column, Lean, plain};
use engine::units::{Factor, PS_PER_S, significant};
use engine::{Direction, Station};

/// Characters before a line's own text: its number and a gap.
const NUMBER: usize = 5;
/// Characters of the columns of times.
const TIMES: usize = 26;

/// The story as text of at most `width` characters a line.
pub fn text(story: &Story, color: bool, width: usize) -> String {
    let mut lines = vec![title(story, color, width), columns(width, color)];
    lines.push(once(story, width));
    lines.extend((0..story.steps.len()).map(|index| numbered(story, index, width)));
    lines.push(wrap(&format!("  {}", sum(story)), width, 2) + "\n");
    lines.concat()
}

/// All stories, each with its diagram, and what is side by side of several.
pub fn together(stories: &[Story], color: bool, width: usize) -> String {
    let told: Vec<String> = stories
        .iter()
        .map(|story| format!("{}\n{}", text(story, color, width), diagram(&overview(story), color)))
        .collect();
    let beside = if stories.len() > 1 { format!("\n{}", beside(stories, color, width)) } else { String::new() };
    told.join("\n") + &beside
}

/// Paths side by side: their steps in columns, then what each costs.
fn beside(stories: &[Story], color: bool, width: usize) -> String {
    let (heads, rows) = side::steps(stories);
    let columns: Vec<Column<'_>> = heads.iter().map(|head| (head.as_str(), Lean::Left)).collect();
    let (names, costs) = side::costs(stories);
    format!("{}\n{}\n{}", bold("side by side", color), plain(&columns, rows, width), plain(&names, costs, width))
}

/// What is before the first step: the whole path, and what is done once.
pub fn opening(story: &Story, color: bool, width: usize) -> String {
    let drawn = diagram(&overview(story), color);
    format!("{}\n{drawn}\n{}", title(story, color, width), once(story, width))
}

/// One step with its diagram, as a screen of its own.
pub fn at_step(story: &Story, scene: &Scene, color: bool, width: usize) -> String {
    let index = scene.step.saturating_sub(1);
    let place = format!("{}: {}, step {} of {}", story.work, story.path, scene.step, story.steps.len());
    let (drawn, told) = (diagram(scene, color), numbered(story, index, width));
    format!("{}\n\n{drawn}\n{}{told}", bold(&place, color), columns(width, color))
}

/// A step in a few words.
pub(super) fn short(step: &Step) -> String {
    match step {
        Step::Control { who, what, ps, .. } => format!("{who}: {}, {}", without_actor(what, who), time(*ps)),
        Step::Move { who, hops, ps, .. } => {
            let hops: Vec<String> = hops.iter().map(|hop| hop.number.to_string()).collect();
            let word = if hops.len() == 1 { "hop" } else { "hops" };
            format!("{who}: {word} {}, {}", hops.join(", "), time(*ps))
        }
        Step::Hold { slot, .. } => format!("takes a place of {slot}"),
        Step::Rest { at, arrived: true } => format!("arrived: {}", station(*at)),
        Step::Rest { at, .. } => format!("rests: {}", station(*at)),
    }
}

fn bold(text: &str, color: bool) -> String {
    if color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_string() }
}

/// What the story is of, in a line.
pub(super) fn heading(story: &Story) -> String {
    let verb = if story.direction == Direction::Read { "to" } else { "from" };
    let note = story.size_note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    format!("one request of {}{note} {verb} GPU {}, alone", bytes(story.bytes), story.gpu)
}

fn title(story: &Story, color: bool, width: usize) -> String {
    let asked =
        if story.path == story.path_asked { String::new() } else { format!("asked for {}, ", story.path_asked) };
    let why = if story.why.is_empty() { String::new() } else { format!(": {}", story.why.join("; ")) };
    let what = heading(story);
    let path = wrap(&format!("  {asked}takes {}{why}", story.path), width, 2);
    let holds = match story.holds.as_slice() {
        [] => String::new(),
        holds => format!("{}\n", wrap(&format!("  holds from first to last: {}", holds.join(", ")), width, 2)),
    };
    let cut = story.cut.as_ref().map(|cut| wrap(&format!("  {}", pieces(cut)), width, 2) + "\n").unwrap_or_default();
    format!("{}  {what}\n{path}\n{holds}{cut}", bold(&story.work, color))
}

fn pieces(cut: &Pieces) -> String {
    let abreast = match &cut.helpers {
        _ if cut.pieces == 1 => String::new(),
        Some((pool, places)) => {
            let threads = counted(*places, "thread", "threads");
            format!("cut into {} pieces side by side, all but the first by {pool} ({threads}); ", cut.pieces)
        }
        None => format!("cut into {} pieces side by side; ", cut.pieces),
    };
    let parts = counted(cut.parts, "part", "parts");
    format!("{abreast}{parts} of at most {} one after another; the steps are those of one", bytes(cut.part_bytes))
}

fn columns(width: usize, color: bool) -> String {
    let text = format!("{:room$}{:>13}{:>13}", "", "takes", "total", room = width - TIMES);
    bold(&text, color) + "\n"
}

/// What is done once, lettered; the steps of every request are numbered.
fn once(story: &Story, width: usize) -> String {
    if story.session.is_empty() {
        return String::new();
    }
    let steps = story.session.iter().enumerate();
    let steps = steps.map(|(index, step)| marked(&format!("{}.", letter(index)), step, control(step), width));
    format!("  once, before the first request:\n{}  every request:\n", steps.collect::<String>())
}

fn letter(index: usize) -> char {
    char::from(b'a' + (index % 26) as u8)
}

fn numbered(story: &Story, index: usize, width: usize) -> String {
    marked(&format!("{}.", index + 1), &story.steps[index], lines(story, index), width)
}

/// A step's lines behind its number or letter.
fn marked(mark: &str, step: &Step, what: Vec<String>, width: usize) -> String {
    let times = takes_and_total(step).map(|[takes, total]| format!("{takes:>13}{total:>13}"));
    let room = width - NUMBER - TIMES;
    let (first, more) =
        what.split_first().map_or((String::new(), &[][..]), |(first, more)| (wrap(first, room, 2), more));
    let mut lines: Vec<String> = first.lines().map(str::to_string).collect();
    lines.extend(more.iter().flat_map(|m| wrap(m, width - NUMBER, 4).lines().map(str::to_string).collect::<Vec<_>>()));
    let head = format!("{:<room$}{}", lines.first().cloned().unwrap_or_default(), times.unwrap_or_default());
    let head = format!("{mark:>4} {}\n", head.trim_end());
    head + &lines.iter().skip(1).map(|line| format!("{:NUMBER$}{line}\n", "")).collect::<String>()
}

/// What happens in a step, a line each.
pub(super) fn lines(story: &Story, index: usize) -> Vec<String> {
    let step = &story.steps[index];
    match step {
        Step::Control { .. } => control(step),
        Step::Move { .. } => motion(step),
        Step::Hold { slot, places, takes, until } => hold(slot, *places, *takes, until),
        Step::Rest { at, arrived } => rest(*at, *arrived, moved(story), next_mover(&story.steps[index..])),
    }
}

/// Who moves the bytes next.
fn next_mover(steps: &[Step]) -> Option<&str> {
    steps.iter().find_map(|step| match step {
        Step::Move { who, .. } => Some(who.as_str()),
        _ => None,
    })
}

/// How long a step takes and when it is over, where it takes time.
pub(super) fn takes_and_total(step: &Step) -> Option<[String; 2]> {
    let (ps, jitter_ps, total_ps) = match step {
        Step::Control { ps, jitter_ps, total_ps, .. } => (*ps, *jitter_ps, *total_ps),
        Step::Move { ps, total_ps, .. } => (*ps, 0, *total_ps),
        Step::Hold { .. } | Step::Rest { .. } => return None,
    };
    let more = if jitter_ps > 0 { "+" } else { "" };
    Some([format!("{}{more}", time(ps)), time(total_ps)])
}

fn time(ps: u64) -> String {
    seconds(ps as f64 / PS_PER_S as f64)
}

fn control(step: &Step) -> Vec<String> {
    let Step::Control { who, what, cost, jitter_ps, on_core, commands, .. } = step else { return Vec::new() };
    let each = if *commands > 1 { format!(", for each of {commands} commands") } else { String::new() };
    let core = if *on_core { ", a core is busy" } else { "" };
    let jitter = if *jitter_ps > 0 { format!(", up to {} more at random", time(*jitter_ps)) } else { String::new() };
    let what = without_actor(what, who);
    vec![format!("{who}: {what} ({cost}{core}{each}{jitter})")]
}

/// What is done without its doer: "the NIC maps pages" is "maps pages" after "NIC:".
fn without_actor<'a>(what: &'a str, who: &str) -> &'a str {
    what.strip_prefix("the ").and_then(|rest| rest.strip_prefix(who)?.strip_prefix(' ')).unwrap_or(what)
}

fn motion(step: &Step) -> Vec<String> {
    let Step::Move { leg, who, hops, holds, pace, .. } = step else { return Vec::new() };
    let mut lines = vec![format!("{who}: moves the bytes, leg \"{leg}\"")];
    lines.extend(hops.iter().map(hop));
    if !holds.is_empty() {
        lines.push(format!("  holds {} meanwhile; who else wants it waits in line", holds.join(", ")));
    }
    lines.push(pace.as_ref().map_or_else(|| "  no pace: nothing limits it".to_string(), pace_line));
    lines
}

fn hop(hop: &Hop) -> String {
    let through = if hop.crosses.is_empty() { String::new() } else { format!(" across {}", hop.crosses.join(", ")) };
    format!("  hop {}: {} > {}{through}", hop.number, station(hop.from), station(hop.to))
}

fn pace_line(pace: &Pace) -> String {
    let charge = match pace.charge {
        Factor::ONE => String::new(),
        charge => format!(" ({} at {} bytes a byte)", gb_s(pace.whole.gb_s()), significant(charge.as_f64())),
    };
    let assumed = if pace.assumed { ", an assumed figure" } else { "" };
    let slowed = pace.slowed.as_ref().filter(|slowed| slowed.keeps.as_f64() < 0.9995);
    let slowed = slowed.map(|slowed| format!(", slowed to {} of it by {}", percent(slowed.keeps.as_f64()), slowed.by));
    let slowed = slowed.unwrap_or_default();
    format!("  pace: {} set by {}{charge}{assumed}{slowed}", gb_s(pace.rate.gb_s()), pace.by)
}

fn hold(slot: &str, places: u64, takes: u64, until: &str) -> Vec<String> {
    let others = match places {
        1 => "whoever comes meanwhile waits in line".to_string(),
        places => format!("{places} hold one at a time, whoever comes then waits in line"),
    };
    let takes = if takes == 1 { "a place".to_string() } else { format!("{takes} places") };
    vec![format!("takes {takes} of {slot} until {until}; {others}")]
}

fn rest(at: Station, arrived: bool, amount: u64, next: Option<&str>) -> Vec<String> {
    let (place, amount) = (station(at), bytes(amount));
    if arrived {
        return vec![format!("arrived in {place}: {amount}")];
    }
    let waits = next.map(|who| format!("; waits for {who}")).unwrap_or_default();
    vec![format!("now in the {place}: {amount}{waits}")]
}

/// The sum in a sentence or two.
pub(super) fn sum(story: &Story) -> String {
    let total = story.total_ps as f64 / PS_PER_S as f64;
    let alone = story.bytes as f64 / 1e9 / total;
    let hops = counted(story.hops as u64, "hop", "hops");
    let buffers = counted(story.host_buffers as u64, "host buffer", "host buffers");
    let told = super::total(&story.steps);
    let share = if told == 0 { 0.0 } else { story.moving_ps as f64 / told as f64 };
    let rate = if total > 0.0 { format!(" = {} for one request at a time", gb_s(alone)) } else { String::new() };
    let mut text =
        format!("sum: {}{rate}; {hops}, {buffers}; the bytes move {} of it.", seconds(total), percent(share));
    if story.outstanding > 1 && total > 0.0 {
        let offered = gb_s(alone * story.outstanding as f64);
        let outstanding = counted(story.outstanding, "request", "requests");
        text += &format!(" The work keeps {outstanding} outstanding, enough for {offered} if nothing were shared.");
    }
    text
}
