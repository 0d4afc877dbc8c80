//! A trace of failures as CSV: a failure a line, by its time from the beginning or by the interval since the one before.
//!
//! Knows the table's form. Must not know what failures do to a run. The heading says which of both, and the unit: `time_h`,
//! `interval (min)`; other columns are whatever they are.

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::error::{Fault, Sources, Span};
use engine::units::LongTime;

const FORM: &str = "a heading with a column time_h or interval_h (or _s, _min, _d, _y), then a failure a line; other columns are \
                    not looked at";

/// What a column counts, and in which unit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    index: usize,
    unit: String,
    /// Whether it counts from the failure before.
    since_last: bool,
}

/// A table with its places.
struct Table<'a> {
    sources: Sources,
    text: &'a str,
}

/// Reads times of failures, counted from the beginning.
///
/// # Errors
/// A [`Fault`] with line and column for what is no such table, and for times that are none or go back.
pub(super) fn read(shown: &str, text: &str) -> Result<Vec<LongTime>, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sources = Sources::default();
    sources.add(shown, text);
    let table = Table { sources, text };
    let mut form = ReaderBuilder::new();
    form.has_headers(false).flexible(true).trim(Trim::All).comment(Some(b'#'));
    // The text is UTF-8 already, so nothing is left for the reader to refuse.
    let rows = form.from_reader(text.as_bytes()).into_records().collect::<Result<Vec<_>, _>>();
    let rows = rows.map_err(|error| Fault::new(format!("{shown}: {error}")).help(FORM))?;
    let Some((heading, rows)) = rows.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        return Err(
            Fault::new(format!("{shown} holds no failures: a heading and at least one line are needed")).help(FORM)
        );
    };
    let column = table.column(heading)?;
    let mut times: Vec<LongTime> = Vec::with_capacity(rows.len());
    for row in rows {
        let time = table.time(row, &column, times.last().copied().unwrap_or_default())?;
        times.push(time);
    }
    Ok(times)
}

impl Table<'_> {
    fn column(&self, heading: &StringRecord) -> Result<Column, Fault> {
        let named = |(index, cell): (usize, &str)| {
            let lower = cell.to_lowercase();
            let (since_last, rest) = match (lower.strip_prefix("time"), lower.strip_prefix("interval")) {
                (Some(rest), _) => (false, rest),
                (None, rest) => (true, rest?),
            };
            let unit = rest.trim_matches(|c: char| c.is_whitespace() || "_-()[]".contains(c)).to_string();
            (unit.is_empty() || in_unit("1", &unit).is_ok()).then_some(Column { index, unit, since_last })
        };
        let columns: Vec<Column> = heading.iter().enumerate().filter_map(named).collect();
        let fault = |index: usize, message: &str, label: &str| {
            Err(Fault::at(&self.sources, &self.cell(heading, index), message, label).help(FORM))
        };
        match columns.as_slice() {
            [one] if one.unit.is_empty() => {
                fault(one.index, "the heading does not say the unit of its times", "in what?")
            }
            [one] => Ok(one.clone()),
            [] => fault(0, "the heading names neither times nor intervals", "no column time_h or interval_h"),
            [_, second, ..] => fault(second.index, "two columns say when something failed", "the second of them"),
        }
    }

    /// When the failure of a row was, the one before having been at `last`.
    fn time(&self, row: &StringRecord, column: &Column, last: LongTime) -> Result<LongTime, Fault> {
        let fault =
            |message: String, label: &str| Fault::at(&self.sources, &self.cell(row, column.index), message, label);
        let Some(cell) = row.get(column.index).filter(|cell| !cell.is_empty()) else {
            return Err(
                fault("a line without its time".into(), "nothing here").help("take the line out, or fill it in")
            );
        };
        let told = in_unit(cell, &column.unit).map_err(|problem| {
            fault(problem, "expected a plain number").help(format!("the heading says the unit: {}", column.unit))
        })?;
        let (since, ends) = (last.0.checked_add(told.0), "a trace ends after 584 years at the latest");
        match (column.since_last, since) {
            (true, Some(sum)) => Ok(LongTime(sum)),
            (true, None) => Err(fault("the intervals come to more than can be counted".into(), "here").help(ends)),
            (false, _) if told < last => {
                Err(fault("times stand in order, counted from the beginning".into(), "earlier than the one before")
                    .help("sort the lines, or head the column interval_h if these are times between failures"))
            }
            (false, _) => Ok(told),
        }
    }

    /// The place of a cell.
    fn cell(&self, row: &StringRecord, index: usize) -> Span {
        let start = row.position().map_or(0, |at| at.byte() as usize).min(self.text.len());
        // A row is said to begin where the one before ended, with empty lines and comments between.
        let start = skip_to_cells(self.text, start);
        let line = self.text[start..].find(['\n', '\r']).map_or(self.text.len(), |length| start + length);
        let mut quoted = false;
        let commas = self.text[start..line].char_indices().filter(|(_, c)| {
            quoted ^= *c == '"';
            *c == ',' && !quoted
        });
        let ends: Vec<usize> = commas.map(|(at, _)| start + at).chain([line]).collect();
        let end = ends.get(index).copied().unwrap_or(line);
        let begin = if index == 0 { start } else { ends.get(index - 1).map_or(line, |comma| (comma + 1).min(end)) };
        let blank = self.text[begin..end].len() - self.text[begin..end].trim_start().len();
        begin + blank..end.max(begin + blank + 1)
    }
}

/// The first place from one on that is neither an empty line nor a comment's.
fn skip_to_cells(text: &str, mut start: usize) -> usize {
    loop {
        let rest = &text[start..];
        let blank = rest.len() - rest.trim_start_matches(['\n', '\r']).len();
        match rest[blank..].strip_prefix('#') {
            Some(comment) => start += blank + 1 + comment.find('\n').unwrap_or(comment.len()),
            None => return start + blank,
        }
    }
}

fn in_unit(cell: &str, unit: &str) -> Result<LongTime, String> {
    if cell.parse::<f64>().is_err() {
        return Err(format!("\"{cell}\" is no number"));
    }
    format!("{cell} {unit}").parse::<LongTime>().map_err(|error| error.problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::render;

    fn hours(text: &str) -> Vec<f64> {
        read("a.csv", text).unwrap().iter().map(|time| time.seconds() / 3600.0).collect()
    }

    #[test]
    fn times_and_intervals_come_to_the_same() {
        assert_eq!(
            hours("node,time_h\n3,1.5\n7,4\n"),
            hours("interval (min), node\n# restarted\n90,3\n150,\"7, rack 2\"\n")
        );
        assert_eq!(hours("time [d]\n1\n"), [24.0]);
    }

    #[test]
    fn what_is_wrong_with_a_trace_is_said_with_its_place() {
        for (name, text) in [
            ("trace-no-number", "node,time_h\n3,1.5\n\n7,soon\n"),
            ("trace-times-that-go-back", "time_h\n5\n4\n"),
            ("trace-a-negative-time", "time_h\n-5\n"),
            ("trace-no-unit", "node,time\n1,5\n"),
            ("trace-no-column", "node,reason\n1,gpu\n"),
            ("trace-two-columns", "time_h,interval_h\n1,1\n"),
            ("trace-a-short-line", "node,time_h\n3\n"),
            ("trace-nothing", "time_h\n"),
        ] {
            insta::assert_snapshot!(name, render(&read("a.csv", text).unwrap_err(), false, 100));
        }
    }
}
