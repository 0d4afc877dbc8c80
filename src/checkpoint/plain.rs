//! A checkpoint without a file: from a size, a node and a target to a scenario with both paths.
//!
//! Knows what a plain checkpoint looks like as a scenario. Must not know how it is run or printed.

use crate::error::Fault;
use engine::units::{Bytes, Rate};

/// The target whose delays stand for a target that is given by its rate alone.
const PLAIN_TARGET: &str = "plain-800g";

/// A checkpoint to size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Payload in all.
    pub size: Bytes,
    /// The node's model.
    pub node: String,
    /// The storage target.
    pub target: Target,
    /// GPUs that write; all of the node's without it.
    pub gpus: Option<u64>,
}

/// A storage target: a rate or a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One that takes so much and is plain in everything else.
    Rate(Rate),
    /// A model of that name.
    Model(String),
}

/// Reads a target: `40GB/s` or a model's name.
pub fn target(text: &str) -> Result<Target, Fault> {
    match text.parse::<Rate>() {
        Ok(rate) if rate.0 > 0 => Ok(Target::Rate(rate)),
        // A model's name never begins with a digit, so this was meant as a rate.
        Err(error) if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            Err(Fault::new(format!("--target {error}")).help("a target is a rate such as 40GB/s, or a model's name"))
        }
        Ok(_) => Err(Fault::new("--target: a target that takes nothing stores nothing").help("give a rate above zero")),
        Err(_) => Ok(Target::Model(text.to_string())),
    }
}

impl std::fmt::Display for Target {
    /// As it is typed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Rate(rate) => write!(f, "{}", rate.to_string().replace(' ', "")),
            Target::Model(name) => f.write_str(name),
        }
    }
}

impl Target {
    /// The target as a scenario takes it.
    pub(super) fn value(&self) -> toml::Value {
        let text = |text: &str| toml::Value::String(text.to_string());
        match self {
            Target::Rate(rate) => {
                let entries = [("model", text(PLAIN_TARGET)), ("rate", text(&rate.to_string()))];
                toml::Value::Table(entries.map(|(key, value)| (key.to_string(), value)).into_iter().collect())
            }
            Target::Model(name) => text(name),
        }
    }
}

impl Checkpoint {
    /// The scenario: both paths, one after the other, 16 threads a GPU with requests of 1 MiB.
    pub fn scenario(&self) -> String {
        let gpus = self.gpus.map(|gpus| format!("gpus = {gpus}\n")).unwrap_or_default();
        let target = match &self.target {
            Target::Rate(rate) => format!("model = \"{PLAIN_TARGET}\"\nrate = \"{rate}\"\n"),
            Target::Model(name) => format!("model = {}\n", quoted(name)),
        };
        format!(
            "schema = 1\nname = \"checkpoint\"\n\n[node]\nmodel = {}\n{gpus}\n[target]\n{target}\n{}\n{}",
            quoted(&self.node),
            work("gds", "gds-write", self.size, None),
            work("bounce", "bounce-write", self.size, Some("gds")),
        )
    }
}

fn work(name: &str, path: &str, size: Bytes, after: Option<&str>) -> String {
    let after = after.map(|after| format!("after = \"{after}\"\n")).unwrap_or_default();
    format!("[works.{name}]\npath = \"{path}\"\nbytes = \"{size}\"\nsize = \"1 MiB\"\nthreads = 16\ndepth = 1\n{after}")
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(target: Target, gpus: Option<u64>) -> String {
        Checkpoint { size: Bytes(140_000_000_000), node: "dgx-h100".into(), target, gpus }.scenario()
    }

    #[test]
    fn a_checkpoint_is_both_paths_one_after_the_other() {
        insta::assert_snapshot!(checkpoint(Target::Rate(Rate(40_000_000_000)), Some(4)));
    }

    #[test]
    fn a_name_with_quotes_stays_a_name() {
        let text = checkpoint(Target::Model("a\"b".into()), None);
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["target"]["model"].as_str(), Some("a\"b"));
    }

    #[test]
    fn a_rate_with_a_wrong_unit_is_no_name() {
        assert_eq!(target("40 GB/s").unwrap(), Target::Rate(Rate(40_000_000_000)));
        assert_eq!(target("weka").unwrap(), Target::Model("weka".into()));
        assert!(target("40GB").is_err());
        assert!(target("0GB/s").is_err());
    }
}
