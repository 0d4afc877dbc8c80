//! What a storage target can carry: its rate, what it lets one node or one request have, its servers, its drives' link.
//!
//! Knows targets, and works that meet them in their own way. Must not know what lies between target and GPU.

use crate::format::{Figure, Files, Server, Target, Work};
use engine::units::{Bytes, Factor, Rate};
use engine::{Capacity, Direction, Kind, Pool};

use super::Site;
use super::capacities::{Carries, link, plain};
use super::segment::{Segment, Way};

const DIRECTIONS: [Direction; 2] = [Direction::Read, Direction::Write];

/// The group of what a target serves, which all nodes share where it is not local.
const SERVED: &str = "target";

/// What the target serves to all nodes together.
pub(super) fn of_all(site: &Site<'_>) -> Vec<Capacity> {
    capacities(site).into_iter().filter(|capacity| capacity.group == SERVED).collect()
}

/// What each node has of the target for itself; where drives are local and nodes are several, all of it.
pub(super) fn of_each_node(site: &Site<'_>) -> Vec<Capacity> {
    let all = super::cluster::count(site.scenario) > 1 && site.has_local_drives();
    capacities(site).into_iter().filter(|capacity| all || capacity.group != SERVED).collect()
}

/// The scenario's target, and again what each work meets in another way.
fn capacities(site: &Site<'_>) -> Vec<Capacity> {
    let shared = DIRECTIONS.into_iter().flat_map(|direction| {
        let mut list = of_direction(site, &site.scenario.target, direction, [None, None]);
        list[0].assumed |= shared_efficiency_is_assumed(site, direction);
        list
    });
    let own = site.scenario.works.iter().flat_map(|(name, work)| {
        let work = &work.value;
        DIRECTIONS.into_iter().flat_map(move |direction| {
            let whose = [served(site, name, work, direction), client(site, name, work, direction)];
            let list = of_direction(site, site.target(work), direction, whose.clone());
            // What is not the work's own is there already.
            let is_own = move |capacity: &Capacity| capacity.name.ends_with(&format!(" ({name})"));
            list.into_iter().filter(is_own).collect::<Vec<_>>()
        })
    });
    let links = site.scenario.works.iter().flat_map(|(name, work)| {
        let whose = linked(site, name, &work.value);
        if whose.is_some() { drives(site, site.target(&work.value), whose) } else { Vec::new() }
    });
    let files = site.scenario.works.iter().flat_map(|(name, work)| {
        DIRECTIONS.into_iter().filter_map(move |direction| shared_file(site, name, &work.value, direction))
    });
    shared.chain(own).chain(files).chain(drives(site, &site.scenario.target, None)).chain(links).collect()
}

/// The rate of a direction, and what one node gets of it; each by whose it is.
fn of_direction(site: &Site<'_>, target: &Target, direction: Direction, whose: [Option<String>; 2]) -> Vec<Capacity> {
    let [served, client] = whose;
    let rate = plain(site, rate(target, direction));
    let charged = [&target.striping_efficiency, &target.write_overhead].into_iter().flatten();
    let assumed = rate.assumed || charged.into_iter().any(Figure::is_assumed);
    let cap = client_cap(target, direction);
    let cap = cap.map(|cap| plain(site, cap).capacity(client_segment(client, direction)));
    [Carries { assumed, ..rate }.capacity(segment(served, direction))].into_iter().chain(cap).collect()
}

/// What the devices carry that hold the bytes of a request, or of a whole file: so many of the target's, each its even share.
pub(super) fn striped(site: &Site<'_>, target: &Target, direction: Direction, bytes: Bytes) -> Option<Carries> {
    let (stripe, devices) = (target.stripe.as_ref()?, target.devices.as_ref()?);
    let units = bytes.0.div_ceil(stripe.unit.value.0.max(1)).max(1);
    let on = units.min(stripe.width.value);
    let whole = plain(site, rate(target, direction));
    let part = u128::from(whole.rate.0) * u128::from(on) / u128::from(devices.value.max(1));
    (on < devices.value).then(|| Carries { rate: Rate(u64::try_from(part).unwrap_or(u64::MAX)), ..whole })
}

/// The devices of a file that all threads of a work share.
fn shared_file(site: &Site<'_>, name: &str, work: &Work, direction: Direction) -> Option<Capacity> {
    let target = site.target(work);
    let file = striped(site, target, direction, Bytes(u64::MAX)).filter(|_| work.files == Files::One)?;
    Some(file.capacity(file_segment(name, direction)))
}

fn file_segment(name: &str, direction: Direction) -> Segment {
    by(direction, Segment::StripeRead(name.to_string()), Segment::StripeWrite(name.to_string()))
}

fn drives(site: &Site<'_>, target: &Target, whose: Option<String>) -> Vec<Capacity> {
    let links = target.link.iter().flat_map(|shared| link(site, shared, |way| Segment::TargetLink(whose.clone(), way)));
    links.collect()
}

/// Works that keep the target's rate may still reach less of it, by assumption.
fn shared_efficiency_is_assumed(site: &Site<'_>, direction: Direction) -> bool {
    site.scenario.works.iter().any(|(name, work)| {
        served(site, name, &work.value, direction).is_none()
            && site.target(&work.value).striping_efficiency.as_ref().is_some_and(Figure::is_assumed)
    })
}

fn rate(target: &Target, direction: Direction) -> &Figure<Rate> {
    let own = by(direction, &target.read_rate, &target.write_rate);
    own.as_ref().unwrap_or(&target.rate)
}

fn client_cap(target: &Target, direction: Direction) -> Option<&Figure<Rate>> {
    by(direction, &target.client_cap_read, &target.client_cap_write).as_ref()
}

/// The server of a direction.
pub(super) fn server(target: &Target, direction: Direction) -> Option<&Server> {
    by(direction, &target.read_server, &target.write_server).as_ref()
}

/// The most that one request of a direction gets.
pub(super) fn stream_cap(target: &Target, direction: Direction) -> Option<&Figure<Rate>> {
    by(direction, &target.stream_cap_read, &target.stream_cap_write).as_ref().or(target.stream_cap.as_ref())
}

fn by<T>(direction: Direction, read: T, write: T) -> T {
    match direction {
        Direction::Read => read,
        Direction::Write => write,
    }
}

fn segment(work: Option<String>, direction: Direction) -> Segment {
    by(direction, Segment::TargetRead(work.clone()), Segment::TargetWrite(work))
}

fn client_segment(work: Option<String>, direction: Direction) -> Segment {
    by(direction, Segment::ClientRead(work.clone()), Segment::ClientWrite(work))
}

/// The work's name where it meets the target's rate in another way than the scenario's.
fn served(site: &Site<'_>, name: &str, work: &Work, direction: Direction) -> Option<String> {
    own(site, name, work, |target| site.ends.more_is_faster(rate(target, direction)))
}

fn client(site: &Site<'_>, name: &str, work: &Work, direction: Direction) -> Option<String> {
    own(site, name, work, |target| client_cap(target, direction).map(|cap| site.ends.more_is_faster(cap)))
}

fn linked(site: &Site<'_>, name: &str, work: &Work) -> Option<String> {
    own(site, name, work, |target| drives(site, target, None))
}

pub(super) fn own<T: PartialEq>(
    site: &Site<'_>,
    name: &str,
    work: &Work,
    met: impl Fn(&Target) -> T,
) -> Option<String> {
    (met(&site.scenario.target) != met(site.target(work))).then(|| name.to_string())
}

/// What a work crosses at the target with a byte: its side, charged for its layout and protection, and the node's share.
pub(super) fn crossed(site: &Site<'_>, name: &str, work: &Work, direction: Direction) -> Vec<(Segment, Factor)> {
    let side = segment(served(site, name, work, direction), direction);
    let client = client_segment(client(site, name, work, direction), direction);
    let charge = side_charge(site, site.target(work), direction);
    vec![(side, charge), (file_segment(name, direction), charge), (client, Factor::ONE)]
}

/// The local drives' link as a work meets it.
pub(super) fn link_crossed(site: &Site<'_>, name: &str, work: &Work, way: Way) -> Segment {
    Segment::TargetLink(linked(site, name, work), way)
}

/// A layout that reaches the share e of the target's rate uses 1/e bytes of it for a byte, rounded up; protection multiplies.
fn side_charge(site: &Site<'_>, target: &Target, direction: Direction) -> Factor {
    let one = u128::from(Factor::ONE.0);
    let efficiency = target.striping_efficiency.as_ref().map_or(Factor::ONE, |figure| site.ends.more_is_faster(figure));
    let written = target.write_overhead.as_ref().filter(|_| direction == Direction::Write);
    let written = written.map_or(Factor::ONE, |figure| site.ends.less_is_faster(figure));
    let billionths = (u128::from(written.0) * one).div_ceil(u128::from(efficiency.0).max(1));
    Factor(u64::try_from(billionths).unwrap_or(u64::MAX))
}

/// The name of the pool of a direction's server, if the target has one.
pub(super) fn server_pool(site: &Site<'_>, name: &str, work: &Work, direction: Direction) -> Option<String> {
    let places = |target: &Target| server(target, direction).map(|server| server.places.value);
    places(site.target(work))?;
    let whose = own(site, name, work, places).map(|name| format!(" ({name})")).unwrap_or_default();
    Some(format!("target.server.{}{whose}", by(direction, "read", "write")))
}

/// The servers that the works go through, by name; some more than once.
pub(super) fn pools(site: &Site<'_>) -> Vec<Pool> {
    let works = site.scenario.works.iter().flat_map(|(name, work)| {
        DIRECTIONS.into_iter().filter_map(move |direction| {
            let server = server(site.target(&work.value), direction)?;
            Some(Pool {
                name: server_pool(site, name, &work.value, direction)?,
                group: "target_server".to_string(),
                kind: Kind::Target,
                places: server.places.value,
                is_memory: false,
                assumed: server.service.is_assumed() || server.places.is_assumed(),
            })
        })
    });
    let shared: Vec<Pool> = works.collect();
    if !site.has_local_drives() {
        return shared;
    }
    let own = site.members().flat_map(|member| {
        shared.iter().map(move |pool| Pool { name: member.name(&pool.name), ..pool.clone() }).collect::<Vec<_>>()
    });
    shared.iter().cloned().chain(own).collect()
}
