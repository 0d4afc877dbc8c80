//! Options that several verbs share.
//!
//! Knows how they are typed. Must not know what is done with them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::Fault;
use crate::export::{self, FORMATS, Format};
use crate::platform::Edit;
use crate::study::Options;
use engine::Mode;

/// How a run differs from the plain one.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Running {
    #[command(flatten)]
    pub edits: Edits,
    /// Take this seed for all random streams
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Simulate every request, stop when throughput has settled, or take like requests for one flow
    #[arg(long, value_enum)]
    pub mode: Option<ModeWord>,
}

/// Keys replaced on the command line.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Edits {
    /// Replace a key, as in works.*.depth=4; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// A mode as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ModeWord {
    /// Every request
    Request,
    /// Until throughput settles, the rest at its pace
    Settled,
    /// Like requests as one flow: for clusters; no latencies
    Stream,
}

impl From<ModeWord> for Mode {
    fn from(word: ModeWord) -> Mode {
        match word {
            ModeWord::Request => Mode::Request,
            ModeWord::Settled => Mode::Settled,
            ModeWord::Stream => Mode::Fluid,
        }
    }
}

/// In which format, and where to.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Writing {
    /// Write in this format (default: by the ending of --out, else text)
    #[arg(long, short, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,
    /// Write to this file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn format_names() -> clap::builder::PossibleValuesParser {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().into()
}

impl Edits {
    /// The edits as they are laid over a scenario.
    pub(super) fn read(&self) -> Result<Vec<Edit>, Fault> {
        self.set.iter().map(|text| text.parse()).collect()
    }
}

impl Running {
    /// The options of a run.
    pub(super) fn options(&self) -> Options {
        Options { mode: self.mode.map(Mode::from), seed: self.seed, ..Options::default() }
    }

    /// Whether the run is the plain one, whose expectations are judged.
    pub(super) fn is_plain(&self) -> bool {
        self.edits.set.is_empty() && self.seed.is_none() && self.mode.is_none()
    }
}

impl Writing {
    /// The format asked for by name, else the one that the file's ending means, else text.
    pub(super) fn format(&self) -> Result<&'static Format, Fault> {
        if let Some(format) = self.format.as_deref().and_then(export::by_name) {
            return Ok(format);
        }
        let Some(file) = &self.out else { return Ok(&FORMATS[0]) };
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        export::by_ending(ending).ok_or_else(|| {
            let known: Vec<String> = FORMATS.iter().flat_map(|f| f.endings).map(|e| format!(".{e}")).collect();
            Fault::new(format!("--out {}: its ending names no format", file.display()))
                .help(format!("end it in one of {}, or add --format", known.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_of(format: Option<&str>, out: Option<&str>) -> Option<&'static str> {
        let writing = Writing { format: format.map(str::to_string), out: out.map(PathBuf::from) };
        writing.format().ok().map(|format| format.name)
    }

    #[test]
    fn a_named_format_comes_before_the_ending_of_the_file() {
        assert_eq!(format_of(Some("csv"), Some("a.json")), Some("csv"));
        assert_eq!(format_of(None, Some("a.json")), Some("json"));
        assert_eq!(format_of(None, Some("a.md")), Some("markdown"));
        assert_eq!(format_of(None, None), Some("text"));
    }

    #[test]
    fn an_ending_that_names_no_format_is_refused() {
        assert_eq!(format_of(None, Some("report")), None);
        assert_eq!(format_of(None, Some("report.pdf")), None);
    }
}
