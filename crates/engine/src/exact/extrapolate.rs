//! How far a settled work may be taken ahead at its steady pace.
//!
//! Knows the pace of each lane and what each has still to offer. Must not know how they came to it, or what is in flight.
//!
//! It is taken to where the first of its lanes has nothing more to offer: from there on the others have the room of that
//! one, and their pace must be found anew. What is in flight then, and what the lanes still have, is simulated.

/// Lanes whose paces differ by less than this share go alike: which of them is ahead changes all the time.
const ALIKE: f64 = 0.02;

/// What a lane has still to offer: so many requests, or rounds of its list of sizes, of so many bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// How many.
    pub rounds: u64,
    /// The bytes of each.
    pub bytes: u64,
}

/// How far to go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    /// Picoseconds.
    pub time: u64,
    /// Rounds of each lane that pass in that time.
    pub rounds: Vec<u64>,
}

/// How far a work may be taken whose lanes go at these paces, in bytes a picosecond; `None` where that is no step.
/// No lane is given more than its pace allows in that time.
pub fn ahead(paces: &[f64], rests: &[Rest]) -> Option<Ahead> {
    let paces = evened(paces, rests);
    let lanes = || paces.iter().zip(rests).filter(|(pace, rest)| **pace > 0.0 && rest.rounds > 0);
    let last = lanes().map(|(pace, rest)| rest.rounds as f64 * rest.bytes as f64 / pace).reduce(f64::min)?;
    // Of a lane that has nothing to offer no round passes, whatever its pace.
    let passed = |(pace, rest): (&f64, &Rest)| (libm::round(pace * last / rest.bytes as f64) as u64).min(rest.rounds);
    let rounds: Vec<u64> = paces.iter().zip(rests).map(passed).collect();
    let moving = paces.iter().zip(rests).zip(&rounds).filter(|(_, rounds)| **rounds > 0);
    let times = moving.map(|((pace, rest), rounds)| *rounds as f64 * rest.bytes as f64 / pace);
    let time = times.fold(0.0, f64::max);
    (time >= 1.0).then(|| Ahead { time: libm::ceil(time) as u64, rounds })
}

/// The paces of the lanes that have something to offer, those that go alike set to their mean.
fn evened(paces: &[f64], rests: &[Rest]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..paces.len()).filter(|&lane| rests[lane].rounds > 0).collect();
    order.sort_by(|&a, &b| paces[a].total_cmp(&paces[b]));
    let mut evened = vec![0.0; paces.len()];
    for alike in order.chunk_by(|&a, &b| paces[a] >= paces[b] * (1.0 - ALIKE)) {
        let mean = alike.iter().map(|&lane| paces[lane]).sum::<f64>() / alike.len() as f64;
        alike.iter().for_each(|&lane| evened[lane] = mean);
    }
    evened
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(rounds: u64) -> Rest {
        Rest { rounds, bytes: 1000 }
    }

    #[test]
    fn lanes_that_go_alike_end_together() {
        let ahead = ahead(&[2.0, 1.98, 2.02], &[rest(100); 3]).unwrap();
        assert_eq!(ahead, Ahead { time: 50_000, rounds: vec![100; 3] });
    }

    #[test]
    fn a_faster_lane_ends_first_and_the_others_keep_their_rest() {
        let ahead = ahead(&[4.0, 1.0], &[rest(100); 2]).unwrap();
        assert_eq!(ahead, Ahead { time: 25_000, rounds: vec![100, 25] });
    }

    #[test]
    fn no_lane_is_given_more_than_its_pace_allows() {
        let (paces, rests) = ([3.0, 1.7, 0.9], [rest(101), rest(77), rest(13)]);
        let ahead = ahead(&paces, &rests).unwrap();
        for ((pace, rest), rounds) in paces.iter().zip(rests).zip(ahead.rounds) {
            assert!((rounds * rest.bytes) as f64 <= pace * ahead.time as f64 + 1e-6);
        }
    }

    #[test]
    fn who_has_nothing_left_neither_holds_nor_moves() {
        assert_eq!(ahead(&[2.0, 1.0], &[rest(0), rest(10)]).unwrap().rounds, [0, 10]);
        assert_eq!(ahead(&[2.0, 1.0], &[rest(0); 2]), None);
    }
}
