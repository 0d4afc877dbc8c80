//! Compact plans: one lane, capacity or pool listed for all that are like it.
//!
//! Knows how many there are of each. Must not know what makes them alike.
//!
//! A thousand like nodes need be listed once. What makes that right is that all lanes that one stands for meet the same: each
//! of the `n` lanes crosses one of the `c` capacities that one stands for, so that each of these is crossed by `n / c` of them;
//! or each crosses all of them, as a file does that is striped over all data nodes.
//!
//! ```
//! use hopsim_engine::Copies;
//! // 1,000 lanes over 1,000 NICs, 62 leaves of 16 nodes or so, and 64 data nodes each of which all of them meet.
//! assert_eq!(Copies::Each(1000).crossed_by(1000), 1.0);
//! assert_eq!(Copies::Each(50).crossed_by(1000), 20.0);
//! assert_eq!(Copies::Striped(64).crossed_by(1000), 1000.0);
//! assert_eq!(Copies::One.crossed_by(1000), 1000.0);
//! ```

use super::{Plan, Work};

/// How many there are of a listed capacity or pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copies {
    /// It alone.
    #[default]
    One,
    /// So many, of which a lane meets one: a node's own NIC.
    Each(u64),
    /// So many, of all of which a lane meets each alike: data nodes over which all files are striped.
    Striped(u64),
}

impl Copies {
    /// How many there are.
    pub fn count(self) -> u64 {
        match self {
            Copies::One => 1,
            Copies::Each(count) | Copies::Striped(count) => count,
        }
    }

    /// How many of so many like lanes, each of which meets it, meet one of the copies.
    pub fn crossed_by(self, lanes: u64) -> f64 {
        match self {
            Copies::Each(count) => lanes as f64 / count.max(1) as f64,
            Copies::One | Copies::Striped(_) => lanes as f64,
        }
    }
}

/// The copies of all capacities and pools of a compact plan. Empty lists: each is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllCopies {
    /// Of each capacity.
    pub capacities: Vec<Copies>,
    /// Of each pool.
    pub pools: Vec<Copies>,
}

impl Plan {
    /// How many capacities a listed one stands for.
    pub fn capacity_copies(&self, capacity: usize) -> Copies {
        self.copies.capacities.get(capacity).copied().unwrap_or_default()
    }

    /// How many pools a listed one stands for.
    pub fn pool_copies(&self, pool: usize) -> Copies {
        self.copies.pools.get(pool).copied().unwrap_or_default()
    }

    /// Whether anything listed stands for several. Only stream mode runs such a plan.
    pub fn is_compact(&self) -> bool {
        self.works.iter().any(|work| !work.copies.is_empty())
    }
}

impl Work {
    /// How many lanes a listed one stands for.
    pub fn lane_copies(&self, lane: usize) -> u64 {
        self.copies.get(lane).copied().unwrap_or(1)
    }

    /// How many lanes there are, listed or not.
    pub fn lane_count(&self) -> u64 {
        if self.copies.is_empty() { self.lanes.len() as u64 } else { self.copies.iter().sum() }
    }

    /// What all lanes have together of which each listed one has so much.
    pub fn of_all_lanes(&self, each: &[u64]) -> u64 {
        each.iter().enumerate().map(|(lane, &one)| one * self.lane_copies(lane)).sum()
    }
}
