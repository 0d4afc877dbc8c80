//! Timeline: how busy each resource is over time, and how many requests are outstanding and in line beneath.
//!
//! Knows tracks. Must not know pixels.

use super::chart::{Axis, Chart, Curve, Point};
use super::picture::Picture;
use super::{Question, loaded};
use crate::error::Fault;
use crate::report::Report;
use crate::study::vary::Scale;
use crate::study::{Progress, watch};
use crate::trace::{Timeline, Track, Tracks};

/// The most curves of a panel.
const MOST_CURVES: usize = 6;
/// Resources that are never as busy as this are left out.
const IDLE: f64 = 0.01;
/// The most points of a curve.
const MOST_POINTS: usize = 300;

/// Runs the scenario and draws what happens over time.
pub fn timeline(question: &Question<'_>, _: Option<&Progress>) -> Result<Picture, Fault> {
    let loaded = loaded(question)?;
    let (report, timeline) = watch(&loaded, &question.options, Timeline::new)?;
    Ok(Picture::Panels(panels(&report, &timeline.tracks())))
}

/// The panels of what was noted of a run.
fn panels(report: &Report, tracks: &Tracks) -> Vec<Chart> {
    let early = report.works.iter().any(|work| work.settled.is_some());
    let part = if early { "; shown is what was simulated until throughput settled" } else { "" };
    let busy = busiest(&tracks.busy, IDLE);
    let mut queues: Vec<(String, &Track)> =
        tracks.outstanding.iter().map(|track| (format!("{} outstanding", track.name), track)).collect();
    let lines = busiest(&tracks.in_line, 1e-9);
    queues.extend(lines.into_iter().map(|track| (format!("in line for {}", track.name), track)));
    queues.truncate(MOST_CURVES);
    let busy_curves = busy.into_iter().map(|track| curve(&track.name, track, tracks.bin_s, 100.0)).collect();
    let queue_curves = queues.iter().map(|(name, track)| curve(name, track, tracks.bin_s, 1.0)).collect();
    vec![
        Chart {
            title: format!("{}: what happens over time", report.scenario),
            subtitle: format!("alike resources together{part}"),
            whole: Some(100.0),
            ..chart("", "utilisation (% of the rate)", busy_curves)
        },
        chart("simulated time", "requests", queue_curves),
    ]
}

fn chart(x: &str, y: &str, curves: Vec<Curve>) -> Chart {
    Chart {
        title: String::new(),
        subtitle: String::new(),
        x: Axis { title: x.to_string(), scale: Scale::Time, doubling: false },
        y: y.to_string(),
        whole: None,
        curves,
        limits: Vec::new(),
        measured: Vec::new(),
    }
}

/// The tracks that reach highest on the whole, those that never reach `least` left out.
fn busiest(tracks: &[Track], least: f64) -> Vec<&Track> {
    let mean = |track: &Track| track.values.iter().sum::<f64>();
    let mut tracks: Vec<&Track> = tracks.iter().filter(|t| t.values.iter().any(|value| *value >= least)).collect();
    tracks.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
    tracks.truncate(MOST_CURVES);
    tracks
}

/// A track, neighbouring bins joined until it is short enough to draw.
fn curve(name: &str, track: &Track, bin_s: f64, scale: f64) -> Curve {
    let join = track.values.len().div_ceil(MOST_POINTS).max(1);
    let means = track.values.chunks(join).map(|bins| bins.iter().sum::<f64>() / bins.len() as f64);
    let points = means.enumerate().map(|(index, mean)| Point {
        x: (index * join) as f64 * bin_s + bin_s * join as f64 / 2.0,
        x_text: String::new(),
        y: mean * scale,
        binds: String::new(),
        note: None,
    });
    Curve { name: name.to_string(), points: points.collect(), knee: None }
}
