//! What a sheet's pictures show, as plain series: a run with its stalls, goodput by interval, save time by nodes, ranks' ends.
//!
//! Knows figures of sheets. Must not know how a picture is drawn.

use crate::error::Fault;
use crate::platform::Library;
use crate::readable::seconds;
use engine::units::significant;

use super::answers::{Figures, Sheet};
use super::environment::{Environment, scale};
use super::measure::Bench;
use super::question::Question;
use super::scenario::Load;
use super::scheme::Scheme;
use super::sheet::Case;

/// A named row of points, some with a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is of.
    pub name: String,
    /// `(x, y)` and what is written beside it.
    pub points: Vec<(f64, f64, Option<String>)>,
}

/// A series for each scheme of each environment that has figures.
fn of_schemes(sheet: &Sheet, points: impl Fn(&Figures) -> Vec<(f64, f64, Option<String>)>) -> Vec<Series> {
    let several = sheet.environments.len() > 1;
    let all =
        sheet.environments.iter().flat_map(|environment| environment.schemes.iter().map(move |row| (environment, row)));
    let series = all.filter_map(|(environment, row)| {
        let name = row.scheme.name();
        let name = if several { format!("{name}, {}", environment.node) } else { name.to_string() };
        Some(Series { name, points: points(row.figures.as_ref()?) })
    });
    series.collect()
}

/// The share of time that is no useful work, in per cent, by the minutes between two saves; the best is marked.
pub fn lost(sheet: &Sheet) -> Vec<Series> {
    of_schemes(sheet, |figures| {
        let (costs, best) = (figures.interval.costs, figures.interval.costs.best_s());
        // Sixteen points to a doubling, from a sixteenth of the best to sixteen times it, the best among them.
        let factors = (-64..=64).map(|part| (part, libm::exp2(f64::from(part) / 16.0)));
        let allowed = factors.filter(|(_, factor)| best * factor >= costs.shortest_s() * 0.999_999);
        let note = |part: i32| (part == 0).then(|| format!("{} min", significant(best / 60.0)));
        let lost = |interval: f64| (1.0 - costs.goodput(interval)) * 100.0;
        allowed.map(|(part, factor)| (best * factor / 60.0, lost(best * factor), note(part))).collect()
    })
}

/// Useful seconds by seconds of a run with three saves, so far apart that each is safe before the next begins: flat while
/// training waits, less steep while a drain goes on beside it.
pub fn timeline(sheet: &Sheet) -> Vec<Series> {
    let figures =
        sheet.environments.iter().flat_map(|environment| &environment.schemes).filter_map(|row| row.figures.as_ref());
    let longest = figures.map(|figures| figures.times.save_s).fold(0.0, f64::max);
    let apart = longest * 1.5;
    let mut all = of_schemes(sheet, |figures| {
        let (mut now, mut done) = (0.0, 0.0);
        let mut points = vec![(now, done, None)];
        for _ in 0..3 {
            (now, done) = (now + apart, done + apart);
            points.push((now, done, None));
            now += figures.times.stall_s;
            points.push((now, done, None));
            let slower = figures.times.drain_s / (1.0 + figures.step_inflation);
            (now, done) = (now + figures.times.drain_s, done + slower);
            points.push((now, done, None));
        }
        points
    });
    let figures =
        sheet.environments.iter().flat_map(|environment| &environment.schemes).filter_map(|row| row.figures.as_ref());
    let stalls = figures.map(|figures| seconds(figures.times.stall_s));
    all.iter_mut().zip(stalls).for_each(|(series, stall)| series.name = format!("{}: waits {stall}", series.name));
    all
}

/// When each rank's last byte was done, in seconds, by the rank.
///
/// # Errors
/// A [`Fault`] if the models do not fit.
pub fn finishes(question: &Question, library: &Library) -> Result<Vec<Series>, Fault> {
    let mut all = Vec::new();
    for setup in &question.setups {
        let environment = setup.environment(library)?;
        let bench = Bench { environment: &environment, how: &question.how, mode: question.mode };
        let case = Case::new(question, bench)?;
        for scheme in schemes(question, &environment) {
            let ends = case.bench.finishes(scheme, &case.load)?;
            let points = ends.into_iter().map(|(rank, end)| (rank as f64, end, None)).collect();
            all.push(Series { name: format!("{}, {}", scheme.name(), environment.node_name()), points });
        }
    }
    Ok(all)
}

/// Nodes along the axis.
const NODES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Seconds of a save by a scheme against the nodes that share its bytes, for the target as it is, half and twice as fast.
///
/// # Errors
/// A [`Fault`] if the models do not fit.
pub fn by_nodes(question: &Question, library: &Library) -> Result<Vec<Series>, Fault> {
    let Some(setup) = question.setups.first() else { return Ok(Vec::new()) };
    let environment = setup.environment(library)?;
    let scheme = schemes(question, &environment).first().copied().unwrap_or(Scheme::Bounce);
    let mut all = Vec::new();
    for factor in [1, 2, 4] {
        let environment = environment.changed(|scenario| scale(&mut scenario.target, factor, 2));
        let points = NODES.iter().map(|nodes| {
            let bench = Bench { environment: &environment, how: &question.how, mode: question.mode };
            let (bytes, gpus) = (question.contents.bytes(), environment.node().gpus.value);
            let load = Load { bytes, nodes: *nodes, gpus, by_gpu: Vec::new() };
            Ok((*nodes as f64, bench.save(scheme, &load, true)?.save_s, None))
        });
        let points = points.collect::<Result<Vec<_>, Fault>>()?;
        all.push(Series { name: format!("{} to {}", scheme.name(), environment.target_name()), points });
    }
    Ok(all)
}

/// The schemes asked for, else both that training waits for.
fn schemes(question: &Question, environment: &Environment) -> Vec<Scheme> {
    let all = question.schemes.clone().unwrap_or_else(|| vec![Scheme::Gds, Scheme::Bounce]);
    all.into_iter().filter(|scheme| !scheme.is_local() || environment.has_own_drives()).collect()
}
