//! Measured points laid over a chart, from a table of comma-separated values.
//!
//! Knows the table's form. Must not know who measured.
//!
//! The first line names the columns: `x` (a quantity with its unit, as the varied key takes it), `y` (in the unit of the
//! chart's vertical axis) and, where there are several series, `name`.

use super::chart::{Chart, Measured};
use super::saturation::on_axis;
use crate::error::Fault;
use crate::study::vary;

const FORM: &str = "the first line is x,y or x,y,name; then a line a point, such as 1 MiB,43.2,fio";

/// Reads a table and lays its points over a chart; `file` is what messages call it.
pub fn overlay(chart: &mut Chart, text: &str, file: &str) -> Result<(), Fault> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text.as_bytes());
    let fault = |problem: String| Fault::new(format!("{file}: {problem}")).help(FORM);
    let columns = reader.headers().map_err(|error| fault(error.to_string()))?.clone();
    let column = |names: &[&str]| columns.iter().position(|column| names.contains(&column));
    let (Some(x), Some(y)) = (column(&["x"]), column(&["y", "throughput_gb_s"])) else {
        return Err(fault("it has no columns x and y".to_string()));
    };
    let name = column(&["name"]);
    for record in reader.records() {
        let record = record.map_err(|error| fault(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let (scale, amount) = vary::measure(&record[x]);
        if scale != chart.x.scale {
            return Err(fault(format!("line {line}: \"{}\" is no value of the horizontal axis", &record[x])));
        }
        let height = record[y].parse::<f64>().ok().filter(|y| y.is_finite());
        let y = height.ok_or_else(|| fault(format!("line {line}: \"{}\" is no number", &record[y])))?;
        let name = name.map_or("measured", |name| &record[name]).to_string();
        chart.measured.push(Measured { name, x: on_axis(scale, amount), y });
    }
    Ok(())
}
