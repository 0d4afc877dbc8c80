//! How busy each resource is and how long each line is, over time.
//!
//! Knows classes of flows, pools and their groups. Must not know how it is drawn.

use std::collections::{BTreeMap, BTreeSet};

use engine::{Moment, Observer, Plan, Watched, Who, charges, leg_classes};

use super::bins::Bins;

/// 2^-16 bytes per second, billionths of a byte a byte.
const UNIT: f64 = 65_536.0 * 1e9;

/// One of these for each leg, by work, lane and leg.
type ByLeg<T> = Vec<Vec<Vec<T>>>;

/// An observer of resources and lines.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Names of groups, the rate of all their capacities that are crossed.
    capacities: Vec<(String, f64)>,
    /// What each leg charges to which group, by work, lane and leg: billionths.
    charges: ByLeg<Vec<(usize, u64)>>,
    classes: Vec<Vec<Vec<usize>>>,
    /// What the flows of each class charge to each group for a byte each.
    loads: Vec<Vec<u64>>,
    busy: Bins,
    /// Names of works and of groups of pools, how many are outstanding or in line, and since when.
    queues: Vec<(String, u64, u64)>,
    queue_of: Vec<usize>,
    /// Workers in line.
    waits: BTreeSet<u32>,
    lines: Bins,
    end: u64,
}

/// A quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Of what.
    pub name: String,
    /// Its mean in each bin.
    pub values: Vec<f64>,
}

/// What a timeline came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracks {
    /// Seconds of a bin.
    pub bin_s: f64,
    /// Share of its rate that each group of capacities was used at (0 to 1).
    pub busy: Vec<Track>,
    /// Requests outstanding of each work.
    pub outstanding: Vec<Track>,
    /// Requests in line for each group of pools.
    pub in_line: Vec<Track>,
}

impl Timeline {
    /// Nothing has happened yet.
    pub fn new(plan: &Plan) -> Timeline {
        let (groups, group_of) = capacity_groups(plan);
        let charges: ByLeg<Vec<(usize, u64)>> = by_leg(plan, |leg| {
            let charged = charges(leg).into_iter();
            charged.map(|(capacity, charge)| (group_of[capacity], charge)).collect()
        });
        let classes = leg_classes(plan);
        let count = classes.iter().flatten().flatten().max().map_or(0, |most| most + 1);
        let (pools, pool_of) = named(plan.pools.iter().map(|pool| pool.group.as_str()));
        let works = plan.works.iter().map(|work| work.name.clone());
        let queues: Vec<(String, u64, u64)> = works.chain(pools).map(|name| (name, 0, 0)).collect();
        Timeline {
            busy: Bins::new(groups.len()),
            loads: vec![vec![0; groups.len()]; count],
            capacities: groups,
            charges,
            classes,
            lines: Bins::new(queues.len()),
            queue_of: pool_of.into_iter().map(|group| group + plan.works.len()).collect(),
            queues,
            waits: BTreeSet::new(),
            end: 0,
        }
    }

    fn queue(&mut self, now: u64, queue: usize, change: i64) {
        self.end = self.end.max(now);
        let (_, level, since) = &mut self.queues[queue];
        if *level > 0 && now > *since {
            self.lines.add(queue, *since, now, *level as f64);
        }
        *level = level.saturating_add_signed(change);
        *since = now;
    }

    fn joins_line(&mut self, now: u64, who: Who, pool: usize) {
        self.waits.insert(who.worker);
        self.queue(now, self.queue_of[pool], 1);
    }

    /// Who holds may have waited for it, or not.
    fn leaves_line(&mut self, now: u64, who: Who, pool: usize) {
        if self.waits.remove(&who.worker) {
            self.queue(now, self.queue_of[pool], -1);
        }
    }

    fn load(&mut self, who: Who, leg: usize, sign: i64) {
        let class = self.classes[who.work][who.lane][leg];
        for &(group, charge) in &self.charges[who.work][who.lane][leg] {
            let load = &mut self.loads[class][group];
            *load = load.saturating_add_signed(sign * charge as i64);
        }
    }

    /// What it came to.
    pub fn tracks(&self) -> Tracks {
        let works = self.charges.len();
        // Both in bins of one width.
        let (mut busy, mut lines) = (self.busy.clone(), self.lines.clone());
        let width = busy.width.max(lines.width);
        busy.widen(width);
        lines.widen(width);
        let busy = self.capacities.iter().enumerate().map(|(row, (name, rate))| Track {
            name: name.clone(),
            values: busy.means(row, self.end).into_iter().map(|bytes_per_s| bytes_per_s / rate).collect(),
        });
        let mut queues: Vec<Track> = self
            .queues
            .iter()
            .enumerate()
            .map(|(row, (name, ..))| Track { name: name.clone(), values: lines.means(row, self.end) })
            .collect();
        let in_line = queues.split_off(works);
        Tracks { bin_s: width as f64 / 1e12, busy: busy.collect(), outstanding: queues, in_line }
    }
}

impl Observer for Timeline {
    fn watched(&self) -> Watched {
        Watched::ALL
    }

    fn moment(&mut self, now: u64, who: Who, moment: Moment) {
        match moment {
            Moment::Begins(_) => self.queue(now, who.work, 1),
            Moment::Done(_) => self.queue(now, who.work, -1),
            Moment::InLine(pool) => self.joins_line(now, who, pool),
            Moment::Holds(pool) => self.leaves_line(now, who, pool),
            Moment::GivesBack(_) | Moment::Delay { .. } => {}
            Moment::Moves(leg) => self.load(who, leg, 1),
            Moment::Arrived(leg) => self.load(who, leg, -1),
        }
    }

    fn warmed_up(&mut self, _: u64, _: usize) {}

    fn motion(&mut self, from: u64, to: u64, class: usize, rate: u64) {
        self.end = self.end.max(to);
        for (group, &load) in self.loads[class].iter().enumerate() {
            if load > 0 {
                self.busy.add(group, from, to, load as f64 * rate as f64 / UNIT);
            }
        }
    }
}

/// The groups of capacities that a leg crosses: their names and rates, and the group of each capacity.
fn capacity_groups(plan: &Plan) -> (Vec<(String, f64)>, Vec<usize>) {
    let legs = plan.works.iter().flat_map(|work| &work.lanes).flat_map(|lane| &lane.legs);
    let mut crossed = vec![false; plan.capacities.len()];
    legs.flat_map(charges).for_each(|(capacity, _)| crossed[capacity] = true);
    let (numbers, in_use): (Vec<usize>, Vec<&engine::Capacity>) =
        plan.capacities.iter().enumerate().filter(|(index, _)| crossed[*index]).unzip();
    let (names, places) = named(in_use.iter().map(|capacity| capacity.group.as_str()));
    let mut groups: Vec<(String, f64)> = names.into_iter().map(|name| (name, 0.0)).collect();
    // What nobody crosses is in no group, and nobody asks for it.
    let mut group_of = vec![usize::MAX; plan.capacities.len()];
    for ((index, capacity), place) in numbers.into_iter().zip(in_use).zip(places) {
        group_of[index] = place;
        groups[place].1 += capacity.rate.0 as f64;
    }
    (groups, group_of)
}

/// Names, each once and sorted, and the place of each given name among them.
fn named<'a>(names: impl Iterator<Item = &'a str> + Clone) -> (Vec<String>, Vec<usize>) {
    let places: BTreeMap<&str, usize> = names.clone().map(|name| (name, 0)).collect();
    let sorted: Vec<String> = places.keys().map(|name| name.to_string()).collect();
    let places: BTreeMap<&str, usize> = places.into_keys().enumerate().map(|(place, name)| (name, place)).collect();
    (sorted, names.map(|name| places[name]).collect())
}

/// Something for every leg, by work, lane and leg.
fn by_leg<T>(plan: &Plan, of: impl Fn(&engine::Leg) -> T) -> ByLeg<T> {
    let lane = |lane: &engine::Lane| lane.legs.iter().map(&of).collect();
    plan.works.iter().map(|work| work.lanes.iter().map(lane).collect()).collect()
}
