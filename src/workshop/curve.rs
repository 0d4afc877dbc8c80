//! A curve: the throughput of each work along one slider, the others where they are.
//!
//! Knows points in a row. Must not know how a curve is drawn.

use serde::Serialize;

use crate::error::Fault;
use crate::report::Report;

use super::ask::{Ask, Sheet};
use super::knobs::{Knob, Slider};

/// The most points of a curve.
const MOST_POINTS: usize = 9;

/// A place on a curve.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Place {
    /// The slider's value as it is written.
    pub value: String,
    /// The works there, in the order of the report.
    pub works: Vec<Height>,
    /// Why there is nothing there.
    pub fault: Option<String>,
}

/// A work's throughput at a place.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Height {
    /// The work.
    pub name: String,
    /// Its throughput, 10^9 bytes a second.
    pub throughput_gb_s: f64,
    /// What no schedule can pass there, 10^9 bytes a second.
    pub ceiling_gb_s: f64,
    /// What binds there.
    pub binds: String,
}

/// The questions along a slider: its ends, its own value and evenly some between.
pub(super) fn along(sheet: &Sheet, ask: &Ask, knob: Knob) -> Result<Vec<(String, Ask)>, Fault> {
    let slider = sheet.slider(knob).ok_or_else(|| Fault::new("the scenario has no such slider"))?;
    places(slider).into_iter().map(|value| Ok((value.to_string(), ask.with(sheet, knob, value)?))).collect()
}

fn places(slider: &Slider) -> Vec<&str> {
    let last = slider.values.len().saturating_sub(1);
    let steps = last.clamp(1, MOST_POINTS - 1);
    let mut indices: Vec<usize> = (0..=steps).map(|step| step * last / steps).collect();
    indices.dedup();
    indices.into_iter().map(|index| slider.values[index].as_str()).collect()
}

impl Place {
    /// What came out at a value.
    pub(super) fn of(value: String, report: Result<&Report, &Fault>) -> Place {
        match report {
            Ok(report) => Place { value, works: report.works.iter().map(height).collect(), fault: None },
            Err(fault) => Place { value, works: Vec::new(), fault: Some(fault.message().to_string()) },
        }
    }
}

fn height(work: &crate::report::WorkReport) -> Height {
    Height {
        name: work.name.clone(),
        throughput_gb_s: work.throughput_gb_s,
        ceiling_gb_s: work.ceiling_gb_s,
        binds: work.binding.first().map(|binding| binding.name.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::Library;

    #[test]
    fn a_curve_goes_from_one_end_of_its_slider_to_the_other_in_few_points() {
        let sheet = Sheet::named("load-640gb-textbook", &Library::default()).unwrap();
        for slider in &sheet.sliders {
            let places = places(slider);
            assert!(places.len() <= MOST_POINTS);
            let ends = [places.first().copied(), places.last().copied()];
            assert_eq!(ends, [slider.values.first(), slider.values.last()].map(|end| end.map(String::as_str)));
        }
    }
}
