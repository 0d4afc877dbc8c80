//! Tables of measurements as CSV: a line a point, what was set for it in `set:<key>` columns, what was measured beside it.
//!
//! Knows the table's form and what makes it untrustworthy. Must not know what a key means to a simulation.

use std::ops::Range;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::error::{Fault, Sources, nearest};
use engine::units::{Bytes, Factor, Rate, Time};

/// What a repeated measurement may differ by where no `spread` says so.
const USUAL_SPREAD: f64 = 0.05;
/// Columns beside those that begin with `set:`.
const COLUMNS: [&str; 4] = ["key", "measured", "weight", "spread"];
const FORM: &str =
    "columns: set:<key> for what was set, key (or --measure KEY), measured, and as wanted weight and spread";

/// A measured point.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The line of the table, from 1.
    pub line: u64,
    /// What was set: key and value.
    pub set: Vec<(String, String)>,
    /// The key of the report that was measured.
    pub key: String,
    /// What was measured, in that key's unit.
    pub measured: f64,
    /// How much it counts; 1 where nothing is said.
    pub weight: f64,
    /// Its relative spread.
    pub spread: f64,
}

/// Reads a table. `measure` is the key of all points, where the table has no `key` column.
///
/// # Errors
/// A [`Fault`] with the line: an empty or truncated table, a heading that is not known, a cell that is no number, units of
/// different kinds in one column, points that contradict each other.
pub fn measurements(name: &str, text: &str, measure: Option<&str>) -> Result<Vec<Measurement>, Fault> {
    let sheet = Sheet::read(name, text)?;
    let columns = sheet.columns(measure)?;
    if sheet.rows.is_empty() {
        return Err(sheet
            .at(&sheet.heading, "there are no measurements under the heading", "nothing follows")
            .help(FORM));
    }
    sheet.rows.iter().try_for_each(|row| sheet.check_length(row))?;
    for (index, column) in columns.iter().enumerate() {
        if let Column::Set(key) = column {
            sheet.check_units(index, key)?;
        }
    }
    let points: Vec<Measurement> =
        sheet.rows.iter().map(|row| sheet.point(row, &columns, measure)).collect::<Result<_, _>>()?;
    sheet.check_agreement(&points)?;
    Ok(points)
}

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
enum Column {
    Set(String),
    Key,
    Measured,
    Weight,
    Spread,
}

/// A row with its place in the text.
struct Row {
    cells: StringRecord,
    line: u64,
    span: Range<usize>,
}

/// The table as text.
struct Sheet {
    sources: Sources,
    heading: Row,
    rows: Vec<Row>,
}

impl Sheet {
    fn read(name: &str, text: &str) -> Result<Sheet, Fault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut sources = Sources::default();
        sources.add(name, text);
        let mut reader =
            ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for record in reader.records() {
            // The text is UTF-8 already, so nothing is left for the reader to refuse.
            let cells = record.map_err(|error| Fault::new(format!("{name}: {error}")).help(FORM))?;
            let start = cells.position().map_or(0, |at| at.byte() as usize);
            // A row is said to begin where the one before ended, with the empty lines between.
            let start = start + text[start..].len() - text[start..].trim_start_matches(['\n', '\r']).len();
            let line = 1 + text[..start].matches('\n').count() as u64;
            let end = text[start..].find(['\n', '\r']).map_or(text.len(), |length| start + length);
            rows.push(Row { cells, line, span: start..end });
        }
        if rows.is_empty() {
            return Err(Fault::new(format!("{name} is empty: it has no heading")).help(FORM));
        }
        Ok(Sheet { sources, heading: rows.remove(0), rows })
    }

    fn at(&self, row: &Row, message: impl Into<String>, label: &str) -> Fault {
        let message = message.into();
        Fault::at(&self.sources, &row.span, format!("line {}: {message}", row.line), label)
    }

    fn columns(&self, measure: Option<&str>) -> Result<Vec<Column>, Fault> {
        let names: Vec<&str> = self.heading.cells.iter().collect();
        if let Some(twice) = names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            return Err(self.at(&self.heading, format!("two columns are called \"{}\"", twice.1), "here").help(FORM));
        }
        let columns: Vec<Column> = names.iter().map(|name| self.column(name)).collect::<Result<_, _>>()?;
        let fault = |message: &str| Err(self.at(&self.heading, message, "the heading").help(FORM));
        match (columns.contains(&Column::Key), measure) {
            _ if !columns.contains(&Column::Measured) => fault("there is no column \"measured\""),
            (false, None) => fault("there is no column \"key\", and no --measure says what was measured"),
            (true, Some(_)) => fault("the column \"key\" and --measure both say what was measured"),
            _ => Ok(columns),
        }
    }

    fn column(&self, name: &str) -> Result<Column, Fault> {
        match name {
            "key" => Ok(Column::Key),
            "measured" => Ok(Column::Measured),
            "weight" => Ok(Column::Weight),
            "spread" => Ok(Column::Spread),
            _ => match name.strip_prefix("set:").map(str::trim).filter(|key| !key.is_empty()) {
                Some(key) if !key.contains([';', '\t']) => Ok(Column::Set(key.to_string())),
                _ => Err(self.unknown_column(name)),
            },
        }
    }

    fn unknown_column(&self, name: &str) -> Fault {
        let near = nearest(name, COLUMNS).map(|near| format!("did you mean \"{near}\"?"));
        let near = near.or_else(|| name.contains([';', '\t']).then(|| "cells are parted by commas".to_string()));
        let near = near.unwrap_or_else(|| "not known".to_string());
        self.at(&self.heading, format!("the column \"{name}\" is not known"), &near).help(FORM)
    }

    fn check_length(&self, row: &Row) -> Result<(), Fault> {
        let (cells, wanted) = (row.cells.len(), self.heading.cells.len());
        if cells == wanted {
            return Ok(());
        }
        let message = format!("{cells} cells under a heading of {wanted}");
        let label = if cells < wanted { "the row ends too early" } else { "the row goes on too long" };
        Err(self.at(row, message, label).help("a table cut short is no data: take the row out, or get the file again"))
    }

    /// Refuses a column whose values are not of one kind.
    fn check_units(&self, index: usize, key: &str) -> Result<(), Fault> {
        let mut first: Option<(&Row, &str)> = None;
        for row in &self.rows {
            let Some(kind) = row.cells.get(index).and_then(unit_kind) else { continue };
            match first {
                None => first = Some((row, kind)),
                Some((_, before)) if before == kind => {}
                Some((other, before)) => {
                    let message = format!("set:{key} holds {kind} here and {before} in line {}", other.line);
                    let fault = self.at(row, message, &format!("\"{}\" beside other units", &row.cells[index]));
                    return Err(fault.help("write a column in units of one kind"));
                }
            }
        }
        Ok(())
    }

    fn point(&self, row: &Row, columns: &[Column], measure: Option<&str>) -> Result<Measurement, Fault> {
        let mut point = Measurement {
            line: row.line,
            set: Vec::new(),
            key: measure.unwrap_or_default().to_string(),
            measured: 0.0,
            weight: 1.0,
            spread: USUAL_SPREAD,
        };
        for (column, cell) in columns.iter().zip(&row.cells) {
            match column {
                _ if cell.is_empty() => self.check_empty(row, column)?,
                Column::Set(key) => point.set.push((key.clone(), cell.to_string())),
                Column::Key => point.key = cell.to_string(),
                Column::Measured => point.measured = self.number(row, "measured", cell)?,
                Column::Weight => point.weight = self.number(row, "weight", cell)?,
                Column::Spread => point.spread = self.number(row, "spread", cell)?,
            }
        }
        Ok(point)
    }

    /// A cell of `set:`, `weight` or `spread` may be empty: nothing is set, or nothing is said.
    fn check_empty(&self, row: &Row, column: &Column) -> Result<(), Fault> {
        let name = match column {
            Column::Key => "key",
            Column::Measured => "measured",
            _ => return Ok(()),
        };
        Err(self
            .at(row, format!("the cell of \"{name}\" is empty"), "in this row")
            .help("take the row out, or fill it in"))
    }

    fn number(&self, row: &Row, column: &str, cell: &str) -> Result<f64, Fault> {
        let fault = |message: String, label: &str| {
            let help = "a plain number above zero, in the unit of its key (throughput_gb_s: 10^9 bytes a second)";
            self.at(row, message, label).help(help)
        };
        match cell.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
            Ok(number) => Err(fault(format!("{column} is {number}"), "expected a number above zero")),
            Err(_) if unit_kind(cell).is_some() => {
                Err(fault(format!("{column} is \"{cell}\""), "the number stands without its unit"))
            }
            Err(_) => Err(fault(format!("{column} is \"{cell}\""), "expected a number")),
        }
    }

    /// Refuses points of equal settings whose figures differ by more than both spreads.
    fn check_agreement(&self, points: &[Measurement]) -> Result<(), Fault> {
        for (index, point) in points.iter().enumerate() {
            let same = |other: &&Measurement| other.key == point.key && settings(other) == settings(point);
            let Some(other) = points[..index].iter().find(same) else { continue };
            let apart = (point.measured - other.measured).abs() / point.measured.min(other.measured);
            if apart > point.spread + other.spread {
                let message = format!(
                    "{} here and {} in line {}, at the same settings: {:.0} % apart",
                    point.measured,
                    other.measured,
                    other.line,
                    100.0 * apart
                );
                let fault = self.at(&self.rows[index], message, "contradicts the other");
                return Err(fault.help("drop one, add what differed as a set: column, or give them a wider spread"));
            }
        }
        Ok(())
    }
}

/// What was set, whatever the order of the columns and the spelling of a quantity.
fn settings(point: &Measurement) -> Vec<(&str, String)> {
    let mut settings: Vec<(&str, String)> = point.set.iter().map(|(key, value)| (key.as_str(), plain(value))).collect();
    settings.sort();
    settings
}

fn plain(value: &str) -> String {
    let bytes = value.parse::<Bytes>().map(|bytes| bytes.to_string());
    let rate = || value.parse::<Rate>().map(|rate| rate.to_string());
    let time = || value.parse::<Time>().map(|time| time.to_string());
    bytes.or_else(|_| rate()).or_else(|_| time()).unwrap_or_else(|_| value.to_string())
}

/// What kind of unit a value has; `None` where it goes with any (plain bytes) or is a word.
fn unit_kind(value: &str) -> Option<&'static str> {
    let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-')).trim();
    if value.parse::<Factor>().is_ok() {
        return Some("plain numbers");
    }
    let is_bytes = value.parse::<Bytes>().is_ok();
    if is_bytes && unit == "B" {
        return None;
    }
    match (is_bytes, value.parse::<Rate>().is_ok(), value.parse::<Time>().is_ok()) {
        (true, ..) if unit.contains('i') => Some("amounts in powers of two (KiB)"),
        (true, ..) => Some("amounts in powers of ten (kB)"),
        (_, true, _) if unit.ends_with("b/s") => Some("rates in bits"),
        (_, true, _) if unit.contains('i') => Some("rates in powers of two (GiB/s)"),
        (_, true, _) => Some("rates in powers of ten (GB/s)"),
        (_, _, true) => Some("times"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADING: &str = "set:works.*.size,set:works.*.threads,key,measured\n";

    fn read(rows: &str) -> Result<Vec<Measurement>, Fault> {
        measurements("points.csv", &format!("{HEADING}{rows}"), None)
    }

    fn refused(text: &str, measure: Option<&str>) -> String {
        crate::error::render(&measurements("points.csv", text, measure).unwrap_err(), false, 100)
    }

    #[test]
    fn a_row_is_what_was_set_and_what_was_measured() {
        let points = read("4 KiB,8,works.a.throughput_gb_s,1.5\n\n1 MiB,,works.a.throughput_gb_s,6\n").unwrap();
        assert_eq!((points[0].line, points[0].set.len(), points[0].measured), (2, 2, 1.5));
        assert_eq!((points[1].line, points[1].set.len(), points[1].weight), (4, 1, 1.0));
    }

    #[test]
    fn repeated_measurements_that_agree_are_all_kept() {
        assert_eq!(read("4 KiB,8,k,1.5\n4096 B,8,k,1.52\n").unwrap().len(), 2);
    }

    macro_rules! golden {
        ($($name:ident: $message:expr;)*) => {
            $(#[test]
            fn $name() {
                insta::assert_snapshot!($message);
            })*
        };
    }

    golden! {
        an_empty_file: refused("", None);
        a_heading_without_rows: refused(HEADING, None);
        a_row_that_ends_too_early: refused(&format!("{HEADING}4 KiB,8,k,1.5\n1 MiB,8,k"), None);
        a_column_that_is_not_known: refused("set:a,mesured,key\n1,2,k\n", None);
        cells_parted_by_semicolons: refused("set:a;measured;key\n1;2;k\n", None);
        no_word_of_what_was_measured: refused("set:a,measured\n1,2\n", None);
        two_words_of_what_was_measured: refused("set:a,key,measured\n1,k,2\n", Some("k"));
        a_column_twice: refused("set:a,set:a,key,measured\n1,2,k,2\n", None);
        sizes_beside_plain_numbers: refused(&format!("{HEADING}4 KiB,8,k,1\n8192,8,k,2\n"), None);
        powers_of_two_beside_powers_of_ten: refused(&format!("{HEADING}4 KiB,8,k,1\n8 kB,8,k,2\n"), None);
        a_measurement_with_a_unit: refused(&format!("{HEADING}4 KiB,8,k,1.5 GB/s\n"), None);
        a_measurement_of_nothing: refused(&format!("{HEADING}4 KiB,8,k,0\n"), None);
        a_measurement_that_is_missing: refused(&format!("{HEADING}4 KiB,8,k,\n"), None);
        points_that_contradict_each_other: refused(&format!("{HEADING}4 KiB,8,k,1\n8 KiB,8,k,2\n4 KiB,8,k,1.5\n"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused_but_never_panics(text in "[a-z:,;\"\n\r0-9. KiBéß]{0,80}") {
            let _ = measurements("points.csv", &text, Some("k"));
            let _ = measurements("points.csv", &format!("set:a,measured\n{text}"), Some("k"));
        }
    }
}
