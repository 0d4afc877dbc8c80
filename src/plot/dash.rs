//! Dashes: a line through points, cut into strokes and gaps.
//!
//! Knows lengths on paper. Must not know colours.

/// A point on paper.
pub(super) type Spot = (i32, i32);

/// The strokes of a line through `points`: `pattern` gives the length of a stroke, a gap, a stroke, …; empty is solid.
pub(super) fn strokes(points: &[Spot], pattern: &[f64]) -> Vec<Vec<Spot>> {
    if pattern.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut pen = Pen { pattern, index: 0, left: pattern[0], strokes: vec![vec![points[0]]] };
    for pair in points.windows(2) {
        pen.walk(pair[0], pair[1]);
    }
    pen.strokes.retain(|stroke| stroke.len() > 1);
    pen.strokes
}

struct Pen<'a> {
    pattern: &'a [f64],
    index: usize,
    left: f64,
    strokes: Vec<Vec<Spot>>,
}

impl Pen<'_> {
    fn walk(&mut self, from: Spot, to: Spot) {
        let (dx, dy) = (f64::from(to.0 - from.0), f64::from(to.1 - from.1));
        let length = libm::hypot(dx, dy);
        let mut done = 0.0;
        while done + self.left < length {
            done += self.left;
            let part = done / length;
            self.turn((from.0 + (dx * part).round() as i32, from.1 + (dy * part).round() as i32));
        }
        self.left -= length - done;
        self.mark(to);
    }

    fn is_down(&self) -> bool {
        self.index.is_multiple_of(2)
    }

    fn mark(&mut self, spot: Spot) {
        if let (true, Some(stroke)) = (self.is_down(), self.strokes.last_mut()) {
            stroke.push(spot);
        }
    }

    fn turn(&mut self, spot: Spot) {
        self.mark(spot);
        self.index += 1;
        self.left = self.pattern[self.index % self.pattern.len()].max(1.0);
        if self.is_down() {
            self.strokes.push(vec![spot]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_into_strokes_and_gaps() {
        let cut = strokes(&[(0, 0), (10, 0)], &[3.0, 2.0]);
        assert_eq!(cut, [vec![(0, 0), (3, 0)], vec![(5, 0), (8, 0)]]);
    }

    #[test]
    fn a_stroke_goes_round_a_corner() {
        let cut = strokes(&[(0, 0), (2, 0), (2, 5)], &[4.0, 2.0]);
        assert_eq!(cut, [vec![(0, 0), (2, 0), (2, 2)], vec![(2, 4), (2, 5)]]);
    }
}
