//! The sealed form of a scenario: plain numbered lists, sorted by name, that a simulation runs on.
//!
//! Knows numbers. Must not know files, keys or units of text.

use crate::units::{Bytes, Factor, Rate, Time};

mod check;
mod copies;
mod cut;
mod delay;
mod hold;
pub mod sample;
mod session;
mod station;

pub use check::Unsound;
pub use copies::{AllCopies, Copies};
pub use cut::Cut;
pub use delay::Delay;
pub use hold::{Each, Hold};
pub use session::SessionStep;
pub use station::{Direction, Mover, Station};

/// Everything that a simulation needs. Lists are sorted by name, so that the order in the files changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// The scenario's name.
    pub name: String,
    /// The seed of all random streams.
    pub seed: u64,
    /// The coefficient of variation of services (delays, and the work that a flow has to do), so that equal requests do not march in
    /// step; none: every service takes its mean.
    pub spread: Option<Factor>,
    /// Rates that flows share.
    pub capacities: Vec<Capacity>,
    /// What only so many may hold: slots and memory.
    pub pools: Vec<Pool>,
    /// Pure delays.
    pub delays: Vec<Delay>,
    /// The works.
    pub works: Vec<Work>,
    /// What to know about the hardware as it stands.
    pub notes: Vec<Note>,
    /// How many each listed capacity and pool stands for, where the plan is compact.
    pub copies: AllCopies,
}

/// Something to know about the hardware as it stands, which a report warns of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One word: `link`.
    pub kind: String,
    /// What is so.
    pub text: String,
    /// What to do about it.
    pub advice: String,
}

/// What a resource is, as the report calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A storage target.
    Target,
    /// The network between node and target.
    Fabric,
    /// A NIC's ports.
    Nic,
    /// A PCIe link of a device or a switch.
    Pcie,
    /// Peer-to-peer through a root complex.
    RootComplex,
    /// The link between sockets.
    SocketLink,
    /// System memory.
    Dram,
    /// GPU memory.
    Hbm,
    /// A GPU's copy engine.
    CopyEngine,
    /// CPU threads.
    Cpu,
    /// Anything else.
    Other,
}

/// A rate that concurrent flows share.
#[derive(Clone, Debug, PartialEq)]
pub struct Capacity {
    /// Its own name: `nic0.rx`.
    pub name: String,
    /// The name that it shares with its like, by which what binds is named: `nic`.
    pub group: String,
    /// What it is.
    pub kind: Kind,
    /// Bytes per second.
    pub rate: Rate,
    /// The nominal rate, where this is a hardware link.
    pub line_rate: Option<Rate>,
    /// The law of a capacity that slows its flows before it is full; without it, it shares its rate and no more.
    pub soft: Option<Soft>,
    /// Whether the rate is assumed.
    pub assumed: bool,
}

/// Soft sharing: with all traffic `D` (bytes a second, charged, as the hard capacities alone would allow), a flow of
/// traffic class `k` keeps `(1 + (D / B_k)^p)^(-1/p)` of its pace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soft {
    /// `B` for copies by CPU threads.
    pub cpu: Rate,
    /// `B` for reads by devices.
    pub dma_read: Rate,
    /// `B` for writes by devices.
    pub dma_write: Rate,
    /// `p`: how sharp the bend is.
    pub power: Factor,
}

impl Soft {
    /// `B` of a class of traffic.
    pub fn base(&self, traffic: Traffic) -> Rate {
        match traffic {
            Traffic::Cpu => self.cpu,
            Traffic::DmaRead => self.dma_read,
            Traffic::DmaWrite => self.dma_write,
        }
    }
}

/// Who moves bytes over a capacity, and which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Traffic {
    /// CPU threads.
    #[default]
    Cpu,
    /// A device reads.
    DmaRead,
    /// A device writes.
    DmaWrite,
}

/// What only so many may hold at a time; strictly first come, first served.
#[derive(Clone, Debug, PartialEq)]
pub struct Pool {
    /// Its own name: `gpu0.copy_engine.to_gpu`.
    pub name: String,
    /// The name that it shares with its like: `copy_engine`.
    pub group: String,
    /// What it is.
    pub kind: Kind,
    /// How many places it has; for memory, bytes.
    pub places: u64,
    /// Whether its places are bytes.
    pub is_memory: bool,
    /// Whether its service is assumed.
    pub assumed: bool,
}

/// A stream of requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    /// Its name.
    pub name: String,
    /// Its place in the file.
    pub position: usize,
    /// Which way the bytes go.
    pub direction: Direction,
    /// The path asked for.
    pub path_asked: String,
    /// The path taken.
    pub path_taken: String,
    /// The rules that decided.
    pub why: Vec<String>,
    /// When it ends.
    pub amount: Amount,
    /// Bytes or requests of each lane, where they are not shared evenly.
    pub parts: Vec<u64>,
    /// What its requests measure.
    pub size: Sizes,
    /// Threads a lane.
    pub threads: u64,
    /// Outstanding requests a thread.
    pub depth: u64,
    /// An open loop's arrivals.
    pub arrivals: Option<Arrivals>,
    /// The work after whose end it starts (an index of [`Plan::works`]).
    pub after: Option<usize>,
    /// When it starts, counted from the beginning or from the end of `after`.
    pub start: Time,
    /// How much later each further outstanding request starts; spread evenly where nothing is said.
    pub stagger: Option<Time>,
    /// Whether its threads poll for completions, and are busy all the while.
    pub polls: bool,
    /// CPU copies that move a byte of it: legs moved by the CPU or by a copy engine it starts.
    pub cpu_copies: u64,
    /// DMA transfers over PCIe that move a byte of it.
    pub pcie_crossings: u64,
    /// One for each GPU in use.
    pub lanes: Vec<Lane>,
    /// How many lanes each of these stands for, where the plan is compact; each for itself where nothing is said.
    pub copies: Vec<u64>,
}

impl Work {
    /// A lane's part of its bytes or requests: its own, or an even one, of which the first lanes take what does not divide.
    pub fn part(&self, lane: usize) -> u64 {
        let even = |all: u64| even_part(all, lane, self.lanes.len());
        let of_all = |all: u64| self.parts.get(lane).copied().unwrap_or_else(|| even(all));
        match self.amount {
            Amount::Bytes(bytes) => of_all(bytes.0),
            Amount::Requests(requests) => of_all(requests),
            Amount::RunTime { .. } => u64::MAX,
        }
    }
}

/// An even part of so many; the first take what does not divide.
pub fn even_part(all: u64, lane: usize, lanes: usize) -> u64 {
    let lanes = lanes.max(1) as u64;
    all / lanes + u64::from((lane as u64) < all % lanes)
}

/// How much a work moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many bytes in all.
    Bytes(Bytes),
    /// So many requests in all.
    Requests(u64),
    /// Requests offered for so long, the figures taken after a warm-up.
    RunTime {
        /// How long.
        run: Time,
        /// How much of it is left out.
        warm_up: Time,
    },
}

/// The sizes of requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Taken in turn.
    Listed(Vec<Bytes>),
    /// Drawn evenly, both ends included.
    Uniform(Bytes, Bytes),
    /// Drawn from an exponential distribution with this mean, at least one byte.
    Exponential(Bytes),
}

impl Sizes {
    /// The largest size; drawn ones of an exponential distribution have none.
    pub fn largest(&self) -> Option<Bytes> {
        match self {
            Sizes::Listed(list) => Some(list.iter().max().copied().unwrap_or_default()),
            Sizes::Uniform(_, high) => Some(*high),
            Sizes::Exponential(_) => None,
        }
    }

    /// The mean size, rounded up.
    pub fn mean(&self) -> Bytes {
        match self {
            Sizes::Listed(list) => {
                let total: u128 = list.iter().map(|one| u128::from(one.0)).sum();
                Bytes(total.div_ceil(list.len().max(1) as u128) as u64)
            }
            Sizes::Uniform(low, high) => Bytes(low.0.midpoint(high.0)),
            Sizes::Exponential(mean) => *mean,
        }
    }
}

/// An open loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// Mean time between two requests of the work.
    pub gap: Time,
    /// Whether it is drawn (exponential) or always the same.
    pub poisson: bool,
}

/// The way of one GPU's requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// The number of its node.
    pub node: u64,
    /// The GPU's number in its node.
    pub gpu: u64,
    /// What is done once before its first request, in order.
    pub session: Vec<SessionStep>,
    /// Pools held for the whole request, taken in this order.
    pub holds: Vec<Hold>,
    /// The legs in order.
    pub legs: Vec<Leg>,
    /// How software cuts a request, if it does.
    pub cut: Cut,
}

impl Lane {
    /// What its GPU is called: by its number, and behind the first node by that of its node.
    pub fn gpu_name(&self) -> String {
        let node = if self.node == 0 { String::new() } else { format!("node{}.", self.node) };
        format!("{node}gpu{}", self.gpu)
    }
}

/// A row of hops that bytes stream through.
#[derive(Clone, Debug, PartialEq)]
pub struct Leg {
    /// Its name.
    pub name: String,
    /// Who moves the bytes.
    pub mover: Mover,
    /// Pools held from before the first step until the bytes have arrived, taken in this order.
    pub holds: Vec<Hold>,
    /// Buffers that fill in this leg: held from its start until the next leg has emptied them.
    pub buffers: Vec<Hold>,
    /// Delays before the bytes move (indices of [`Plan::delays`]).
    pub before: Vec<usize>,
    /// Servers that it goes through after those, in this order, and then moves.
    pub served: Vec<Served>,
    /// The hops, each with what it crosses. A leg without hops moves nothing: control steps, or holding something for them.
    pub hops: Vec<Hop>,
    /// The mover's own rate, at most.
    pub own_cap: Option<OwnCap>,
    /// Delays after the bytes have arrived.
    pub after: Vec<usize>,
}

impl Leg {
    /// Pools of which it holds a place while its bytes move.
    pub fn held(&self) -> impl Iterator<Item = usize> {
        let holds = self.holds.iter().filter(|hold| hold.each != Each::Bytes).map(|hold| hold.pool);
        holds.chain(self.served.iter().filter(|served| served.keeps).map(|served| served.hold.pool))
    }

    /// Whether a pool is that of one of its servers.
    pub fn serves(&self, pool: usize) -> bool {
        self.served.iter().any(|served| served.hold.pool == pool)
    }

    /// All its delays (indices of [`Plan::delays`]), in the order that they pass.
    pub fn delays(&self) -> impl Iterator<Item = usize> {
        self.before
            .iter()
            .copied()
            .chain(self.served.iter().map(|served| served.delay))
            .chain(self.after.iter().copied())
    }
}

/// A server of a leg: a place of a pool, held for a fixed service and, where it keeps it, until the bytes have arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// The place.
    pub hold: Hold,
    /// The service (an index of [`Plan::delays`]).
    pub delay: usize,
    /// Whether the place is held until the bytes have arrived.
    pub keeps: bool,
}

/// The most that a mover gives to one flow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OwnCap {
    /// Bytes per second.
    pub rate: Rate,
    /// The name by which it binds: `cpu_copy`, `copy_engine`.
    pub group: String,
    /// What it is.
    pub kind: Kind,
    /// Whether the rate is assumed.
    pub assumed: bool,
}

/// A stage of a leg.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// Where the bytes come from.
    pub from: Station,
    /// Where they go.
    pub to: Station,
    /// What they cross.
    pub crosses: Vec<Crossing>,
}

/// A capacity that a hop uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Crossing {
    /// The capacity (an index of [`Plan::capacities`]).
    pub capacity: usize,
    /// Bytes charged for a byte of payload. Zero: touched, not charged.
    pub charge: Factor,
    /// The class of traffic, for a capacity with a soft law.
    pub traffic: Traffic,
}
