//! What binds, by name, and how it is relieved: the same plan with a little more of it.
//!
//! Knows the plan's groups. Must not know what relief brings: that is for two runs to say.
//!
//! | entry | relief |
//! | --- | --- |
//! | a capacity | its rate x 1.1 (all capacities of the group together) |
//! | a mover's own cap | x 1.1 |
//! | a slot that a mover holds while it moves or serves | its service x 1/1.1 |
//! | another slot | a tenth more places, at least one more; what that gains is scaled to a tenth |
//! | a delay | x 0.9 |

use crate::causes::Cause;
use crate::plan::{Delay, Leg, OwnCap, Plan};
use crate::units::{Bytes, Rate, Time};

/// Something that time belongs to, alike ones together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Entry {
    /// Capacities, by their group.
    Capacity(String),
    /// Pools, by their group.
    Slot(String),
    /// Movers that give one flow no more than so much, by their group.
    OwnCap(String),
    /// Delays, by their name.
    Delay(String),
    /// No work was offered.
    NoWork,
}

impl Entry {
    /// The entry of a cause; `own_caps` are those of the outcome.
    pub fn of(plan: &Plan, own_caps: &[OwnCap], cause: Cause) -> Entry {
        match cause {
            Cause::Capacity(index) => Entry::Capacity(plan.capacities[index].group.clone()),
            Cause::Pool(index) => Entry::Slot(plan.pools[index].group.clone()),
            Cause::OwnCap(index) => {
                let group = own_caps[index].group.clone();
                // A mover that is a slot as well binds under one name.
                let is_slot = plan.pools.iter().any(|pool| pool.group == group);
                if is_slot { Entry::Slot(group) } else { Entry::OwnCap(group) }
            }
            Cause::Delay(index) => match plan.delays[index].service_of {
                Some(pool) => Entry::Slot(plan.pools[pool].group.clone()),
                None => Entry::Delay(plan.delays[index].name.clone()),
            },
            Cause::NoWork => Entry::NoWork,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Entry::Capacity(name) | Entry::Slot(name) | Entry::OwnCap(name) | Entry::Delay(name) => name,
            Entry::NoWork => "no work offered",
        }
    }

    /// What kind of thing it is, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Entry::Capacity(_) => "capacity",
            Entry::Slot(_) => "slot",
            Entry::OwnCap(_) => "own_cap",
            Entry::Delay(_) => "delay",
            Entry::NoWork => "no_work",
        }
    }

    /// Relieves a plan of it; by how much what that gains is multiplied to be the gain of a tenth. `None` where there is no
    /// relief.
    pub fn relieve(&self, plan: &mut Plan) -> Option<f64> {
        match self {
            Entry::Capacity(group) => relieve_capacities(plan, group),
            Entry::OwnCap(group) => relieve_own_caps(plan, group).then_some(1.0),
            Entry::Slot(group) => relieve_slots(plan, group),
            Entry::Delay(name) => {
                let named = plan.delays.iter_mut().filter(|delay| delay.name == *name);
                named.map(|delay| scale(delay, 9, 10)).count().gt(&0).then_some(1.0)
            }
            Entry::NoWork => None,
        }
    }
}

fn more(rate: Rate) -> Rate {
    Rate(rate.0.saturating_add(rate.0 / 10).max(rate.0.saturating_add(1)))
}

fn relieve_capacities(plan: &mut Plan, group: &str) -> Option<f64> {
    let mut found = None;
    for capacity in plan.capacities.iter_mut().filter(|capacity| capacity.group == group) {
        capacity.rate = more(capacity.rate);
        if let Some(soft) = &mut capacity.soft {
            (soft.cpu, soft.dma_read, soft.dma_write) = (more(soft.cpu), more(soft.dma_read), more(soft.dma_write));
        }
        found = Some(1.0);
    }
    found
}

fn legs(plan: &mut Plan) -> impl Iterator<Item = &mut Leg> {
    plan.works.iter_mut().flat_map(|work| &mut work.lanes).flat_map(|lane| &mut lane.legs)
}

fn relieve_own_caps(plan: &mut Plan, group: &str) -> bool {
    let caps = legs(plan).filter_map(|leg| leg.own_cap.as_mut()).filter(|cap| cap.group == group);
    caps.map(|cap| cap.rate = more(cap.rate)).count() > 0
}

fn relieve_slots(plan: &mut Plan, group: &str) -> Option<f64> {
    let pools: Vec<usize> = (0..plan.pools.len()).filter(|&pool| plan.pools[pool].group == group).collect();
    let services = plan.delays.iter_mut().filter(|delay| delay.service_of.is_some_and(|pool| pools.contains(&pool)));
    let serves = services.map(|delay| scale(delay, 10, 11)).count() > 0;
    let moves = relieve_own_caps(plan, group);
    if serves || moves {
        return Some(1.0);
    }
    let mut scaled = None;
    for pool in pools {
        let places = plan.pools[pool].places;
        let more = places.saturating_add(places.div_ceil(10).max(1));
        plan.pools[pool].places = more;
        scaled = Some(0.1 / (more as f64 / places.max(1) as f64 - 1.0));
    }
    scaled
}

fn scale(delay: &mut Delay, up: u64, down: u64) {
    let part = |time: Time| Time((u128::from(time.0) * u128::from(up) / u128::from(down)) as u64);
    (delay.time, delay.jitter) = (part(delay.time), part(delay.jitter));
    delay.by_size.iter_mut().for_each(|(_, time): &mut (Bytes, Time)| *time = part(*time));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Kind, Pool};

    fn pool(group: &str, places: u64) -> Pool {
        Pool { name: group.into(), group: group.into(), kind: Kind::Cpu, places, is_memory: false, assumed: false }
    }

    #[test]
    fn a_slot_without_a_service_gets_places_and_its_gain_is_scaled_to_a_tenth() {
        let mut plan = Plan { pools: vec![pool("lock", 1), pool("other", 5)], ..Plan::default() };
        assert_eq!(Entry::Slot("lock".into()).relieve(&mut plan), Some(0.1));
        assert_eq!([plan.pools[0].places, plan.pools[1].places], [2, 5]);
    }

    #[test]
    fn what_is_not_there_cannot_be_relieved() {
        assert_eq!(Entry::Capacity("nic".into()).relieve(&mut Plan::default()), None);
        assert_eq!(Entry::NoWork.relieve(&mut Plan::default()), None);
    }
}
