//! A sweep's journal: a line about the sweep, then a line for each finished point, each written at once.
//!
//! Knows lines of JSON. Must not know which file they are in.
//!
//! A run that was killed may leave a last line without its end: it is not counted. Nothing else may be wrong.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};

use crate::error::Fault;

use super::sweep::{Row, Shard, Sweep};

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of this form: 1.
    pub journal: u32,
    /// The digest of all below and of the scenario with its models.
    pub sweep: String,
    /// The scenario's name.
    pub scenario: String,
    /// The keys and their values.
    pub grid: String,
    /// How many points there are in all.
    pub points: u64,
    /// The part that is run here.
    pub shard: Shard,
    /// The first seed.
    pub seed: u64,
    /// How each point is run.
    pub mode: String,
    /// The version of hopsim.
    pub version: String,
}

impl Header {
    /// The first line of a sweep's journal.
    pub fn of(sweep: &Sweep, shard: Shard) -> Header {
        Header {
            journal: 1,
            sweep: sweep.fingerprint(),
            scenario: sweep.name().to_string(),
            grid: sweep.grid.text(),
            points: sweep.grid.points(),
            shard,
            seed: sweep.seed(),
            mode: super::run::mode_name(&sweep.options).to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
        }
    }

    /// What of a journal's first line is not this sweep's.
    fn difference(&self, found: &Header) -> Option<String> {
        let texts = [
            ("scenario", &self.scenario, &found.scenario),
            ("grid", &self.grid, &found.grid),
            ("mode", &self.mode, &found.mode),
            ("version", &self.version, &found.version),
        ];
        let shards = (self.shard.to_string(), found.shard.to_string());
        let seeds = (self.seed.to_string(), found.seed.to_string());
        let others = [("shard", &shards.0, &shards.1), ("seed", &seeds.0, &seeds.1)];
        let unlike = texts.into_iter().chain(others).find(|(_, ours, theirs)| ours != theirs);
        let whole = || (self.sweep != found.sweep).then(|| "its scenario or models have changed since".to_string());
        unlike.map(|(what, ours, theirs)| format!("its {what} is {theirs}, not {ours}")).or_else(whole)
    }
}

/// Where a finished point's line stands in a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The point.
    pub point: u64,
    /// The first byte of its line.
    pub start: u64,
}

/// What is in a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Finished points, in the order of points.
    pub places: Vec<Place>,
    /// Bytes of whole lines; what comes behind is to be cut off.
    pub whole: u64,
}

/// What is read of a line to know whose it is.
#[derive(Deserialize)]
struct Mark {
    sweep: String,
    point: u64,
}

/// Reads a journal that must be this sweep's; `name` is what messages call it.
///
/// # Errors
/// A [`Fault`] for a journal of another sweep, or one with a broken line that is not the last.
pub fn read(mut from: impl BufRead, header: &Header, name: &str) -> Result<Found, Fault> {
    let mut found = Found::default();
    let mut line = Vec::new();
    let mut number = 0u64;
    loop {
        line.clear();
        let length = from.read_until(b'\n', &mut line).map_err(|error| unreadable(name, &error))?;
        if line.last() != Some(&b'\n') {
            break;
        }
        number += 1;
        if number == 1 {
            check_header(&line, header, name)?;
        } else {
            let mark: Mark = serde_json::from_slice(&line).map_err(|_| broken(name, number))?;
            if mark.sweep != header.sweep || !header.shard.holds(mark.point) || mark.point >= header.points {
                return Err(broken(name, number));
            }
            found.places.push(Place { point: mark.point, start: found.whole });
        }
        found.whole += length as u64;
    }
    found.places.sort_by_key(|place| (place.point, place.start));
    found.places.dedup_by_key(|place| place.point);
    Ok(found)
}

fn check_header(line: &[u8], header: &Header, name: &str) -> Result<(), Fault> {
    let found: Header = serde_json::from_slice(line).map_err(|_| {
        Fault::new(format!("{name} is not the journal of a sweep")).help("name another file, or move this one away")
    })?;
    match header.difference(&found) {
        None => Ok(()),
        Some(difference) => Err(Fault::new(format!("{name} is the journal of another sweep: {difference}"))
            .help("resume with the same scenario, keys, seed and mode, or begin another journal")),
    }
}

fn broken(name: &str, line: u64) -> Fault {
    Fault::new(format!("{name}: line {line} is no finished point of this sweep"))
        .help("the journal was changed by something else: begin anew with --restart")
}

fn unreadable(name: &str, error: &io::Error) -> Fault {
    Fault::new(format!("{name} cannot be read: {error}"))
}

/// Writes the first line.
///
/// # Errors
/// As the writer.
pub fn begin(to: &mut impl Write, header: &Header) -> io::Result<()> {
    write_line(to, header)
}

/// Writes a finished point's line at once.
///
/// # Errors
/// As the writer.
pub fn append(to: &mut impl Write, row: &Row) -> io::Result<()> {
    write_line(to, row)
}

/// One call of the writer a line, so that lines are torn only by the end of the program or of the disk.
fn write_line(to: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    to.write_all(&text)?;
    to.flush()
}
