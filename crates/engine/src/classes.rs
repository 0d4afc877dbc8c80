//! Which flows are alike: every lane's every leg gets the number of a flow class.
//!
//! Knows the plan's crossings. Must not know that time passes.
//!
//! Two legs are one class if they cross the same capacities with the same charges and have the same own cap. Before that is
//! asked, capacities that can never fill are left out: one whose flows are held below its rate by what else they
//! cross, whoever is in motion. (Eight GPU links of 55 GB/s behind two root complexes of 46 never fill; leaving them
//! out makes eight classes two.) A capacity is left out only on the strength of capacities and movers that stay.

use std::collections::BTreeMap;

use crate::causes::Cause;
use crate::plan::{Kind, Leg, Mover, OwnCap, Plan, Traffic};

use crate::share::{Class, Weighed};

/// The flow classes of a plan.
#[derive(Debug)]
pub struct Classes {
    /// The classes.
    pub classes: Vec<Class>,
    /// The own caps that differ, in order; what binds by its own cap is named by these.
    pub own_caps: Vec<OwnCap>,
    /// For each class, the index of its own cap.
    own_cap_of: Vec<Option<usize>>,
    /// For each leg, in the order of works, lanes and legs, its class.
    of: Vec<Vec<Vec<usize>>>,
    /// Which capacities have a soft law.
    is_soft: Vec<bool>,
    /// Which capacities may fill.
    pub kept: Vec<bool>,
}

impl Classes {
    /// Sorts the legs of a plan into classes.
    pub fn new(plan: &Plan) -> Classes {
        let routes = routes(plan);
        let kept = kept_capacities(plan, &routes);
        let mut numbers: BTreeMap<(Class, Option<usize>), usize> = BTreeMap::new();
        let own_caps = own_caps(plan);
        let is_soft = plan.capacities.iter().map(|capacity| capacity.soft.is_some()).collect();
        let mut classes = Classes {
            classes: Vec::new(),
            own_caps,
            own_cap_of: Vec::new(),
            of: Vec::new(),
            is_soft,
            kept: Vec::new(),
        };
        for work in &plan.works {
            let lanes = work
                .lanes
                .iter()
                .map(|lane| lane.legs.iter().map(|leg| classes.number(plan, leg, &kept, &mut numbers)).collect());
            let lanes: Vec<Vec<usize>> = lanes.collect();
            classes.of.push(lanes);
        }
        classes.kept = kept;
        classes
    }

    /// The class of a leg.
    pub fn of(&self, work: usize, lane: usize, leg: usize) -> usize {
        self.of[work][lane][leg]
    }

    /// What holds a flow of a class back where nothing is full: its own cap, or else the slowest capacity that it crosses.
    pub fn alone(&self, class: usize) -> Cause {
        let slowest = || self.classes[class].crossings.first().map_or(Cause::NoWork, |first| Cause::Capacity(first.0));
        self.own_cap_of[class].map_or_else(slowest, Cause::OwnCap)
    }

    fn number(
        &mut self,
        plan: &Plan,
        leg: &Leg,
        kept: &[bool],
        numbers: &mut BTreeMap<(Class, Option<usize>), usize>,
    ) -> usize {
        let crossings: Vec<(usize, u64)> =
            charges(leg).into_iter().filter(|&(capacity, _)| kept[capacity] && !self.is_soft[capacity]).collect();
        let soft = soft_crossings(leg, &self.is_soft);
        let weighed = self.weighed(plan, leg, &crossings);
        let class = Class { crossings, own_cap: leg.own_cap.as_ref().map(|cap| cap.rate.0), soft, weighed };
        let own_cap = leg.own_cap.as_ref().and_then(|cap| self.own_caps.binary_search(cap).ok());
        *numbers.entry((class.clone(), own_cap)).or_insert_with(|| {
            self.classes.push(class);
            self.own_cap_of.push(own_cap);
            self.classes.len() - 1
        })
    }
}

/// Weights in system memory, in thousandths of a core's: what a mover keeps outstanding beside what a core does. Inferred from
/// copies by 16 cores beside one copy engine on a Gen5 x16 host (`models/nodes/gen5-host.toml`): an engine that reads memory
/// (to the GPU) takes as much as 7.5 cores, one that writes it (from the GPU) as 10. A NIC's direction and a drive are taken
/// for an engine that reads.
const CORE: u32 = 1_000;
const READING_ENGINE: u32 = 7_500;
const WRITING_ENGINE: u32 = 10_000;

impl Classes {
    /// What a leg weighs in the system memory that it crosses, where that has no measured law of its own.
    fn weighed(&self, plan: &Plan, leg: &Leg, crossings: &[(usize, u64)]) -> Option<Weighed> {
        let memory =
            crossings.iter().map(|crossing| crossing.0).find(|&one| plan.capacities[one].kind == Kind::Dram)?;
        let device = |kind: Kind| {
            let crossed = charges(leg).into_keys().find(|&one| plan.capacities[one].kind == kind);
            crossed.map(|capacity| capacity as u64)
        };
        let writes = leg.hops.iter().flat_map(|hop| &hop.crosses);
        let writes = writes.filter(|one| one.capacity == memory).any(|one| one.traffic == Traffic::DmaWrite);
        let (mover, weight) = match leg.mover {
            Mover::CopyEngine => {
                let engine = leg.held().find(|&pool| plan.pools[pool].kind == Kind::CopyEngine);
                // Numbers of pools come after those of capacities.
                let engine = engine.map(|pool| (plan.capacities.len() + pool) as u64);
                (engine, if writes { WRITING_ENGINE } else { READING_ENGINE })
            }
            Mover::Nic => (device(Kind::Nic), READING_ENGINE),
            Mover::Drive => (device(Kind::Target), READING_ENGINE),
            Mover::Cpu | Mover::Staging | Mover::Gpu | Mover::None => (None, CORE),
        };
        Some(Weighed { memory, mover, weight })
    }
}

/// The flow class of every leg, by work, lane and leg, as [`super::Observer::motion`] numbers them.
pub fn leg_classes(plan: &Plan) -> Vec<Vec<Vec<usize>>> {
    Classes::new(plan).of
}

pub(super) fn own_caps(plan: &Plan) -> Vec<OwnCap> {
    let legs = plan.works.iter().flat_map(|work| &work.lanes).flat_map(|lane| &lane.legs);
    let mut caps: Vec<OwnCap> = legs.filter_map(|leg| leg.own_cap.clone()).collect();
    caps.sort();
    caps.dedup();
    caps
}

/// What a leg charges to soft capacities, by class of traffic.
fn soft_crossings(leg: &Leg, is_soft: &[bool]) -> Vec<(usize, u64, Traffic)> {
    let mut charges = BTreeMap::new();
    for crossing in leg.hops.iter().flat_map(|hop| &hop.crosses) {
        if is_soft[crossing.capacity] && crossing.charge.0 > 0 {
            *charges.entry((crossing.capacity, crossing.traffic)).or_insert(0) += crossing.charge.0;
        }
    }
    charges.into_iter().map(|((capacity, traffic), charge)| (capacity, charge, traffic)).collect()
}

/// What a leg charges in all, by capacity; crossings without a charge are left out.
pub fn charges(leg: &Leg) -> BTreeMap<usize, u64> {
    let mut charges = BTreeMap::new();
    for crossing in leg.hops.iter().flat_map(|hop| &hop.crosses) {
        if crossing.charge.0 > 0 {
            *charges.entry(crossing.capacity).or_insert(0) += crossing.charge.0;
        }
    }
    charges
}

/// One leg of one lane, with what may hold its flows together below a rate.
struct Route {
    work: usize,
    charges: BTreeMap<usize, u64>,
    /// Payload bytes per second that the mover gives to all its flows together, and who the mover is.
    mover: Option<(Shared, f64)>,
}

/// A mover shared by all routes that name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    Pool(usize),
    Route(usize),
}

/// What may hold several routes together below a rate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Capacity(usize),
    Mover(Shared),
}

fn routes(plan: &Plan) -> Vec<Route> {
    let mut routes = Vec::new();
    for (work_index, work) in plan.works.iter().enumerate() {
        let outstanding = if work.arrivals.is_some() { None } else { Some(work.threads * work.depth) };
        for leg in work.lanes.iter().flat_map(|lane| &lane.legs) {
            let mover = leg.own_cap.as_ref().and_then(|cap| mover(plan, leg, cap, outstanding, routes.len()));
            routes.push(Route { work: work_index, charges: charges(leg), mover });
        }
    }
    routes
}

/// How fast a leg's mover can go with all its flows together: by the fewest places of a pool it holds, or all outstanding.
fn mover(plan: &Plan, leg: &Leg, cap: &OwnCap, outstanding: Option<u64>, route: usize) -> Option<(Shared, f64)> {
    let tightest = leg.held().min_by_key(|&pool| plan.pools[pool].places);
    let rate = cap.rate.0 as f64;
    match (tightest, outstanding) {
        (Some(pool), _) => Some((Shared::Pool(pool), rate * plan.pools[pool].places as f64)),
        (None, Some(flows)) => Some((Shared::Route(route), rate * flows as f64)),
        (None, None) => None,
    }
}

/// Which capacities may fill.
fn kept_capacities(plan: &Plan, routes: &[Route]) -> Vec<bool> {
    let mut kept = vec![true; plan.capacities.len()];
    let in_turn = works_in_turn(plan);
    // A soft capacity slows its flows at any traffic, and holds none of them to a rate.
    let hard = |capacity: usize| plan.capacities[capacity].soft.is_none();
    for capacity in (0..kept.len()).filter(|&capacity| hard(capacity)) {
        let demand = highest_demand(plan, routes, &kept, capacity, in_turn);
        // Demand that just fills it does not hold anybody back either.
        kept[capacity] = demand.is_none_or(|demand| demand > plan.capacities[capacity].rate.0 as f64);
    }
    kept
}

/// Whether the works form one chain, each after another, so that no two are in motion together.
fn works_in_turn(plan: &Plan) -> bool {
    let mut seen = vec![false; plan.works.len()];
    let after: Vec<_> = plan.works.iter().filter_map(|work| work.after).collect();
    after.len() + 1 == plan.works.len() && after.iter().all(|&work| !std::mem::replace(&mut seen[work], true))
}

/// The most bytes per second that can be charged to a capacity by what holds its flows elsewhere; `None` if nothing does.
fn highest_demand(plan: &Plan, routes: &[Route], kept: &[bool], capacity: usize, in_turn: bool) -> Option<f64> {
    let mut by_work: BTreeMap<usize, BTreeMap<Holder, f64>> = BTreeMap::new();
    for route in routes.iter().filter(|route| route.charges.contains_key(&capacity)) {
        let (holder, demand) = tightest_holder(plan, route, kept, capacity)?;
        let entry = by_work.entry(if in_turn { route.work } else { 0 }).or_default().entry(holder).or_insert(0.0);
        *entry = entry.max(demand);
    }
    by_work.values().map(|holders| holders.values().sum::<f64>()).reduce(f64::max).or(Some(0.0))
}

/// What else holds a route's flows down the most, and what they can then charge to the capacity.
fn tightest_holder(plan: &Plan, route: &Route, kept: &[bool], capacity: usize) -> Option<(Holder, f64)> {
    let charge = route.charges[&capacity] as f64;
    let others = route
        .charges
        .iter()
        .filter(|&(&other, _)| other != capacity && kept[other] && plan.capacities[other].soft.is_none());
    let capacities = others
        .map(|(&other, &its)| (Holder::Capacity(other), plan.capacities[other].rate.0 as f64 * charge / its as f64));
    let mover = route.mover.map(|(mover, rate)| (Holder::Mover(mover), rate * charge / 1e9));
    capacities.chain(mover).min_by(|a, b| a.1.total_cmp(&b.1))
}
