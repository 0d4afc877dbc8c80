//! The servers that a leg goes through once its steps are over: a NIC's queue pair, then the target's server.
//!
//! Knows their services. Must not know rates.

use crate::format::{Figure, Hop};
use engine::units::{Bytes, Time};
use engine::{Delay, Direction, Kind, Station};

use super::legs::Turn;
use super::pools::{Pools, queue_pair};
use super::route::{Lane, is_local};
use super::targets;

/// A server's service in a leg.
pub(super) struct Service {
    /// The service; its pool is the one that it is the service of.
    pub(super) delay: Delay,
    /// Whether the place is held until the bytes have arrived.
    pub(super) keeps: bool,
}

/// The services of a leg, in order.
pub(super) fn services(lane: &Lane<'_>, turn: Turn<'_>, pools: &Pools) -> Vec<Service> {
    message(lane, turn, pools).into_iter().chain(server(lane, turn, pools)).collect()
}

/// The direction in which a leg uses the target, if it does.
pub(super) fn at_storage(turn: Turn<'_>) -> Option<Direction> {
    let is = |hop: Option<&Hop>, end: fn(&Hop) -> Station| hop.is_some_and(|hop| end(hop) == Station::Storage);
    let hops = &turn.leg().hops;
    let read = is(hops.first(), |hop| hop.from.value).then_some(Direction::Read);
    read.or(is(hops.last(), |hop| hop.to.value).then_some(Direction::Write))
}

/// Whether a leg goes through a NIC.
pub(super) fn through_nic(turn: Turn<'_>) -> bool {
    turn.leg().hops.iter().any(|hop| hop.from.value == Station::Nic || hop.to.value == Station::Nic)
}

/// A message occupies its queue pair alone, and leaves it to the next while its bytes move.
fn message(lane: &Lane<'_>, turn: Turn<'_>, pools: &Pools) -> Option<Service> {
    let (nic, _) = lane.nic.filter(|_| through_nic(turn))?;
    let figure = lane.site.scenario.node.nic.as_ref()?.message_service.as_ref()?;
    let what = "the queue pair takes the message";
    let delay = delay(lane, "nic.message_service", Kind::Nic, what, figure, pools.index(&queue_pair(lane.member, nic)));
    Some(Service { delay, keeps: false })
}

fn server(lane: &Lane<'_>, turn: Turn<'_>, pools: &Pools) -> Option<Service> {
    let direction = at_storage(turn)?;
    let figure = &targets::server(lane.site.target(lane.work), direction)?.service;
    let pool = targets::server_pool(lane.site, lane.name, lane.work, direction)?;
    let pool = if turn.leg().hops.iter().any(is_local) { lane.member.name(&pool) } else { pool };
    let name = match direction {
        Direction::Read => "target.read_server.service",
        Direction::Write => "target.write_server.service",
    };
    let what = "the target's server takes the request";
    Some(Service { delay: delay(lane, name, Kind::Target, what, figure, pools.index(&pool)), keeps: true })
}

fn delay(lane: &Lane<'_>, name: &str, kind: Kind, what: &str, time: &Figure<Time>, pool: Option<usize>) -> Delay {
    Delay {
        name: name.to_string(),
        kind,
        what: what.to_string(),
        time: lane.site.ends.less_is_faster(time),
        by_size: Vec::new(),
        jitter: Time(0),
        on_core: false,
        service_of: pool,
        assumed: time.is_assumed(),
        above: Bytes(0),
        command: None,
    }
}
