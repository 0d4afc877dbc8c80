//! `cufile.json`, whole, in part, or as people quote it: settings of cuFile by their dotted keys.
//!
//! Knows its keys and the groups that they stand in. Must not know which of them decide.
//!
//! It is read word by word rather than as JSON, so that excerpts, comments, missing brackets and cut ends do no harm.

use super::{Fact, Reading, Text};

/// The keys and the group that each stands in.
const KEYS: &[(&str, &[&str])] = &[
    (
        "execution",
        &["max_io_queue_depth", "max_io_threads", "parallel_io", "min_io_threshold_size_kb", "max_request_parallelism"],
    ),
    (
        "properties",
        &[
            "max_direct_io_size_kb",
            "max_device_cache_size_kb",
            "per_buffer_cache_size_kb",
            "max_device_pinned_mem_size_kb",
            "posix_pool_slab_size_kb",
            "posix_pool_slab_count",
            "use_poll_mode",
            "poll_mode_max_size_kb",
            "use_pci_p2pdma",
            "allow_compat_mode",
            "force_compat_mode",
            "gds_rdma_write_support",
            "io_batchsize",
            "io_priority",
            "rdma_dev_addr_list",
            "rdma_load_balancing_policy",
            "rdma_dynamic_routing",
            "rdma_dynamic_routing_order",
            "rdma_peer_affinity_policy",
            "rdma_peer_type",
            "max_batch_io_size",
            "max_batch_io_timeout_msecs",
            "force_odirect_mode",
            "prefer_iouring",
            "skip_topology_detection",
            "allow_system_memory",
        ],
    ),
    ("profile", &["nvtx", "cufile_stats"]),
    ("miscellaneous", &["api_check_aggressive", "skip_topology_detection"]),
    ("logging", &["level", "dir"]),
    ("denylist", &["drivers", "devices", "mounts", "filesystems"]),
    (
        "fs",
        &["posix_unaligned_writes", "posix_gds_min_kb", "gds_write_support", "gds_async_support", "rdma_write_support"],
    ),
];

/// Groups within `fs` and `block`.
const INNER: [&str; 14] = [
    "generic",
    "beegfs",
    "lustre",
    "nfs",
    "gpfs",
    "weka",
    "scatefs",
    "virtiofs",
    "gpu_bounce_buffer_slab_config",
    "nvme",
    "nvmeof",
    "raid",
    "block",
    "fs",
];

/// Keys that nothing but a cufile.json has, so that one of them tells what a text is.
const TELLING: [&str; 9] = [
    "allow_compat_mode",
    "force_compat_mode",
    "use_pci_p2pdma",
    "max_device_pinned_mem_size_kb",
    "max_direct_io_size_kb",
    "rdma_dynamic_routing",
    "min_io_threshold_size_kb",
    "max_device_cache_size_kb",
    "rdma_dev_addr_list",
];

pub(super) fn read(text: &Text, reading: &mut Reading) {
    if !text.lines.iter().any(|line| TELLING.iter().any(|key| line.shown.contains(key))) {
        return;
    }
    let words = words(text);
    let mut settings = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (line, word) = (words[at].line, &words[at].text);
        let next = words.get(at + 1).map(|word| word.text.as_str());
        let after = if matches!(next, Some(":" | "=")) { at + 2 } else { at + 1 };
        match word.as_str() {
            "{" => open.push(""),
            "}" => drop(open.pop()),
            name if words.get(after).is_some_and(|word| word.text == "{") && open.len() < 64 => {
                open.push(name);
                at = after;
            }
            name => {
                if let Some(key) = key(name, &open)
                    && let Some((value, end)) = value_at(&words, after)
                {
                    settings.push((line, key, value));
                    at = end;
                    continue;
                }
            }
        }
        at += 1;
    }
    let telling = |key: &String| TELLING.iter().any(|word| key.rsplit('.').next() == Some(word));
    if settings.iter().any(|(_, key, _)| telling(key)) {
        for (line, key, text) in settings {
            let value = value(&key, &text);
            reading.fact(line, Fact::Setting { key, value });
        }
    }
}

/// The dotted key of a name, by the groups that are open around it; none for a name that is not known.
fn key(name: &str, open: &[&str]) -> Option<String> {
    let usual = KEYS.iter().filter(|(_, names)| names.contains(&name));
    let groups: Vec<&str> = open
        .iter()
        .filter(|group| INNER.contains(group) || KEYS.iter().any(|(known, _)| known == *group))
        .copied()
        .collect();
    if groups.is_empty() {
        // Without its group a common word says nothing.
        let group = usual.map(|(group, _)| *group).next()?;
        return (!matches!(group, "logging" | "denylist")).then(|| format!("{group}.{name}"));
    }
    let known = KEYS.iter().any(|(_, names)| names.contains(&name)) || matches!(name, "slab_size_kb" | "slab_count");
    known.then(|| format!("{}.{name}", groups.join(".")))
}

/// A setting's value as text: truths are `true` and `false` also where an early release wrote 1 and 0.
pub(super) fn value(key: &str, text: &str) -> String {
    const TRUTHS: [&str; 9] = [
        "allow_compat_mode",
        "force_compat_mode",
        "use_pci_p2pdma",
        "use_poll_mode",
        "rdma_dynamic_routing",
        "gds_rdma_write_support",
        "parallel_io",
        "posix_unaligned_writes",
        "rdma_write_support",
    ];
    let truth = key.rsplit('.').next().is_some_and(|name| TRUTHS.contains(&name));
    match text.trim().trim_matches('"').to_lowercase().as_str() {
        "1" | "true" | "yes" | "on" if truth => "true".to_string(),
        "0" | "false" | "no" | "off" if truth => "false".to_string(),
        _ => text.trim().trim_matches('"').to_string(),
    }
}

struct Word {
    line: usize,
    text: String,
}

/// A value: one word, or a list up to its end or that of the text.
fn value_at(words: &[Word], at: usize) -> Option<(String, usize)> {
    let first = words.get(at)?;
    match first.text.as_str() {
        "[" => {
            let inside = words[at + 1..].iter().take_while(|word| !matches!(word.text.as_str(), "]" | "{" | "}"));
            let inside: Vec<&str> = inside.map(|word| word.text.as_str()).collect();
            Some((inside.join(" "), at + 2 + inside.len()))
        }
        "{" | "}" | "]" | ":" | "=" => None,
        text => Some((text.to_string(), at + 1)),
    }
}

/// Whether what begins with two strokes is a comment: within round brackets it is part of a sentence.
fn is_comment(line: &str, rest: &str) -> bool {
    let before = &line[..line.len() - rest.len()];
    before.matches('(').count() <= before.matches(')').count()
}

/// The words and signs of a text, without comments.
fn words(text: &Text) -> Vec<Word> {
    let mut words = Vec::new();
    let mut in_comment = false;
    for line in &text.lines {
        let mut rest = line.body();
        while let Some(first) = rest.chars().next() {
            if in_comment {
                let Some(end) = rest.find("*/") else { break };
                in_comment = false;
                rest = &rest[end + 2..];
                continue;
            }
            let length = match first {
                '/' if rest.starts_with("//") && is_comment(line.body(), rest) => break,
                '/' if rest.starts_with("/*") => {
                    in_comment = true;
                    rest = &rest[2..];
                    continue;
                }
                '{' | '}' | '[' | ']' | ':' | '=' => 1,
                ',' => 0,
                c if c.is_whitespace() => 0,
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                _ => rest.find(|c: char| c.is_whitespace() || "{}[],:=\"".contains(c)).unwrap_or(rest.len()),
            };
            if length > 0 {
                words.push(Word { line: line.number, text: rest[..length].trim_matches('"').to_string() });
            }
            rest = &rest[length.max(first.len_utf8())..];
        }
    }
    words
}
