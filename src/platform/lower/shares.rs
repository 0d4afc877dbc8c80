//! How the GPUs in use share what a work moves.
//!
//! Knows amounts and shares. Must not know hardware.

use crate::error::Fault;
use crate::format::{At, Work};

use super::Site;

/// The most that shares may come to: their products with any amount can still be counted.
const MOST: u128 = 1 << 63;

/// Bytes or requests of each of so many lanes; none where they share evenly.
pub(super) fn parts(site: &Site<'_>, name: &str, work: &Work, lanes: usize) -> Result<Vec<u64>, Fault> {
    let Some(shares) = &work.shares else { return Ok(Vec::new()) };
    let bytes = work.bytes.as_ref().map(|bytes| bytes.value.0);
    let Some(all) = bytes.or(work.requests.as_ref().map(|count| count.value)) else {
        let message = format!("works.{name}: shares without `bytes` or `requests`");
        return Err(Fault::at(site.sources, &shares.span, message, "nothing to share").help(
            "`run_time` offers requests from every GPU for as long: leave `shares` out, or say how much to move",
        ));
    };
    fit(site, name, shares, lanes)?;
    Ok(shared(all, &shares.value, lanes))
}

/// Refuses lists that do not go round, and shares of nothing.
fn fit(site: &Site<'_>, name: &str, shares: &At<Vec<u64>>, lanes: usize) -> Result<(), Fault> {
    let list = &shares.value;
    let refuse = |message: String, label: &str| Err(Fault::at(site.sources, &shares.span, message, label));
    if list.is_empty() || !lanes.is_multiple_of(list.len()) {
        let message = format!("works.{name}: {} shares do not go round {lanes} GPUs in use", list.len());
        return refuse(message, "does not go round")
            .map_err(|fault: Fault| fault.help(format!("give {lanes}, or so few that {lanes} is a multiple of them")));
    }
    let rounds = (lanes / list.len()) as u128;
    match list.iter().map(|share| u128::from(*share)).sum::<u128>() * rounds {
        0 => refuse(format!("works.{name}: all its shares are 0"), "nobody moves anything")
            .map_err(|fault| fault.help("give at least one GPU a share above 0")),
        sum if sum > MOST => refuse(format!("works.{name}: its shares come to more than 2^63"), "too large")
            .map_err(|fault| fault.help("only their ratios count: write smaller numbers")),
        _ => Ok(()),
    }
}

/// What lies between two marks of a running sum: whatever is rounded, nothing is lost.
fn shared(all: u64, shares: &[u64], lanes: usize) -> Vec<u64> {
    let sum: u128 = shares.iter().cycle().take(lanes).map(|share| u128::from(*share)).sum();
    let mark = |before: u128| u128::from(all) * before / sum;
    let mut before = 0u128;
    let part = |share: &u64| {
        let from = mark(before);
        before += u128::from(*share);
        (mark(before) - from) as u64
    };
    shares.iter().cycle().take(lanes).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_that_are_the_bytes_themselves_come_out_to_the_byte() {
        assert_eq!(shared(1_000_003, &[999_999, 0, 4], 3), [999_999, 0, 4]);
    }

    #[test]
    fn a_short_list_is_taken_in_turn() {
        assert_eq!(shared(12, &[2, 1], 4), [4, 2, 4, 2]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_whatever_the_shares(all in 0u64.., shares in prop::collection::vec(0u64..1 << 40, 1..9)) {
            prop_assume!(shares.iter().any(|share| *share > 0));
            let parts = shared(all, &shares, shares.len() * 3);
            prop_assert_eq!(parts.iter().map(|part| u128::from(*part)).sum::<u128>(), u128::from(all));
        }
    }
}
