//! The pace of a leg that nobody shares: the least of what its capacities give and what its mover gives.
//!
//! Knows rates and charges. Must not know that other flows exist.

use serde::Serialize;

use crate::platform::{Leg, Plan};
use crate::sim;
use crate::units::{Factor, Rate};

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
}

/// The pace of a leg alone; `None` for one that crosses nothing and whose mover has no limit.
pub fn pace(plan: &Plan, leg: &Leg) -> Option<Pace> {
    let capacities = sim::charges(leg).into_iter().map(|(index, charge)| {
        let charge = Factor(charge);
        let capacity = &plan.capacities[index];
        let rate = payload_rate(capacity.rate, charge);
        Pace { by: capacity.name.clone(), rate, whole: capacity.rate, charge, assumed: capacity.assumed }
    });
    let own = leg.own_cap.iter().map(|cap| Pace {
        by: cap.group.clone(),
        rate: cap.rate,
        whole: cap.rate,
        charge: Factor::ONE,
        assumed: cap.assumed,
    });
    capacities.chain(own).min_by_key(|pace| pace.rate)
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
