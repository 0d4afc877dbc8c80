//! Where GPUs and NICs hang: under which socket, below which switch, and which NIC serves which GPU.
//!
//! Knows places. Must not know rates.

use std::collections::BTreeMap;

use crate::error::{Fault, Sources};
use crate::format::{At, Figure, NicChoice, Node, Work};
use crate::platform::rules::Distance;
use engine::units::Factor;

/// Where a device hangs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The socket's number: its position in the file.
    pub(super) socket: u64,
    /// The switch's number, if one lies between the device and its socket.
    pub(super) switch: Option<u64>,
}

/// The places of all devices in use, by their numbers.
#[derive(Debug)]
pub(super) struct Topology {
    /// GPUs.
    pub(super) gpus: BTreeMap<u64, Place>,
    /// Storage NICs.
    pub(super) nics: BTreeMap<u64, Place>,
    /// Local drives, where the node says where they hang.
    pub(super) drives: BTreeMap<u64, Place>,
    /// How many sockets there are.
    pub(super) sockets: u64,
}

impl Topology {
    /// Reads the places from a node's sockets and switches.
    pub(super) fn of(node: &Node, sources: &Sources) -> Result<Topology, Fault> {
        let mut gpus = Attached::new("GPU", sources);
        let mut nics = Attached::new("NIC", sources);
        let mut drives = Attached::new("drive", sources);
        for (number, socket) in (0..).zip(&node.sockets) {
            let place = Place { socket: number, switch: None };
            gpus.attach(&socket.gpus, place)?;
            nics.attach(&socket.nics, place)?;
            drives.attach(&socket.drives, place)?;
        }
        for (number, switch) in (0..).zip(&node.switches) {
            let place = Place { socket: known_socket(node, &switch.socket, sources)?, switch: Some(number) };
            gpus.attach(&switch.gpus, place)?;
            nics.attach(&switch.nics, place)?;
            drives.attach(&switch.drives, place)?;
        }
        Ok(Topology {
            gpus: gpus.first("node.gpus", &node.gpus)?,
            nics: nics.first("node.nics", &node.nics)?,
            drives: drives.first("node.drives", &node.drives)?,
            sockets: node.sockets.len() as u64,
        })
    }

    /// The NIC that serves a GPU, by a work's choice; `None` where the choice leaves none.
    pub(super) fn nic_of(&self, gpu: u64, choice: NicChoice) -> Option<u64> {
        let place = *self.gpus.get(&gpu)?;
        match choice {
            NicChoice::OwnSocket => self
                .in_turn(gpu, |g| g.switch.is_some() && g == place, |n| n.switch.is_some() && n == place)
                .or_else(|| self.in_turn(gpu, |g| g.socket == place.socket, |n| n.socket == place.socket))
                .or_else(|| self.in_turn(gpu, |g| g.socket == place.socket, |_| true)),
            NicChoice::OtherSocket => self.in_turn(gpu, |g| g.socket == place.socket, |n| n.socket != place.socket),
            NicChoice::Spread => self.in_turn(gpu, |_| true, |_| true),
        }
    }

    /// The GPUs of a work: those that it names, else all in use.
    pub(super) fn gpus_of(&self, work: &Work) -> impl Iterator<Item = u64> {
        let named = work.gpus.as_ref().map(|gpus| gpus.iter().map(|gpu| gpu.value).collect::<Vec<u64>>());
        self.gpus.keys().copied().filter(move |gpu| named.as_ref().is_none_or(|named| named.contains(gpu)))
    }

    /// How far a GPU is from the NIC that serves it.
    pub(super) fn distance(&self, gpu: u64, choice: NicChoice) -> Option<Distance> {
        Some(between(*self.gpus.get(&gpu)?, *self.nics.get(&self.nic_of(gpu, choice)?)?))
    }

    /// How far a GPU is from the farthest of the local drives, where it is known where they hang.
    pub(super) fn distance_of_drives(&self, gpu: u64) -> Option<Distance> {
        let gpu = *self.gpus.get(&gpu)?;
        self.drives.values().map(|&drive| between(gpu, drive)).max()
    }

    /// Where a GPU's requests meet local drives, and which part of a byte each place has: an even share a drive. Where nothing
    /// says where they hang, all are on the GPU's own socket.
    pub(super) fn drives_by_place(&self, gpu: Place) -> Vec<(Place, Factor)> {
        let mut places: Vec<Place> = self.drives.values().copied().collect();
        places.sort_unstable();
        let all = places.len() as u64;
        let mut parts = BTreeMap::new();
        for (turn, place) in (0..all).zip(places) {
            // So that all parts together are exactly one.
            let part = (turn + 1) * Factor::ONE.0 / all - turn * Factor::ONE.0 / all;
            parts.entry(place).or_insert(Factor(0)).0 += part;
        }
        match all {
            0 => vec![(Place { socket: gpu.socket, switch: None }, Factor::ONE)],
            _ => parts.into_iter().collect(),
        }
    }

    /// Deals the NICs that qualify to the GPUs that compete for them, in the order of their numbers.
    fn in_turn(&self, gpu: u64, competes: impl Fn(Place) -> bool, serves: impl Fn(Place) -> bool) -> Option<u64> {
        let turn = self.gpus.iter().filter(|(_, place)| competes(**place)).position(|(number, _)| *number == gpu)?;
        let nics: Vec<u64> = self.nics.iter().filter(|(_, place)| serves(**place)).map(|(number, _)| *number).collect();
        nics.get(turn.checked_rem(nics.len())?).copied()
    }
}

/// How far two devices are from each other.
fn between(one: Place, other: Place) -> Distance {
    match (one.socket == other.socket, one.switch.is_some() && one.switch == other.switch) {
        (_, true) => Distance::SameSwitch,
        (true, false) => Distance::RootComplex,
        (false, false) => Distance::OtherSocket,
    }
}

/// The devices of one kind that have been listed so far.
struct Attached<'a> {
    what: &'static str,
    sources: &'a Sources,
    places: BTreeMap<u64, Place>,
}

impl<'a> Attached<'a> {
    fn new(what: &'static str, sources: &'a Sources) -> Attached<'a> {
        Attached { what, sources, places: BTreeMap::new() }
    }

    fn attach(&mut self, numbers: &[At<u64>], place: Place) -> Result<(), Fault> {
        for number in numbers {
            if self.places.insert(number.value, place).is_some() {
                let message = format!("{} {} is listed twice", self.what, number.value);
                return Err(Fault::at(self.sources, &number.span, message, "listed before")
                    .help("a device hangs under one socket or below one switch"));
            }
        }
        Ok(())
    }

    /// Those in use: the first `count` numbers, each of which must hang somewhere.
    fn first(&self, key: &str, count: &Figure<u64>) -> Result<BTreeMap<u64, Place>, Fault> {
        let attached = self.places.len() as u64;
        if count.value > attached {
            let message = format!("{key} is {}, but {attached} {}s are attached", count.value, self.what);
            return Err(Fault::at(self.sources, &count.span, message, "more than are attached").help(format!(
                "list more {}s under [[node.sockets]] or [[node.switches]], or use at most {attached}",
                self.what
            )));
        }
        (0..count.value).map(|number| Ok((number, self.place(number, count)?))).collect()
    }

    fn place(&self, number: u64, count: &Figure<u64>) -> Result<Place, Fault> {
        self.places.get(&number).copied().ok_or_else(|| {
            let message = format!("{} {number} is in use, but hangs under no socket and below no switch", self.what);
            Fault::at(self.sources, &count.span, message, "numbers below this are in use")
                .help(format!("number the {}s from 0 on, without gaps", self.what))
        })
    }
}

fn known_socket(node: &Node, socket: &At<u64>, sources: &Sources) -> Result<u64, Fault> {
    let count = node.sockets.len() as u64;
    if socket.value < count {
        return Ok(socket.value);
    }
    let message = format!("a switch leads to socket {}, but the node has {count}", socket.value);
    Err(Fault::at(sources, &socket.span, message, "no such socket").help("sockets are numbered from 0 in file order"))
}
