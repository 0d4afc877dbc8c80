//! Where labels stand: near their points, off the curves and off each other.
//!
//! Knows boxes and lines on paper. Must not know what a label says.

use super::dash::Spot;

/// A box on paper: left, top, right, bottom.
pub(super) type Area = (i32, i32, i32, i32);

/// A label that wants a place.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    /// The points that it may stand beside, the best first.
    pub at: Vec<Spot>,
    /// What each further point costs, in pixels of distance.
    pub reluctance: i64,
    /// Its width and height.
    pub size: (i32, i32),
}

/// How far from its point a label may stand.
const DISTANCES: [i32; 6] = [14, 26, 42, 64, 92, 130];
/// Directions, the best first: below right, above left, below, above, right, left, above right, below left.
const DIRECTIONS: [(i32, i32); 8] = [(1, 1), (-1, -1), (0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)];

/// A label's place: its box, and the point that it stands beside.
pub(super) type Placed = (Area, Spot);

/// Places labels one after the other; each takes the place that covers least, the nearest of equals.
pub(super) fn place(wishes: &[Wish], lines: &[Vec<Spot>], paper: Area) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    for wish in wishes {
        let taken: Vec<Area> = placed.iter().map(|p| p.0).collect();
        let best = candidates(wish, paper).min_by_key(|(place, extra)| cost(*place, lines, &taken) + extra);
        placed.extend(best.map(|(place, _)| place));
    }
    placed
}

/// The places that a label may take, each with what it costs beyond what it covers.
fn candidates(wish: &Wish, paper: Area) -> impl Iterator<Item = (Placed, i64)> {
    wish.at.iter().enumerate().flat_map(move |(index, &at)| {
        let extra = wish.reluctance * index as i64;
        DISTANCES.into_iter().flat_map(move |far| {
            DIRECTIONS.into_iter().map(move |way| ((into(beside(at, wish.size, way, far), paper), at), extra))
        })
    })
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

fn cost((area, at): Placed, lines: &[Vec<Spot>], taken: &[Area]) -> i64 {
    let covered = taken.iter().filter(|other| overlap(area, **other)).count() as i64;
    let crossed: usize = lines.iter().map(|line| line.windows(2).filter(|l| crosses(l[0], l[1], area)).count()).sum();
    let middle = ((area.0 + area.2) / 2, (area.1 + area.3) / 2);
    let far = i64::from((middle.0 - at.0).abs() / 2 + (middle.1 - at.1).abs());
    covered * 1_000_000 + crossed as i64 * 10_000 + struck(area, at, taken) * 5_000 + far
}

/// How many earlier labels the line from a label to its point would strike through.
fn struck(area: Area, at: Spot, taken: &[Area]) -> i64 {
    let near = nearest(area, at);
    taken.iter().filter(|other| crosses(at, near, **other)).count() as i64
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

    fn wish(at: Spot) -> Wish {
        Wish { at: vec![at], reluctance: 0, size: (100, 20) }
    }

    #[test]
    fn labels_at_one_point_do_not_cover_each_other() {
        let wishes: Vec<Wish> = (0..6).map(|_| wish((500, 500))).collect();
        let placed = place(&wishes, &[], PAPER);
        for (index, (area, _)) in placed.iter().enumerate() {
            assert!(placed[..index].iter().all(|(other, _)| !overlap(*area, *other)));
        }
    }

    #[test]
    fn a_label_keeps_off_a_curve() {
        let line = vec![vec![(0, 0), (1000, 1000)]];
        let placed = place(&[wish((500, 500))], &line, PAPER);
        assert!(!crosses((0, 0), (1000, 1000), placed[0].0));
    }

    #[test]
    fn a_label_stays_on_the_paper() {
        let (area, _) = place(&[wish((995, 995))], &[], PAPER)[0];
        assert!(area.2 <= 1000 && area.3 <= 1000);
    }

    #[test]
    fn a_label_moves_on_to_a_point_with_more_room() {
        let crowd: Vec<Vec<Spot>> = (0..60).map(|n| vec![(0, n * 8), (400, n * 8)]).collect();
        let wish = Wish { at: vec![(150, 200), (700, 200)], reluctance: 60, size: (100, 20) };
        assert_eq!(place(&[wish], &crowd, PAPER)[0].1, (700, 200));
    }
}
