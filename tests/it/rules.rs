//! Which path the bytes take, what the way costs, and that `docs/paths.md` tells it as the rules do.

use std::fmt::Write;

use engine::units::{Factor, Rate, Time};
use engine::{Capacity, Lane, Mover, Plan, Work};
use hopsim::format::FileKind;
use hopsim::platform::rules::{Consequence, RULES, Rule};
use hopsim::platform::{Assumed, Library, load_text, seal};

use crate::small::{lane, route, sealed, with};

/// A scenario on a shipped node: one work `gds` that asks for a path, with lines added to node, target and work.
fn asked(path: &str, node: &str, target: &str, work: &str) -> Plan {
    let text = format!(
        "schema = 1\n[node]\nmodel = \"dgx-h100\"\n{node}\n[target]\nmodel = \"plain-800g\"\n{target}\n\
         [works.gds]\npath = \"{path}\"\nbytes = \"1 GB\"\nsize = \"1 MiB\"\n{work}\n"
    );
    let loaded = load_text("asked.toml", &text, &Library::default(), &[]);
    let loaded = loaded.unwrap_or_else(|fault| panic!("{fault}"));
    seal(&loaded.scenario, &loaded.sources, Assumed::Value).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The path taken, and the words by which its reasons begin.
fn taken(path: &str, node: &str, target: &str, work: &str) -> (String, Vec<String>) {
    let plan = asked(path, node, target, work);
    let Work { path_asked, path_taken, why, .. } = &plan.works[0];
    assert_eq!(path_asked, path);
    (path_taken.clone(), why.iter().map(|why| why.split(": ").next().unwrap_or_default().to_string()).collect())
}

#[track_caller]
fn takes(asked: [&str; 3], path: &str, words: &[&str]) {
    let [node, target, work] = asked;
    let expected = (path.to_string(), words.iter().map(|word| word.to_string()).collect());
    assert_eq!(taken("gds-read", node, target, work), expected);
}

#[test]
fn what_nobody_states_leaves_the_path_as_it_was_asked_for() {
    takes(["", "", ""], "gds-read", &["root complex"]);
}

#[test]
fn each_prerequisite_that_leaves_no_gds_leads_through_system_memory() {
    takes(["software = { nvidia_fs = false }", "", ""], "compat-read", &["nvidia-fs"]);
    takes(["software = { compat = \"forced\" }", "", ""], "compat-read", &["compat"]);
    takes(["gpu.bar1 = \"256 KiB\"", "", ""], "compat-read", &["bar1"]);
    takes(["", "gds = false", ""], "compat-read", &["filesystem"]);
    takes(["", "filesystem = \"tmpfs\"", ""], "compat-memory-read", &["filesystem"]);
    takes(["", "", "o_direct = false"], "compat-read", &["o_direct"]);
    takes(["", "transport = \"tcp\"", ""], "compat-tcp-read", &["tcp"]);
}

#[test]
fn every_rule_that_is_not_met_is_named() {
    let node = "software = { nvidia_fs = false, compat = \"forced\" }";
    takes(
        [node, "transport = \"tcp\"", "o_direct = false"],
        "compat-tcp-read",
        &["compat", "nvidia-fs", "tcp", "o_direct"],
    );
}

#[test]
fn unaligned_and_unregistered_requests_stay_on_gds() {
    takes(["", "", "offset = \"512 B\""], "gds-read-unaligned", &["unaligned", "root complex"]);
    takes(["", "", "registered = false"], "gds-read-unregistered", &["unregistered", "root complex"]);
    takes(["software = { pinned_limit = \"512 KiB\" }", "", ""], "gds-read-unregistered", &["pinned", "root complex"]);
    takes(
        ["", "", "registered = false\noffset = \"512 B\""],
        "gds-read-unaligned",
        &["unregistered", "unaligned", "root complex"],
    );
}

#[test]
fn routing_stages_the_bytes_in_system_memory_without_a_copy_by_the_cpu() {
    takes(["software = { routing = \"system-memory\" }", "", ""], "gds-read-staged", &["root complex"]);
    let plan = asked("gds-read", "software = { routing = \"system-memory\" }", "", "");
    let charged = plan.works[0].lanes[0].legs.iter().flat_map(|leg| &leg.hops).flat_map(|hop| &hop.crosses);
    let dram: u64 = charged.filter(|x| plan.capacities[x.capacity].name == "dram").map(|x| x.charge.0).sum();
    assert_eq!(
        (Factor(dram), plan.works[0].lanes[0].legs.iter().any(|leg| leg.mover == Mover::Cpu)),
        (Factor(2 * Factor::ONE.0), false)
    );
}

#[test]
fn writes_may_be_without_gds_where_reads_have_it() {
    let target = "gds = true\ngds_write = false";
    assert_eq!(taken("gds-read", "", target, "").0, "gds-read");
    assert_eq!(taken("gds-write", "", target, "").0, "compat-write");
}

#[test]
fn local_drives_need_nvidia_fs_or_p2pdma_and_p2pdma_takes_no_raid() {
    let path = |node: &str, target: &str| taken("gds-local-read", node, target, "").0;
    assert_eq!(path("software = { nvidia_fs = false }", "transport = \"local\""), "compat-local-read");
    let p2pdma = "software = { nvidia_fs = false, p2pdma = true, kernel_driver = \"open\" }";
    assert_eq!(path(p2pdma, "transport = \"local\""), "gds-local-read");
    assert_eq!(path(p2pdma, "transport = \"local\"\nraid = true"), "compat-local-read");
}

#[test]
fn a_bounce_is_judged_by_no_rule() {
    assert_eq!(
        taken("bounce-read", "software = { nvidia_fs = false, compat = \"off\" }", "", ""),
        ("bounce-read".into(), vec![])
    );
}

#[test]
fn a_path_may_require_some_rules_only() {
    let requiring = with("method = \"gds\"", "method = \"gds\"\nrequires = [\"tcp\"]\ncompat = \"bounce\"");
    let plan = sealed(&requiring.replacen("gpus = 4", "gpus = 4\nsoftware = { nvidia_fs = false }", 1));
    let gds = plan.works.iter().find(|work| work.name == "gds").expect("it is there");
    assert_eq!(gds.path_taken, "gds");
}

#[test]
fn a_work_uses_the_gpus_that_it_names() {
    let gpus = |lanes: &[Lane]| lanes.iter().map(|lane| lane.gpu).collect::<Vec<u64>>();
    let plan = sealed(&with("path = \"gds\"", "path = \"gds\"\ngpus = [3, 1]"));
    assert_eq!(plan.works.iter().map(|work| gpus(&work.lanes)).collect::<Vec<_>>(), [vec![0, 1, 2, 3], vec![1, 3]]);
}

fn capacity(plan: &Plan, name: &str) -> Capacity {
    plan.capacities.iter().find(|capacity| capacity.name == name).expect("the plan has it").clone()
}

#[test]
fn access_control_sends_peers_below_a_switch_up_through_the_root_complex() {
    assert_eq!(
        route(&sealed(&with("gpus = 4", "gpus = 4\nsoftware = { acs = true }")), "gds", 0),
        "fetch: Storage > Nic: target.read x1, nic0.rx x1\n\
         fetch: Nic > Pcie: nic0.pcie.up x1, switch0.pcie.up x1, root_complex.gpu0.to_gpu x1\n\
         fetch: Pcie > Hbm: switch0.pcie.down x1, gpu0.pcie.down x1, gpu0.hbm x1"
    );
}

#[test]
fn peers_below_a_switch_share_its_own_ceiling() {
    let limited = with("peer_to_peer = { ", "peer_to_peer = { switch_to_gpu = \"40 GB/s\", ");
    assert!(route(&sealed(&limited), "gds", 0).contains("nic0.pcie.up x1, switch0.peer.to_gpu x1"));
    assert!(!route(&sealed(&limited), "gds", 2).contains("peer"));
}

#[test]
fn an_iommu_that_translates_leaves_peers_what_is_left() {
    let limited = with("peer_to_peer = { ", "peer_to_peer = { translated = \"13 GB/s\", ");
    let rate = |text: &str| capacity(&sealed(text), "root_complex.nic1.from_gpu").rate;
    assert_eq!(rate(&limited), Rate(48_000_000_000));
    let on = limited.replacen("gpus = 4", "gpus = 4\nsoftware = { iommu = \"on\" }", 1);
    assert_eq!(rate(&on), Rate(13_000_000_000));
}

#[test]
fn the_way_through_root_complex_and_across_sockets_takes_its_time() {
    let delays =
        with("peer_to_peer = { ", "peer_to_peer = { root_complex_delay = \"500 ns\", across_delay = \"300 ns\", ");
    let total = |text: &str, gpu| {
        let plan = sealed(text);
        let steps = lane(&plan, "gds", gpu).legs[0].before.iter();
        Time(steps.map(|delay| plan.delays[*delay].time.0).sum())
    };
    assert_eq!([0, 2].map(|gpu| total(&delays, gpu)), [Time(11_000_000), Time(11_500_000)]);
    let far = delays.replacen("path = \"gds\"", "path = \"gds\"\nnic = \"other-socket\"", 1);
    assert_eq!(total(&far, 0), Time(11_800_000));
}

#[test]
fn a_link_that_trained_down_carries_the_share_of_its_lanes_and_is_noted() {
    let plan = sealed(&with("gpus = 4", "gpus = 4\ntrained_down = [{ gpu = 2, lanes = 4 }]"));
    let rates = ["gpu1.pcie.up", "gpu2.pcie.up"].map(|name| capacity(&plan, name));
    assert_eq!(rates.clone().map(|link| link.rate), [Rate(20_000_000_000), Rate(5_000_000_000)]);
    assert_eq!(rates.map(|link| link.line_rate), [Some(Rate(32_000_000_000)), Some(Rate(8_000_000_000))]);
    assert_eq!(
        plan.notes.iter().map(|note| note.text.as_str()).collect::<Vec<_>>(),
        ["the link of GPU 2 trained down to 4 of 16 lanes"]
    );
}

#[test]
fn a_model_of_a_link_trained_down_slows_every_device_of_it() {
    let plan = sealed(&with("link = { raw = \"64 GB/s\", encoding", "link = { raw = \"64 GB/s\", width = 8, encoding"));
    assert_eq!(["gpu0.pcie.up", "gpu3.pcie.up"].map(|name| capacity(&plan, name).rate), [Rate(10_000_000_000); 2]);
    assert_eq!(plan.notes[0].text, "the link of every GPU trained down to 8 of 16 lanes");
}

#[test]
fn a_request_reaches_the_devices_on_which_its_bytes_lie() {
    let cap = |stripe: &str| {
        let plan = sealed(&with("rate = \"125 GB/s\"", &format!("rate = \"125 GB/s\"\ndevices = 10\n{stripe}")));
        lane(&plan, "gds", 0).legs[0].own_cap.as_ref().map(|cap| cap.rate)
    };
    assert_eq!(cap("stripe = { width = 8, unit = \"256 KiB\" }"), Some(Rate(50_000_000_000)));
    assert_eq!(cap("stripe = { width = 2, unit = \"256 KiB\" }"), Some(Rate(25_000_000_000)));
    assert_eq!(cap("stripe = { width = 10, unit = \"64 KiB\" }"), None);
}

#[test]
fn threads_that_share_a_file_share_the_devices_that_hold_it() {
    let striped =
        with("rate = \"125 GB/s\"", "rate = \"125 GB/s\"\ndevices = 10\nstripe = { width = 4, unit = \"64 KiB\" }");
    let shared = striped.replacen("path = \"gds\"", "path = \"gds\"\nfiles = \"one\"", 1);
    assert!(route(&sealed(&shared), "gds", 0).contains("target.read x1, target.stripe.read (gds) x1"));
    assert_eq!(capacity(&sealed(&shared), "target.stripe.read (gds)").rate, Rate(50_000_000_000));
    assert!(!route(&sealed(&striped), "gds", 0).contains("stripe"));
}

#[test]
fn every_target_and_node_that_ships_can_be_run_on() {
    let library = Library::default();
    let run = |target: &str| {
        let text = hopsim::platform::whole(FileKind::Target, target, &library, None);
        let local = text.unwrap_or_else(|fault| panic!("{fault}")).contains("transport = \"local\"");
        let path = if local { "gds-local-read" } else { "gds-read" };
        asked(
            path,
            "",
            &format!("[works.other]\npath = \"{path}\"\nbytes = \"1 GB\"\nsize = \"1 MiB\"\ntarget = \"{target}\""),
            "",
        )
    };
    let names = [
        "ddn-ai400x2t",
        "ddn-ai400x2",
        "wekapod",
        "yanrong-f9000x",
        "yanrong-f8000x",
        "huawei-a310",
        "netapp-a90-x4",
        "hpe-e1000",
        "deepseek-3fs",
        "lightbits-tcp",
        "mangoboost-tcp",
        "superpod-good",
        "superpod-better",
        "superpod-best",
        "nvme-gen4",
        "nvme-gen5",
        "raid0-gen4-x4",
        "raid0-gen4-x8",
        "raid0-gen5-x4",
        "raid0-gen5-x8",
    ];
    for name in names {
        assert_eq!(run(name).works.len(), 2, "{name}");
    }
}

/// The table of `docs/paths.md`.
fn table() -> String {
    let mut table =
        "| word | what is asked | answered by | if not | what to do |\n| --- | --- | --- | --- | --- |\n".to_string();
    for Rule { word, question, facts, consequence, advice, .. } in RULES {
        let facts: Vec<String> = facts.iter().map(|fact| format!("`{fact}`")).collect();
        let _ =
            writeln!(table, "| `{word}` | {question} | {} | {} | {advice} |", facts.join(", "), follows(*consequence));
    }
    table
}

fn follows(consequence: Consequence) -> &'static str {
    match consequence {
        Consequence::Compat => "`compat-*`, or refused",
        Consequence::DeviceBuffer => "a bounce buffer in HBM",
        Consequence::LongerWay => "the longer way",
        Consequence::Slower => "slower",
    }
}

#[test]
fn the_page_of_paths_holds_the_table_of_rules() {
    let page = std::fs::read_to_string("docs/paths.md").expect("the page is there");
    let (from, to) = ("<!-- rules -->\n\n", "\n<!-- end of rules -->");
    let old = page.split(from).nth(1).and_then(|rest| rest.split(to).next()).unwrap_or_default().to_string();
    if std::env::var_os("SNAPSHOTS").is_some_and(|how| how == "overwrite") {
        std::fs::write("docs/paths.md", page.replacen(&old, &table(), 1)).expect("the page can be written");
        return;
    }
    assert_eq!(old, table(), "SNAPSHOTS=overwrite cargo test rules writes it anew");
}
