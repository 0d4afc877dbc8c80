//! From the works of a file to the plan's: order, amounts, sizes, lanes.
//!
//! Knows what is asked for. Must not know how a leg is built.

use crate::error::Fault;
use crate::format::{self, ArrivalKind, At, Completion, NicChoice, Size};
use engine::units::Time;
use engine::{Amount, Arrivals, Cut, Hold, Kind, Lane, Leg, Mover, Sizes, Station, Work};

use super::Site;
use super::capacities::Capacities;
use super::cluster::Member;
use super::delays::{self, Delays};
use super::legs::{self, Lists, Turn};
use super::pools::{self, Pools};
use super::{route, services, shares, slots};

/// All works, sorted by name.
pub(in crate::platform) fn all(
    site: &Site<'_>,
    capacities: &Capacities,
    pools: &Pools,
    delays: &Delays,
) -> Result<Vec<Work>, Fault> {
    let lists = Lists { capacities, pools, delays };
    let names = sorted_names(site);
    names
        .iter()
        .filter_map(|name| site.scenario.works.get_full(*name))
        .map(|(position, name, work)| self::work(site, position, name, work, &names, lists))
        .collect()
}

fn sorted_names<'a>(site: &Site<'a>) -> Vec<&'a str> {
    let mut names: Vec<&str> = site.scenario.works.keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn work(
    site: &Site<'_>,
    position: usize,
    name: &str,
    at: &At<format::Work>,
    names: &[&str],
    lists: Lists<'_>,
) -> Result<Work, Fault> {
    let work = &at.value;
    let path = site.path(work)?;
    let choice = &site.choices[position];
    let lanes = lanes(site, name, work, lists)?;
    Ok(Work {
        name: name.to_string(),
        position,
        direction: path.direction,
        path_asked: choice.asked.clone(),
        path_taken: choice.taken.value.clone(),
        why: choice.why.clone(),
        amount: amount(site, name, at)?,
        parts: parts(site, name, at)?,
        size: sizes(&work.size.value),
        threads: work.threads.value,
        depth: work.depth.value,
        arrivals: work.arrivals.as_ref().map(|arrivals| self::arrivals(&arrivals.value)),
        after: work.after.as_ref().and_then(|after| names.binary_search(&after.value.as_str()).ok()),
        start: stated(&work.start),
        stagger: work.stagger.as_ref().map(|figure| figure.value),
        polls: delays::completion(work) == Completion::Poll,
        cpu_copies: path.legs.iter().map(|leg| copies(leg.mover.value)).sum(),
        pcie_crossings: lanes.first().map_or(0, |lane| pcie_crossings(lane, lists.capacities))
            + path.legs.iter().filter(|leg| leg.write_back).count() as u64,
        copies: if site.compact { site.gpus(work).map(|(member, _)| member.copies).collect() } else { Vec::new() },
        lanes,
    })
}

/// What each listed lane moves. Where one stands for others, it is said of each.
fn parts(site: &Site<'_>, name: &str, at: &At<format::Work>) -> Result<Vec<u64>, Fault> {
    let work = &at.value;
    let count = site.gpu_count(work) as usize;
    let parts = shares::parts(site, name, work, count)?;
    let even = |all: u64| (0..count).map(|lane| engine::even_part(all, lane, count)).collect();
    let of_all: Vec<u64> = match amount(site, name, at)? {
        _ if !site.compact => return Ok(parts),
        _ if !parts.is_empty() => parts,
        Amount::Bytes(bytes) => even(bytes.0),
        Amount::Requests(requests) => even(requests),
        Amount::RunTime { .. } => return Ok(Vec::new()),
    };
    let of_node = site.topology.gpus_of(work).count();
    let listed = site.members().flat_map(|member| (0..of_node).map(move |gpu| member.number as usize * of_node + gpu));
    Ok(listed.map(|lane| of_all[lane]).collect())
}

/// Copies that the CPU issues for a leg: staging is the driver's own besides the one that it posts.
fn copies(mover: Mover) -> u64 {
    match mover {
        Mover::Nic | Mover::Drive | Mover::Gpu | Mover::None => 0,
        Mover::Cpu | Mover::CopyEngine => 1,
        Mover::Staging => 2,
    }
}

/// What is asked for has no fast and no slow end.
fn stated(figure: &Option<format::Figure<Time>>) -> Time {
    figure.as_ref().map_or(Time(0), |figure| figure.value)
}

/// Exactly one of three keys says how much there is to move.
fn amount(site: &Site<'_>, name: &str, work: &At<format::Work>) -> Result<Amount, Fault> {
    let format::Work { bytes, requests, run_time, warm_up, .. } = &work.value;
    match (bytes, requests, run_time) {
        (Some(bytes), None, None) => Ok(Amount::Bytes(bytes.value)),
        (None, Some(requests), None) => Ok(Amount::Requests(requests.value)),
        (None, None, Some(run)) => Ok(Amount::RunTime { run: run.value, warm_up: stated(warm_up) }),
        _ => {
            let count = [bytes.is_some(), requests.is_some(), run_time.is_some()].iter().filter(|is| **is).count();
            let message = format!("works.{name} has {count} of `bytes`, `requests` and `run_time`");
            Err(Fault::at(site.sources, &work.span, message, "takes exactly one of them")
                .help("`bytes` and `requests` say how much to move in all, `run_time` for how long to offer requests"))
        }
    }
}

fn sizes(size: &Size) -> Sizes {
    match size {
        Size::Fixed(one) => Sizes::Listed(vec![one.value]),
        Size::Listed(list) => Sizes::Listed(list.iter().map(|figure| figure.value).collect()),
        Size::Uniform { low, high } => Sizes::Uniform(low.value, high.value),
        Size::Exponential { mean } => Sizes::Exponential(mean.value),
    }
}

fn arrivals(arrivals: &format::Arrivals) -> Arrivals {
    Arrivals {
        gap: arrivals.rate.value.gap().unwrap_or(Time(u64::MAX)),
        poisson: arrivals.kind == ArrivalKind::Poisson,
    }
}

fn lanes(site: &Site<'_>, name: &str, work: &format::Work, lists: Lists<'_>) -> Result<Vec<Lane>, Fault> {
    site.gpus(work).map(|gpu| lane(site, name, work, gpu, lists)).collect()
}

fn lane(
    site: &Site<'_>,
    name: &str,
    work: &format::Work,
    (member, gpu): (Member, u64),
    lists: Lists<'_>,
) -> Result<Lane, Fault> {
    let path = site.path(work)?;
    let way = route::Lane::of(site, name, work, (member, gpu));
    if way.nic.is_none() && Turn::with_write_back(path).any(services::through_nic) {
        return Err(no_nic(site, work, gpu));
    }
    let legs = Turn::all(path).map(|turn| legs::leg(&way, turn, lists)).collect::<Result<_, Fault>>()?;
    let thread = pools::callers(name, work, path, (member, gpu));
    let session = lists.delays.session(site, work, path)?;
    let cut = cut(path, work, (member, gpu), lists.pools);
    Ok(Lane { node: member.number, gpu, session, holds: held(thread, lists.pools), legs, cut })
}

fn held(pool: Option<String>, pools: &Pools) -> Vec<Hold> {
    let pool = pool.and_then(|name| pools.index(&name));
    pool.into_iter().map(Hold::one).collect()
}

fn cut(path: &format::Path, work: &format::Work, gpu: (Member, u64), pools: &Pools) -> Cut {
    let Some(cut) = &path.cut else { return Cut::default() };
    Cut {
        part: cut.part.as_ref().map(|part| part.value),
        piece: cut.piece.as_ref().map(|piece| piece.value),
        most: cut.most.as_ref().map_or(u64::MAX, |most| most.value),
        helpers: held(slots::helpers(&work.path.value, path, gpu), pools),
    }
}

fn no_nic(site: &Site<'_>, work: &format::Work, gpu: u64) -> Fault {
    let choice = match work.nic.value {
        NicChoice::OwnSocket => "own-socket",
        NicChoice::OtherSocket => "other-socket",
        NicChoice::Spread => "spread",
    };
    let message = format!("nic = \"{choice}\" leaves no NIC in use for GPU {gpu}");
    Fault::at(site.sources, &work.nic.span, message, "no NIC qualifies")
        .help("raise node.nics, or choose own-socket, other-socket or spread")
}

/// Each leg that touches a PCIe link is one DMA transfer.
fn pcie_crossings(lane: &Lane, capacities: &Capacities) -> u64 {
    let touches = |leg: &&Leg| {
        let mut crosses = leg.hops.iter().flat_map(|hop| &hop.crosses);
        let through_top = leg.hops.iter().any(|hop| hop.from == Station::Pcie || hop.to == Station::Pcie);
        through_top || crosses.any(|crossing| capacities.kind(crossing.capacity) == Some(Kind::Pcie))
    };
    lane.legs.iter().filter(touches).count() as u64
}
