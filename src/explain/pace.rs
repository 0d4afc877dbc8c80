//! The pace of a leg that nobody shares: the least of what its capacities give and what its mover gives.
//!
//! Knows rates and charges. Must not know that other flows exist.

use std::collections::BTreeMap;

use serde::Serialize;

use engine;
use engine::units::{Factor, Rate};
use engine::{Leg, Plan};

/// What sets the pace of a leg alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pace {
    /// The capacity or mover that sets it.
    pub by: String,
    /// Payload bytes a second.
    pub rate: Rate,
    /// The whole rate of that capacity or mover.
    pub whole: Rate,
    /// Bytes charged to it for a byte of payload.
    pub charge: Factor,
    /// Whether that rate is assumed.
    pub assumed: bool,
    /// What slows it further, if memory with a soft law does.
    pub slowed: Option<Slowed>,
}

/// What a soft law takes from a pace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Slowed {
    /// The capacity.
    pub by: String,
    /// The part of the pace that is left.
    pub keeps: Factor,
}

/// The pace of a leg alone; `None` for one that crosses nothing and whose mover has no limit.
pub fn pace(plan: &Plan, leg: &Leg) -> Option<Pace> {
    let charges = engine::charges(leg);
    let hard = charges.iter().filter(|(capacity, _)| plan.capacities[**capacity].soft.is_none());
    let capacities = hard.map(|(&index, &charge)| {
        let charge = Factor(charge);
        let capacity = &plan.capacities[index];
        let rate = payload_rate(capacity.rate, charge);
        Pace { by: capacity.name.clone(), rate, whole: capacity.rate, charge, assumed: capacity.assumed, slowed: None }
    });
    let own = leg.own_cap.iter().map(|cap| Pace {
        by: cap.group.clone(),
        rate: cap.rate,
        whole: cap.rate,
        charge: Factor::ONE,
        assumed: cap.assumed,
        slowed: None,
    });
    let pace = capacities.chain(own).min_by_key(|pace| pace.rate)?;
    Some(slowed(plan, leg, &charges, pace))
}

/// A pace under the soft law that takes the most from it.
fn slowed(plan: &Plan, leg: &Leg, charges: &BTreeMap<usize, u64>, pace: Pace) -> Pace {
    let keeps = leg.hops.iter().flat_map(|hop| &hop.crosses).filter_map(|crossing| {
        let capacity = &plan.capacities[crossing.capacity];
        let traffic = pace.rate.0 as f64 * Factor(*charges.get(&crossing.capacity)?).as_f64();
        Some((capacity, engine::share::kept(capacity.soft.as_ref()?, traffic, crossing.traffic)))
    });
    let Some((capacity, keeps)) = keeps.min_by(|a, b| a.1.total_cmp(&b.1)) else { return pace };
    let slowed = Slowed { by: capacity.name.clone(), keeps: Factor::from_f64(keeps) };
    Pace { rate: Rate((pace.rate.0 as f64 * keeps) as u64), slowed: Some(slowed), ..pace }
}

/// The payload rate that a capacity gives at a charge, rounded down.
fn payload_rate(rate: Rate, charge: Factor) -> Rate {
    let payload = rate.0 as u128 * Factor::ONE.0 as u128 / charge.0 as u128;
    Rate(u64::try_from(payload).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heavy_charge_leaves_less_for_the_payload() {
        assert_eq!(payload_rate(Rate(400), Factor(3_000_000_000)), Rate(133));
    }
}
