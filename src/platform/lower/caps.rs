//! The most that a mover gives to one flow.
//!
//! Knows movers and their rates. Must not know what a leg crosses.

use crate::format::{BySize, Cache, Figure};
use engine::units::{Factor, Rate};
use engine::{Kind, Mover, OwnCap, Station};

use super::charges;
use super::legs::Turn;
use super::route::Lane;
use super::{data_nodes, services, sizes, targets};

/// The own cap of a leg's flows: the lowest of all that apply.
pub(super) fn own_cap(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let moved = mover(lane, turn).map(|cap| OwnCap { rate: slowed(lane, turn, cap.rate), ..cap });
    let caps = [
        moved,
        server(lane, turn),
        stream(lane, turn),
        stripe(lane, turn),
        data_nodes(lane, turn),
        nic_stream(lane, turn),
    ];
    caps.into_iter().flatten().min_by_key(|cap| cap.rate)
}

/// The target's server moves bytes at its own rate.
fn server(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let server = targets::server(lane.site.target(lane.work), services::at_storage(turn)?)?;
    Some(one(lane, &server.rate, "target_server", Kind::Target))
}

/// What the target lets one request have.
fn stream(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let figure = targets::stream_cap(lane.site.target(lane.work), services::at_storage(turn)?)?;
    Some(one(lane, figure, "target_stream", Kind::Target))
}

/// What the data nodes give to one request that meets only some of its file's.
fn data_nodes(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let moved = sizes::moved(lane.work, turn.path).0;
    let (rate, assumed) = data_nodes::most_of_one(lane.site, lane.work, moved, services::at_storage(turn)?)?;
    Some(cap(rate, assumed, "data_node", Kind::Target))
}

/// What the devices carry on which the bytes of one request lie.
fn stripe(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let (direction, target) = (services::at_storage(turn)?, lane.site.target(lane.work));
    let rate = targets::striped(lane.site, target, direction, sizes::moved(lane.work, turn.path))?;
    Some(cap(rate.rate, rate.assumed, "target_stripe", Kind::Target))
}

/// What a NIC gives to one request.
fn nic_stream(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let nic = lane.site.scenario.node.nic.as_ref().filter(|_| services::through_nic(turn))?;
    Some(one(lane, nic.stream_cap.as_ref()?, "nic_stream", Kind::Nic))
}

fn one(lane: &Lane<'_>, figure: &Figure<Rate>, group: &str, kind: Kind) -> OwnCap {
    cap(lane.site.ends.more_is_faster(figure), figure.is_assumed(), group, kind)
}

/// What is left of a rate where the buffers do not stay in the cache.
fn slowed(lane: &Lane<'_>, turn: Turn<'_>, rate: Rate) -> Rate {
    let pace = charges::pace(lane, |cache| pace_of(cache, turn));
    if pace < 1.0 { Rate((rate.0 as f64 * pace) as u64) } else { rate }
}

fn pace_of<'a>(cache: &'a Cache, turn: Turn<'_>) -> Option<&'a Figure<Factor>> {
    let pace = match (turn.leg().mover.value, turn.to_gpu(), is_inward(turn)) {
        (Mover::Cpu, _, true) => &cache.pace_in,
        (Mover::Cpu, _, false) => &cache.pace_out,
        (Mover::Staging, true, _) => &cache.pace_staging_to,
        (Mover::Staging, false, _) => &cache.pace_staging_from,
        _ => &None,
    };
    pace.as_ref()
}

fn is_inward(turn: Turn<'_>) -> bool {
    receives(turn) || turn.leg().hops.last().is_some_and(|hop| hop.to.value == Station::UserBuffer)
}

/// Whether a thread takes what TCP has received out of the socket's buffer.
pub(super) fn receives(turn: Turn<'_>) -> bool {
    turn.leg().hops.first().is_some_and(|hop| hop.from.value == Station::SocketBuffer)
}

fn mover(lane: &Lane<'_>, turn: Turn<'_>) -> Option<OwnCap> {
    let copies = &lane.site.scenario.node.gpu.copies;
    let by_size = |rate: &BySize<Rate>, group: &str, kind| {
        let size = sizes::moved(lane.work, turn.path);
        cap(sizes::rate(lane.site.ends, rate, size), rate.is_assumed(), group, kind)
    };
    match (turn.leg().mover.value, turn.to_gpu()) {
        (Mover::Cpu, _) if receives(turn) => Some(by_size(copy_rate(lane, turn), "tcp_receive", Kind::Cpu)),
        (Mover::Cpu, _) => Some(by_size(copy_rate(lane, turn), "cpu_copy", Kind::Cpu)),
        (Mover::CopyEngine, true) => Some(one(lane, &copies.rate_to_gpu, "copy_engine", Kind::CopyEngine)),
        (Mover::CopyEngine, false) => Some(one(lane, &copies.rate_from_gpu, "copy_engine", Kind::CopyEngine)),
        (Mover::Staging, to_gpu) => {
            let pageable = copies.pageable.as_ref()?;
            Some(by_size(if to_gpu { &pageable.to_gpu } else { &pageable.from_gpu }, "staging", Kind::Cpu))
        }
        (Mover::Nic | Mover::Drive | Mover::Gpu | Mover::None, _) => None,
    }
}

fn cap(rate: Rate, assumed: bool, group: &str, kind: Kind) -> OwnCap {
    OwnCap { rate, group: group.to_string(), kind, assumed }
}

/// What a thread copies, by the way that it copies.
fn copy_rate<'a>(lane: &Lane<'a>, turn: Turn<'_>) -> &'a BySize<Rate> {
    let cpu = &lane.site.scenario.node.cpu;
    let directed = match is_inward(turn) {
        true if receives(turn) => &cpu.receive_rate,
        true => &cpu.copy_rate_in,
        false => &cpu.copy_rate_out,
    };
    directed.as_ref().unwrap_or(&cpu.copy_rate)
}
