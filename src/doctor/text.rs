//! A diagnosis as a person reads it.
//!
//! Knows lines and widths. Must not know how anything was found.

use super::gpus::{GpuPath, Taken};
use super::predict::{Prediction, Reached};
use super::{Diagnosis, Finding, said};
use crate::platform::rules::Answer;
use crate::readable::{gb_s, wrap};
use crate::table::{Lean, plain};

/// So many figures of one benchmark are listed.
const MOST_FIGURES: usize = 8;

/// Writes a diagnosis in lines of at most `width` characters.
pub fn text(diagnosis: &Diagnosis, width: usize) -> String {
    let mut out = wrap(&diagnosis.summary, width, 0) + "\n";
    if !diagnosis.recognised.is_empty() {
        out.push_str("\nRead\n");
        for read in &diagnosis.recognised {
            let (first, last) = read.lines;
            let lines = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
            out.push_str(&format!("  {}: {}, {lines}\n", read.file, read.tool));
            for figure in read.figures.iter().take(MOST_FIGURES) {
                let rate = gb_s(figure.bytes_per_s / 1e9);
                out.push_str(&format!("    {}: {rate} (line {})\n", figure.what, figure.line));
            }
            if read.figures.len() > MOST_FIGURES {
                out.push_str(&format!("    and {} more\n", read.figures.len() - MOST_FIGURES));
            }
        }
    }
    for file in &diagnosis.not_understood {
        out.push_str(&format!("  {file}: not understood\n"));
    }
    if let Some(known) = &diagnosis.known_formats {
        out.push_str(&wrap(&format!("  Known formats: {known}."), width, 4));
        out.push('\n');
    }
    if !diagnosis.prerequisites.is_empty() {
        out.push_str("\nPrerequisites\n");
        diagnosis.prerequisites.iter().for_each(|finding| out.push_str(&prerequisite(finding, width)));
    }
    if !diagnosis.gpus.is_empty() {
        out.push_str("\nThe path that the bytes of each GPU take\n");
        out.push_str(&gpus(&diagnosis.gpus, width));
    }
    out.push_str(&diagnosis.prediction.as_ref().map(|prediction| predicted(prediction, width)).unwrap_or_default());
    out
}

fn prerequisite(finding: &Finding, width: usize) -> String {
    let indent = 16;
    let head = format!("  {:<13} {}", said(finding.answer), finding.question);
    let mut out = wrap(&head, width, indent) + "\n";
    let mut add = |line: String| out.push_str(&format!("{}\n", wrap(&format!("{:indent$}{line}", ""), width, indent)));
    add(format!("{}.", finding.says.trim_end_matches('.')));
    for evidence in &finding.evidence {
        // The line is as it was captured, so that it can be searched for; a long one is cut.
        let text: String =
            evidence.text.replace('\t', " ").chars().take(width.saturating_sub(indent + 2).max(40)).collect();
        out.push_str(&format!("{:indent$}{}:{}\n{:indent$}| {text}\n", "", evidence.file, evidence.line, ""));
    }
    if let Some(advice) = finding
        .advice
        .as_ref()
        .filter(|_| finding.answer != Answer::Yes || finding.word == "compat" || finding.word == "tcp")
    {
        let line = format!("{:indent$}To do: {advice}.", "");
        out.push_str(&format!("{}\n", wrap(&line, width, indent)));
    }
    out
}

pub(super) fn gpus(gpus: &[GpuPath], width: usize) -> String {
    let columns = [
        ("GPU", Lean::Left),
        ("nearest", Lean::Left),
        ("distance", Lean::Left),
        ("path", Lean::Left),
        ("hops", Lean::Right),
        ("why", Lean::Left),
    ];
    let cells = |gpu: &GpuPath| {
        vec![
            gpu.nearest.clone().unwrap_or_else(|| "not known".into()),
            gpu.distance.clone().unwrap_or_else(|| "not known".into()),
            path(gpu),
            gpu.hops.map_or("-".into(), |hops| hops.to_string()),
            gpu.why.join("; "),
        ]
    };
    // GPUs of which the same is said stand in one row.
    let mut rows: Vec<(Vec<u32>, Vec<String>)> = Vec::new();
    for gpu in gpus {
        match rows.iter_mut().find(|(_, row)| *row == cells(gpu)) {
            Some((numbers, _)) => numbers.push(gpu.gpu),
            None => rows.push((vec![gpu.gpu], cells(gpu))),
        }
    }
    let rows = rows.into_iter().map(|(numbers, row)| std::iter::once(ranges(&numbers)).chain(row).collect());
    let mut out = plain(&columns, rows.collect(), width);
    if let Some(gpu) = gpus.iter().find(|gpu| !gpu.missing.is_empty()) {
        out.push_str(&wrap(&format!("  To tell, capture: {}.", gpu.missing.join("; ")), width, 4));
        out.push('\n');
    }
    out
}

fn path(gpu: &GpuPath) -> String {
    match gpu.taken {
        Taken::Gds => "GDS".into(),
        Taken::Staged => "GDS, staged in system memory".into(),
        Taken::Compat if gpu.silent => "system memory, silently".into(),
        Taken::Compat => "system memory".into(),
        Taken::Refused => "none: an error at open".into(),
        Taken::CannotTell => "cannot tell".into(),
    }
}

pub(super) fn predicted(prediction: &Prediction, width: usize) -> String {
    let columns = [
        ("GPUs", Lean::Left),
        ("path", Lean::Left),
        ("hops", Lean::Right),
        ("throughput", Lean::Right),
        ("slow .. fast end", Lean::Right),
        ("what binds", Lean::Left),
    ];
    let row = |(reached, together): (&Reached, bool)| {
        let gpus = match together {
            true => format!("all {} together", reached.gpus.len()),
            false => format!("one of {} ({})", ranges(&reached.gpus), reached.distance),
        };
        let ends =
            reached.low_gb_s.zip(reached.high_gb_s).map(|(low, high)| format!("{} .. {}", gb_s(low), gb_s(high)));
        vec![
            gpus,
            reached.path.clone(),
            reached.hops.to_string(),
            gb_s(reached.throughput_gb_s),
            ends.unwrap_or_default(),
            reached.binds.clone(),
        ]
    };
    let alone = prediction.alone.iter().map(|reached| (reached, false));
    let rows = alone.chain(prediction.together.iter().map(|reached| (reached, true))).map(row).collect();
    let assumed: String =
        prediction.assumed.iter().map(|line| wrap(&format!("  assumed: {line}"), width, 4) + "\n").collect();
    format!(
        "\nWhat the simulator says it will reach (node {}, target {})\n{}{assumed}",
        prediction.node,
        prediction.target,
        plain(&columns, rows, width)
    )
}

/// "0-3, 6".
pub(super) fn ranges(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let part = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}
