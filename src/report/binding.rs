//! What binds, by name; and how it spreads over hops.
//!
//! Knows whose time it is and the plan's names. Must not know how charges came about.

use std::collections::BTreeMap;

use engine::{Cause, Entry, Leg, Plan, Work, WorkOutcome};

use super::shape::{Binding, HopReport};

/// Entries nearer than this to the first are tied with it.
const TIE: f64 = 0.02;

/// Names of causes.
pub struct Causes<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The own caps of the outcome.
    pub own_caps: &'a [engine::OwnCap],
}

impl Causes<'_> {
    /// Whether the figure behind a cause is assumed.
    fn is_assumed(&self, cause: Cause) -> bool {
        match cause {
            Cause::Capacity(index) => self.plan.capacities[index].assumed,
            Cause::OwnCap(index) => self.own_caps[index].assumed,
            Cause::Delay(index) => self.plan.delays[index].assumed,
            Cause::Pool(index) => self.plan.pools[index].assumed,
            Cause::NoWork => false,
        }
    }

    /// Seconds of a work's requests charged in all, and those charged to assumed figures.
    pub fn charged_s(&self, outcome: &WorkOutcome) -> (f64, f64) {
        let sum = |keep: &dyn Fn(Cause) -> bool| outcome.charges.iter().filter(|c| keep(c.1)).map(|c| c.2).sum();
        (sum(&|_| true), sum(&|cause| self.is_assumed(cause)))
    }

    /// What the time belongs to, entry by entry, as shares.
    pub fn shares(&self, outcome: &WorkOutcome) -> BTreeMap<Entry, f64> {
        self.as_shares(&outcome.charges)
    }

    /// What requests did with their own time, entry by entry, as shares of it.
    pub fn doing(&self, outcome: &WorkOutcome) -> BTreeMap<Entry, f64> {
        self.as_shares(&outcome.doing)
    }

    fn as_shares(&self, seconds: &[(usize, Cause, f64)]) -> BTreeMap<Entry, f64> {
        let charges = seconds;
        let mut seconds: BTreeMap<Entry, f64> = BTreeMap::new();
        for &(_, cause, charged) in charges {
            *seconds.entry(Entry::of(self.plan, self.own_caps, cause)).or_insert(0.0) += charged;
        }
        let all: f64 = seconds.values().sum();
        seconds.values_mut().for_each(|share| *share /= all);
        seconds
    }

    /// What binds, largest share first; equal shares by name.
    pub fn binding(&self, outcome: &WorkOutcome) -> Vec<Binding> {
        let entry = |(entry, share): (Entry, f64)| Binding {
            name: entry.name().to_string(),
            kind: entry.kind().to_string(),
            share,
            gain: None,
            tied: false,
        };
        let mut entries: Vec<Binding> = self.shares(outcome).into_iter().map(entry).collect();
        entries.sort_by(|a, b| b.share.total_cmp(&a.share));
        let first = entries.first().map_or(0.0, |entry| entry.share);
        let tied = entries.iter().filter(|entry| first - entry.share <= TIE).count();
        entries.iter_mut().take(tied).for_each(|entry| entry.tied = tied > 1);
        entries
    }

    /// The hops of a work's path with the share of time charged to what each crosses.
    pub fn hops(&self, work: &Work, outcome: &WorkOutcome) -> Vec<HopReport> {
        let Some(lane) = work.lanes.first() else { return Vec::new() };
        let mut hops: Vec<HopReport> = Vec::new();
        for leg in &lane.legs {
            for hop in &leg.hops {
                let number = hops.len() as u32 + 1;
                let bytes = outcome.bytes.0;
                hops.push(HopReport {
                    leg: leg.name.clone(),
                    hop: number,
                    from: hop.from,
                    to: hop.to,
                    bytes,
                    share: 0.0,
                });
            }
        }
        let all: f64 = outcome.charges.iter().map(|charge| charge.2).sum();
        for &(leg, cause, seconds) in &outcome.charges {
            if let Some(hop) = self.hop_of(&lane.legs, leg, cause) {
                hops[hop].share += seconds / all;
            }
        }
        hops
    }

    /// The hop that a cause belongs to, as seen from a leg: the first that crosses it there, or else anywhere; a mover's
    /// own pace and service belong to the leg's first hop, if it has one; delays belong to none.
    fn hop_of(&self, legs: &[Leg], leg: usize, cause: Cause) -> Option<usize> {
        let first_hop = |leg: usize| legs[..leg].iter().map(|leg| leg.hops.len()).sum::<usize>();
        let moves = |leg: usize| !legs[leg].hops.is_empty();
        match cause {
            Cause::NoWork => None,
            Cause::Delay(index) => self.plan.delays[index].service_of.filter(|_| moves(leg)).map(|_| first_hop(leg)),
            Cause::OwnCap(_) | Cause::Pool(_) => Some(first_hop(leg)).filter(|_| moves(leg)),
            Cause::Capacity(index) => {
                let group = &self.plan.capacities[index].group;
                let crosses = |leg: usize| {
                    let has = |hop: &engine::Hop| {
                        hop.crosses.iter().any(|c| &self.plan.capacities[c.capacity].group == group)
                    };
                    legs[leg].hops.iter().position(has).map(|hop| first_hop(leg) + hop)
                };
                crosses(leg).or_else(|| (0..legs.len()).find_map(crosses))
            }
        }
    }
}
