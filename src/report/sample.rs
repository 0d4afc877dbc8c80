//! A report made by hand, for tests of what reads reports.
//!
//! Knows two works with plausible figures. Must not know how a run makes them.

use super::*;
use engine::{Direction, Station};

/// A checkpoint of 140 GB by both paths.
pub fn report() -> Report {
    Report {
        schema: 1,
        scenario: "checkpoint-140gb".into(),
        fingerprint: "3f2a9c0d51e7b846".into(),
        seed: 1,
        mode: "request".into(),
        simulated_s: 3.208,
        works: vec![gds(), bounce()],
        expectations: vec![
            judgement("works.gds.duration_s", "within 1.44 s .. 1.48 s", "1.459", true),
            judgement("works.bounce.binding.0.name", "equals dram", "cpu_copy", false),
        ],
        judged: true,
        warnings: vec![Warning {
            kind: "convoy".into(),
            text: "work \"bounce\": two legs without movers were started together and march in step".into(),
            advice: "start the requests staggered (works.bounce.stagger)".into(),
        }],
        assumed_share: 0.912,
    }
}

fn judgement(that: &str, expected: &str, actual: &str, holds: bool) -> Judgement {
    let why = "the root complexes bind from GPU to NIC".into();
    Judgement { that: that.into(), expected: expected.into(), actual: actual.into(), holds, why }
}

fn gds() -> WorkReport {
    WorkReport {
        name: "gds".into(),
        path_asked: "gds-write".into(),
        path_taken: "gds-write".into(),
        why: vec!["transport rdma".into(), "the file system does GDS".into()],
        closed_form_s: Some(1.458_334),
        low_s: Some(1.42),
        high_s: Some(3.004),
        legs: vec![LegReport { name: "push".into(), line_s: 0.0, setup_s: 0.000_017, moving_s: 0.001_381 }],
        hops: vec![
            hop("push", 1, Station::Hbm, Station::Pcie, 0.978),
            hop("push", 2, Station::Pcie, Station::Nic, 0.0),
            hop("push", 3, Station::Nic, Station::Storage, 0.01),
        ],
        resources: vec![
            resource("root_complex0.from_gpu", "root_complex", 70_000_000_000, 48.0),
            resource("nic0.tx", "nic", 70_000_000_000, 50.0),
        ],
        binding: vec![
            binding("root_complex", "capacity", 0.978, true),
            binding("target.media_write", "delay", 0.012, false),
            binding("nic", "capacity", 0.0003, false),
        ],
        ..common()
    }
}

fn bounce() -> WorkReport {
    WorkReport {
        name: "bounce".into(),
        path_asked: "gds-write".into(),
        path_taken: "compat-write".into(),
        why: vec!["tcp: the target's transport has no peer-to-peer, so the bytes go through system memory".into()],
        start_s: 1.459,
        duration_s: 1.749,
        throughput_gb_s: 80.05,
        throughput_gib_s: 74.55,
        ceiling_gb_s: 80.0,
        ceiling_by: "dram".into(),
        latency_us: None,
        legs: ["download", "copy", "send"].map(leg).into(),
        hops: vec![
            hop("download", 1, Station::Hbm, Station::Pcie, 0.2),
            hop("download", 2, Station::Pcie, Station::UserBuffer, 0.2),
            hop("copy", 3, Station::UserBuffer, Station::KernelBuffer, 0.3),
            hop("send", 4, Station::KernelBuffer, Station::Nic, 0.1),
            hop("send", 5, Station::Nic, Station::Storage, 0.1),
        ],
        resources: vec![resource("dram", "dram", 700_000_000_000, 400.0)],
        floors: Vec::new(),
        binding: vec![binding("dram", "capacity", 0.51, true), binding("cpu_copy", "own_cap", 0.495, true)],
        dram_bytes: 700_000_000_000,
        pcie_bytes: 280_000_000_000,
        pcie_crossings: 2,
        cpu_copies: 2,
        cpu_s: 61.4,
        cpu_control_s: 1.2,
        cpu_data_s: 60.2,
        session_s: 0.003,
        session_cpu_s: 0.4,
        peak_host_bytes: 268_435_456,
        gpus_done_s: None,
        settled: Some(Settled { simulated_requests: 12_800, half_width: 0.004 }),
        ..common()
    }
}

fn common() -> WorkReport {
    WorkReport {
        name: String::new(),
        direction: Direction::Write,
        path_asked: String::new(),
        path_taken: String::new(),
        why: Vec::new(),
        bytes: 140_000_000_000,
        requests: 133_515,
        start_s: 0.0,
        duration_s: 1.459,
        throughput_gb_s: 95.96,
        throughput_gib_s: 89.37,
        line_rate_gb_s: Some(100.0),
        line_rate_by: Some("nic".into()),
        ceiling_gb_s: 96.0,
        ceiling_by: "root_complex".into(),
        closed_form_s: None,
        low_s: None,
        high_s: None,
        binding: Vec::new(),
        latency_us: Some(Latency { mean: 1398.2, p50: 1397.0, p90: 1402.5, p99: 1444.1, max: 1512.003 }),
        legs: Vec::new(),
        hops: Vec::new(),
        resources: Vec::new(),
        floors: Vec::new(),
        dram_bytes: 0,
        pcie_bytes: 140_000_000_000,
        pcie_crossings: 1,
        cpu_copies: 0,
        cpu_s: 0.4,
        cpu_control_s: 0.4,
        cpu_data_s: 0.0,
        session_s: 0.0,
        session_cpu_s: 0.0,
        peak_host_bytes: 0,
        gpus_done_s: None,
        settled: None,
        unbalanced: None,
    }
}

fn binding(name: &str, kind: &str, share: f64, tied: bool) -> Binding {
    Binding { name: name.into(), kind: kind.into(), share, gain: Some(share / 11.0), tied }
}

fn leg(name: &str) -> LegReport {
    LegReport { name: name.into(), line_s: 0.000_4, setup_s: 0.000_009, moving_s: 0.000_21 }
}

fn hop(leg: &str, hop: u32, from: Station, to: Station, share: f64) -> HopReport {
    HopReport { leg: leg.into(), hop, from, to, bytes: 140_000_000_000, share }
}

fn resource(name: &str, kind: &str, bytes: u64, rate_gb_s: f64) -> ResourceReport {
    let floor_s = bytes as f64 / rate_gb_s / 1e9;
    ResourceReport {
        name: name.into(),
        kind: kind.into(),
        bytes,
        rate_gb_s,
        utilisation: floor_s / 1.76,
        floor_s,
        count: 1,
    }
}
