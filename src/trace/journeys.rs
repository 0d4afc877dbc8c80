//! What each of the first requests did, from its beginning to its end: waited, held, was set up, moved.
//!
//! Knows moments. Must not know names, nor how a journey is shown.

use std::collections::BTreeMap;

use engine::{Moment, Observer, Who};

/// The journeys of the first so many requests of each work.
#[derive(Clone, Debug)]
pub struct Journeys {
    most: u64,
    /// Requests of each work so far.
    begun: Vec<u64>,
    noted: Vec<Journey>,
    /// What is under way, by worker.
    under_way: BTreeMap<u32, UnderWay>,
}

/// One request's journey. Times are in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// Whose.
    pub who: Who,
    /// Its number among the requests of its work, from 1.
    pub number: u64,
    /// Its bytes.
    pub bytes: u64,
    /// When it began.
    pub from: u64,
    /// When it was done.
    pub to: u64,
    /// What it did meanwhile, in the order that each began.
    pub stages: Vec<Stage>,
}

/// A part of a journey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What.
    pub what: What,
    /// Since when.
    pub from: u64,
    /// Until when.
    pub to: u64,
}

/// What a request does for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is in line for a pool.
    InLine(usize),
    /// It holds places of a pool.
    Holds(usize),
    /// Delays of a leg pass.
    Steps {
        /// The leg.
        leg: usize,
        /// Before its motion, or after it.
        before: bool,
    },
    /// Its bytes move over a leg.
    Moves(usize),
}

#[derive(Clone, Debug)]
struct UnderWay {
    journey: Journey,
    /// What it does now besides holding: one thing at a time.
    now: Option<(What, u64)>,
    holds: Vec<(usize, u64)>,
}

impl Journeys {
    /// Notes `most` requests of each of so many works.
    pub fn new(works: usize, most: u64) -> Journeys {
        Journeys { most, begun: vec![0; works], noted: Vec::new(), under_way: BTreeMap::new() }
    }

    /// The journeys that were noted, in the order that they ended.
    pub fn noted(&self) -> &[Journey] {
        &self.noted
    }

    /// How many requests of each work began in all.
    pub fn begun(&self) -> &[u64] {
        &self.begun
    }

    fn begins(&mut self, now: u64, who: Who, bytes: u64) {
        self.begun[who.work] += 1;
        let number = self.begun[who.work];
        if number <= self.most {
            let journey = Journey { who, number, bytes, from: now, to: now, stages: Vec::new() };
            self.under_way.insert(who.worker, UnderWay { journey, now: None, holds: Vec::new() });
        }
    }

    fn done(&mut self, now: u64, worker: u32) {
        let Some(mut ends) = self.under_way.remove(&worker) else { return };
        ends.turn(now, None);
        for (pool, from) in std::mem::take(&mut ends.holds) {
            ends.close(What::Holds(pool), from, now);
        }
        ends.journey.to = now;
        ends.journey.stages.sort_by_key(|stage| stage.from);
        self.noted.push(ends.journey);
    }
}

impl UnderWay {
    /// What it did is over, and something else begins.
    fn turn(&mut self, now: u64, next: Option<What>) {
        if let Some((what, from)) = self.now.take() {
            self.close(what, from, now);
        }
        self.now = next.map(|what| (what, now));
    }

    fn close(&mut self, what: What, from: u64, to: u64) {
        if to > from {
            self.journey.stages.push(Stage { what, from, to });
        }
    }

    fn note(&mut self, now: u64, moment: Moment) {
        match moment {
            Moment::InLine(pool) => self.turn(now, Some(What::InLine(pool))),
            Moment::Holds(pool) => {
                self.turn(now, None);
                self.holds.push((pool, now));
            }
            Moment::GivesBack(pool) => {
                if let Some(at) = self.holds.iter().rposition(|(held, _)| *held == pool) {
                    let (pool, from) = self.holds.remove(at);
                    self.close(What::Holds(pool), from, now);
                }
            }
            Moment::Delay { leg, before } => self.turn(now, Some(What::Steps { leg, before })),
            Moment::Moves(leg) => self.turn(now, Some(What::Moves(leg))),
            Moment::Arrived(_) => self.turn(now, None),
            Moment::Begins(_) | Moment::Done(_) => {}
        }
    }
}

impl Observer for Journeys {
    fn moment(&mut self, now: u64, who: Who, moment: Moment) {
        match moment {
            Moment::Begins(bytes) => self.begins(now, who, bytes),
            Moment::Done(_) => self.done(now, who.worker),
            _ => {
                if let Some(under_way) = self.under_way.get_mut(&who.worker) {
                    under_way.note(now, moment);
                }
            }
        }
    }

    fn warmed_up(&mut self, _: u64, _: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHO: Who = Who { work: 0, lane: 0, worker: 7 };

    fn noted(most: u64, moments: &[(u64, Moment)]) -> Journeys {
        let mut journeys = Journeys::new(1, most);
        moments.iter().for_each(|&(now, moment)| journeys.moment(now, WHO, moment));
        journeys
    }

    #[test]
    fn a_journey_is_what_its_request_did_in_order() {
        let moments = [
            (0, Moment::Begins(4096)),
            (0, Moment::InLine(3)),
            (5, Moment::Holds(3)),
            (5, Moment::Delay { leg: 0, before: true }),
            (8, Moment::Moves(0)),
            (20, Moment::Arrived(0)),
            (20, Moment::GivesBack(3)),
            (20, Moment::Done(20)),
        ];
        let journeys = noted(1, &moments);
        let stages: Vec<_> = journeys.noted()[0].stages.iter().map(|s| (s.what, s.from, s.to)).collect();
        let steps = What::Steps { leg: 0, before: true };
        assert_eq!(stages, [(What::InLine(3), 0, 5), (steps, 5, 8), (What::Holds(3), 5, 20), (What::Moves(0), 8, 20)]);
    }

    #[test]
    fn requests_beyond_the_first_are_counted_and_not_noted() {
        let one = [(0, Moment::Begins(1)), (1, Moment::Done(1))];
        let journeys = noted(2, &[one, one, one].concat());
        assert_eq!((journeys.noted().len(), journeys.begun()), (2, &[3][..]));
    }
}
