//! Groups of like lanes, and what limits them together: one capacity of each colour, one pool of each colour.
//!
//! Knows routes and colours. Must not know how fast anything goes.

use std::collections::BTreeMap;

use crate::plan::{Plan, Soft, Traffic};

use super::route::{Does, Motion, Route};
use super::symmetry::symmetry;

/// Lanes that fare alike.
#[derive(Clone, Debug)]
pub struct Group {
    /// The route of each of them.
    pub route: Route,
    /// Their numbers among all listed lanes.
    pub lanes: Vec<usize>,
    /// How many they are, with those that are not listed.
    pub count: f64,
    /// Their motions, in the order of the stations.
    pub motions: Vec<Moved>,
}

/// A motion of a group.
#[derive(Clone, Debug)]
pub struct Moved {
    /// Its own most, and what it crosses by name.
    pub motion: Motion,
    /// The limits that it crosses (indices of [`Groups::capacities`]), with the capacity that the limit stands for.
    pub limits: Vec<(usize, usize)>,
    /// The same of those that are full by chance at most (indices of [`Groups::crowded`]).
    pub crowded: Vec<(usize, usize)>,
    /// Soft limits: index, charge, traffic.
    pub soft: Vec<(usize, f64, Traffic)>,
}

/// A capacity that stands for all like it.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Bytes a second.
    pub rate: f64,
    /// Bytes that it is charged for a byte of each lane of a group: group, motion, charges of all lanes that cross this one.
    pub met: Vec<(usize, usize, f64)>,
}

/// A capacity with a soft law that stands for all like it.
#[derive(Clone, Debug)]
pub struct SoftLimit {
    /// The law.
    pub law: Soft,
    /// The capacity (an index of the plan's).
    pub capacity: usize,
    /// As of a limit.
    pub met: Vec<(usize, usize, f64)>,
}

/// A pool that stands for all like it.
#[derive(Clone, Debug)]
pub struct Line {
    /// Places.
    pub places: f64,
    /// Places that a cycle of each lane of a group holds: group, hold, places of all lanes that hold this one.
    pub held: Vec<(usize, usize, f64)>,
}

impl Line {
    /// Whether requests of more than one kind stand in it.
    pub fn is_mixed(&self) -> bool {
        self.held.iter().any(|held| held.0 != self.held[0].0)
    }
}

/// All groups and what limits them.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The groups, in the order of their first lanes.
    pub groups: Vec<Group>,
    /// Hard capacities that may bind.
    pub capacities: Vec<Limit>,
    /// Hard capacities that never bind in the mean, but are full when many cycles happen to move over them at one time.
    pub crowded: Vec<Limit>,
    /// Soft capacities.
    pub soft: Vec<SoftLimit>,
    /// Pools that may be full.
    pub lines: Vec<Line>,
    /// The line of each pool, if it may be full.
    pub line_of: Vec<Option<usize>>,
}

/// Puts lanes into groups.
pub fn groups(plan: &Plan, routes: &[Route]) -> Groups {
    let colours = symmetry(plan, routes);
    let of_lane = first_come(&colours.routes);
    let mut all = Groups::default();
    for (lane, &group) in of_lane.iter().enumerate() {
        match all.groups.get_mut(group) {
            Some(group) => group.lanes.push(lane),
            None => {
                let route = routes[lane].clone();
                all.groups.push(Group { route, lanes: vec![lane], count: 0.0, motions: Vec::new() });
            }
        }
    }
    let numbers = limits(&mut all, plan, routes, &of_lane, &colours.capacities);
    for group in &mut all.groups {
        group.motions = moved(&group.route, &numbers);
        group.count = group.lanes.iter().map(|&lane| routes[lane].copies as f64).sum();
    }
    all.line_of = lines(&mut all, plan, routes, &of_lane, &colours.pools);
    all
}

/// Colours numbered anew in the order in which they first occur.
fn first_come(colours: &[usize]) -> Vec<usize> {
    let mut known = BTreeMap::new();
    colours
        .iter()
        .map(|&colour| {
            let next = known.len();
            *known.entry(colour).or_insert(next)
        })
        .collect()
}

/// The limit that stands for each capacity: hard or soft.
struct Numbers {
    hard: Vec<Option<usize>>,
    crowded: Vec<Option<usize>>,
    soft: Vec<Option<usize>>,
}

/// What all lanes of each group charge to each capacity.
fn limits(all: &mut Groups, plan: &Plan, routes: &[Route], of_lane: &[usize], colours: &[usize]) -> Numbers {
    let mut met: BTreeMap<usize, BTreeMap<(usize, usize), f64>> = BTreeMap::new();
    for (route, &group) in routes.iter().zip(of_lane) {
        for (number, motion) in motions(route).enumerate() {
            let soft = motion.soft.iter().map(|&(capacity, charge, _)| (capacity, charge));
            for (capacity, charge) in motion.crosses.iter().copied().chain(soft) {
                let lanes = plan.capacity_copies(capacity).crossed_by(route.copies);
                *met.entry(capacity).or_default().entry((group, number)).or_insert(0.0) += charge * lanes;
            }
        }
    }
    let mut numbers = Numbers {
        hard: vec![None; colours.len()],
        crowded: vec![None; colours.len()],
        soft: vec![None; colours.len()],
    };
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (&capacity, met) in &met {
        let stands_for = *first.entry(colours[capacity]).or_insert(capacity);
        if stands_for != capacity {
            numbers.hard[capacity] = numbers.hard[stands_for];
            numbers.crowded[capacity] = numbers.crowded[stands_for];
            numbers.soft[capacity] = numbers.soft[stands_for];
            continue;
        }
        let met: Vec<(usize, usize, f64)> =
            met.iter().map(|(&(group, motion), &charge)| (group, motion, charge)).collect();
        let rate = plan.capacities[capacity].rate.0 as f64;
        match plan.capacities[capacity].soft {
            Some(law) => {
                numbers.soft[capacity] = Some(all.soft.len());
                all.soft.push(SoftLimit { law, capacity, met });
            }
            None if most_asked(&all.groups, &met, true) > rate * (1.0 - 1e-9) => {
                numbers.hard[capacity] = Some(all.capacities.len());
                all.capacities.push(Limit { rate, met });
            }
            None if most_asked(&all.groups, &met, false) > rate * (1.0 - 1e-9) => {
                numbers.crowded[capacity] = Some(all.crowded.len());
                all.crowded.push(Limit { rate, met });
            }
            None => {}
        }
    }
    numbers
}

fn motions(route: &Route) -> impl Iterator<Item = &Motion> {
    route.stations.iter().filter_map(|station| match &station.does {
        Does::Moves(motion) => Some(motion),
        _ => None,
    })
}

/// What flows could ask for, were each as fast as it can be by itself: in the mean, or at one time.
fn most_asked(groups: &[Group], met: &[(usize, usize, f64)], in_the_mean: bool) -> f64 {
    let asked = met.iter().map(|&(group, motion, charge)| {
        let route = &groups[group].route;
        let pace = motions(route).nth(motion).map_or(0.0, |motion| motion.most.0);
        let at_once = pace * route.under_way;
        charge * if in_the_mean { at_once.min(fastest(route)) } else { at_once }
    });
    asked.sum()
}

/// Bytes a second of a lane whose cycles have everything to themselves.
fn fastest(route: &Route) -> f64 {
    (route.size * route.under_way / alone_s(route)).min(route.offered * route.size)
}

fn alone_s(route: &Route) -> f64 {
    let seconds = route.stations.iter().map(|station| match &station.does {
        Does::Waits(..) => 0.0,
        Does::Delays(all) => all.iter().map(|delay| delay.1).sum(),
        Does::Moves(motion) => route.size / motion.most.0,
    });
    seconds.sum()
}

fn moved(route: &Route, numbers: &Numbers) -> Vec<Moved> {
    let moved = motions(route).map(|motion| {
        let limits = motion.crosses.iter().filter_map(|&(capacity, _)| Some((numbers.hard[capacity]?, capacity)));
        let crowded = motion.crosses.iter().filter_map(|&(capacity, _)| Some((numbers.crowded[capacity]?, capacity)));
        let soft =
            motion.soft.iter().filter_map(|&(capacity, charge, kind)| Some((numbers.soft[capacity]?, charge, kind)));
        Moved { motion: motion.clone(), limits: limits.collect(), crowded: crowded.collect(), soft: soft.collect() }
    });
    moved.collect()
}

/// Pools that more cycles may want than there are places.
fn lines(all: &mut Groups, plan: &Plan, routes: &[Route], of_lane: &[usize], colours: &[usize]) -> Vec<Option<usize>> {
    let mut held: BTreeMap<usize, BTreeMap<(usize, usize), f64>> = BTreeMap::new();
    for (route, &group) in routes.iter().zip(of_lane) {
        for (number, hold) in route.holds.iter().enumerate() {
            let lanes = plan.pool_copies(hold.pool).crossed_by(route.copies);
            *held.entry(hold.pool).or_default().entry((group, number)).or_insert(0.0) += hold.places * lanes;
        }
    }
    let mut line_of = vec![None; colours.len()];
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (&pool, held) in &held {
        let stands_for = *first.entry(colours[pool]).or_insert(pool);
        if stands_for != pool {
            line_of[pool] = line_of[stands_for];
            continue;
        }
        let places = plan.pools[pool].places as f64;
        let wanted: f64 = held.iter().map(|(&(group, _), places)| all.groups[group].route.under_way * places).sum();
        if wanted > places {
            line_of[pool] = Some(all.lines.len());
            let held = held.iter().map(|(&(group, hold), &places)| (group, hold, places)).collect();
            all.lines.push(Line { places, held });
        }
    }
    line_of
}
