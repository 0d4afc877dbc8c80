//! What the files say: one type for each kind of file, key by key, nothing looked up and nothing computed.
//!
//! Knows the shape of the TOML files. Must not know what the figures do in a simulation, nor open a file.

mod by_size;
mod cluster;
mod figure;
mod kind;
mod lesson;
mod node;
mod path;
mod scenario;
mod schema;
mod segment;
mod size;
mod software;
mod sweep;
mod target;

pub use by_size::{BySize, Point, Table};
pub use cluster::{Background, Cluster};
pub use figure::{At, Figure, Origin};
pub use kind::{FileKind, Place};
pub use lesson::{Lesson, LessonAnswer, LessonChoice, LessonMode, LessonRun, LessonScenario, LessonStep};
pub use node::{
    Cache, Copies, Costs, CostsBySize, Cpu, Dram, Gpu, HotLines, Link, Nic, Node, PageCache, Pageable, PeerToPeer,
    Socket, Soft, Switch, TrainedDown,
};
pub use path::{
    Completion, Cut, Each, HelpersPer, Hop, Leg, Method, Moves, Path, Per, SessionPer, SessionStep, Slot, Step, Until,
};
pub use scenario::{ArrivalKind, Arrivals, Expectation, Files, Literal, NicChoice, RatioTo, Scenario, Work};
pub use schema::{schema, schema_of};
pub use segment::{Host, HostLeg, HostStep, HostWay, Through, Wire, WireSteps, WireWay};
pub use size::Size;
pub use software::{Compat, Iommu, KernelDriver, Routing, Software};
pub use sweep::Sweep;
pub use target::{DataCache, DataNodes, Fabric, Server, Stripe, Striping, Target, Transport};
