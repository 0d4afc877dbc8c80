//! Mechanisms that could explain a figure: units, one thread, small requests, far socket, degraded link, compatibility mode, page cache.
//!
//! Knows what each changes in a scenario; what comes out then, the simulator says. Must not know verdicts.

use rayon::prelude::*;

use super::claim::Claim;
use super::scenario::{Question, method};
use super::{Explanation, off};
use crate::error::Fault;
use crate::format::Method;
use crate::import::Route;
use crate::platform::{Edit, Loaded};
use crate::readable::gb_s;
use crate::report::WorkReport;
use engine::Direction;
use engine::units::Rate;

/// Bytes of a GiB over those of a GB.
const GIB_OF_GB: f64 = 1.073741824;

/// So many mechanisms are told at most.
const MOST: usize = 6;

/// Keys and the values that they get.
type Keys = Vec<(String, String)>;

/// A mechanism that a changed scenario shows.
struct Change {
    mechanism: &'static str,
    test: &'static str,
    /// Whether the figure itself contradicts it.
    refuted: fn(&Claim) -> bool,
    /// The edits, for a work of that name; none where they do not apply.
    edits: fn(&Loaded, &WorkReport) -> Option<Keys>,
}

const CHANGES: &[Change] = &[
    Change {
        mechanism: "one thread a GPU, one request at a time",
        test: "raise threads and queue depth until the figure no longer grows",
        refuted: Claim::kept_its_requests_under_way,
        edits: |_, _| Some(vec![of("threads", "1"), of("depth", "1")]),
    },
    Change {
        mechanism: "small requests (64 KiB)",
        test: "ask for 1 MiB or more at a time",
        refuted: |claim| claim.size.is_some(),
        edits: |_, _| Some(vec![of("size", "64 KiB")]),
    },
    Change {
        mechanism: "a NIC of the other socket",
        test: "see `nvidia-smi topo -m` and numactl: GPU, NIC and threads on one socket",
        refuted: |_| false,
        edits: |loaded, work| {
            let gds = method(loaded, &work.path_taken) == Some(Method::Gds);
            (loaded.scenario.node.nics.value > 1 && gds).then(|| vec![of("nic", "other-socket")])
        },
    },
    Change {
        mechanism: "the compatibility mode: asked for GDS, went through system memory",
        test: "set allow_compat_mode to false: it then fails at open; `hopsim doctor` says why",
        refuted: |claim| matches!(claim.route, Some(Route::Bounce | Route::Cached | Route::Storage)),
        edits: |loaded, work| {
            let compat = loaded.scenario.paths.get(&work.path_taken)?.compat.as_ref()?;
            Some(vec![of("path", &compat.value)])
        },
    },
    Change {
        mechanism: "a NIC's link trained down to half its lanes or speed",
        test: "lspci -vv: LnkSta against LnkCap; dmesg: \"available PCIe bandwidth\"",
        refuted: |_| false,
        edits: |loaded, _| {
            let nic = loaded.scenario.node.nic.as_ref()?;
            let line = nic.line_rate.value.0.min(nic.link.raw.value.0) / 2;
            let mut edits = vec![("node.nic.line_rate".to_string(), Rate(line).to_string())];
            edits.extend(
                nic.rate
                    .as_ref()
                    .map(|rate| ("node.nic.rate".to_string(), Rate(rate.value.0.min(line) / 2 * 2).to_string())),
            );
            Some(edits)
        },
    },
    Change {
        mechanism: "one storage NIC in use instead of all",
        test: "see that every port is up and carries traffic (`ibdev2netdev`, port counters)",
        refuted: |_| false,
        edits: |loaded, _| {
            (loaded.scenario.node.nics.value > 1).then(|| vec![("node.nics".to_string(), "1".to_string())])
        },
    },
    Change {
        mechanism: "one GPU and one thread, one request at a time",
        test: "see what the run used, and raise threads and queue depth",
        refuted: |claim| claim.gpus.is_some() || claim.kept_its_requests_under_way(),
        edits: |loaded, _| {
            let all = vec![("node.gpus".to_string(), "1".to_string()), of("threads", "1"), of("depth", "1")];
            (loaded.scenario.node.gpus.value > 1).then_some(all)
        },
    },
    Change {
        mechanism: "one GPU instead of all",
        test: "see how many GPUs the run used",
        refuted: |claim| claim.gpus.is_some(),
        edits: |loaded, _| {
            (loaded.scenario.node.gpus.value > 1).then(|| vec![("node.gpus".to_string(), "1".to_string())])
        },
    },
];

/// A key of the work that is judged.
fn of(key: &str, value: &str) -> (String, String) {
    (format!("works.WORK.{key}"), value.to_string())
}

/// The mechanisms, the ones that fit first.
///
/// # Errors
/// A [`Fault`] if the scenario itself cannot be read; a change that it does not bear is left out.
pub(super) fn all(
    claim: &Claim,
    work: &WorkReport,
    question: &Question<'_>,
    edits: &[Edit],
) -> Result<Vec<Explanation>, Fault> {
    let seen = claim.gb_s();
    let loaded = question.load(edits)?;
    let mut all = units(seen, work.throughput_gb_s);
    if seen < work.throughput_gb_s {
        let changes: Vec<Option<Explanation>> = CHANGES
            .par_iter()
            .filter(|change| !(change.refuted)(claim))
            .map(|change| changed(change, &loaded, seen, work, question, edits))
            .collect();
        all.extend(changes.into_iter().flatten());
        all.push(slower_target(seen));
    } else {
        all.push(page_cache(claim, work));
    }
    // The ones that fit, then those that lower the figure at all, the nearest first.
    let distance = |one: &Explanation| one.gb_s.map_or(f64::MAX, |gb_s| off(gb_s, seen));
    all.sort_by(|a, b| b.fits.cmp(&a.fits).then(distance(a).total_cmp(&distance(b))));
    all.truncate(MOST);
    Ok(all)
}

fn changed(
    change: &Change,
    loaded: &Loaded,
    seen: f64,
    work: &WorkReport,
    question: &Question<'_>,
    edits: &[Edit],
) -> Option<Explanation> {
    let name = format!("works.{}", work.name);
    let more = (change.edits)(loaded, work)?
        .into_iter()
        .map(|(key, value)| Edit { key: key.replace("works.WORK", &name), value });
    let edits: Vec<Edit> = edits.iter().cloned().chain(more).collect();
    let report = question.run(&edits, true).ok()?;
    let changed = report.works.iter().find(|other| other.name == work.name)?;
    // What changes nothing explains nothing.
    let lower = changed.throughput_gb_s < work.throughput_gb_s * 0.97;
    lower.then(|| Explanation::new(change.mechanism, changed.throughput_gb_s, seen, change.test))
}

/// Units taken for each other.
fn units(seen: f64, expected: f64) -> Vec<Explanation> {
    let look = "look the unit up in the tool's own output";
    let candidates = [
        ("GiB/s taken for GB/s (a factor of 1.07)", expected / GIB_OF_GB),
        ("GB/s taken for GiB/s (a factor of 1.07)", expected * GIB_OF_GB),
        ("both directions added up (a factor of 2)", expected * 2.0),
        ("bytes taken for bits: the figure may be Gb/s (a factor of 8)", expected * 8.0),
        ("bits taken for bytes: the figure may be GB/s (a factor of 8)", expected / 8.0),
    ];
    let near = |(_, gb_s): &(&str, f64)| off(*gb_s, seen) < libm::log(1.03);
    candidates.into_iter().filter(near).map(|(mechanism, gb_s)| Explanation::new(mechanism, gb_s, seen, look)).collect()
}

/// A figure above the ceiling: served from system memory.
fn page_cache(claim: &Claim, work: &WorkReport) -> Explanation {
    let cached = claim.route == Some(Route::Cached) || claim.direct == Some(false);
    let mechanism = match (work.direction, cached) {
        (Direction::Read, true) => "the page cache: the run did not leave it out, so bytes came from system memory",
        (Direction::Read, false) => "the page cache, or one of the target's: bytes that were read before",
        (Direction::Write, _) => "the page cache: the run ended before its writes had reached storage",
    };
    let test = match work.direction {
        Direction::Read => "read with O_DIRECT, or more than the node's memory, after dropping caches",
        Direction::Write => "count the time until fsync has returned, or write with O_DIRECT",
    };
    Explanation { mechanism: mechanism.to_string(), gb_s: None, fits: cached, test: test.to_string() }
}

/// A target that is slower than the scenario's: it can always be, and no figure of it is known here.
fn slower_target(seen: f64) -> Explanation {
    Explanation {
        mechanism: format!("storage that serves no more than {} to this node", gb_s(seen)),
        gb_s: None,
        fits: false,
        test: "measure the storage from other clients too, and give its own rate: --set target.rate=…".to_string(),
    }
}

/// What a part that reaches less than such parts do may suffer from.
pub(super) fn of_a_part(seen: f64, expected: f64) -> Vec<Explanation> {
    let test = "lspci -vv: LnkSta against LnkCap; and that both ends are on one socket";
    let mut all = vec![Explanation::new(
        "a link trained down to half its lanes or speed, or memory of the other socket",
        expected / 2.0,
        seen,
        test,
    )];
    // A slower port than the scenario's, whose line rate the figure nearly fills.
    let port = [25.0, 50.0, 100.0, 200.0].into_iter().find(|gbit| (0.85..=1.0).contains(&(seen * 8.0 / gbit)));
    all.extend(port.map(|gbit| Explanation {
        mechanism: format!("a port of {gbit} Gb/s, of which it is {:.0} %", seen * 800.0 / gbit),
        gb_s: None,
        fits: true,
        test: "ibstat or ethtool: the port's own rate; give it with --set node.nic.line_rate".to_string(),
    }));
    all.sort_by_key(|one| !one.fits);
    all
}
