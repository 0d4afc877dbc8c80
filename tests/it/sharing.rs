//! The fast solver against a slow, obvious one that raises water drop by drop.

use engine::share::{By, Class, FINE, FlowRate, Solver};
use proptest::prelude::*;

/// Max-min by the definition, flow by flow in floating point: raise all, stop whoever is stopped, again.
fn slow_twin(rates: &[u64], classes: &[Class], population: &[u32]) -> Vec<f64> {
    let flows: Vec<usize> = (0..classes.len()).flat_map(|c| std::iter::repeat_n(c, population[c] as usize)).collect();
    let mut pace = vec![0.0_f64; flows.len()];
    let mut rising = vec![true; flows.len()];
    let use_of = |pace: &[f64], capacity: usize| -> f64 {
        let charge =
            |flow: usize| classes[flow].crossings.iter().find(|c| c.0 == capacity).map_or(0.0, |c| c.1 as f64 / 1e9);
        flows.iter().zip(pace).map(|(&flow, pace)| charge(flow) * pace).sum()
    };
    while rising.iter().any(|&r| r) {
        // The largest step that no capacity and no own cap forbids.
        let mut step = f64::INFINITY;
        for (capacity, &rate) in rates.iter().enumerate() {
            let unit: Vec<f64> = rising.iter().map(|&r| if r { 1.0 } else { 0.0 }).collect();
            let growth = use_of(&unit, capacity);
            if growth > 0.0 {
                step = step.min((rate as f64 - use_of(&pace, capacity)) / growth);
            }
        }
        for flow in (0..flows.len()).filter(|&flow| rising[flow]) {
            if let Some(cap) = classes[flows[flow]].own_cap {
                step = step.min(cap as f64 - pace[flow]);
            }
        }
        (0..flows.len()).filter(|&flow| rising[flow]).for_each(|flow| pace[flow] += step);
        for flow in 0..flows.len() {
            let class = &classes[flows[flow]];
            let capped = class.own_cap.is_some_and(|cap| pace[flow] >= cap as f64 * (1.0 - 1e-13));
            let full = class.crossings.iter().any(|&(c, _)| use_of(&pace, c) >= rates[c] as f64 * (1.0 - 1e-13));
            rising[flow] &= !(capped || full);
        }
    }
    let first = |class: usize| flows.iter().position(|&flow| flow == class).map_or(0.0, |flow| pace[flow]);
    (0..classes.len()).map(first).collect()
}

#[derive(Debug, Clone)]
struct Platform {
    rates: Vec<u64>,
    classes: Vec<Class>,
    population: Vec<u32>,
}

fn platform() -> impl Strategy<Value = Platform> {
    let gb = 1_000_000_000u64;
    (1usize..6, 1usize..6).prop_flat_map(move |(capacities, classes)| {
        let crossing = proptest::collection::btree_map(0..capacities, 100_000_000u64..6_000_000_000, 1..=capacities);
        let class = (crossing, proptest::option::of(gb..60 * gb)).prop_map(|(crossings, own_cap)| Class {
            crossings: crossings.into_iter().collect(),
            own_cap,
            soft: Vec::new(),
            weighed: None,
        });
        let rates = proptest::collection::vec(gb..500 * gb, capacities);
        let population = proptest::collection::vec(0u32..20, classes);
        (rates, proptest::collection::vec(class, classes), population)
            .prop_map(|(rates, classes, population)| Platform { rates, classes, population })
    })
}

fn paces(platform: &Platform) -> Vec<FlowRate> {
    Solver::new(platform.rates.clone(), platform.classes.clone(), vec![None; platform.rates.len()])
        .solve(&platform.population)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn fast_and_slow_agree_to_a_billionth(platform in platform()) {
        let slow = slow_twin(&platform.rates, &platform.classes, &platform.population);
        for (fast, slow) in paces(&platform).iter().zip(slow) {
            let fast = fast.rate as f64 / FINE as f64;
            prop_assert!((fast - slow).abs() <= 1e-9 * slow.max(1.0), "{fast} {slow}");
        }
    }

    #[test]
    fn no_capacity_is_passed_by_a_single_unit(platform in platform()) {
        let paces = paces(&platform);
        for (capacity, &rate) in platform.rates.iter().enumerate() {
            let used: u128 = platform.classes.iter().zip(&platform.population).zip(&paces).map(|((class, &flows), pace)| {
                let charge = class.crossings.iter().find(|c| c.0 == capacity).map_or(0, |c| c.1);
                flows as u128 * charge as u128 * pace.rate as u128
            }).sum();
            prop_assert!(used <= rate as u128 * FINE as u128 * 1_000_000_000);
        }
    }
}

#[test]
fn a_flow_that_a_disk_holds_leaves_the_rest_of_the_link_to_the_other() {
    let gb = 1_000_000_000u64;
    let class = |crossings: &[(usize, u64)]| Class {
        crossings: crossings.to_vec(),
        own_cap: None,
        soft: Vec::new(),
        weighed: None,
    };
    let mut solver =
        Solver::new(vec![10 * gb, 2 * gb], vec![class(&[(0, gb), (1, gb)]), class(&[(0, gb)])], vec![None; 2]);
    let paces = solver.solve(&[1, 1]);
    assert_eq!(paces[0], FlowRate { rate: 2 * gb * FINE, by: By::Capacity(1), soft: None });
    assert_eq!(paces[1], FlowRate { rate: 8 * gb * FINE, by: By::Capacity(0), soft: None });
}

#[test]
fn a_heavier_charge_uses_more_and_gets_no_less() {
    let gb = 1_000_000_000u64;
    let class = |charge: u64| Class { crossings: vec![(0, charge)], own_cap: None, soft: Vec::new(), weighed: None };
    let mut solver = Solver::new(vec![40 * gb], vec![class(gb), class(3 * gb)], vec![None]);
    let paces = solver.solve(&[1, 1]);
    assert_eq!((paces[0].rate, paces[1].rate), (10 * gb * FINE, 10 * gb * FINE));
}
