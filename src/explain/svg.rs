//! Scenes as a picture: a column a work, a panel a leg, the hops of the leg lit.
//!
//! Knows shapes and colours. Must not know how a scene comes about.

use std::fmt::Write;

use super::layout::{CPU, Cell, Line, cell, line, name, stations};
use super::scene::{Place, Scene, State, Way, scenes};
use super::text::short;
use super::{Step, Story};
use crate::readable::{bytes, seconds};
use engine::units::PS_PER_S;

/// A station's box.
const BOX: (f64, f64) = (118.0, 62.0);
/// Between two boxes.
const GAP: (f64, f64) = (40.0, 44.0);
/// Around a panel's boxes, and above them for its heading.
const MARGIN: f64 = 24.0;
const HEADING: f64 = 52.0;
/// A panel, all in all.
const PANEL: (f64, f64) = (4.0 * BOX.0 + 3.0 * GAP.0 + 2.0 * MARGIN, 2.0 * BOX.1 + GAP.1 + 2.0 * MARGIN + HEADING);
/// Above all panels.
const TITLE: f64 = 64.0;

const STYLE: &str = "text{font-family:system-ui,'DejaVu Sans',sans-serif;font-size:14px;fill:#1b1f24}\
.small{font-size:12px;fill:#57606a}.title{font-size:18px;font-weight:600}.heading{font-weight:600}\
.box{fill:#f6f8fa;stroke:#57606a}.lit{fill:#fff1c2;stroke:#9a6700;stroke-width:2.5}\
.faint{fill:#fff;stroke:#8c959f;stroke-dasharray:5 4}\
.way{fill:none;stroke:#8c959f;stroke-width:2}.behind{stroke:#1b1f24}.now{stroke:#9a6700;stroke-width:5}\
.ahead{stroke-dasharray:5 4}.panel{fill:#fff;stroke:#d0d7de}.number{font-weight:600}";

/// The stories as one picture.
pub fn svg(stories: &[Story]) -> String {
    let columns: Vec<Vec<(Scene, &Step)>> = stories.iter().map(panels).collect();
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    let (width, height) = (PANEL.0 * stories.len() as f64, TITLE + PANEL.1 * rows as f64);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<title>{}</title>\n<style>{STYLE}</style>\n{MARKERS}<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escape(&heading(stories))
    );
    for (column, (story, panels)) in stories.iter().zip(&columns).enumerate() {
        let left = column as f64 * PANEL.0;
        title(&mut out, left, story);
        for (row, (scene, step)) in panels.iter().enumerate() {
            let _ = writeln!(out, "<g transform=\"translate({left} {})\">", TITLE + row as f64 * PANEL.1);
            panel(&mut out, scene, step, &story.steps);
            out.push_str("</g>\n");
        }
    }
    out + "</svg>\n"
}

/// Arrow heads, one for each colour of a line.
const MARKERS: &str = "<defs>\
<marker id=\"a\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"14\" markerHeight=\"14\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#8c959f\"/></marker>\
<marker id=\"b\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"14\" markerHeight=\"14\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#1b1f24\"/></marker>\
<marker id=\"n\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"18\" markerHeight=\"18\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 5L0 10z\" fill=\"#9a6700\"/></marker>\
</defs>\n";

/// The scenes in which bytes move, with their steps.
fn panels(story: &Story) -> Vec<(Scene, &Step)> {
    let all = scenes(story).into_iter().zip(&story.steps);
    all.filter(|(_, step)| matches!(step, Step::Move { .. })).collect()
}

fn heading(stories: &[Story]) -> String {
    stories.iter().map(|story| format!("{}: {}", story.work, story.path)).collect::<Vec<_>>().join("; ")
}

fn time(ps: u64) -> String {
    seconds(ps as f64 / PS_PER_S as f64)
}

fn title(out: &mut String, left: f64, story: &Story) {
    let first = format!("{}: {}", story.work, story.path);
    let second = format!(
        "one request of {}: {} hops, {} host buffers, {} in all",
        bytes(story.bytes),
        story.hops,
        story.host_buffers,
        time(story.total_ps)
    );
    text(out, (left + MARGIN, 28.0), "title", "start", &first);
    text(out, (left + MARGIN, 50.0), "small", "start", &second);
}

fn text(out: &mut String, (x, y): (f64, f64), class: &str, anchor: &str, words: &str) {
    let words = escape(words);
    let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\" text-anchor=\"{anchor}\">{words}</text>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn panel(out: &mut String, scene: &Scene, step: &Step, steps: &[Step]) {
    let (width, height) = (PANEL.0 - 12.0, PANEL.1 - 12.0);
    let _ = writeln!(out, "<rect x=\"6\" y=\"6\" width=\"{width}\" height=\"{height}\" rx=\"8\" class=\"panel\"/>");
    text(out, (MARGIN, 32.0), "heading", "start", &format!("step {}: {}", scene.step, short(step)));
    text(out, (MARGIN, 52.0), "small", "start", &after(scene, steps));
    for way in &scene.ways {
        arrow(out, scene, way);
    }
    for station in stations(scene) {
        let at = cell(scene, station);
        match scene.places.iter().find(|place| place.station == station) {
            Some(place) => station_box(out, at, place),
            None => boxed(out, at, "faint", [name(station), "not touched", ""]),
        }
    }
    let copies = scene.actor.is_some();
    boxed(out, CPU, if copies { "lit" } else { "box" }, ["CPU", if copies { "copies" } else { "" }, ""]);
}

/// What the panel says beside the motion: when it is over, and what set its pace.
fn after(scene: &Scene, steps: &[Step]) -> String {
    match steps.get(scene.step.wrapping_sub(1)) {
        Some(Step::Move { pace: Some(pace), total_ps, .. }) => {
            let rate = crate::readable::gb_s(pace.rate.gb_s());
            format!("{rate}, set by {}; done {} after the request began", pace.by, time(*total_ps))
        }
        Some(Step::Move { total_ps, .. }) => format!("done {} after the request began", time(*total_ps)),
        _ => String::new(),
    }
}

fn corner((column, row): Cell) -> (f64, f64) {
    (MARGIN + column as f64 * (BOX.0 + GAP.0), MARGIN + HEADING + row as f64 * (BOX.1 + GAP.1))
}

fn station_box(out: &mut String, at: Cell, place: &Place) {
    let sits = if place.bytes > 0 { format!("■ {}", bytes(place.bytes)) } else { String::new() };
    boxed(out, at, if place.lit { "lit" } else { "box" }, [name(place.station), &place.part, &sits]);
}

fn boxed(out: &mut String, at: Cell, class: &str, lines: [&str; 3]) {
    let ((x, y), (width, height)) = (corner(at), BOX);
    let _ =
        writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"5\" class=\"{class}\"/>");
    for (index, line) in lines.into_iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let class = if index == 1 { "small" } else { "" };
        text(out, (x + width / 2.0, y + 19.0 + 17.0 * index as f64), class, "middle", line);
    }
}

fn arrow(out: &mut String, scene: &Scene, way: &Way) {
    let (class, head) = match way.state {
        State::Ahead => ("ahead", "a"),
        State::Lit => ("now", "n"),
        State::Behind => ("behind", "b"),
    };
    let (points, label) = match line(scene, way) {
        Line::Along { row, from, to } => along(row, from, to),
        Line::Across { low, high, up, aside } => across(low, high, up, aside),
    };
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x} {y}")).collect();
    let path = path.join(" L");
    let _ = writeln!(out, "<path d=\"M{path}\" class=\"way {class}\" marker-end=\"url(#{head})\"/>");
    text(out, label, "number", "middle", &way.number.to_string());
}

type Point = (f64, f64);

/// The points of a line along a row, and the place of its number.
fn along(row: usize, from: usize, to: usize) -> (Vec<Point>, Point) {
    let ((left, top), (right, _)) = (corner((from.min(to), row)), corner((from.max(to), row)));
    let y = top + BOX.1 / 2.0;
    let ends = [(left + BOX.0, y), (right, y)];
    let points = if from < to { ends.to_vec() } else { vec![ends[1], ends[0]] };
    (points, ((ends[0].0 + ends[1].0) / 2.0, y - 8.0))
}

/// The points of a line between the rows, and the place of its number.
fn across(low: usize, high: usize, up: bool, aside: bool) -> (Vec<Point>, Point) {
    let shift = if !aside {
        0.0
    } else if up {
        -28.0
    } else {
        28.0
    };
    let x = |column: usize| corner((column, 0)).0 + BOX.0 / 2.0 + shift;
    let (above, below) = (corner((0, 0)).1 + BOX.1, corner((0, 1)).1);
    let middle = (above + below) / 2.0;
    let mut points = vec![(x(low), below), (x(low), middle), (x(high), middle), (x(high), above)];
    points.dedup();
    if !up {
        points.reverse();
    }
    (points, (x(low).max(x(high)) + 12.0, middle + 5.0))
}

#[cfg(test)]
mod tests {
    use super::super::{explain, sample};
    use super::*;
    use engine::Direction;

    #[test]
    fn each_leg_of_each_work_has_a_panel_with_its_hops_lit() {
        let picture = svg(&explain(&sample::plan(Direction::Read), None).unwrap());
        assert_eq!(picture.matches("class=\"panel\"").count(), 1 + 3);
        assert_eq!(picture.matches("class=\"way now\"").count(), 3 + 5);
    }

    #[test]
    fn words_in_a_picture_cannot_break_it() {
        assert_eq!(escape("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
    }
}
