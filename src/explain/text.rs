//! A story as numbered lines for people.
//!
//! Knows words and columns. Must not know how the figures came about.

use super::{Hop, Pace, Pieces, Step, Story};
use crate::readable::{bytes, counted, gb_s, percent, seconds, wrap};
use crate::spec::{Direction, Station};
use crate::units::{Factor, PS_PER_S, significant};

/// Characters before a line's own text: its number and a gap.
const NUMBER: usize = 5;
/// Characters of the columns of times.
const TIMES: usize = 26;

/// The story as text of at most `width` characters a line.
pub fn text(story: &Story, color: bool, width: usize) -> String {
    let mut lines = vec![title(story, color, width), columns(width, color)];
    let once = story.session.len();
    if once > 0 {
        lines.push("  once, before the first request:\n".to_string());
        lines.extend(story.session.iter().enumerate().map(|(index, step)| numbered(index + 1, step, width)));
        lines.push("  every request:\n".to_string());
    }
    lines.extend(story.steps.iter().enumerate().map(|(index, step)| numbered(once + index + 1, step, width)));
    lines.push(end(story, width));
    lines.concat()
}

fn bold(text: &str, color: bool) -> String {
    if color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_string() }
}

fn title(story: &Story, color: bool, width: usize) -> String {
    let verb = if story.direction == Direction::Read { "to" } else { "from" };
    let note = story.size_note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    let asked =
        if story.path == story.path_asked { String::new() } else { format!("asked for {}, ", story.path_asked) };
    let why = if story.why.is_empty() { String::new() } else { format!(": {}", story.why.join("; ")) };
    let what = format!("one request of {}{note} {verb} GPU {}, alone", bytes(story.bytes), story.gpu);
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

fn numbered(number: usize, step: &Step, width: usize) -> String {
    let (what, times) = match step {
        Step::Control { ps, jitter_ps, total_ps, .. } => (control(step), Some((*ps, *jitter_ps, *total_ps))),
        Step::Move { ps, total_ps, .. } => (motion(step), Some((*ps, 0, *total_ps))),
        Step::Hold { slot, places, takes, until } => (hold(slot, *places, *takes, until), None),
        Step::Rest { at, arrived } => (rest(*at, *arrived), None),
    };
    let room = width - NUMBER - TIMES;
    let (first, more) =
        what.split_first().map_or((String::new(), &[][..]), |(first, more)| (wrap(first, room, 2), more));
    let mut lines: Vec<String> = first.lines().map(str::to_string).collect();
    lines.extend(more.iter().flat_map(|m| wrap(m, width - NUMBER, 4).lines().map(str::to_string).collect::<Vec<_>>()));
    let head =
        format!("{:<room$}{}", lines.first().cloned().unwrap_or_default(), times.map(columns_of).unwrap_or_default());
    let head = format!("{number:>3}. {}\n", head.trim_end());
    head + &lines.iter().skip(1).map(|line| format!("{:NUMBER$}{line}\n", "")).collect::<String>()
}

fn columns_of((ps, jitter_ps, total_ps): (u64, u64, u64)) -> String {
    let takes = if jitter_ps > 0 { format!("{}+", time(ps)) } else { time(ps) };
    format!("{takes:>13}{:>13}", time(total_ps))
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
    let holds = if holds.is_empty() { String::new() } else { format!(", holding {}", holds.join(", ")) };
    let mut lines = vec![format!("{who}: moves the bytes, leg \"{leg}\"{holds}")];
    lines.extend(hops.iter().map(hop));
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

fn rest(at: Station, arrived: bool) -> Vec<String> {
    let place = station(at);
    vec![if arrived { format!("the bytes have arrived: {place}") } else { format!("the bytes rest in the {place}") }]
}

fn station(station: Station) -> &'static str {
    match station {
        Station::Storage => "storage",
        Station::Nic => "NIC",
        Station::Pcie => "PCIe",
        Station::SocketBuffer => "socket buffer",
        Station::KernelBuffer => "kernel buffer",
        Station::UserBuffer => "user buffer",
        Station::BounceBuffer => "bounce buffer",
        Station::Hbm => "HBM",
    }
}

fn end(story: &Story, width: usize) -> String {
    let total = story.total_ps as f64 / PS_PER_S as f64;
    let alone = story.bytes as f64 / 1e9 / total;
    let (moving, hops) = (moving_ps(story), counted(story.hops as u64, "hop", "hops"));
    let buffers = counted(story.host_buffers as u64, "host buffer", "host buffers");
    let told = super::total(&story.steps);
    let share = if told == 0 { 0.0 } else { moving as f64 / told as f64 };
    let rate = if total > 0.0 { format!(" = {} for one request at a time", gb_s(alone)) } else { String::new() };
    let mut text =
        format!("  sum: {}{rate}; {hops}, {buffers}; the bytes move {} of it.", seconds(total), percent(share));
    if story.outstanding > 1 && total > 0.0 {
        let offered = gb_s(alone * story.outstanding as f64);
        let outstanding = counted(story.outstanding, "request", "requests");
        text += &format!(" The work keeps {outstanding} outstanding, enough for {offered} if nothing were shared.");
    }
    wrap(&text, width, 2) + "\n"
}

fn moving_ps(story: &Story) -> u64 {
    let moving = |step: &Step| if let Step::Move { ps, .. } = step { *ps } else { 0 };
    story.steps.iter().map(moving).sum()
}
