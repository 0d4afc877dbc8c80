//! How many capacities and pools each listed one stands for.
//!
//! Knows names of nodes, leaves and data nodes. Must not know rates.

use engine::{AllCopies, Copies};

use super::{Capacities, Pools, Site, kinds};

/// The copies of everything listed; none where all is.
pub(in crate::platform) fn copies(site: &Site<'_>, capacities: &Capacities, pools: &Pools) -> AllCopies {
    if !site.compact {
        return AllCopies::default();
    }
    let of = kinds::copies(site);
    let all = |names: Vec<&str>| -> Vec<Copies> { names.into_iter().map(&of).collect() };
    AllCopies { capacities: all(capacities.names().collect()), pools: all(pools.names().collect()) }
}
