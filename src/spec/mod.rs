//! What the files say: one type for each kind of file, key by key, nothing looked up and nothing computed.
//!
//! Knows the shape of the TOML files. Must not know what the figures do in a simulation, nor open a file.

mod figure;
mod kind;
mod node;
mod path;
mod scenario;
mod schema;
mod size;
mod sweep;

pub use figure::{At, Figure, Origin};
pub use kind::{FileKind, Place};
pub use node::{Copies, Costs, Cpu, Dram, Fabric, Gpu, Link, Nic, Node, PeerToPeer, Socket, Switch, Target, Transport};
pub use path::{Direction, Hop, Leg, Method, Mover, Path, Station, Step};
pub use scenario::{ArrivalKind, Arrivals, Expectation, Literal, NicChoice, RatioTo, Scenario, Work};
pub use schema::schema;
pub use size::Size;
pub use sweep::Sweep;
