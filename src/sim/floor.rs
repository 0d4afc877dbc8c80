//! The time that no schedule beats.
//!
//! Knows what lanes charge to capacities. Must not know who shares them when.

use std::collections::BTreeMap;

use crate::platform::{Plan, Work};

use super::classes::charges;

/// Picoseconds below which no capacity carries what it was charged, whatever rounding did.
pub fn floor_ps(plan: &Plan, work: &Work, lane_bytes: &[u64]) -> u64 {
    let mut charged: BTreeMap<usize, f64> = BTreeMap::new();
    for (lane, &bytes) in work.lanes.iter().zip(lane_bytes) {
        for (capacity, charge) in lane.legs.iter().flat_map(charges) {
            *charged.entry(capacity).or_insert(0.0) += bytes as f64 * (charge as f64 / 1e9);
        }
    }
    let hard = charged.into_iter().filter(|(capacity, _)| plan.capacities[*capacity].soft.is_none());
    let floors = hard.map(|(capacity, bytes)| bytes / plan.capacities[capacity].rate.0 as f64);
    (floors.fold(0.0, f64::max) * 1e12).ceil() as u64
}
