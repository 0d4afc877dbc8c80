//! Which lanes, capacities and pools are alike: those that no renaming could tell apart fare alike, and one stands for all.
//!
//! Knows who crosses and holds what. Must not know rates of flow.
//!
//! Colours are refined until they hold: lanes of one colour cross capacities of the same colours with the same charges,
//! and capacities of one colour are crossed by as many lanes of each colour (an equitable partition). A thousand ranks of like
//! nodes are then a few groups, and what comes out is what all of them apart would come to.

use std::collections::BTreeMap;

use crate::plan::Plan;

use super::route::{Does, Route};

/// The colours of everything, each counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Of each route.
    pub routes: Vec<usize>,
    /// Of each capacity.
    pub capacities: Vec<usize>,
    /// Of each pool.
    pub pools: Vec<usize>,
}

/// What tells one from another, as numbers.
type Mark = Vec<u64>;

/// Refines colours until they hold.
pub fn symmetry(plan: &Plan, routes: &[Route]) -> Symmetry {
    let mut colours = Symmetry {
        routes: numbered(routes.iter().map(own_mark)),
        capacities: numbered(plan.capacities.iter().map(|capacity| match capacity.soft {
            Some(law) => vec![law.cpu.0, law.dma_read.0, law.dma_write.0, law.power.0],
            None => vec![capacity.rate.0],
        })),
        pools: numbered(plan.pools.iter().map(|pool| vec![pool.places, u64::from(pool.is_memory)])),
    };
    loop {
        let ways_now = numbered(routes.iter().enumerate().map(|(index, route)| seen_from(index, route, &colours)));
        let finer = Symmetry { routes: ways_now, ..colours.clone() };
        let finer = Symmetry {
            capacities: numbered(marks(&finer.capacities, crossed_by(plan, routes, &finer))),
            pools: numbered(marks(&finer.pools, held_by(plan, routes, &finer))),
            ..finer
        };
        if count(&finer) == count(&colours) {
            return finer;
        }
        colours = finer;
    }
}

fn count(colours: &Symmetry) -> [usize; 3] {
    [&colours.routes, &colours.capacities, &colours.pools].map(|all| all.iter().max().map_or(0, |most| most + 1))
}

/// Numbers marks in their order, equal ones alike.
fn numbered(marks: impl Iterator<Item = Mark>) -> Vec<usize> {
    let marks: Vec<Mark> = marks.collect();
    let mut known: BTreeMap<&Mark, usize> = marks.iter().map(|mark| (mark, 0)).collect();
    known.values_mut().enumerate().for_each(|(number, value)| *value = number);
    marks.iter().map(|mark| known[mark]).collect()
}

/// What a route is by itself.
fn own_mark(route: &Route) -> Mark {
    let figures = [route.bytes, route.size, route.cycles, route.under_way, route.offered].map(f64::to_bits);
    let stations = route.stations.iter().flat_map(|station| {
        let seconds: Vec<f64> = match &station.does {
            Does::Waits(_, part) => vec![-1.0, *part],
            Does::Delays(all) => all.iter().map(|delay| delay.1).collect(),
            Does::Moves(motion) => vec![-2.0, motion.most.0],
        };
        [station.leg as u64].into_iter().chain(seconds.into_iter().map(f64::to_bits))
    });
    [route.work as u64].into_iter().chain(figures).chain(stations).collect()
}

/// What a route is by the colours of what it meets.
fn seen_from(index: usize, route: &Route, colours: &Symmetry) -> Mark {
    let mut mark = vec![colours.routes[index] as u64];
    for station in &route.stations {
        match &station.does {
            Does::Waits(pool, _) => mark.push(colours.pools[*pool] as u64),
            Does::Delays(_) => {}
            Does::Moves(motion) => {
                let hard =
                    motion.crosses.iter().map(|&(capacity, charge)| (colours.capacities[capacity], charge.to_bits()));
                let soft =
                    motion.soft.iter().map(|&(capacity, charge, _)| (colours.capacities[capacity], charge.to_bits()));
                let mut met: Vec<(usize, u64)> = hard.chain(soft).collect();
                met.sort_unstable();
                mark.push(met.len() as u64);
                mark.extend(met.into_iter().flat_map(|(colour, charge)| [colour as u64, charge]));
            }
        }
    }
    mark
}

/// Who meets something: what is met, by whom how, and by how many of them, in [`PART`] of one.
type Meeting = (usize, [u64; 4], u64);

/// Lanes that meet one of several copies are counted in this part of one.
const PART: f64 = 1e6;

/// Which colour of route crosses each capacity, at which station, with which charge.
fn crossed_by(plan: &Plan, routes: &[Route], colours: &Symmetry) -> Vec<Meeting> {
    let mut met = Vec::new();
    for (route, &colour) in routes.iter().zip(&colours.routes) {
        for (number, station) in route.stations.iter().enumerate() {
            let Does::Moves(motion) = &station.does else { continue };
            let soft = motion.soft.iter().map(|&(capacity, charge, traffic)| (capacity, charge, traffic as u64 + 1));
            let hard = motion.crosses.iter().map(|&(capacity, charge)| (capacity, charge, 0));
            let mark = |charge: f64, traffic| [colour as u64, number as u64, charge.to_bits(), traffic];
            let lanes = |capacity: usize| parts(plan.capacity_copies(capacity).crossed_by(route.copies));
            let meeting = |(capacity, charge, traffic)| (capacity, mark(charge, traffic), lanes(capacity));
            met.extend(hard.chain(soft).map(meeting));
        }
    }
    met
}

/// Which colour of route holds places of each pool.
fn held_by(plan: &Plan, routes: &[Route], colours: &Symmetry) -> Vec<Meeting> {
    let all = routes.iter().zip(&colours.routes);
    let held = all.flat_map(|(route, &colour)| {
        route.holds.iter().enumerate().map(move |(number, held)| {
            let lanes = parts(plan.pool_copies(held.pool).crossed_by(route.copies));
            (held.pool, [colour as u64, number as u64, 0, 0], lanes)
        })
    });
    held.collect()
}

fn parts(lanes: f64) -> u64 {
    libm::round(lanes * PART) as u64
}

/// Old colours together with who meets what, and how many do.
fn marks(old: &[usize], mut met: Vec<Meeting>) -> impl Iterator<Item = Mark> {
    met.sort_unstable();
    let mut marks: Vec<Mark> = old.iter().map(|&colour| vec![colour as u64]).collect();
    for alike in met.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (what, mark, _) = alike[0];
        marks[what].extend(mark);
        marks[what].push(alike.iter().map(|meeting| meeting.2).sum());
    }
    marks.into_iter()
}
