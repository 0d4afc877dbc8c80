//! Tests of all importers: what each reads in its formats, that disguises change nothing, and that nothing does harm.

use proptest::prelude::*;

use engine::Direction;

use super::*;

/// A captured output in each format; the text before the dot names the importer's file.
const FIXTURES: &[(&str, &[u8])] = &[
    ("cufile.json", include_bytes!("../../tests/fixtures/captures/cufile.json")),
    ("cufile.log", include_bytes!("../../tests/fixtures/captures/cufile.log")),
    ("dmesg.txt", include_bytes!("../../tests/fixtures/captures/dmesg.txt")),
    ("elbencho.txt", include_bytes!("../../tests/fixtures/captures/elbencho.txt")),
    ("fio.json", include_bytes!("../../tests/fixtures/captures/fio.json")),
    ("fio-cut.txt", include_bytes!("../../tests/fixtures/captures/fio-cut.txt")),
    ("fio-jobs.txt", include_bytes!("../../tests/fixtures/captures/fio-jobs.txt")),
    ("fio.txt", include_bytes!("../../tests/fixtures/captures/fio.txt")),
    ("gds_stats.txt", include_bytes!("../../tests/fixtures/captures/gds_stats.txt")),
    ("gdscheck-0.9.txt", include_bytes!("../../tests/fixtures/captures/gdscheck-0.9.txt")),
    ("gdscheck-1.14.txt", include_bytes!("../../tests/fixtures/captures/gdscheck-1.14.txt")),
    ("gdscheck-1.18-nvfs.txt", include_bytes!("../../tests/fixtures/captures/gdscheck-1.18-nvfs.txt")),
    ("gdscheck-no-driver.txt", include_bytes!("../../tests/fixtures/captures/gdscheck-no-driver.txt")),
    ("gdsio.txt", include_bytes!("../../tests/fixtures/captures/gdsio.txt")),
    ("ibdev2netdev.txt", include_bytes!("../../tests/fixtures/captures/ibdev2netdev.txt")),
    ("ior.txt", include_bytes!("../../tests/fixtures/captures/ior.txt")),
    ("lsmod.txt", include_bytes!("../../tests/fixtures/captures/lsmod.txt")),
    ("lspci-tv.txt", include_bytes!("../../tests/fixtures/captures/lspci-tv.txt")),
    ("lspci-vv.txt", include_bytes!("../../tests/fixtures/captures/lspci-vv.txt")),
    ("lspci.txt", include_bytes!("../../tests/fixtures/captures/lspci.txt")),
    ("mount.txt", include_bytes!("../../tests/fixtures/captures/mount.txt")),
    ("nvbandwidth.json", include_bytes!("../../tests/fixtures/captures/nvbandwidth.json")),
    ("nvbandwidth.txt", include_bytes!("../../tests/fixtures/captures/nvbandwidth.txt")),
    ("nvfs-stats.txt", include_bytes!("../../tests/fixtures/captures/nvfs-stats.txt")),
    ("nvme-1x.json", include_bytes!("../../tests/fixtures/captures/nvme-1x.json")),
    ("nvme-3x.json", include_bytes!("../../tests/fixtures/captures/nvme-3x.json")),
    ("nvme-rdma-1x.txt", include_bytes!("../../tests/fixtures/captures/nvme-rdma-1x.txt")),
    ("nvme-tcp-2x.txt", include_bytes!("../../tests/fixtures/captures/nvme-tcp-2x.txt")),
    ("nvme-topology-rdma-2x.txt", include_bytes!("../../tests/fixtures/captures/nvme-topology-rdma-2x.txt")),
    ("peer-distance.txt", include_bytes!("../../tests/fixtures/captures/peer-distance.txt")),
    ("perftest.json", include_bytes!("../../tests/fixtures/captures/perftest.json")),
    ("perftest.txt", include_bytes!("../../tests/fixtures/captures/perftest.txt")),
    ("topo-dgx-h100.txt", include_bytes!("../../tests/fixtures/captures/topo-dgx-h100.txt")),
];

/// What was found, a line each, with the number of the line that shows it.
fn told(name: &str, bytes: &[u8]) -> Vec<String> {
    let capture = Capture::read(name, bytes);
    let mut told = Vec::new();
    for section in &capture.sections {
        let tool = section.importer.name;
        let facts = section.reading.facts.iter().filter(|(_, fact)| *fact != Fact::Heading);
        told.extend(facts.map(|(line, fact)| format!("{line} {tool}: {fact:?}")));
        told.extend(section.reading.figures.iter().map(|figure| format!("{} {figure:?}", figure.line)));
    }
    told
}

/// The same without the numbers of lines.
fn said(bytes: &[u8]) -> Vec<String> {
    let mut said: Vec<String> = told("t", bytes)
        .into_iter()
        .map(|line| {
            let line = line.split_once(' ').map_or(line.clone(), |(_, rest)| rest.to_string());
            pattern!(r"line: \d+").replace(&line, "line").into_owned()
        })
        .collect();
    said.sort();
    said
}

#[test]
fn what_each_format_says_is_as_its_golden_file_says() {
    for (name, bytes) in FIXTURES {
        insta::with_settings!({ snapshot_suffix => *name, description => *name }, {
            insta::assert_snapshot!("reads", told(name, bytes).join("\n"));
        });
    }
}

/// Disguises that a text takes on its way from a terminal to a file.
fn disguised(text: &str) -> Vec<(&'static str, String)> {
    let each = |change: &dyn Fn(&str) -> String| text.lines().map(|line| change(line) + "\n").collect::<String>();
    vec![
        ("CRLF", text.replace('\n', "\r\n")),
        ("old Macintosh", text.replace('\n', "\r")),
        ("tabs to spaces", text.replace('\t', "        ")),
        ("colours", each(&|line| format!("\u{1b}[32m{line}\u{1b}[0m"))),
        ("a log's time", each(&|line| format!("2026-01-31T12:00:00.123Z {line}"))),
        ("pdsh", each(&|line| format!("gpu01: {line}"))),
        ("a quotation", each(&|line| format!("> {line}"))),
        ("wide punctuation", text.replace(',', "，").replace(':', "：")),
        ("trailing space", each(&|line| format!("{line}  "))),
    ]
}

#[test]
fn a_disguise_changes_nothing() {
    for (name, bytes) in FIXTURES {
        let text = std::str::from_utf8(bytes).unwrap();
        let plain = said(bytes);
        for (disguise, text) in disguised(text) {
            assert_eq!(said(text.as_bytes()), plain, "{name} with {disguise}");
        }
    }
}

#[test]
fn outputs_pasted_into_one_file_are_all_read() {
    let mut pasted = Vec::new();
    let mut each = Vec::new();
    for (name, bytes) in FIXTURES {
        pasted.extend_from_slice(format!("\nroot@node1:~# show {name}\n").as_bytes());
        pasted.extend_from_slice(bytes);
        each.extend(said(bytes));
    }
    let together = said(&pasted);
    let lost: Vec<&String> = each.iter().filter(|line| !together.contains(line)).collect();
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn a_cut_end_takes_nothing_from_the_lines_before() {
    for (name, bytes) in FIXTURES.iter().filter(|(name, _)| name.ends_with("txt") && !name.contains("lsmod")) {
        let whole = told(name, bytes);
        let half = &bytes[..bytes.len() / 2];
        let lines = half.iter().filter(|&&byte| byte == b'\n').count();
        let number = |line: &String| line.split(' ').next().and_then(|number| number.parse::<usize>().ok()).unwrap();
        // What is folded over two lines is told by the first.
        let before: Vec<&String> = whole.iter().filter(|line| number(line) + 1 < lines).collect();
        let cut = told(name, half);
        let lost: Vec<_> = before.into_iter().filter(|line| !cut.contains(line)).collect();
        assert!(lost.is_empty(), "{name}: {lost:#?}");
    }
}

#[test]
fn text_of_no_tool_is_not_recognised() {
    for text in [
        "",
        "hello\n",
        "total 12\ndrwxr-xr-x 2 root root 4096 Nov 1 12:00 .\n",
        "{\"a\": [1, 2]}\n",
        "# Notes\n- buy milk: 2\n",
        "GPU0 is slower than it was.\n",
    ] {
        assert!(Capture::read("t", text.as_bytes()).sections.is_empty(), "{text}");
    }
}

#[test]
fn a_search_for_the_driver_that_finds_nothing_says_that_it_is_not_loaded() {
    let facts = said(b"$ lsmod | grep nvidia_fs\n$ uname -r\n6.8.0\n");
    assert_eq!(facts, ["lsmod: Module { name: \"nvidia_fs\", loaded: false }"]);
}

#[test]
fn a_listing_that_was_cut_does_not_say_that_the_driver_is_missing() {
    let whole = "Module Size Used by\nmlx5_ib 495616 0\nnvme 61440 8\nnvidia_uvm 1953792 16\n";
    let missing = "lsmod: Module { name: \"nvidia_fs\", loaded: false }".to_string();
    assert!(said(whole.as_bytes()).contains(&missing));
    assert!(!said(format!("{whole}mlx5_c").as_bytes()).contains(&missing));
}

#[test]
fn a_matrix_without_its_heading_is_read_by_its_rows() {
    let rows = "GPU0\t X \tNV18\tPXB\tSYS\t0-55\t0\nGPU1\tNV18\t X \tSYS\tPXB\t56-111\t1\n";
    let facts = said(rows.as_bytes());
    assert!(
        facts.contains(&"nvidia-smi topo: Distance { from: \"GPU1\", to: \"NIC1\", reach: Pxb }".to_string()),
        "{facts:#?}"
    );
}

#[test]
fn a_matrix_with_columns_left_out_keeps_its_columns_apart() {
    let text = "GPU0 GPU1 . . . mlx5_0 mlx5_1\nGPU0 X PIX . . . PIX NODE\nGPU1 PIX X . . . NODE PIX\n";
    let facts = said(text.as_bytes());
    assert!(
        facts.contains(&"nvidia-smi topo: Distance { from: \"GPU1\", to: \"mlx5_1\", reach: Pix }".to_string()),
        "{facts:#?}"
    );
}

#[test]
fn settings_are_read_from_what_people_quote() {
    for text in [
        "\"allow_compat_mode\": true,\n",
        "\"properties\": { \"allow_compat_mode\" : true\n",
        "properties{use_poll_mode false, allow_compat_mode true, io_batchsize 128}\n",
    ] {
        let wanted = "cufile.json: Setting { key: \"properties.allow_compat_mode\", value: \"true\" }".to_string();
        assert!(said(text.as_bytes()).contains(&wanted), "{text}");
    }
}

/// The only figure of a text.
fn figure(text: &str) -> Figure {
    let capture = Capture::read("t", text.as_bytes());
    let figures: Vec<&Figure> = capture.figures().collect();
    assert_eq!(figures.len(), 1, "{figures:#?}");
    figures[0].clone()
}

#[test]
fn jobs_of_one_run_are_one_figure_in_text_and_in_json() {
    let text = figure(include_str!("../../tests/fixtures/captures/fio-jobs.txt"));
    assert_eq!((text.threads, text.depth, text.size), (Some(2), Some(8), Some(1 << 20)));
    assert!((text.bytes_per_s - 3200.0 * 1048576.0).abs() < 1.0, "{text:?}");
    let job = r#"{"jobname": "j", "groupid": 0, "read": {"io_bytes": 1000, "bw_bytes": 500, "total_ios": 1}}"#;
    let json = figure(&format!("{{\"jobs\": [\n{job},\n{job},\n{job}\n]}}"));
    assert_eq!((json.bytes_per_s, json.threads, json.bytes), (1500.0, Some(3), Some(3000)));
}

#[test]
fn a_command_says_what_a_cut_summary_of_gdsio_leaves_out() {
    let read =
        figure("$ gdsio -D /mnt -d 0 -w 8 -I 1 -x 1 -i 512k\nThroughput: 6.5 GiB/sec, Avg_Latency: 600.0 usecs\n");
    assert_eq!((read.route, read.direction), (Route::Storage, Some(Direction::Write)));
    assert_eq!((read.threads, read.size), (Some(8), Some(512 << 10)));
}

#[test]
fn requests_that_failed_are_not_counted_as_moved() {
    let facts = said(b"NVFS statistics(ver: 4.0)\nReads : n=70 ok=0 err=70 readMiB=0 io_state_err=0\n");
    let wanted = "nvidia-fs stats: Moved { gpu: None, way: Nvfs, requests: 0, failed: 70 }".to_string();
    assert!(facts.contains(&wanted), "{facts:#?}");
}

/// Distances of a tree, without the lines that show them.
fn distances(text: &str) -> Vec<String> {
    said(text.as_bytes()).into_iter().filter(|fact| fact.contains("Distance")).collect()
}

#[test]
fn a_tree_that_was_pasted_twice_or_lost_its_leading_blanks_says_the_same() {
    let whole = include_str!("../../tests/fixtures/captures/lspci-tv.txt");
    let plain = distances(whole);
    assert!(!plain.is_empty());
    let stripped: String = whole.lines().map(|line| line.trim_start().to_string() + "\n").collect();
    let indented: String = whole.lines().map(|line| format!("    {line}\n")).collect();
    for other in [format!("{whole}{whole}"), stripped, indented] {
        assert_eq!(distances(&other), plain, "{other}");
    }
}

#[test]
fn an_indented_listing_of_devices_says_the_same() {
    let whole = include_str!("../../tests/fixtures/captures/lspci-vv.txt");
    let indented: String = whole.lines().map(|line| format!("      {line}\n")).collect();
    assert_eq!(said(indented.as_bytes()), said(whole.as_bytes()));
}

#[test]
fn lines_of_two_hosts_become_two_captures() {
    let text = "gpu01: nvidia_fs 262144 0\ngpu02: nvme_tcp 53248 1\ngpu01: nvidia 61440000 3 nvidia_uvm,nvidia_fs\n";
    let captures = Capture::by_host("t", text.as_bytes());
    let hosts: Vec<_> = captures.iter().map(|capture| capture.host.clone().unwrap()).collect();
    assert_eq!(hosts, ["gpu01", "gpu02"]);
    assert_eq!(captures[0].line(3), "gpu01: nvidia 61440000 3 nvidia_uvm,nvidia_fs");
}

#[test]
fn a_benchmarks_figures_are_points_of_the_key_that_is_named() {
    let (_, bytes) = FIXTURES.iter().find(|(name, _)| *name == "gdsio.txt").unwrap();
    let text = std::str::from_utf8(bytes).unwrap();
    let read = points::measurements("gdsio.txt", text, Some("works.gds.throughput_gb_s")).unwrap();
    assert_eq!(read[0].set, [("works.gds.size".into(), "1 MiB".into()), ("works.gds.threads".into(), "16".into())]);
    assert!((read[0].measured - 44.56).abs() < 0.01, "{}", read[0].measured);
    assert!(points::measurements("gdsio.txt", text, None).is_err());
}

#[test]
fn a_benchmarks_figures_are_a_table_for_a_plot_against_what_they_say() {
    let (_, bytes) = FIXTURES.iter().find(|(name, _)| *name == "perftest.txt").unwrap();
    let text = std::str::from_utf8(bytes).unwrap();
    let table = points::table("perftest.txt", text, "works.*.size").unwrap();
    assert_eq!(table.lines().nth(1), Some("64 KiB,47.4875,perftest RDMA_Write BW  mlx5_1"));
    assert_eq!(points::table("perftest.txt", text, "target.rate"), None);
    assert_eq!(points::table("a.csv", "x,y\n1 MiB,4\n", "works.*.size"), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_bytes_are_read_or_not_but_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        Capture::read("t", &bytes);
    }

    #[test]
    fn any_mutation_of_an_output_does_no_harm(
        which in 0..FIXTURES.len(),
        cut in any::<prop::sample::Index>(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        twice in any::<bool>(),
    ) {
        let mut bytes = FIXTURES[which].1.to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        if twice {
            bytes.extend_from_within(..);
        }
        let capture = Capture::read("t", &bytes);
        // What is found is bounded by what was read.
        let found: usize = capture.sections.iter().map(|section| section.reading.facts.len() + section.reading.figures.len()).sum();
        prop_assert!(found <= 64 * bytes.len(), "{found} of {} bytes", bytes.len());
    }

    #[test]
    fn any_words_of_the_formats_in_any_order_do_no_harm(words in proptest::collection::vec("[-+|\\\\ \t\n\\[\\]{}:,.=0-9a-f]{0,6}(GPU0|NIC1|PIX|SYS|nvme1 rdma|\\+-|\\[0000:15\\]|IoType:|Throughput:|#bytes|LnkSta: Speed|\"jobs\"|NVMe :|==>)?", 0..40)) {
        Capture::read("t", words.concat().as_bytes());
    }
}
