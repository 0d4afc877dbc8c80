//! The control plane: the steps of a request of every protocol in their order, sessions, commands, capsules, completions.

use std::sync::Arc;

use engine::{self, Mode, Moment, Observer, Plan, Who};
use hopsim::explain::{Step, Story, explain};
use hopsim::platform::{Assumed, Library, load_text, seal};
use hopsim::report::Report;
use hopsim::study::{Options, run};

/// Every path between a target and a GPU that ships.
const PATHS: [&str; 20] = [
    "gds-read",
    "gds-write",
    "gds-local-read",
    "gds-local-write",
    "bounce-read",
    "bounce-write",
    "bounce-direct-read",
    "bounce-direct-write",
    "bounce-pageable-read",
    "bounce-pageable-write",
    "bounce-tcp-read",
    "bounce-tcp-write",
    "bounce-local-read",
    "bounce-local-write",
    "compat-read",
    "compat-write",
    "compat-tcp-read",
    "compat-tcp-write",
    "compat-local-read",
    "compat-local-write",
];

/// A work of one GPU on a measured DGX H100.
fn scenario(path: &str, keys: &str) -> String {
    format!(
        "schema = 1\nname = \"control\"\ntarget = \"plain-800g\"\n\n[node]\nmodel = \"dgx-h100\"\nspread = 0\ngpus = 1\n\n\
         [works.one]\npath = \"{path}\"\n{keys}\n"
    )
}

fn sealed(text: &str) -> Plan {
    let loaded = load_text("control.toml", text, &Library::default(), &[]).unwrap_or_else(|fault| panic!("{fault}"));
    seal(&loaded.scenario, &loaded.sources, Assumed::Value).unwrap_or_else(|fault| panic!("{fault}"))
}

fn reported(text: &str) -> Report {
    let loaded = load_text("control.toml", text, &Library::default(), &[]).unwrap_or_else(|fault| panic!("{fault}"));
    run(&loaded, &Options::default(), None).unwrap_or_else(|fault| panic!("{fault}"))
}

/// A request alone, of a size, by a completion.
fn alone(path: &str, size: &str, completion: &str) -> Plan {
    sealed(&scenario(path, &format!("requests = 1\nsize = \"{size}\"\ncompletion = \"{completion}\"")))
}

fn story(plan: &Plan) -> Story {
    explain(plan, None).expect("it can be told").remove(0)
}

/// Notes the latency of the last request, when the first one began, and the most requests that held places of a pool.
#[derive(Debug, Default)]
struct Notes {
    latency: u64,
    began: Option<u64>,
    pool: usize,
    holding: i64,
    most: i64,
}

impl Observer for Notes {
    fn moment(&mut self, now: u64, _: Who, moment: Moment) {
        match moment {
            Moment::Begins(_) => self.began = self.began.or(Some(now)),
            Moment::Done(latency) => self.latency = latency,
            Moment::Holds(pool) if pool == self.pool => self.holding += 1,
            Moment::GivesBack(pool) if pool == self.pool => self.holding -= 1,
            _ => {}
        }
        self.most = self.most.max(self.holding);
    }
    fn warmed_up(&mut self, _: u64, _: usize) {}
}

fn noted(plan: &Plan, pool: &str) -> Notes {
    let pool = plan.pools.iter().position(|one| one.name == pool).unwrap_or(usize::MAX);
    let notes = Notes { pool, ..Notes::default() };
    engine::run(&Arc::new(plan.clone()), Mode::Request, notes).expect("it runs to its end").1
}

/// The steps that take time: costs, and legs that move.
fn steps(plan: &Plan) -> Vec<String> {
    let step = |step: &Step| match step {
        Step::Control { cost, .. } => Some(cost.clone()),
        Step::Move { leg, .. } => Some(format!("move {leg}")),
        Step::Hold { .. } | Step::Rest { .. } => None,
    };
    story(plan).steps.iter().filter_map(step).collect()
}

/// What a row has that the other, otherwise the same, has not.
fn left_out(whole: &[String], part: &[String]) -> Vec<String> {
    let mut part = part.iter().peekable();
    let missing: Vec<String> =
        whole.iter().filter(|step| part.next_if(|next| next == step).is_none()).cloned().collect();
    assert_eq!(part.next(), None, "the shorter row has something of its own");
    missing
}

#[test]
fn the_steps_of_every_protocol_come_in_their_order() {
    let told = |path: &&str| format!("{path}\n  {}\n", steps(&alone(path, "1 MiB", "interrupt")).join("\n  "));
    insta::assert_snapshot!(PATHS.iter().map(told).collect::<String>());
}

#[test]
fn the_steps_of_every_protocol_add_up_to_its_latency_to_the_picosecond() {
    for path in PATHS {
        for (size, completion) in [("4 KiB", "interrupt"), ("4 KiB", "poll"), ("1 MiB", "interrupt"), ("1 MiB", "poll")]
        {
            let plan = alone(path, size, completion);
            let story = story(&plan);
            let sum: u64 = story.steps.iter().map(takes).sum();
            assert_eq!((sum, noted(&plan, "").latency), (story.total_ps, story.total_ps), "{path} {size} {completion}");
        }
    }
}

fn takes(step: &Step) -> u64 {
    match step {
        Step::Control { ps, .. } | Step::Move { ps, .. } => *ps,
        Step::Hold { .. } | Step::Rest { .. } => 0,
    }
}

#[test]
fn a_small_write_over_rdma_goes_in_the_capsule_and_needs_no_rdma_read() {
    for (path, fetch) in [("gds-write", "nic.read_gpu"), ("bounce-write", "nic.read_host")] {
        let [large, small] = ["8 KiB", "4 KiB"].map(|size| steps(&alone(path, size, "interrupt")));
        assert_eq!(left_out(&large, &small), ["nic.register", "nic.one_way", fetch, "nic.one_way"], "{path}");
    }
}

#[test]
fn a_small_write_over_tcp_goes_in_the_capsule_and_needs_no_r2t() {
    let [large, small] = ["20 KiB", "16 KiB"].map(|size| steps(&alone("bounce-tcp-write", size, "interrupt")));
    let waits = ["nic.one_way", "cpu.tcp_receive", "cpu.tcp_send", "nic.one_way"];
    assert_eq!(left_out(&large, &small), waits);
}

#[test]
fn a_request_as_large_as_the_capsule_allows_is_in_it_and_one_byte_more_is_not() {
    let [small, large] = ["4096 B", "4097 B"].map(|size| steps(&alone("bounce-write", size, "interrupt")).len());
    assert_eq!(large - small, 4);
}

#[test]
fn polling_takes_the_place_of_the_interrupt() {
    for path in PATHS {
        let [waits, polls] = ["interrupt", "poll"].map(|completion| steps(&alone(path, "1 MiB", completion)));
        let instead: Vec<String> = waits.iter().map(|cost| cost.replace("cpu.complete", "cpu.poll")).collect();
        assert_eq!((polls == waits, polls), (false, instead), "{path}");
    }
}

#[test]
fn a_thread_that_polls_is_busy_all_the_time() {
    let keys = "requests = 100\nsize = \"4 KiB\"\nthreads = 2\nstagger = \"0 s\"\ncompletion = \"poll\"";
    let one = reported(&scenario("gds-read", keys)).works.remove(0);
    let [busy, threads] = [one.cpu_control_s, 2.0 * one.duration_s];
    assert!((busy / threads - 1.0).abs() < 1e-9, "{busy} s of {threads} s");
}

#[test]
fn control_and_data_add_up_to_what_the_cpu_does_and_gds_has_no_data() {
    let keys = "requests = 200\nsize = \"1 MiB\"\nthreads = 4";
    let [gds, bounce] = ["gds-read", "bounce-read"].map(|path| reported(&scenario(path, keys)).works.remove(0));
    // cuFile, submit, doorbell, completion; and the read call and cudaMemcpy instead of cuFile.
    let controls = [gds.cpu_control_s, bounce.cpu_control_s].map(|s| (s / 200.0 * 1e9).round());
    assert_eq!(
        (controls, gds.cpu_data_s, bounce.cpu_s),
        ([5_000.0, 7_000.0], 0.0, bounce.cpu_control_s + bounce.cpu_data_s)
    );
    // A core copies 4.8 GB/s.
    assert!((bounce.cpu_data_s / (200.0 * 1_048_576.0 / 4.8e9) - 1.0).abs() < 1e-6, "{}", bounce.cpu_data_s);
}

#[test]
fn a_core_makes_every_command_and_only_the_first_delays_the_request() {
    let keys = |size: &str| format!("requests = 16\nsize = \"{size}\"\nthreads = 1");
    let [one, many] = ["1 MiB", "16 MiB"].map(|size| reported(&scenario("gds-read", &keys(size))).works.remove(0));
    // Fifteen more submissions and doorbells of 1 us.
    let more = (many.cpu_control_s - one.cpu_control_s) / 16.0 * 1e6;
    let setup = many.legs[0].setup_s - one.legs[0].setup_s;
    assert!((more - 15.0).abs() < 1e-6 && setup.abs() < 1e-12, "{more} us, {setup} s");
}

#[test]
fn a_thread_calls_and_completes_one_request_at_a_time_however_deep_its_queue_is() {
    // cuFile 2 us, submit and doorbell 1 us, completion 2 us: a request in 5 us, where 64 outstanding would allow one in 1.7.
    let keys =
        |threads: u64, depth: u64| format!("requests = 10000\nsize = \"4 KiB\"\nthreads = {threads}\ndepth = {depth}");
    let [one, two] = [(1, 64), (2, 32)]
        .map(|(threads, depth)| reported(&scenario("gds-read", &keys(threads, depth))).works.remove(0));
    let each = [one.duration_s, two.duration_s].map(|s| s / 10_000.0 * 1e6);
    assert!((each[0] / 5.0 - 1.0).abs() < 0.01 && (each[1] / 2.5 - 1.0).abs() < 0.01, "{each:?} us");
    assert_eq!(one.binding[0].name, "calling thread");
}

#[test]
fn a_queue_of_128_commands_holds_eight_requests_of_16_mib() {
    let plan = sealed(&with_queues(1, &scenario("gds-read", "requests = 64\nsize = \"16 MiB\"\nthreads = 32")));
    assert_eq!(noted(&plan, "nic0.queue").most, 8);
}

#[test]
fn sixteen_rdma_reads_serve_sixteen_large_writes_at_a_time() {
    let plan = sealed(&with_queues(1, &scenario("gds-write", "requests = 64\nsize = \"1 MiB\"\nthreads = 32")));
    assert_eq!(noted(&plan, "nic0.rdma reads").most, 16);
    let inline = sealed(&with_queues(1, &scenario("gds-write", "requests = 64\nsize = \"4 KiB\"\nthreads = 32")));
    assert_eq!(noted(&inline, "nic0.rdma reads").most, 0);
}

#[test]
fn twice_the_queue_pairs_hold_twice_as_many_commands() {
    let text = with_queues(2, &scenario("gds-read", "requests = 64\nsize = \"16 MiB\"\nthreads = 32"));
    assert_eq!(noted(&sealed(&text), "nic0.queue").most, 16);
}

#[test]
fn every_core_that_has_a_thread_has_a_queue_of_its_own_unless_the_nic_has_fewer() {
    let text = scenario("gds-read", "requests = 64\nsize = \"16 MiB\"\nthreads = 32");
    let queue = |text: &str| {
        let plan = sealed(text);
        plan.pools.iter().find(|pool| pool.name == "nic0.queue").map(|pool| pool.places)
    };
    assert_eq!((queue(&text), queue(&with_queues(2, &text))), (Some(32 * 128), Some(2 * 128)));
}

/// A scenario on a node whose NIC has so many queue pairs.
fn with_queues(pairs: u64, text: &str) -> String {
    let nic = format!("gpus = 1\nnic = {{ model = \"connectx-7-400g\", queue_pairs = {pairs} }}\n");
    text.replace("gpus = 1\n", &nic)
}

#[test]
fn the_first_request_waits_for_the_session_and_the_works_time_does_not_count_it() {
    let with =
        |session: &str| scenario("gds-read", &format!("requests = 100\nsize = \"1 MiB\"\nthreads = 4\n{session}"));
    let [opens, stands] =
        ["", "session = false"].map(|keys| (sealed(&with(keys)), reported(&with(keys)).works.remove(0)));
    let session = opens.0.works[0].session_ps(&opens.0);
    assert_eq!([noted(&opens.0, "").began, noted(&stands.0, "").began], [Some(session), Some(0)]);
    assert_eq!((opens.1.duration_s, stands.1.session_s), (stands.1.duration_s, 0.0));
    // The driver 133 ms, the file 50 us, a buffer 100 us and 5 ms a GB.
    let expected = 0.133 + 50e-6 + 100e-6 + 5e-3 * 1_048_576.0 / 1e9;
    assert!(
        (opens.1.session_s - expected).abs() < 1e-9 && opens.1.start_s == opens.1.session_s,
        "{}",
        opens.1.session_s
    );
}

#[test]
fn every_thread_registers_its_buffers_and_larger_ones_take_longer() {
    let cpu_s =
        |keys: &str| reported(&scenario("bounce-read", &format!("requests = 64\n{keys}"))).works[0].session_cpu_s;
    let [one, threads, deep] =
        [cpu_s("size = \"1 MiB\""), cpu_s("size = \"1 MiB\"\nthreads = 3"), cpu_s("size = \"1 MiB\"\ndepth = 4")];
    // A file 10 us, a thread's buffers 60 us and 160 ms a GB.
    let buffer = 0.160 * 1_048_576.0 / 1e9;
    let expected = [10e-6 + 60e-6 + buffer, 10e-6 + 3.0 * (60e-6 + buffer), 10e-6 + 60e-6 + 4.0 * buffer];
    let off = [one, threads, deep].iter().zip(expected).map(|(got, want)| (got - want).abs()).fold(0.0, f64::max);
    assert!(off < 1e-9, "{one} {threads} {deep}");
}

#[test]
fn a_work_that_comes_after_another_opens_its_session_then() {
    let text = scenario("gds-read", "requests = 10\nsize = \"1 MiB\"")
        + "\n[works.two]\npath = \"gds-read\"\nrequests = 10\nsize = \"1 MiB\"\nafter = \"one\"\n";
    let works = reported(&text).works;
    let begins = works[0].start_s + works[0].duration_s + works[1].session_s;
    assert!((works[1].start_s - begins).abs() < 1e-12, "{} is not {begins}", works[1].start_s);
}

#[test]
fn a_session_is_told_before_the_first_request_and_is_no_part_of_it() {
    let story = story(&sealed(&scenario("gds-write", "requests = 1\nsize = \"4 MiB\"\nthreads = 2")));
    insta::assert_snapshot!(hopsim::explain::text(&story, false, 110));
}

#[test]
fn small_random_reads_take_both_paths_about_as_long_on_the_measured_machine() {
    let seconds = |path: &str, threads: u64| {
        let text = scenario(path, &format!("requests = 20000\nsize = \"4 KiB\"\nthreads = {threads}"));
        reported(&text.replace("gpus = 1\n", "gpus = 8\n")).works[0].duration_s
    };
    for threads in [1, 16] {
        let ratio = seconds("bounce-read", threads) / seconds("gds-read", threads);
        assert!((0.75..1.25).contains(&ratio), "{threads} threads: {ratio}");
    }
}
