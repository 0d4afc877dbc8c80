//! Which path the bytes take: one table of prerequisites, and what follows where one is not met.
//!
//! Knows rules, over facts each of which may be unknown: `run` has them from a scenario, `doctor` from a machine's own
//! words. Must not know where a fact comes from, nor what a path costs.

use crate::format::{Compat, Routing};

mod facts;
mod table;

pub use facts::{Answer, Distance, Facts, filesystem_does_gds};
pub use table::RULES;

/// A prerequisite of GPUDirect Storage.
#[derive(Debug)]
pub struct Rule {
    /// The word by which reports and files name it: `nvidia-fs`.
    pub word: &'static str,
    /// What it asks; yes is good.
    pub question: &'static str,
    /// The keys of a scenario that answer it.
    pub facts: &'static [&'static str],
    /// What follows from a no.
    pub consequence: Consequence,
    /// What to do about a no.
    pub advice: &'static str,
    /// The answer that facts give.
    answer: fn(&Facts) -> Answer,
    /// Why the answer is no, in words.
    because: fn(&Facts) -> String,
}

/// What follows where a prerequisite is not met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// No GDS: cuFile's compatibility mode goes through system memory, or the request is refused where that is off.
    Compat,
    /// Still GDS, but through a buffer of cuFile's own in HBM, and a copy on the device.
    DeviceBuffer,
    /// Still GDS, by a longer way: through the root complex, or staged in system memory where routing says so.
    LongerWay,
    /// Still GDS by the same way, at what that way then carries.
    Slower,
}

/// The way that the bytes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// As asked: from device to device.
    Direct,
    /// Through a buffer of cuFile's own in HBM.
    DeviceBuffer,
    /// Staged in system memory by devices alone.
    Staged,
    /// The compatibility mode: through system memory, by the CPU.
    Compat,
    /// None: the compatibility mode would be needed, but is off.
    Refused,
}

/// A rule and what facts say to it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The rule.
    pub rule: &'static Rule,
    /// The answer.
    pub answer: Answer,
    /// Where it is no, why: begins with the rule's word.
    pub why: String,
}

/// The way and what decided it.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The way taken.
    pub way: Way,
    /// The rules that decided, in the order of the table: those not met whose consequence is the way taken or lies on it.
    pub decided: Vec<Judged>,
}

/// What facts say to each rule, in the order of the table.
pub fn judge(facts: &Facts) -> Vec<Judged> {
    RULES.iter().map(|rule| judged(rule, facts)).collect()
}

fn judged(rule: &'static Rule, facts: &Facts) -> Judged {
    let answer = (rule.answer)(facts);
    let why = if answer == Answer::No { format!("{}: {}", rule.word, (rule.because)(facts)) } else { String::new() };
    Judged { rule, answer, why }
}

/// The way that a request for GDS takes, judged by the rules that apply to it. What is unknown stands in nobody's way.
pub fn decide(facts: &Facts, applies: impl Fn(&Rule) -> bool) -> Decision {
    let unmet: Vec<Judged> =
        judge(facts).into_iter().filter(|judged| judged.answer == Answer::No && applies(judged.rule)).collect();
    let has = |consequence| unmet.iter().any(|judged| judged.rule.consequence == consequence);
    let way = match (has(Consequence::Compat), has(Consequence::DeviceBuffer), has(Consequence::LongerWay)) {
        (true, ..) if facts.compat == Some(Compat::Off) => Way::Refused,
        (true, ..) => Way::Compat,
        (_, _, true) if facts.routing == Some(Routing::SystemMemory) => Way::Staged,
        (_, true, _) => Way::DeviceBuffer,
        _ => Way::Direct,
    };
    Decision { way, decided: unmet.into_iter().filter(|judged| lies_on(way, judged.rule.consequence)).collect() }
}

/// Whether a consequence lies on a way: through system memory by the CPU, nothing else matters any more.
fn lies_on(way: Way, consequence: Consequence) -> bool {
    match way {
        Way::Compat | Way::Refused => consequence == Consequence::Compat,
        Way::Staged => consequence != Consequence::DeviceBuffer,
        Way::DeviceBuffer | Way::Direct => true,
    }
}

/// The rule of a word.
pub fn rule(word: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.word == word)
}

/// The words of all rules, in the order of the table.
pub fn words() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Iommu, KernelDriver, Transport};
    use engine::units::Bytes;

    fn way(facts: Facts) -> Way {
        decide(&facts, |_| true).way
    }

    fn good() -> Facts {
        Facts {
            local: Some(false),
            nvidia_fs: Some(true),
            transport: Some(Transport::Rdma),
            gds: Some(true),
            o_direct: Some(true),
            aligned: Some(true),
            registered: Some(true),
            distance: Some(Distance::SameSwitch),
            ..Facts::default()
        }
    }

    #[test]
    fn what_is_unknown_stands_in_nobodys_way() {
        let decision = decide(&Facts::default(), |_| true);
        assert_eq!((decision.way, decision.decided.len()), (Way::Direct, 0));
        assert!(judge(&Facts::default()).iter().all(|judged| judged.answer == Answer::Unknown));
    }

    #[test]
    fn where_all_is_well_the_way_is_direct() {
        assert_eq!(way(good()), Way::Direct);
    }

    #[test]
    fn each_prerequisite_leads_to_its_own_way() {
        assert_eq!(way(Facts { nvidia_fs: Some(false), ..good() }), Way::Compat);
        assert_eq!(way(Facts { transport: Some(Transport::Tcp), ..good() }), Way::Compat);
        assert_eq!(way(Facts { gds: Some(false), ..good() }), Way::Compat);
        assert_eq!(way(Facts { o_direct: Some(false), ..good() }), Way::Compat);
        assert_eq!(way(Facts { compat: Some(Compat::Forced), ..good() }), Way::Compat);
        assert_eq!(way(Facts { aligned: Some(false), ..good() }), Way::DeviceBuffer);
        assert_eq!(way(Facts { registered: Some(false), ..good() }), Way::DeviceBuffer);
        assert_eq!(way(Facts { distance: Some(Distance::OtherSocket), ..good() }), Way::Direct);
    }

    #[test]
    fn a_rule_not_met_is_refused_where_the_compatibility_mode_is_off() {
        assert_eq!(way(Facts { nvidia_fs: Some(false), compat: Some(Compat::Off), ..good() }), Way::Refused);
        assert_eq!(way(Facts { aligned: Some(false), compat: Some(Compat::Off), ..good() }), Way::DeviceBuffer);
    }

    #[test]
    fn routing_through_system_memory_is_taken_only_where_no_switch_is_shared() {
        let routed = Facts { routing: Some(Routing::SystemMemory), ..good() };
        assert_eq!(way(routed.clone()), Way::Direct);
        assert_eq!(way(Facts { distance: Some(Distance::RootComplex), ..routed }), Way::Staged);
    }

    #[test]
    fn local_drives_do_without_nvidia_fs_where_p2pdma_has_what_it_needs() {
        let local = Facts { local: Some(true), transport: Some(Transport::Local), nvidia_fs: Some(false), ..good() };
        let p2pdma = Facts { p2pdma: Some(true), kernel_driver: Some(KernelDriver::Open), ..local.clone() };
        assert_eq!(way(local), Way::Compat);
        assert_eq!(way(p2pdma.clone()), Way::Direct);
        assert_eq!(way(Facts { raid: Some(true), ..p2pdma.clone() }), Way::Compat);
        assert_eq!(way(Facts { kernel_driver: Some(KernelDriver::Proprietary), ..p2pdma.clone() }), Way::Compat);
        assert_eq!(way(Facts { local: Some(false), transport: Some(Transport::Rdma), ..p2pdma }), Way::Compat);
    }

    #[test]
    fn buffers_beyond_the_pinned_limit_stay_on_gds_and_beyond_bar1_do_not() {
        let buffers = Some(Bytes(64 << 30));
        assert_eq!(way(Facts { buffers, pinned_limit: Some(Bytes(32 << 30)), ..good() }), Way::DeviceBuffer);
        assert_eq!(way(Facts { buffers, bar1: Some(Bytes(1 << 30)), ..good() }), Way::Compat);
        assert_eq!(way(Facts { buffers, bar1: Some(Bytes(128 << 30)), ..good() }), Way::Direct);
    }

    #[test]
    fn every_reason_begins_with_the_word_of_its_rule() {
        let bad = Facts {
            local: Some(false),
            nvidia_fs: Some(false),
            transport: Some(Transport::Tcp),
            filesystem: Some("tmpfs".to_string()),
            o_direct: Some(false),
            compat: Some(Compat::Forced),
            iommu: Some(Iommu::On),
            acs: Some(true),
            aligned: Some(false),
            registered: Some(false),
            buffers: Some(Bytes(2)),
            bar1: Some(Bytes(1)),
            pinned_limit: Some(Bytes(1)),
            distance: Some(Distance::OtherSocket),
            ..Facts::default()
        };
        for judged in judge(&bad) {
            assert_eq!(judged.answer, Answer::No, "{}", judged.rule.word);
            assert!(judged.why.starts_with(judged.rule.word), "{}", judged.why);
        }
    }
}
