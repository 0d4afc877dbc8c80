//! What binds, tested by what it means: more of the leader shortens the run, more of what has no share does not.

use std::collections::BTreeMap;

use crate::plans::*;
use engine::units::{Bytes, Rate, Time};
use engine::{Amount, Cause, Outcome, Plan, Sizes};
use proptest::prelude::*;

/// What binds, by name: capacities, own caps and pools by their group, delays by their name.
fn shares(plan: &Plan, outcome: &Outcome) -> BTreeMap<String, f64> {
    let mut shares = BTreeMap::new();
    let all: f64 = outcome.works[0].charges.iter().map(|c| c.2).sum();
    for &(_, cause, seconds) in &outcome.works[0].charges {
        let name = match cause {
            Cause::Capacity(i) => plan.capacities[i].group.clone(),
            Cause::OwnCap(i) => outcome.own_caps[i].group.clone(),
            Cause::Delay(i) => plan.delays[i].service_of.map_or(&plan.delays[i].name, |p| &plan.pools[p].group).clone(),
            Cause::Pool(i) => plan.pools[i].group.clone(),
            Cause::NoWork => "no work".to_string(),
        };
        *shares.entry(name).or_insert(0.0) += seconds / all;
    }
    shares
}

/// The same plan with 10 % more of everything of that name.
fn with_more_of(plan: &Plan, name: &str) -> Plan {
    let mut plan = plan.clone();
    let faster = |rate: &mut Rate| rate.0 += rate.0 / 10;
    let shorter = |time: &mut Time| time.0 -= time.0 / 10;
    plan.capacities.iter_mut().filter(|c| c.group == name).for_each(|c| faster(&mut c.rate));
    let services: Vec<usize> = (0..plan.pools.len()).filter(|&p| plan.pools[p].group == name).collect();
    for delay in &mut plan.delays {
        if delay.name == name || delay.service_of.is_some_and(|pool| services.contains(&pool)) {
            shorter(&mut delay.time);
        }
    }
    for leg in plan.works.iter_mut().flat_map(|w| &mut w.lanes).flat_map(|l| &mut l.legs) {
        leg.own_cap.iter_mut().filter(|cap| cap.group == name).for_each(|cap| faster(&mut cap.rate));
    }
    plan
}

/// Bounce or direct, one to four GPUs, everything drawn.
fn node() -> impl Strategy<Value = Plan> {
    let gb = 1_000_000_000u64;
    let rates = (20 * gb..100 * gb, 20 * gb..60 * gb, 60 * gb..500 * gb, 2 * gb..12 * gb, 30 * gb..60 * gb);
    let times = (1u64..100, 1u64..20);
    (rates, times, 1u64..4, prop::bool::ANY, 1.0f64..3.0).prop_map(
        |((target, nic, dram, copy, engine), (media, overhead), gpus, bounce, charge)| {
            let mut capacities = vec![capacity("target", target), capacity("nic", nic), capacity("dram", dram)];
            (0..gpus).for_each(|g| {
                let mut link = capacity(&format!("gpu{g}"), 62_000_000_000);
                link.group = "gpu_pcie".into();
                capacities.push(link);
            });
            let mut pools = Vec::new();
            let mut delays = vec![delay("media", media * US)];
            for g in 0..gpus as usize {
                let mut pool = pool(&format!("engine{g}"), 1);
                pool.group = "copy_engine".into();
                pools.push(pool);
                let mut service = delay("overhead", overhead * US);
                service.service_of = Some(g);
                delays.push(service);
            }
            let way = |g: u64| {
                let gpu = 3 + g as usize;
                let mut direct = leg(&[(0, 1.0), (1, 1.0), (gpu, 1.0)]);
                direct.before = vec![0];
                if !bounce {
                    return lane(g, vec![direct]);
                }
                let mut fetch = leg(&[(0, 1.0), (1, 1.0), (2, 1.0)]);
                fetch.before = vec![0];
                let mut copies = leg(&[(2, charge)]);
                copies.own_cap = Some(own_cap("cpu_copy", copy));
                let mut upload = leg(&[(2, 1.0), (gpu, 1.0)]);
                upload.holds = vec![hold(g as usize)];
                upload.before = vec![1 + g as usize];
                upload.own_cap = Some(own_cap("copy_engine", engine));
                lane(g, vec![fetch, copies, upload])
            };
            let mut work = work("w", (0..gpus).map(way).collect(), 48, Amount::Bytes(Bytes(gpus * 2_500 * MIB)));
            // Drawn sizes keep requests from marching in step, which is a matter of its own.
            work.size = Sizes::Uniform(Bytes(MIB / 2), Bytes(MIB / 2 * 3));
            plan(capacities, pools, delays, vec![work])
        },
    )
}

/// Payload bytes per second that each resource allows by itself, lowest first.
fn ceilings(plan: &Plan) -> Vec<f64> {
    let lanes = &plan.works[0].lanes;
    let mut charges = BTreeMap::new();
    let mut ceilings = Vec::new();
    for leg in lanes.iter().flat_map(|lane| &lane.legs) {
        for (capacity, charge) in engine::charges(leg) {
            *charges.entry(capacity).or_insert(0.0) += charge as f64 / 1e9 / lanes.len() as f64;
        }
        if let Some(cap) = &leg.own_cap {
            let flows = if leg.holds.is_empty() { plan.works[0].depth as f64 } else { 1.0 };
            let service: u64 = leg.before.iter().map(|&d| plan.delays[d].time.0).sum();
            let each = MIB as f64 / (service as f64 / 1e12 + MIB as f64 / cap.rate.0 as f64);
            ceilings.push(each * flows * lanes.len() as f64);
        }
    }
    ceilings.extend(charges.into_iter().map(|(capacity, charge)| plan.capacities[capacity].rate.0 as f64 / charge));
    ceilings.sort_by(f64::total_cmp);
    ceilings.dedup();
    ceilings
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 8_000, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn more_of_the_leader_shortens_the_run_and_more_of_a_small_share_does_not(plan in node()) {
        // Where the next ceiling is near the step, the step meets it: that is the next one's doing.
        let ceilings = ceilings(&plan);
        prop_assume!(ceilings.len() < 2 || ceilings[1] > ceilings[0] * 1.25);
        let outcome = run(&plan);
        let shares = shares(&plan, &outcome);
        let gain = |name: &str| {
            let faster = run(&with_more_of(&plan, name)).end.seconds();
            (outcome.end.seconds() - faster) / outcome.end.seconds()
        };
        // A deep queue: the run reaches its ceiling.
        prop_assume!(throughput(&outcome.works[0]) > 0.98 * ceilings[0]);
        let leader = shares.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(name, _)| name.clone()).unwrap_or_default();
        prop_assert!(gain(&leader) >= 0.03, "{leader} leads but gains {}: {shares:?}", gain(&leader));
        for (name, &share) in shares.iter().filter(|s| *s.1 < 0.1) {
            prop_assert!(gain(name) < 0.015, "{name} has {share} and gains {}: {shares:?}", gain(name));
        }
    }
}

#[test]
fn at_one_outstanding_request_the_gain_of_an_entry_is_its_share() {
    let mut fetch = leg(&[(0, 1.0)]);
    fetch.before = vec![0];
    let legs = vec![fetch, leg(&[(1, 2.0)])];
    let one = work("one", vec![lane(0, legs)], 1, Amount::Requests(100));
    let plan = plan(
        vec![capacity("nic", 50_000_000_000), capacity("dram", 90_000_000_000)],
        vec![],
        vec![delay("media", 15 * US)],
        vec![one],
    );
    let outcome = run(&plan);
    for (name, share) in shares(&plan, &outcome) {
        let faster = run(&with_more_of(&plan, &name)).end.seconds();
        let gain = 1.0 - faster / outcome.end.seconds();
        // 10 % more of a rate saves 1/11 of its time, 10 % less of a delay 1/10.
        let saved = if name == "media" { share * 0.1 } else { share / 11.0 };
        assert!((gain - saved).abs() < 1e-6, "{name}: {gain} {saved}");
    }
}
