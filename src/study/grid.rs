//! A grid of points: axes crossed, keys of an axis in step, replicates with seeds of their own.
//!
//! Knows how points are numbered: the last axis runs fastest, replicates fastest of all. Must not know what a key means.

use crate::error::{Fault, Sources};
use crate::format::Sweep;
use crate::platform::Edit;

use super::vary::{self, Vary};

/// Keys that go in step.
type Axis = Vec<Vary>;

/// A grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    axes: Vec<Axis>,
    replicates: u64,
}

/// A point of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Its number, from 0.
    pub number: u64,
    /// Which of the runs with these inputs it is, from 0.
    pub replicate: u64,
    /// The keys and the values that they take here.
    pub edits: Vec<Edit>,
}

impl Grid {
    /// The grid of a file's `[sweep]`.
    pub fn of_file(sweep: &Sweep, sources: &Sources) -> Result<Grid, Fault> {
        let read = |texts: &[crate::format::At<String>]| -> Result<Vec<Vary>, Fault> {
            texts.iter().map(|text| vary::parse_at(text, sources)).collect()
        };
        let mut grid = Grid::crossed(read(&sweep.vary)?);
        let zipped = read(&sweep.zip)?;
        if let Some(odd) = uneven(&zipped) {
            return Err(Fault::at(sources, &sweep.zip[odd].span, unlike(&zipped, odd), "another number of values")
                .help("keys that go in step take equally many values each"));
        }
        grid.add(zipped);
        if let Some(replicates) = &sweep.replicates {
            grid.replicates = replicates.value;
            if replicates.value == 0 {
                return Err(Fault::at(sources, &replicates.span, "no replicates, no runs", "expected 1 or more"));
            }
        }
        grid.check_twice()
    }

    /// The grid of keys typed on the command line.
    pub fn typed(vary: &[String], zip: &[String], replicates: u64) -> Result<Grid, Fault> {
        let read = |texts: &[String]| -> Result<Vec<Vary>, Fault> { texts.iter().map(|t| vary::parse(t)).collect() };
        let mut grid = Grid::crossed(read(vary)?);
        let zipped = read(zip)?;
        if let Some(odd) = uneven(&zipped) {
            return Err(Fault::new(unlike(&zipped, odd)).help("keys that go in step take equally many values each"));
        }
        grid.add(zipped);
        grid.replicates = replicates;
        grid.check_twice()
    }

    /// The grid of some axes, all crossed.
    pub fn crossed(axes: Vec<Vary>) -> Grid {
        Grid { axes: axes.into_iter().map(|vary| vec![vary]).collect(), replicates: 1 }
    }

    fn add(&mut self, zipped: Axis) {
        if !zipped.is_empty() {
            self.axes.push(zipped);
        }
    }

    /// A key stands on one axis.
    fn check_twice(self) -> Result<Grid, Fault> {
        let keys: Vec<&str> = self.keys().collect();
        match keys.iter().enumerate().find(|(index, key)| keys[..*index].contains(key)) {
            Some((_, key)) => {
                Err(Fault::new(format!("{key} is varied twice")).help("give each key all its values at one place"))
            }
            None => Ok(self),
        }
    }

    /// Whether nothing is varied.
    pub fn is_empty(&self) -> bool {
        self.axes.is_empty() && self.replicates <= 1
    }

    /// How often each point is run.
    pub fn replicates(&self) -> u64 {
        self.replicates
    }

    /// The same grid with another number of replicates.
    pub fn replicated(self, replicates: u64) -> Grid {
        Grid { replicates, ..self }
    }

    /// All keys, in the order of the axes.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().flatten().map(|vary| vary.key.as_str())
    }

    /// The axes, each the keys that go in step along it.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// How many points it has; as good as endless beyond 2^64.
    pub fn points(&self) -> u64 {
        self.axes.iter().map(length).chain([self.replicates]).fold(1, u64::saturating_mul)
    }

    /// The point of that number.
    pub fn point(&self, number: u64) -> Point {
        let replicates = self.replicates.max(1);
        let (mut rest, replicate) = (number / replicates, number % replicates);
        let mut edits = Vec::new();
        for axis in self.axes.iter().rev() {
            let (step, length) = ((rest % length(axis)) as usize, length(axis));
            rest /= length;
            edits.splice(0..0, axis.iter().map(|vary| edit(vary, step)));
        }
        Point { number, replicate, edits }
    }

    /// Few points that take every value of every axis once, the other axes at their first values.
    pub fn samples(&self) -> Vec<Vec<Edit>> {
        let first = |axis: &Axis| axis.iter().map(|vary| edit(vary, 0)).collect::<Vec<_>>();
        let mut samples = Vec::new();
        for (turn, axis) in self.axes.iter().enumerate() {
            for step in usize::from(turn > 0)..length(axis) as usize {
                let here = |(other, at): (usize, &Axis)| match other == turn {
                    true => at.iter().map(|vary| edit(vary, step)).collect(),
                    false => first(at),
                };
                samples.push(self.axes.iter().enumerate().flat_map(here).collect());
            }
        }
        samples
    }

    /// The whole grid in one text, the same for grids that are the same.
    pub fn text(&self) -> String {
        let vary = |vary: &Vary| {
            let values: Vec<&str> = vary.values.iter().map(|value| value.text.as_str()).collect();
            format!("{}={}", vary.key, values.join(","))
        };
        let axes: Vec<String> =
            self.axes.iter().map(|axis| axis.iter().map(vary).collect::<Vec<_>>().join(" with ")).collect();
        format!("{} x {}", axes.join("; "), self.replicates)
    }
}

fn length(axis: &Axis) -> u64 {
    axis.first().map_or(1, |vary| vary.values.len() as u64)
}

fn edit(vary: &Vary, step: usize) -> Edit {
    Edit { key: vary.key.clone(), value: vary.values[step].text.clone() }
}

/// The first key that takes another number of values than the one before it.
fn uneven(zipped: &Axis) -> Option<usize> {
    zipped.windows(2).position(|pair| pair[0].values.len() != pair[1].values.len()).map(|index| index + 1)
}

fn unlike(zipped: &Axis, odd: usize) -> String {
    let count = |vary: &Vary| format!("{} takes {} values", vary.key, vary.values.len());
    format!("{}, but {}", count(&zipped[odd - 1]), count(&zipped[odd]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(vary: &[&str], zip: &[&str], replicates: u64) -> Grid {
        let texts = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        Grid::typed(&texts(vary), &texts(zip), replicates).unwrap()
    }

    fn values(point: &Point) -> Vec<&str> {
        point.edits.iter().map(|edit| edit.value.as_str()).collect()
    }

    #[test]
    fn the_last_axis_runs_fastest_and_replicates_fastest_of_all() {
        let grid = grid(&["a=1,2", "b=3,4,5"], &[], 2);
        assert_eq!(grid.points(), 12);
        let all: Vec<_> = (0..12).map(|n| grid.point(n)).collect();
        assert_eq!(values(&all[0]), ["1", "3"]);
        assert_eq!((values(&all[1]), all[1].replicate), (vec!["1", "3"], 1));
        assert_eq!(values(&all[2]), ["1", "4"]);
        assert_eq!(values(&all[11]), ["2", "5"]);
    }

    #[test]
    fn keys_in_step_are_one_axis() {
        let grid = grid(&["a=1,2"], &["b=3,4", "c=x,y"], 1);
        assert_eq!(grid.points(), 4);
        assert_eq!(values(&grid.point(1)), ["1", "4", "y"]);
    }

    #[test]
    fn samples_take_every_value_once() {
        let grid = grid(&["a=1,2,3", "b=4,5"], &[], 7);
        let samples: Vec<Vec<String>> =
            grid.samples().into_iter().map(|edits| edits.into_iter().map(|e| e.value).collect()).collect();
        assert_eq!(samples, [["1", "4"], ["2", "4"], ["3", "4"], ["1", "5"]]);
    }

    #[test]
    fn uneven_steps_and_keys_that_stand_twice_are_refused() {
        let texts = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        assert!(Grid::typed(&[], &texts(&["a=1,2", "b=1,2,3"]), 1).is_err());
        assert!(Grid::typed(&texts(&["a=1,2", "a=3"]), &[], 1).is_err());
    }
}
