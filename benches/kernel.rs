//! The cost of a request beside a bare binary heap, in one run: the figure is the ratio of the two.
//!
//! `bare_heap`: `std::collections::BinaryHeap`, pop then push of (u64 time, u64 sequence, u32 id), five events a request.
//! `hopsim`: as many requests of 1 MiB by 8 GPUs with 16 outstanding each over one leg of five capacities, with coroutines and
//! the report's observer, and a random delay so that no two requests end together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use engine::units::Time;
use engine::{self, Amount, Mode, Plan};
use hopsim::report::Recorder;

#[path = "../tests/it/plans.rs"]
#[allow(dead_code)]
mod plans;
use plans::{US, capacity, delay, lane, leg, plan, work};

const REQUESTS: u64 = 1_335_140;

fn bare_heap(requests: u64) -> u64 {
    let mut heap = BinaryHeap::new();
    (0..128u32).for_each(|id| heap.push(Reverse((id as u64, id as u64, id))));
    let mut state = 1u64;
    for sequence in 128..requests * 5 {
        if let Some(Reverse((time, _, id))) = heap.pop() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            heap.push(Reverse((time + (state >> 44), sequence, id)));
        }
    }
    heap.pop().map_or(0, |first| first.0.0)
}

/// Eight GPUs on two NICs: target, fabric, NIC, the NIC's link and the GPU's link.
fn eight_gpus(requests: u64) -> Plan {
    let gb = 1_000_000_000;
    let mut capacities = vec![capacity("target", 90 * gb), capacity("fabric", 120 * gb)];
    capacities.extend(
        (0..2).flat_map(|nic| [capacity(&format!("nic{nic}"), 50 * gb), capacity(&format!("nic{nic}.pcie"), 55 * gb)]),
    );
    capacities.extend((0..8).map(|gpu| capacity(&format!("gpu{gpu}.pcie"), 55 * gb)));
    let way = |gpu: usize| {
        let nic = 2 + gpu / 4 * 2;
        let mut only = leg(&[(0, 1.0), (1, 1.0), (nic, 1.0), (nic + 1, 1.0), (6 + gpu, 1.0)]);
        only.before = vec![0];
        lane(gpu as u64, vec![only])
    };
    let mut setup = delay("setup", 10 * US);
    setup.jitter = Time(20 * US);
    plan(capacities, vec![], vec![setup], vec![work("read", (0..8).map(way).collect(), 16, Amount::Requests(requests))])
}

fn hopsim(plan: &Arc<Plan>) -> u64 {
    engine::run(plan, Mode::Request, Recorder::new(1)).map_or(0, |(outcome, _)| outcome.end.0)
}

fn kernel(c: &mut Criterion) {
    let mut group = c.benchmark_group("1,335,140 requests");
    group.sample_size(10);
    group.bench_function("bare_heap", |b| b.iter(|| bare_heap(black_box(REQUESTS))));
    let plan = Arc::new(eight_gpus(REQUESTS));
    group.bench_function("hopsim", |b| b.iter(|| hopsim(black_box(&plan))));
    group.finish();
}

criterion_group!(benches, kernel);
criterion_main!(benches);
