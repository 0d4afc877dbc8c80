//! Alike resources in one line: `gpu0-7.pcie.down` for eight equal links under equal load.
//!
//! Knows figures, and names with a number in them. Must not know how a table is drawn.

use crate::report::ResourceReport;

/// How far apart the figures of alike resources may lie.
const ALIKE: f64 = 0.01;

/// Resources that differ in their number only.
pub(super) struct Alike<'a> {
    before: &'a str,
    after: &'a str,
    numbers: Vec<u64>,
    /// How many there are that are not listed.
    others: u64,
    /// The first of them, whose figures stand for all.
    pub(super) first: &'a ResourceReport,
}

/// Gathers alike resources, in the order of the first of each.
pub(super) fn gathered(resources: &[ResourceReport]) -> Vec<Alike<'_>> {
    let mut groups: Vec<Alike<'_>> = Vec::new();
    for resource in resources {
        let alike = Alike::of(resource);
        match groups.iter_mut().find(|group| group.takes(&alike)) {
            Some(group) => {
                group.numbers.extend(alike.numbers);
                group.others += alike.others;
            }
            None => groups.push(alike),
        }
    }
    groups
}

impl<'a> Alike<'a> {
    fn of(resource: &'a ResourceReport) -> Alike<'a> {
        let name = resource.name.as_str();
        let begin = name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len());
        let rest = &name[begin..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let numbers = rest[..end].parse().ok().into_iter().collect();
        Alike { before: &name[..begin], after: &rest[end..], numbers, others: resource.count - 1, first: resource }
    }

    fn takes(&self, other: &Alike<'_>) -> bool {
        let named_alike = self.before == other.before && self.after == other.after && !other.numbers.is_empty();
        let figures = |r: &ResourceReport| [r.rate_gb_s, r.bytes as f64, r.utilisation, r.floor_s];
        let [own, its] = [self.first, other.first].map(figures);
        named_alike && self.first.kind == other.first.kind && own.iter().zip(its).all(|(a, b)| near(*a, b))
    }

    /// How many they are.
    pub(super) fn count(&self) -> u64 {
        self.numbers.len().max(1) as u64 + self.others
    }

    /// The name of all of them.
    pub(super) fn name(&self) -> String {
        match self.numbers.len() {
            0 | 1 => self.first.name.clone(),
            _ => format!("{}{}{}", self.before, ranges(&self.numbers), self.after),
        }
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= ALIKE * a.abs().max(b.abs())
}

/// `0-3,5` for 0, 1, 2, 3 and 5.
fn ranges(numbers: &[u64]) -> String {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let run = |run: &[u64]| match run {
        [first, .., last] => format!("{first}-{last}"),
        [only] => only.to_string(),
        [] => String::new(),
    };
    runs.map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str, bytes: u64) -> ResourceReport {
        let (kind, rate_gb_s) = ("pcie".to_string(), 55.0);
        ResourceReport { name: name.into(), kind, bytes, rate_gb_s, utilisation: 0.2, floor_s: 0.3, count: 1 }
    }

    fn names(resources: &[ResourceReport]) -> Vec<String> {
        gathered(resources).iter().map(Alike::name).collect()
    }

    #[test]
    fn equal_links_are_one_line() {
        let links: Vec<_> = (0..8).map(|gpu| link(&format!("gpu{gpu}.pcie.down"), 80_000)).collect();
        assert_eq!(names(&links), ["gpu0-7.pcie.down"]);
    }

    #[test]
    fn a_link_with_another_load_stands_apart() {
        let links = [link("gpu0.pcie", 100), link("gpu1.pcie", 200), link("gpu2.pcie", 100)];
        assert_eq!(names(&links), ["gpu0,2.pcie", "gpu1.pcie"]);
    }

    #[test]
    fn other_directions_and_names_without_numbers_stand_apart() {
        let links = [link("nic0.tx", 100), link("nic0.rx", 100), link("dram", 100), link("dram", 100)];
        assert_eq!(names(&links), ["nic0.tx", "nic0.rx", "dram", "dram"]);
    }
}
