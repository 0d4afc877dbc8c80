//! A small scenario, complete in one text, that tests bend to their question.

use engine::Plan;
use hopsim::error::Fault;
use hopsim::platform::{Assumed, Library, load_text, seal};

/// Two GPUs and a NIC below a switch on socket 0, two GPUs and a NIC on root ports of socket 1.
pub const SMALL: &str = r#"schema = 1
name = "small"

[target]
rate = "125 GB/s"
costs = { media = { value = "10 us", low = "5 us", high = "20 us", source = "assumed" } }

[node]
gpus = 4
nics = 2
spread = 0
socket_link = "190 GB/s"
peer_to_peer = { root_complex_to_gpu = { value = "45 GB/s", low = "20 GB/s", high = "50 GB/s", source = "assumed" }, root_complex_from_gpu = "48 GB/s", across_sockets = "22 GB/s" }

[[node.sockets]]

[[node.sockets]]
gpus = [2, 3]
nics = [1]

[[node.switches]]
socket = 0
uplink = { raw = "64 GB/s" }
gpus = [0, 1]
nics = [0]

[node.gpu]
hbm = "3 TB/s"
link = { raw = "64 GB/s", encoding = 0.5, max_payload = "256 B", packet_overhead = "64 B", rate_up = "20 GB/s" }
copies = { rate_to_gpu = "55 GB/s", rate_from_gpu = "54 GB/s", overhead_to_gpu = "1 us", overhead_from_gpu = "2 us" }

[node.nic]
line_rate = "400 Gb/s"
rate = "49 GB/s"
link = { raw = "64 GB/s" }

[node.cpu]
threads = 64
copy_rate = "10 GB/s"
costs = { call = "1 us" }

[node.dram]
rate = "400 GB/s"
memory = "1 TB"
dma_write = 1
dma_read = 0
cpu_copy = { value = 3, low = 2, high = 4, source = "assumed" }

[works.gds]
path = "gds"
bytes = "1 GB"
size = "1 MiB"

[works.bounce]
path = "bounce"
bytes = "1 GB"
size = "1 MiB"
threads = 2
after = "gds"

[paths.gds]
direction = "read"
method = "gds"

[[paths.gds.legs]]
name = "fetch"
mover = "nic"
before = [{ what = "the call", cost = "cpu.call" }, { what = "media", cost = "target.media" }]
hops = [{ from = "storage", to = "nic" }, { from = "nic", to = "pcie" }, { from = "pcie", to = "hbm" }]

[paths.bounce]
direction = "read"
method = "bounce"
holds_thread = true

[[paths.bounce.legs]]
name = "fetch"
mover = "nic"
hops = [{ from = "storage", to = "nic" }, { from = "nic", to = "kernel buffer" }]

[[paths.bounce.legs]]
name = "copy"
mover = "cpu"
hops = [{ from = "kernel buffer", to = "user buffer" }]

[[paths.bounce.legs]]
name = "upload"
mover = "copy_engine"
hops = [{ from = "user buffer", to = "pcie" }, { from = "pcie", to = "hbm" }]
"#;

/// The small scenario with one text replaced, which must occur.
pub fn with(old: &str, new: &str) -> String {
    assert!(SMALL.contains(old), "the small scenario does not say {old}");
    SMALL.replacen(old, new, 1)
}

/// Reads and seals a text with assumed figures at one end.
pub fn sealed_at(text: &str, assumed: Assumed) -> Result<Plan, Fault> {
    let loaded = load_text("small.toml", text, &Library::default(), &[])?;
    seal(&loaded.scenario, &loaded.sources, assumed)
}

/// Reads and seals a text that is fine.
pub fn sealed(text: &str) -> Plan {
    sealed_at(text, Assumed::Value).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The lane of a GPU of a work.
pub fn lane<'a>(plan: &'a Plan, work: &str, gpu: usize) -> &'a engine::Lane {
    let work = plan.works.iter().find(|one| one.name == work).expect("the scenario names the work");
    &work.lanes[gpu]
}

/// What a lane crosses, a line a hop.
pub fn route(plan: &Plan, work: &str, gpu: usize) -> String {
    let hops = lane(plan, work, gpu).legs.iter().flat_map(|leg| leg.hops.iter().map(move |hop| (&leg.name, hop)));
    let line = |(leg, hop): (&String, &engine::Hop)| {
        let crosses: Vec<String> = hop
            .crosses
            .iter()
            .map(|crossing| format!("{} x{}", plan.capacities[crossing.capacity].name, crossing.charge))
            .collect();
        format!("{leg}: {:?} > {:?}: {}", hop.from, hop.to, crosses.join(", "))
    };
    hops.map(line).collect::<Vec<String>>().join("\n")
}
