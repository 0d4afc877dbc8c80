//! What time is charged to, and the stages of a leg.
//!
//! Knows the plan's lists. Must not know that time passes.

use crate::plan::Leg;

/// What a share of the time goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A full capacity (an index of the plan's capacities).
    Capacity(usize),
    /// A pool all of whose places are taken while somebody is queued for one (an index of the plan's pools).
    Pool(usize),
    /// A mover's own cap (an index of the outcome's own caps).
    OwnCap(usize),
    /// A delay (an index of the plan's delays).
    Delay(usize),
    /// No work was offered.
    NoWork,
}

/// Which delays of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Those before its motion.
    Before,
    /// The service of a server of that number.
    Served(usize),
    /// Those after it.
    After,
}

impl Stage {
    /// The delays of a leg at this stage.
    pub fn delays(self, leg: &Leg) -> &[usize] {
        match self {
            Stage::Before => &leg.before,
            Stage::Served(server) => std::slice::from_ref(&leg.served[server].delay),
            Stage::After => &leg.after,
        }
    }
}
