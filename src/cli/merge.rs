//! `hopsim merge`: the tables of a sweep's shards become the table of the whole sweep.
//!
//! Knows rows by their sweep and their number. Must not know what they say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::sweep::TableFormat;
use super::{Outcome, output};
use crate::error::Fault;

/// Join the tables of a sweep's shards (--shard) into the table that the whole sweep would have written.
///
/// All files are .csv, or all .jsonl. Gaps, overlaps and rows of another sweep are refused.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  hopsim merge half-1.csv half-2.csv -o whole.csv")]
pub(super) struct Args {
    /// The tables of the shards
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write to this file, whole or not at all
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What is known of all rows so far.
#[derive(Default)]
struct Merged {
    header: Option<String>,
    /// The sweep's digest and its number of points, with the file that said so first.
    sweep: Option<(String, u64, String)>,
    /// The lines by point, each with its file.
    rows: BTreeMap<u64, (String, String)>,
}

/// Merges.
pub(super) fn run(args: &Args) -> Result<Outcome, Fault> {
    let format = TableFormat::of(&args.files[0])?;
    let mut merged = Merged::default();
    for file in &args.files {
        if TableFormat::of(file)? != format {
            return Err(Fault::new("some files are .csv and some .jsonl").help("merge tables of one kind"));
        }
        merged.add(file, format)?;
    }
    merged.refuse_gaps()?;
    let rows = merged.rows.into_values().map(|(line, _)| line);
    let text: String = merged.header.into_iter().chain(rows).collect();
    output::result(&text, args.out.as_deref())?;
    Ok(Outcome::Fine)
}

impl Merged {
    fn add(&mut self, file: &Path, format: TableFormat) -> Result<(), Fault> {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| {
            Fault::new(format!("{name} cannot be read: {error}"))
                .help("name the tables that `hopsim sweep --shard` wrote")
        })?;
        if !text.ends_with('\n') {
            return Err(Fault::new(format!("{name} ends in the middle of a line")).help("its shard is not finished"));
        }
        match format {
            TableFormat::Csv => self.add_csv(&text, &name),
            TableFormat::Jsonl => self.add_json(&text, &name),
        }
    }

    fn add_csv(&mut self, text: &str, name: &str) -> Result<(), Fault> {
        let mut records = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).into_records();
        let line = |record: Option<Result<csv::StringRecord, csv::Error>>| {
            record.transpose().map_err(|error| no_row(name, &error.to_string()))
        };
        let header = line(records.next())?.unwrap_or_default();
        let written = self.header.get_or_insert_with(|| as_csv(&header));
        if *written != as_csv(&header) {
            return Err(Fault::new(format!("{name} has other columns than the first file"))
                .help("merge shards of one sweep, written by one version of hopsim"));
        }
        let column = |wanted: &str| header.iter().position(|name| name == wanted);
        let (Some(sweep), Some(points), Some(point)) = (column("sweep"), column("points"), column("point")) else {
            return Err(no_row(name, "it has no columns sweep, points and point"));
        };
        while let Some(record) = line(records.next())? {
            let number = |column: usize| record.get(column).and_then(|cell| cell.parse().ok());
            match (number(points), number(point)) {
                (Some(points), Some(point)) => self.row(&record[sweep], points, point, as_csv(&record), name)?,
                _ => return Err(no_row(name, "a row has no number")),
            }
        }
        Ok(())
    }

    fn add_json(&mut self, text: &str, name: &str) -> Result<(), Fault> {
        #[derive(serde::Deserialize)]
        struct Mark {
            sweep: String,
            points: u64,
            point: u64,
        }
        for line in text.lines() {
            let mark: Mark = serde_json::from_str(line).map_err(|error| no_row(name, &error.to_string()))?;
            self.row(&mark.sweep, mark.points, mark.point, format!("{line}\n"), name)?;
        }
        Ok(())
    }

    fn row(&mut self, sweep: &str, points: u64, point: u64, line: String, name: &str) -> Result<(), Fault> {
        let (known, all, first) = self.sweep.get_or_insert_with(|| (sweep.to_string(), points, name.to_string()));
        if known != sweep || *all != points {
            let message = format!("{name} holds a row of another sweep than {first}: {sweep}, not {known}");
            return Err(Fault::new(message).help("merge shards of one scenario, grid, seed, mode and version"));
        }
        if point >= points {
            return Err(no_row(name, &format!("point {point} is beyond the sweep's {points}")));
        }
        match self.rows.insert(point, (line, name.to_string())) {
            None => Ok(()),
            Some((_, other)) => {
                Err(Fault::new(format!("point {point} is in {other} and again in {name}")).help("name each shard once"))
            }
        }
    }

    fn refuse_gaps(&self) -> Result<(), Fault> {
        let points = self.sweep.as_ref().map_or(0, |sweep| sweep.1);
        let gaps: Vec<u64> = (0..points).filter(|point| !self.rows.contains_key(point)).collect();
        let Some(first) = gaps.first() else { return Ok(()) };
        Err(Fault::new(format!("{} of {points} points are in no file, point {first} the first", gaps.len()))
            .help("name the tables of all shards"))
    }
}

fn no_row(name: &str, why: &str) -> Fault {
    Fault::new(format!("{name} is no table of a sweep: {why}")).help("name the tables that `hopsim sweep` wrote")
}

fn as_csv(record: &csv::StringRecord) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail.
    let _ = writer.write_record(record);
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}
