//! What is wrong with a checkpoint is said with the key or the flag that a person wrote, never with lines of a generated
//! scenario.
//!
//! Knows the library's front. Must not know how a scheme becomes a scenario.

use engine::units::Bytes;
use hopsim::checkpoint::{Overrides, Question, Scheme, Sheet, shape::PRESETS};
use hopsim::error;
use hopsim::platform::Library;

/// What a wrong file is told.
fn told(text: &str) -> String {
    let question = Question::of_toml("a.toml", "wrong", text, &Overrides::default());
    let fault = question.and_then(|question| Sheet::answer(&question, &Library::default(), false)).unwrap_err();
    error::render(&fault, false, 100)
}

/// A file of a gigabyte with that beside it.
fn with(more: &str) -> String {
    format!("schema = 1\nmodel = {{ bytes = \"1 GB\" }}\n{more}\n")
}

#[test]
fn what_is_wrong_with_a_file_is_said_where_it_was_written() {
    for (name, more) in [
        ("an-unknown-node", "node = \"dgx-h10\""),
        ("an-unknown-target", "[target]\nmodel = \"plain\"\nrate = \"5 GB/s\""),
        ("an-unknown-key-of-the-target", "[target]\nmodel = \"plain-800g\"\nrat = \"5 GB/s\""),
        ("a-rate-without-its-second", "target = { model = \"plain-800g\", rate = \"40 GB\" }"),
        ("an-unknown-local-target", "local = \"nope\""),
        ("an-unknown-key-of-the-cluster", "cluster = { node = 3 }"),
        ("no-nodes", "cluster = { nodes = 0 }"),
        ("more-gpus-than-there-are", "node = { model = \"dgx-h100\", gpus = 9 }"),
        ("more-nodes-than-ranks", "cluster = { nodes = 9 }"),
        ("an-interval-shorter-than-a-save", "save = { schemes = [\"pinned\"] }\nfailures = { interval = \"10 ms\" }"),
        ("no-threads", "save = { threads = 0 }"),
        ("too-many-threads", "save = { threads = 999999999 }"),
        ("requests-beyond-memory", "save = { size = \"1 PB\" }"),
        ("exposed-beyond-all", "training = { exposed = 3 }"),
        ("an-unknown-word", "restore = { cache = \"hot\" }"),
        ("an-empty-trace", "failures = { trace = [] }"),
        ("a-trace-that-goes-back", "failures = { trace = [\"5 h\", \"3 h\"] }"),
        ("a-trace-file-that-is-missing", "failures = { trace_file = \"nowhere.csv\" }"),
    ] {
        insta::assert_snapshot!(name, told(&with(more)));
    }
}

#[test]
fn what_is_wrong_with_a_model_is_said_where_it_was_written() {
    for (name, model) in [
        ("no-bytes", "{ bytes = \"0 GB\" }"),
        ("bytes-that-are-parameters", "{ bytes = \"70B\" }"),
        ("more-files-than-are-told-apart", "{ bytes = \"1 GB\", files_per_rank = 9000000 }"),
        ("negative-bytes", "{ bytes = \"-1 GB\" }"),
        ("no-ranks", "{ bytes = \"1 GB\", ranks = 0 }"),
        (
            "no-layers",
            "{ transformer = { layers = 0, hidden = 1, feed_forward = 1, vocabulary = 1, heads = 1, kv_heads = 1 } }",
        ),
        ("a-shape-without-a-key", "{ transformer = { layers = 2 } }"),
        ("a-model-that-is-none", "5"),
    ] {
        insta::assert_snapshot!(name, told(&format!("schema = 1\nmodel = {model}\n")));
    }
}

#[test]
fn what_is_wrong_with_a_flag_is_said_with_the_flag() {
    let rate = |text: &str| Some(hopsim::checkpoint::target(text).unwrap());
    let cases = [
        ("flag-node", Overrides { node_models: vec!["dgx-h10".into()], ..Overrides::default() }),
        ("flag-target", Overrides { target: rate("plain"), ..Overrides::default() }),
        ("flag-gpus", Overrides { gpus: Some(9), ..Overrides::default() }),
        ("flag-nodes", Overrides { nodes: Some(20), ranks: Some(16), ..Overrides::default() }),
        ("flag-too-many-ranks", Overrides { ranks: Some(99_999_999), ..Overrides::default() }),
        ("flag-scheme", Overrides { schemes: vec![Scheme::Pinned], ..Overrides::default() }),
    ];
    for (name, told) in cases {
        let question = Question::of_size(Bytes(3_000_000_000_000), &told);
        let fault = question.and_then(|question| Sheet::answer(&question, &Library::default(), false)).unwrap_err();
        insta::assert_snapshot!(name, error::render(&fault, false, 100));
    }
    let told = Overrides { ranks: Some(100), ..Overrides::default() };
    let fault = Question::of_preset(&PRESETS[2], &told).unwrap_err();
    insta::assert_snapshot!("flag-ranks-of-a-model", error::render(&fault, false, 100));
}
