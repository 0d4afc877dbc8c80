//! A diagnosis on one screen: the verdict, why, what to change, and what is not known in one line.
//!
//! Knows lines and widths. Must not know how anything was found.

use super::gpus::Taken;
use super::held::Held;
use super::text::{gpus, predicted, ranges};
use super::{Diagnosis, Finding, PlacePath};
use crate::import::Figure;
use crate::platform::rules::Answer;
use crate::readable::{gb_s, wrap};

/// A screen.
const MOST_LINES: usize = 40;
/// So many places, figures and findings are told before the rest is counted.
const MOST: usize = 5;

/// Writes a diagnosis in at most 40 lines of at most `width` characters.
pub fn brief(diagnosis: &Diagnosis, width: usize) -> String {
    let mut out = wrap(&diagnosis.summary, width, 0) + "\n";
    for part in
        [storage(diagnosis, width), paths(diagnosis, width), findings(diagnosis, width), rates(diagnosis, width)]
    {
        out.push_str(&part);
    }
    out.push_str(&rest(diagnosis, width));
    cut(&out)
}

fn cut(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= MOST_LINES {
        return text.to_string();
    }
    let kept = lines[..MOST_LINES - 1].join("\n");
    format!("{kept}\n… {} more lines: --all\n", lines.len() + 1 - MOST_LINES)
}

fn mark(taken: Taken) -> &'static str {
    match taken {
        Taken::Gds => "✓",
        Taken::Staged => "!",
        Taken::Compat | Taken::Refused => "✗",
        Taken::CannotTell => "?",
    }
}

fn word(taken: Taken) -> &'static str {
    match taken {
        Taken::Gds => "direct",
        Taken::Staged => "direct, staged in system memory",
        Taken::Compat => "compat (through system memory)",
        Taken::Refused => "refused at open",
        Taken::CannotTell => "cannot tell",
    }
}

fn storage(diagnosis: &Diagnosis, width: usize) -> String {
    if diagnosis.storage.is_empty() {
        return String::new();
    }
    let line = |place: &PlacePath| {
        let decide = if place.taken == Taken::CannotTell && !place.missing.is_empty() {
            format!("; to tell, capture: {}", place.missing.join("; "))
        } else {
            String::new()
        };
        let (kind, transport) = (&place.kind, &place.transport);
        let text = format!(
            "  {} {} ({kind}, {transport}): {} — {}{decide}",
            mark(place.taken),
            place.place,
            word(place.taken),
            place.why.join("; ")
        );
        wrap(text.trim_end_matches(" — "), width, 4) + "\n"
    };
    let more = diagnosis.storage.len().saturating_sub(MOST);
    let mut out: String = diagnosis.storage.iter().take(MOST).map(line).collect();
    if more > 0 {
        out.push_str(&format!("  … and {more} more\n"));
    }
    format!("\nStorage\n{out}")
}

fn paths(diagnosis: &Diagnosis, width: usize) -> String {
    // One GPU that nothing was said of adds nothing to the storage above.
    let plain = diagnosis.gpus.len() == 1 && diagnosis.gpus[0].distance.is_none() && !diagnosis.storage.is_empty();
    if diagnosis.gpus.is_empty() || plain {
        return String::new();
    }
    // Nothing was seen of GPU or storage: what would tell is all that there is to say.
    let unseen = diagnosis.gpus.iter().all(|gpu| gpu.distance.is_none() && gpu.taken == Taken::CannotTell);
    if unseen && diagnosis.storage.is_empty() {
        return wrap(&format!("To tell, capture: {}.", diagnosis.gpus[0].missing.join("; ")), width, 2) + "\n";
    }
    format!("\nGPUs\n{}", gpus(&diagnosis.gpus, width))
}

/// What to change; what is right and what is not known, folded.
fn findings(diagnosis: &Diagnosis, width: usize) -> String {
    let of = |answer: Answer| diagnosis.prerequisites.iter().filter(move |finding| finding.answer == answer);
    let words = |answer: Answer| of(answer).map(|finding| finding.word).collect::<Vec<_>>().join(", ");
    let mut out = String::new();
    let line = |finding: &Finding| {
        let shown =
            finding.evidence.first().map(|shown| format!(" ({}:{})", shown.file, shown.line)).unwrap_or_default();
        let advice = finding.advice.as_ref().map(|advice| format!(" To do: {advice}.")).unwrap_or_default();
        let says = finding.says.trim_end_matches('.');
        wrap(&format!("  ✗ {}: {says}{shown}.{advice}", finding.word), width, 4) + "\n"
    };
    out.extend(of(Answer::No).filter(|finding| finding.word != "p2pdma").take(MOST).map(line));
    for (mark, answer) in [("✓", Answer::Yes), ("?", Answer::Unknown)] {
        let words = words(answer);
        if !words.is_empty() {
            let hint = if answer == Answer::Unknown { " (--all says what to capture)" } else { "" };
            out.push_str(&(wrap(&format!("  {mark} {words}{hint}"), width, 4) + "\n"));
        }
    }
    if out.is_empty() { out } else { format!("\nPrerequisites\n{out}") }
}

fn rates(diagnosis: &Diagnosis, width: usize) -> String {
    let mut out = diagnosis.prediction.as_ref().map(|prediction| predicted(prediction, width)).unwrap_or_default();
    let line = |held: &Held| {
        let (measured, predicted) = (gb_s(held.measured_gb_s), gb_s(held.predicted_gb_s));
        let mark = if held.apart { "!" } else { "✓" };
        let why = held.explanations.iter().map(|why| format!("; {why}")).collect::<String>();
        wrap(
            &format!(
                "  {mark} {} (line {}): {measured} measured, {predicted} simulated on {}{why}",
                held.what, held.line, held.path
            ),
            width,
            4,
        ) + "\n"
    };
    let held: String = diagnosis.held.iter().take(MOST).map(line).collect();
    if !held.is_empty() {
        out.push_str(&format!("\nMeasured, beside the same requests simulated\n{held}"));
    }
    out.push_str(&measured(diagnosis, width));
    out
}

/// Figures that nothing was held against.
fn measured(diagnosis: &Diagnosis, width: usize) -> String {
    let is_held = |file: &str, line: usize| diagnosis.held.iter().any(|held| held.file == file && held.line == line);
    let figures =
        diagnosis.recognised.iter().flat_map(|read| read.figures.iter().map(move |figure| (&read.file, figure)));
    let left: Vec<_> = figures.filter(|(file, figure)| !is_held(file, figure.line)).collect();
    let line = |(_, figure): &(&String, &Figure)| {
        let iops = figure.iops.map(|iops| format!(", {iops:.0} IOPS")).unwrap_or_default();
        let rate = gb_s(figure.bytes_per_s / 1e9);
        wrap(&format!("  {} {} (line {}): {rate}{iops}", figure.tool, figure.what, figure.line), width, 4) + "\n"
    };
    let mut out: String = left.iter().take(MOST).map(line).collect();
    if left.len() > MOST {
        out.push_str(&format!("  … and {} more\n", left.len() - MOST));
    }
    if out.is_empty() { out } else { format!("\nMeasured\n{out}") }
}

/// What was read, and what was not.
fn rest(diagnosis: &Diagnosis, width: usize) -> String {
    let mut out = String::new();
    let mut tools: Vec<&str> = Vec::new();
    for read in &diagnosis.recognised {
        if !tools.contains(&read.tool) {
            tools.push(read.tool);
        }
    }
    if !tools.is_empty() {
        out.push_str(&(wrap(&format!("Read: {}.", tools.join(", ")), width, 2) + "\n"));
    }
    for file in diagnosis.not_understood.iter().take(MOST) {
        out.push_str(&(wrap(&format!("Not understood: {file}"), width, 2) + "\n"));
    }
    if let Some(known) = &diagnosis.known_formats {
        out.push_str(&(wrap(&format!("Known formats: {known}."), width, 2) + "\n"));
    }
    for unread in diagnosis.unread.iter().take(3) {
        let (first, last) = unread.lines;
        let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
        let text: String = unread.text.chars().take(48).collect();
        out.push_str(&(wrap(&format!("Not read: {}, {lines}: \"{text}\"", unread.file), width, 2) + "\n"));
    }
    let more: Vec<u32> = diagnosis.unread.iter().skip(3).map(|unread| unread.lines.0 as u32).collect();
    if !more.is_empty() {
        let ranges = ranges(&more[..more.len().min(20)]);
        out.push_str(&(wrap(&format!("Not read either: from lines {ranges}"), width, 2) + "\n"));
    }
    if out.is_empty() { out } else { format!("\n{out}") }
}
