//! Requests that wait for each other in a ring: the whole message says who waits for what and who holds it.

use std::sync::Arc;

use engine::*;
use engine::{self, Mode, Nobody};
use hopsim::error::render;
use hopsim::platform::{Library, load_text};
use hopsim::study::{Options, run};

use crate::plans::{capacity, hold, lane, leg, plan, pool, work};
use crate::small::with;

/// Two lanes that take two pools of one place each, in opposite order.
fn opposite_orders() -> Plan {
    let way = |gpu: u64, first: usize, then: usize| {
        let mut only = leg(&[(0, 1.0)]);
        only.holds = vec![hold(then)];
        Lane { holds: vec![hold(first)], ..lane(gpu, vec![only]) }
    };
    let work = work("crossed", vec![way(0, 0, 1), way(1, 1, 0)], 1, Amount::Requests(4));
    plan(
        vec![capacity("link", 50_000_000_000)],
        vec![pool("inode.lock", 1), pool("submit.lock", 1)],
        vec![],
        vec![work],
    )
}

#[test]
fn two_locks_taken_in_opposite_order_are_a_ring_and_the_message_says_who_holds_what() {
    let stuck = engine::run(&Arc::new(opposite_orders()), Mode::Request, Nobody).unwrap_err();
    insta::assert_snapshot!(stuck);
}

/// What a run of the small scenario with a memory of so much is told, all requests starting together.
fn told(memory: &str) -> String {
    let text = with("memory = \"1 TB\"", &format!("memory = \"{memory}\""));
    let text = text.replace("threads = 2\n", "threads = 2\nstagger = \"0 s\"\n");
    let loaded = load_text("small.toml", &text, &Library::default(), &[]).unwrap();
    render(&run(&loaded, &Options::default(), None).unwrap_err(), false, 100)
}

#[test]
fn memory_too_small_for_both_buffers_of_all_requests_is_a_ring() {
    insta::assert_snapshot!(told("8 MiB"));
}

#[test]
fn a_request_that_waits_for_what_it_holds_itself_is_a_ring() {
    insta::assert_snapshot!(told("1536 KiB"));
}
