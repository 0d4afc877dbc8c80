//! Links as a person names them, `2x400Gb/s` or `PCIe 5.0 x16`, and a figure held against them.
//!
//! Knows line rates. Must not know scenarios.

use super::claim::{Claim, rate};
use super::{Explanation, Judged, TooSlow, Verdict};
use crate::error::Fault;
use crate::import::Lanes;
use crate::readable::{gb_s, gib_s, percent};
use engine::units::{Rate, significant};

/// Links that carry a figure together.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    /// As they were written.
    pub written: String,
    /// What they carry together, in bytes a second.
    pub bytes_per_s: f64,
}

/// Line rates that have names, in Gb/s.
const NAMED: &[(&str, f64)] = &[
    ("SDR", 8.0),
    ("DDR", 16.0),
    ("QDR", 32.0),
    ("FDR", 54.5),
    ("EDR", 100.0),
    ("HDR", 200.0),
    ("NDR", 400.0),
    ("XDR", 800.0),
];

const FORM: &str = "write a number of links and the rate of one, as in 1x200Gb/s or 2 x 400 Gb/s, or PCIe 5.0 x16, HDR, NDR; several with a plus between them";

/// Reads links.
///
/// # Errors
/// A [`Fault`] that says how to write them.
pub fn over(text: &str) -> Result<Over, Fault> {
    let parts: Vec<f64> =
        text.split('+').map(|part| links(part.trim()).ok_or_else(|| fault(text))).collect::<Result<_, Fault>>()?;
    let bytes_per_s: f64 = parts.iter().sum();
    if bytes_per_s <= 0.0 || !bytes_per_s.is_finite() {
        return Err(fault(text));
    }
    Ok(Over { written: text.trim().to_string(), bytes_per_s })
}

fn fault(text: &str) -> Fault {
    Fault::new(format!("--over {text}: these are no links")).help(FORM)
}

/// `2x400Gb/s`: a count and one link's rate; without a count, one.
fn links(part: &str) -> Option<f64> {
    if let Some(one) = one(part) {
        return Some(one);
    }
    let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
    let (count, rest) = part.split_at(digits);
    let count: u32 = count.parse().ok().filter(|count| (1..=10_000).contains(count))?;
    let rest = rest.trim_start().strip_prefix(['x', 'X', '*', '×']).unwrap_or(rest).trim_start();
    Some(f64::from(count) * one(rest)?)
}

/// One link: a rate, the name of one, or PCIe's generation and width.
fn one(text: &str) -> Option<f64> {
    if let Ok(Rate(rate)) = rate(text) {
        return Some(rate as f64);
    }
    let word = text.trim().to_uppercase();
    // 400GbE, 100G, 200Gbit: Ethernet's names are its bits a second.
    let ethernet =
        ["GBE", "GIGE", "GE", "G"].iter().find_map(|unit| word.strip_suffix(unit)?.trim().parse::<f64>().ok());
    if let Some(gbit) = ethernet.filter(|gbit| *gbit > 0.0 && *gbit <= 3200.0) {
        return Some(gbit * 1e9 / 8.0);
    }
    if let Some(rest) = word.strip_prefix("PCIE") {
        return pcie(rest);
    }
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &word[name.len()..];
    let (_, gbit) = NAMED.iter().find(|(known, _)| *known == name)?;
    // HDR200, NDR400; HDR100 and NDR200 are half a port.
    let gbit =
        if digits.is_empty() { *gbit } else { digits.parse().ok().filter(|rate| *rate > 0.0 && *rate <= 1600.0)? };
    Some(gbit * 1e9 / 8.0)
}

/// " 5.0 X16", " GEN4 X8", "3X16".
fn pcie(rest: &str) -> Option<f64> {
    let rest = rest.trim().trim_start_matches("GEN").trim();
    let (generation, width) = rest.split_once('X')?;
    let generation = generation.trim().trim_end_matches(".0").parse::<usize>().ok()?;
    let gt_s = *[2.5, 5.0, 8.0, 16.0, 32.0].get(generation.checked_sub(1)?)?;
    let width: u32 = width.trim().parse().ok().filter(|width| (1..=32).contains(width))?;
    Some(Lanes { gt_s, width }.bytes_per_s())
}

impl Over {
    /// Holds a figure against the links' line rate.
    pub fn judge(&self, claim: &Claim) -> Judged {
        // A sum of both directions has both of the link's.
        let (written, bytes_per_s) = match claim.both_directions {
            true => (format!("both directions of {}", self.written), 2.0 * self.bytes_per_s),
            false => (self.written.clone(), self.bytes_per_s),
        };
        let share = claim.bytes_per_s / bytes_per_s;
        let impossible = share > 1.0 + tolerance(claim);
        let too_slow = TooSlow { name: written.clone(), carries_gb_s: bytes_per_s / 1e9, times: share };
        Judged {
            claim: claim.written.clone(),
            line: claim.line,
            gb_s: claim.gb_s(),
            against: written,
            verdict: if impossible { Verdict::Impossible } else { Verdict::Possible },
            limit_gb_s: Some(bytes_per_s / 1e9),
            limit_by: Some("line rate".to_string()),
            share: Some(share),
            too_slow: if impossible { vec![too_slow] } else { Vec::new() },
            expected: None,
            explanations: if impossible { self.explanations(claim) } else { Vec::new() },
            notes: notes(share, impossible),
        }
    }

    /// How a figure above the line rate comes about.
    fn explanations(&self, claim: &Claim) -> Vec<Explanation> {
        let (seen, line) = (claim.gb_s(), self.bytes_per_s / 1e9);
        let mut all = Vec::new();
        // What brings the figure near the line rate fits; what leaves most of it unused could still be.
        let mut add = |mechanism: String, gb_s: f64, test: &str| {
            if gb_s <= line {
                all.push(Explanation { mechanism, gb_s: Some(gb_s), fits: gb_s >= 0.5 * line, test: test.to_string() });
            }
        };
        add(
            format!("bits taken for bytes: the figure would be {}", gb_s(seen / 8.0)),
            seen / 8.0,
            "look the unit up in the tool's own output: Gb is a bit, GB a byte",
        );
        add(
            format!("GB taken for GiB: the figure would be {}", gb_s(seen / GIB_OF_GB)),
            seen / GIB_OF_GB,
            "see whether the tool counts 10^9 or 2^30 bytes",
        );
        add(
            format!("both directions added: one would be {}", gb_s(seen / 2.0)),
            seen / 2.0,
            "measure one direction alone",
        );
        all.sort_by_key(|one| !one.fits);
        let links = (seen / line).ceil();
        all.push(Explanation {
            mechanism: format!("more links than that: {links:.0} times {} would carry it", self.written),
            gb_s: None,
            fits: false,
            test: "count the ports that are up and in use, on all clients".to_string(),
        });
        all.push(Explanation {
            mechanism: "a cache: bytes that were read from system memory never crossed the network".to_string(),
            gb_s: None,
            fits: false,
            test: "read with O_DIRECT (fio direct=1), or more data than the node has memory, and drop caches before"
                .to_string(),
        });
        all
    }
}

/// Bytes of a GiB over those of a GB.
const GIB_OF_GB: f64 = 1.073741824;

/// How far above a limit a figure may be before it is impossible: what is printed is rounded, and a measured one has clocks and
/// counters of its own.
pub(super) fn tolerance(claim: &Claim) -> f64 {
    if claim.line.is_some() { 0.01 } else { 0.001 }
}

fn notes(share: f64, impossible: bool) -> Vec<String> {
    match share {
        _ if impossible => Vec::new(),
        share if share > 1.0 => vec!["at the line rate, as far as a figure can tell".to_string()],
        share if share > 0.985 => vec!["headers alone usually take more than is left: doubt it".to_string()],
        share if share > 0.9 => vec![format!("{} is what the best runs reach", percent(share))],
        _ => Vec::new(),
    }
}

/// A figure in both units and in bits.
pub(super) fn all_units(gb: f64) -> String {
    format!("{} = {} = {} Gb/s", gb_s(gb), gib_s(gb), significant(gb * 8.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_as_people_write_them() {
        for (text, gb_s) in [
            ("1x200Gb/s", 25.0),
            ("2 x 400 Gb/s", 100.0),
            ("200Gb/s", 25.0),
            ("8xNDR", 400.0),
            ("HDR200", 25.0),
            ("2x200Gbps + 1x100Gbps", 62.5),
            ("25 GB/s", 25.0),
            ("2x400GbE", 100.0),
            ("4 x 100GE", 50.0),
        ] {
            assert!((over(text).unwrap().bytes_per_s / 1e9 - gb_s).abs() < 1e-9, "{text}");
        }
        assert!((over("PCIe 5.0 x16").unwrap().bytes_per_s / 1e9 - 63.015).abs() < 1e-2);
        assert!((over("4x PCIe gen4 x4").unwrap().bytes_per_s / 1e9 - 31.5).abs() < 0.1);
    }

    #[test]
    fn what_are_no_links_is_refused() {
        for text in ["", "x", "0x200Gb/s", "2x", "ethernet", "PCIe 9.0 x16", "PCIe 5.0 x64"] {
            assert!(over(text).is_err(), "{text}");
        }
    }

    #[test]
    fn forty_gibibytes_do_not_fit_200_gigabits() {
        let judged = over("1x200Gb/s").unwrap().judge(&Claim::read("40 GiB/s").unwrap());
        assert_eq!(judged.verdict, Verdict::Impossible);
        assert_eq!(judged.share.map(|share| (share * 100.0).round()), Some(172.0));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9xX*+ .a-zA-Z/]{0,20}") {
            let _ = over(&text);
        }
    }
}
