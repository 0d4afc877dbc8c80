//! Checkpoints of clusters: whole clusters as streams, ranks that do not write alike, what binds, failures from a trace.
//!
//! Knows the library's front. Must not know how a scheme becomes a scenario.

use hopsim::checkpoint::{Figures, Overrides, Question, Scheme, Sheet};
use hopsim::platform::Library;

fn figures(sheet: &Sheet, ground: usize, scheme: Scheme) -> Figures {
    let row = sheet.environments[ground].schemes.iter().find(|row| row.scheme == scheme);
    row.and_then(|row| row.figures.clone()).unwrap()
}

/// A sheet of our own form without changes.
fn of_toml(text: &str) -> Sheet {
    let question = Question::of_toml("tests/fixtures/checkpoint/a.toml", "a", text, &Overrides::default());
    Sheet::answer(&question.unwrap(), &Library::default(), false).unwrap()
}

/// Sixty-four ranks of eight nodes with a fabric and a target of that rate.
fn cluster(fabric: &str, rate: &str, more: &str) -> hopsim::checkpoint::Times {
    let text = format!(
        "schema = 1\nmodel = {{ bytes = \"64 GB\", ranks = 64 }}\nfabric = {fabric}\n\
         save = {{ schemes = [\"gds\"], size = \"16 MiB\" }}\n\n[target]\nmodel = \"plain-800g\"\nrate = \"{rate}\"\n{more}\n"
    );
    figures(&of_toml(&text), 0, Scheme::Gds).times
}

#[test]
fn a_cluster_s_leaves_spine_target_and_data_nodes_bind_when_they_are_the_narrowest() {
    let wide = "{ nodes_a_leaf = 2, oversubscription = 1 }";
    let cases = [
        // Four leaves of 25 GB/s, a cut of 80, a target of 50, five data nodes of 10.
        ("{ nodes_a_leaf = 2, leaf_uplink = \"25 GB/s\" }", "4000 GB/s", "", "leaf_uplink", 100.0),
        ("{ rate = \"80 GB/s\" }", "4000 GB/s", "", "fabric", 80.0),
        (wide, "50 GB/s", "", "target", 50.0),
        (wide, "4000 GB/s", "data_nodes = { count = 5, nics = \"10 GB/s\" }", "data_node_nics", 50.0),
        // Four leaves of two nodes of two NICs, of which a quarter leaves.
        ("{ nodes_a_leaf = 2, oversubscription = 4 }", "4000 GB/s", "", "leaf_uplink", 200.0),
    ];
    for (fabric, rate, more, binds, gb_s) in cases {
        let times = cluster(fabric, rate, more);
        assert_eq!(times.binds, binds, "{fabric} {rate} {more}: {times:?}");
        let off = (times.save_s - 0.005) * gb_s / 64.0 - 1.0;
        assert!((0.0..0.06).contains(&off), "{fabric} {rate} {more}: {off}, {times:?}");
    }
}

/// A model in eight stages, a rank each, of which the first and the last hold a large vocabulary.
fn staged(writers: &str) -> Figures {
    let text = format!(
        "schema = 1\nsave = {{ schemes = [\"pinned\"] }}\ntarget = {{ model = \"plain-800g\", rate = \"20 GB/s\" }}\n\n\
         [model]\ntransformer = {{ layers = 16, hidden = 1024, feed_forward = 4096, vocabulary = 100000, heads = 8, kv_heads = 8 }}\n\
         pipeline = 8\nranks = 8\nwriters = \"{writers}\"\n"
    );
    figures(&of_toml(&text), 0, Scheme::Pinned)
}

#[test]
fn a_save_takes_as_long_as_its_fullest_rank_and_others_are_done_before() {
    let (all, one) = (staged("all"), staged("rank-0"));
    let done = all.times.ranks_done_s.unwrap();
    assert!(done.first < 0.8 * done.last && done.mean < done.last, "{done:?}");
    // The commit comes on top: fsync and what the target takes for its one request.
    assert!((0.005..0.006).contains(&(all.times.save_s - done.last)), "{all:?}");
    // Rank 0 copies alone what eight GPUs copied side by side.
    assert!(one.times.stall_s > 2.0 * all.times.stall_s, "{} {}", one.times.stall_s, all.times.stall_s);
    assert_eq!(one.times.ranks_done_s.map(|done| done.first == done.last), Some(true));
}

#[test]
fn each_rank_s_end_is_drawn_and_the_last_is_the_save_s() {
    let text = "schema = 1\nsave = { schemes = [\"gds\"] }\n\n[model]\npreset = \"llama3-405b\"\n";
    let question = Question::of_toml("a.toml", "a", text, &Overrides::default()).unwrap();
    let series = hopsim::checkpoint::curves::finishes(&question, &Library::default()).unwrap();
    let ends: Vec<f64> = series[0].points.iter().map(|point| point.1).collect();
    let (first, last) = ends.iter().fold((f64::INFINITY, 0.0), |(a, b), end| (f64::min(a, *end), f64::max(b, *end)));
    assert_eq!(ends.len(), 512);
    let save = figures(&of_toml(text), 0, Scheme::Gds).times.save_s;
    assert!(first < 0.9 * last && (0.005..0.006).contains(&(save - last)), "{first} {last} {save}");
}

#[test]
fn a_trace_of_failures_is_replayed_and_drawn_anew() {
    let text = "schema = 1\nmodel = { bytes = \"100 GB\" }\nsave = { schemes = [\"gds\"] }\nfailures = { trace_file = \"failures.csv\" }\n";
    let sheet = of_toml(text);
    let interval = figures(&sheet, 0, Scheme::Gds).interval;
    assert_eq!(sheet.environments[0].job_mtbf_s, 36_000.0);
    let replayed = interval.replayed.unwrap();
    assert_eq!((replayed.runs, replayed.failures, interval.simulated.runs), (1, 4.0, 16));
    assert!((replayed.goodput - interval.goodput).abs() < 0.02 && interval.simulated.half_width > 0.0, "{interval:?}");
}

/// The sheet's word for what binds a save and a restore, on machines of published checkpoints.
fn binds(node: &str, model: &str, target: &str, scheme: Scheme) -> (String, String) {
    let text = format!(
        "schema = 1\nmodel = {{ {model} }}\nnode = {{ model = \"dgx-h100-textbook\", {node} }}\n\
         target = {{ model = \"plain-800g\", {target} }}\nsave = {{ schemes = [\"{}\"], threads = 1 }}\n",
        scheme.name()
    );
    let figures = figures(&of_toml(&text), 0, scheme);
    (figures.times.binds, figures.restore.binds)
}

#[test]
fn where_a_client_binds_the_sheet_says_so() {
    // B07-003: four clients of 100 Gb/s before ten workers of 50: the clients' own NICs.
    let one_nic =
        "nics = 1, nic = { line_rate = \"12.3755 GB/s\" }, sockets = [{ gpus = [0, 1, 2, 3, 4, 5, 6, 7], nics = [0] }]";
    let four = "bytes = \"97.8 GB\", ranks = 32";
    assert_eq!(binds(one_nic, four, "rate = \"61.8777 GB/s\"", Scheme::Bounce), ("nic".into(), "nic".into()));
    // B07-001: one such client before one worker: the worker's.
    let one = "bytes = \"11.2 GB\", ranks = 8";
    assert_eq!(binds(one_nic, one, "rate = \"6.1878 GB/s\"", Scheme::Bounce), ("target".into(), "target".into()));
    // A file system's client that carries less than its NIC.
    let client = "rate = \"100 GB/s\", client_cap_write = \"5 GB/s\"";
    assert_eq!(binds("nics = 2", one, client, Scheme::Gds).0, "target_client");
}

#[test]
fn where_a_stream_binds_the_sheet_says_so() {
    // C01-002: one rank writes its 20 GB in one stream of 1.438 GB/s; C01-003: eight write theirs, and the drives bind.
    let of = |ranks: u64| format!("bytes = \"20 GB\", ranks = {ranks}");
    let drives = "rate = \"8 GB/s\", stream_cap_write = \"1.438 GB/s\"";
    assert_eq!(binds("gpus = 1", &of(1), drives, Scheme::Gds).0, "target_stream");
    assert_eq!(binds("gpus = 8", &of(8), drives, Scheme::Gds).0, "target");
    // B02: where few ranks write, a stream's 0.47 GB/s binds; many fill the targets' links.
    let few = "rate = \"35.3 GB/s\", transport = \"tcp\", stream_cap_write = \"0.47 GB/s\"";
    assert_eq!(binds("gpus = 8", "bytes = \"8 GB\", ranks = 8", few, Scheme::Bounce).0, "target_stream");
    assert_eq!(binds("gpus = 8", "bytes = \"640 GB\", ranks = 512", few, Scheme::Bounce).0, "target");
}

#[test]
fn where_data_nodes_or_drives_bind_the_sheet_says_so() {
    // B03: clients of two 400 GbE before ten data nodes; what these have was not published: one 400 GbE each is assumed.
    let clients = "nics = 2, nic = { line_rate = \"49 GB/s\" }";
    let ten = "rate = \"1000 GB/s\", data_nodes = { count = 10, nics = \"49 GB/s\" }";
    let model = "bytes = \"16.56 TB\", ranks = 1024";
    assert_eq!(binds(clients, model, ten, Scheme::Bounce), ("data_node_nics".into(), "data_node_nics".into()));
    // B08: a node's own drives, of which one node's figures were published: they stand as the target.
    let drives = "rate = \"116.8 GB/s\", read_rate = \"103.5 GB/s\"";
    let node = "nics = 4, sockets = [{ gpus = [0, 1, 2, 3], nics = [0, 1] }, { gpus = [4, 5, 6, 7], nics = [2, 3] }]";
    let (save, load) = binds(
        node,
        "bytes = \"97.8 GB\", ranks = 8",
        &format!("{drives}, costs = {{ media_write = \"10 us\", media_read = \"10 us\" }}"),
        Scheme::Gds,
    );
    assert_eq!((save.as_str(), load.as_str()), ("target", "target"));
}

#[test]
fn the_next_limit_is_the_longest_floor_of_another_group_whatever_binds() {
    // 140 GB: what binds is a link, a target, memory, a slot of the driver, and a delay; then the floor that comes next.
    let nic = "100 GB/s over two NICs binds; of their PCIe links each carries 64 GB/s";
    let cases = [
        (nic, "dgx-h100-textbook", "400 GB/s", "gds", 16, "nic", "nic_pcie", 140.0 / 128.0),
        ("the target binds", "dgx-h100-textbook", "20 GB/s", "gds", 16, "target", "nic", 1.4),
        ("copies bind in memory", "dgx-h100", "400 GB/s", "bounce", 16, "dram", "nic", 140.0 / 98.0),
        ("the driver's staging binds", "dgx-h100", "400 GB/s", "pageable", 16, "staging", "dram", 1.4),
    ];
    for (why, node, rate, scheme, threads, binds, next, floor_s) in cases {
        let text = format!(
            "schema = 1\nmodel = {{ bytes = \"140 GB\" }}\nnode = \"{node}\"\n\
             target = {{ model = \"plain-800g\", rate = \"{rate}\" }}\nsave = {{ schemes = [\"{scheme}\"], threads = {threads} }}\n"
        );
        let times = figures(&of_toml(&text), 0, Scheme::named(scheme).unwrap()).times;
        let limit = times.next.clone().unwrap();
        assert_eq!((times.binds.as_str(), limit.name.as_str()), (binds, next), "{why}: {times:?}");
        assert!((limit.floor_s / floor_s - 1.0).abs() < 0.01, "{why}: {limit:?}");
    }
}

#[test]
fn where_a_delay_binds_the_next_limit_is_the_longest_floor_of_all() {
    let text = "schema = 1\nmodel = { bytes = \"100 MB\" }\nnode = \"dgx-h100-textbook\"\n\
                target = { model = \"plain-800g\", rate = \"40 GB/s\", costs = { media_write = \"2 ms\" } }\n\
                save = { schemes = [\"gds\"], threads = 1 }\n";
    let times = figures(&of_toml(text), 0, Scheme::Gds).times;
    let next = times.next.clone().unwrap();
    assert_eq!((times.binds.as_str(), next.name.as_str()), ("target.media_write", "target"), "{times:?}");
}

/// Twenty ranks on three nodes of two GPUs: seven, seven and six.
const UNEVEN: &str = "schema = 1\nmodel = { bytes = \"20 GB\", ranks = 20 }\ncluster = { nodes = 3 }\n\
                      node = { model = \"dgx-h100-textbook\", gpus = 2 }\nsave = { schemes = [\"gds\"] }\n\
                      target = { model = \"plain-800g\", rate = \"4000 GB/s\" }\n";

#[test]
fn ranks_that_do_not_divide_over_nodes_take_as_long_as_the_fullest_node() {
    let sheet = of_toml(UNEVEN);
    let times = figures(&sheet, 0, Scheme::Gds).times;
    let even = of_toml(&UNEVEN.replace("\"20 GB\", ranks = 20", "\"21 GB\", ranks = 21"));
    let even = figures(&even, 0, Scheme::Gds).times;
    // Seven ranks of a gigabyte each on the fullest node, four of them on one GPU.
    assert!((times.save_s / even.save_s - 1.0).abs() < 0.01, "{} {}", times.save_s, even.save_s);
    assert!(times.ranks_done_s.is_some_and(|done| done.first < done.last));
    assert!(sheet.warnings.iter().any(|text| text.contains("6 or 7 a node: several share")), "{:?}", sheet.warnings);
}

#[test]
fn gpus_that_no_rank_is_on_are_said() {
    let overrides =
        Overrides { nodes: Some(4), ranks: Some(16), schemes: vec![Scheme::Bounce], ..Overrides::default() };
    let question = Question::of_size(engine::units::Bytes(1_000_000_000), &overrides).unwrap();
    let sheet = Sheet::answer(&question, &Library::default(), false).unwrap();
    assert_eq!((sheet.environments[0].nodes, sheet.environments[0].gpus), (4, 4));
    assert!(
        sheet.warnings.iter().any(|text| text.contains("4 of each node's 8 GPUs write (--ranks 32")),
        "{:?}",
        sheet.warnings
    );
    // Told nodes and no ranks, every GPU has one.
    let whole =
        Question::of_size(engine::units::Bytes(1_000_000_000), &Overrides { ranks: None, ..overrides }).unwrap();
    assert_eq!(whole.contents.parallelism.ranks, 32);
}

#[test]
fn saves_that_begin_before_the_last_one_is_safe_are_refused_by_scheme() {
    let text = "schema = 1\nmodel = { bytes = \"10 GB\" }\nfailures = { interval = \"100 ms\" }\n\
                target = { model = \"plain-800g\", rate = \"4 GB/s\" }\n";
    let sheet = of_toml(text);
    let refused =
        |scheme| sheet.environments[0].schemes.iter().find(|row| row.scheme == scheme).unwrap().refused.clone();
    let pinned = refused(Scheme::Pinned).unwrap();
    assert!(pinned.contains("begins before the last one is safe"), "{pinned}");
    // Training waits for a synchronous save, so the next one cannot begin before: that is said.
    assert_eq!(refused(Scheme::Bounce), None);
    assert!(sheet.warnings.iter().any(|text| text.contains("bounce: a save of")), "{:?}", sheet.warnings);
}
