//! Where labels stand: near their points, off the curves and off each other.
//!
//! Knows boxes and lines on paper. Must not know what a label says.

use super::dash::Spot;

/// A box on paper: left, top, right, bottom.
pub(super) type Area = (i32, i32, i32, i32);

/// A label that wants a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    /// The point that it belongs to.
    pub at: Spot,
    /// Its width and height.
    pub size: (i32, i32),
}

/// How far from its point a label may stand.
const DISTANCES: [i32; 6] = [14, 26, 42, 64, 92, 130];
/// Directions, the best first: below right, above left, below, above, right, left, above right, below left.
const DIRECTIONS: [(i32, i32); 8] = [(1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)];

/// Places labels one after the other; each takes the place that covers least, the nearest of equals.
pub(super) fn place(wishes: &[Wish], lines: &[Vec<Spot>], paper: Area) -> Vec<Area> {
    let mut taken: Vec<Area> = Vec::new();
    for wish in wishes {
        let best = candidates(wish).map(|area| into(area, paper)).min_by_key(|area| cost(*area, wish, lines, &taken));
        taken.extend(best);
    }
    taken
}

fn candidates(wish: &Wish) -> impl Iterator<Item = Area> {
    let Wish { at, size } = *wish;
    DISTANCES.into_iter().flat_map(move |far| DIRECTIONS.into_iter().map(move |way| beside(at, size, way, far)))
}

/// The box of that size whose nearest edge or corner lies so far from a point.
fn beside(at: Spot, (width, height): (i32, i32), (right, down): (i32, i32), far: i32) -> Area {
    let left = at.0 + right * far - [width, width / 2, 0][(right + 1) as usize];
    let top = at.1 + down * far - [height, height / 2, 0][(down + 1) as usize];
    (left, top, left + width, top + height)
}

/// The box moved onto the paper.
fn into((left, top, right, bottom): Area, paper: Area) -> Area {
    let dx = (paper.0 - left).max(0) + (paper.2 - right).min(0);
    let dy = (paper.1 - top).max(0) + (paper.3 - bottom).min(0);
    (left + dx, top + dy, right + dx, bottom + dy)
}

fn cost(area: Area, wish: &Wish, lines: &[Vec<Spot>], taken: &[Area]) -> i64 {
    let covered = taken.iter().filter(|other| overlap(area, **other)).count() as i64;
    let crossed: usize = lines.iter().map(|line| line.windows(2).filter(|l| crosses(l[0], l[1], area)).count()).sum();
    let middle = ((area.0 + area.2) / 2, (area.1 + area.3) / 2);
    let far = i64::from((middle.0 - wish.at.0).abs() / 2 + (middle.1 - wish.at.1).abs());
    covered * 1_000_000 + crossed as i64 * 10_000 + struck(area, wish, taken) * 5_000 + far
}

/// How many earlier labels the line from a label to its point would strike through.
fn struck(area: Area, wish: &Wish, taken: &[Area]) -> i64 {
    let near = nearest(area, wish.at);
    taken.iter().filter(|other| crosses(wish.at, near, **other)).count() as i64
}

/// The spot of a box that is nearest to a point.
pub(super) fn nearest(area: Area, at: Spot) -> Spot {
    (at.0.clamp(area.0, area.2), at.1.clamp(area.1, area.3))
}

fn overlap(a: Area, b: Area) -> bool {
    a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3
}

/// Whether a straight line touches a box: tried at points a few pixels apart.
fn crosses(from: Spot, to: Spot, area: Area) -> bool {
    let steps = ((to.0 - from.0).abs().max((to.1 - from.1).abs()) / 4).max(1);
    (0..=steps).any(|step| {
        let (x, y) = (from.0 + (to.0 - from.0) * step / steps, from.1 + (to.1 - from.1) * step / steps);
        (area.0 - 3..=area.2 + 3).contains(&x) && (area.1 - 3..=area.3 + 3).contains(&y)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Area = (0, 0, 1000, 1000);

    #[test]
    fn labels_at_one_point_do_not_cover_each_other() {
        let wish = Wish { at: (500, 500), size: (100, 20) };
        let areas = place(&[wish; 6], &[], PAPER);
        for (index, area) in areas.iter().enumerate() {
            assert!(areas[..index].iter().all(|other| !overlap(*area, *other)));
        }
    }

    #[test]
    fn a_label_keeps_off_a_curve() {
        let line = vec![vec![(0, 0), (1000, 1000)]];
        let areas = place(&[Wish { at: (500, 500), size: (100, 20) }], &line, PAPER);
        assert!(!crosses((0, 0), (1000, 1000), areas[0]));
    }

    #[test]
    fn a_label_stays_on_the_paper() {
        let areas = place(&[Wish { at: (995, 995), size: (100, 20) }], &[], PAPER);
        assert!(areas[0].2 <= 1000 && areas[0].3 <= 1000);
    }
}
