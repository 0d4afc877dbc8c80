//! A scene in characters: stations as boxes, hops as arrows with their numbers.
//!
//! Knows characters. Must not know how a scene comes about.

use super::canvas::{Canvas, Tone};
use super::layout::{CPU, Cell, Line, cell, line, name, stations};
use super::scene::{Place, Scene, State, Way};
use crate::readable::bytes;

/// Characters of a box with its frame.
const BOX: usize = 15;
/// Characters between two boxes of a row.
const GAP: usize = 6;
/// Lines of a box with its frame.
const HEIGHT: usize = 5;
/// Lines between the two rows.
const BETWEEN: usize = 3;

/// The scene as lines of text.
pub fn diagram(scene: &Scene, color: bool) -> String {
    let mut canvas = Canvas::default();
    for station in stations(scene) {
        let at = cell(scene, station);
        match scene.places.iter().find(|place| place.station == station) {
            Some(place) => station_box(&mut canvas, at, place),
            None => empty_box(&mut canvas, at, name(station)),
        }
    }
    cpu(&mut canvas, scene.actor.as_deref());
    for way in &scene.ways {
        arrow(&mut canvas, way, line(scene, way));
    }
    canvas.text(color)
}

fn corner((column, row): Cell) -> (usize, usize) {
    (row * (HEIGHT + BETWEEN), column * (BOX + GAP))
}

/// The characters of a box's frame: corners, horizontal, vertical.
type Frame = [char; 6];
const PLAIN: Frame = ['┌', '┐', '└', '┘', '─', '│'];
const HEAVY: Frame = ['┏', '┓', '┗', '┛', '━', '┃'];
const DASHED: Frame = ['┌', '┐', '└', '┘', '╌', '╎'];

fn frame(canvas: &mut Canvas, at: Cell, frame: Frame, tone: Tone) {
    let (top, left) = corner(at);
    let (bottom, right) = (top + HEIGHT - 1, left + BOX - 1);
    for column in left..=right {
        canvas.set(top, column, frame[4], tone);
        canvas.set(bottom, column, frame[4], tone);
    }
    for row in top..=bottom {
        canvas.set(row, left, frame[5], tone);
        canvas.set(row, right, frame[5], tone);
    }
    let corners = [(top, left), (top, right), (bottom, left), (bottom, right)];
    corners.iter().zip(frame).for_each(|(&(row, column), letter)| canvas.set(row, column, letter, tone));
}

fn lines(canvas: &mut Canvas, at: Cell, lines: [&str; 3], tone: Tone) {
    let (top, left) = corner(at);
    for (index, text) in lines.into_iter().enumerate() {
        canvas.center(top + 1 + index, left + 1, BOX - 2, text, tone);
    }
}

fn station_box(canvas: &mut Canvas, at: Cell, place: &Place) {
    let (look, tone) = if place.lit { (HEAVY, Tone::Lit) } else { (PLAIN, Tone::Plain) };
    frame(canvas, at, look, tone);
    let sits = if place.bytes > 0 { format!("■ {}", bytes(place.bytes)) } else { String::new() };
    lines(canvas, at, [name(place.station), &place.part, &sits], tone);
}

/// A station that the path does not touch.
fn empty_box(canvas: &mut Canvas, at: Cell, name: &str) {
    frame(canvas, at, DASHED, Tone::Faint);
    lines(canvas, at, [name, "not touched", ""], Tone::Faint);
}

fn cpu(canvas: &mut Canvas, actor: Option<&str>) {
    let acts = matches!(actor, Some("CPU" | "software"));
    let (look, tone) = if acts { (HEAVY, Tone::Lit) } else { (PLAIN, Tone::Plain) };
    frame(canvas, CPU, look, tone);
    lines(canvas, CPU, ["CPU", if acts { "acts" } else { "" }, ""], tone);
}

/// The characters of a way: horizontal, vertical, arrow heads right, left, up, down.
fn strokes(state: State) -> ([char; 6], Tone) {
    match state {
        State::Ahead => (['╌', '╎', '▷', '◁', '△', '▽'], Tone::Plain),
        State::Lit => (['━', '┃', '▶', '◀', '▲', '▼'], Tone::Lit),
        State::Behind => (['─', '│', '▷', '◁', '△', '▽'], Tone::Plain),
    }
}

fn arrow(canvas: &mut Canvas, way: &Way, line: Line) {
    match line {
        Line::Along { row, from, to } => along(canvas, way, row, from, to),
        Line::Across { low, high, up, aside } => {
            // Up on the left, down on the right, where both are there.
            let middle = BOX / 2;
            let at = if !aside {
                middle
            } else if up {
                middle - 4
            } else {
                middle + 4
            };
            across(canvas, way, [low, high].map(|column| corner((column, 0)).1 + at), up);
        }
    }
}

fn along(canvas: &mut Canvas, way: &Way, row: usize, from: usize, to: usize) {
    let ([horizontal, _, right, left, ..], tone) = strokes(way.state);
    let (top, first) = corner((from.min(to), row));
    let (_, last) = corner((from.max(to), row));
    let (row, first) = (top + HEIGHT / 2, first + BOX);
    for column in first..last {
        canvas.set(row, column, horizontal, tone);
    }
    let (head, column) = if from < to { (right, last - 1) } else { (left, first) };
    canvas.set(row, column, head, tone);
    canvas.write(row, (first + last - 1) / 2, &way.number.to_string(), tone);
}

/// A line between the rows, from one place below to one above: straight, or by way of the middle line.
fn across(canvas: &mut Canvas, way: &Way, [low, high]: [usize; 2], up: bool) {
    let ([horizontal, vertical, _, _, above, below], tone) = strokes(way.state);
    let (first, last) = (HEIGHT, HEIGHT + BETWEEN - 1);
    let middle = (first + last) / 2;
    canvas.set(first, high, if up { above } else { vertical }, tone);
    canvas.set(last, low, if up { vertical } else { below }, tone);
    for column in low.min(high)..=low.max(high) {
        canvas.set(middle, column, if low == high { vertical } else { horizontal }, tone);
    }
    if low != high {
        let heavy = way.state == State::Lit;
        // Where the line turns: at the upper end down from above, at the lower end down to below.
        let turns = match (high < low, heavy) {
            (true, false) => ['└', '┐'],
            (true, true) => ['┗', '┓'],
            (false, false) => ['┘', '┌'],
            (false, true) => ['┛', '┏'],
        };
        canvas.set(middle, high, turns[0], tone);
        canvas.set(middle, low, turns[1], tone);
    }
    canvas.write(middle, low.max(high) + 2, &way.number.to_string(), tone);
}

#[cfg(test)]
mod tests {
    use super::super::scene::{overview, scenes};
    use super::super::{explain, sample};
    use super::*;
    use engine::{Direction, Station};

    #[test]
    fn a_leg_that_is_lit_reads_as_its_golden_file_says() {
        let story = &explain(&sample::plan(Direction::Read), Some("bounce")).unwrap()[0];
        let lit = scenes(story).into_iter().filter(|scene| scene.ways.iter().any(|way| way.state == State::Lit));
        let drawn: Vec<String> = lit.map(|scene| diagram(&scene, false)).collect();
        insta::assert_snapshot!("diagram-bounce-read", drawn.join("\n"));
    }

    #[test]
    fn writes_point_the_other_way_and_gds_leaves_memory_alone() {
        let story = &explain(&sample::plan(Direction::Write), Some("gds")).unwrap()[0];
        insta::assert_snapshot!("diagram-gds-write", diagram(&overview(story), false));
    }

    #[test]
    fn a_path_between_drive_and_user_buffer_goes_up_and_down_beside_itself() {
        let way = |number, from, to| Way { number, from, to, state: State::Ahead };
        use Station::{Hbm, Nic, Pcie, Storage, UserBuffer};
        let place = |station| Place { station, part: String::new(), bytes: 0, lit: false };
        let local = Scene {
            step: 0,
            places: [Storage, Pcie, UserBuffer, Hbm].map(place).to_vec(),
            ways: vec![way(1, Storage, Pcie), way(2, Pcie, UserBuffer), way(3, UserBuffer, Pcie), way(4, Pcie, Hbm)],
            actor: None,
        };
        let far = Scene {
            places: [Storage, Nic, UserBuffer, Pcie, Hbm].map(place).to_vec(),
            ways: vec![way(1, Storage, Nic), way(2, Nic, UserBuffer), way(3, UserBuffer, Pcie), way(4, Pcie, Hbm)],
            ..local.clone()
        };
        insta::assert_snapshot!("diagram-other-paths", diagram(&local, false) + "\n" + &diagram(&far, false));
    }
}
