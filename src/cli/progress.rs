//! A progress bar on standard error: only on a terminal, and only when the run turns out to be long.
//!
//! Knows the clock and the terminal. Must not know what is running.

use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::World;
use crate::study::Progress;

/// How long a run may take before it shows a bar.
const PATIENCE: Duration = Duration::from_millis(800);
/// Steps of a full bar.
const STEPS: u64 = 1000;

/// Does some work, showing how far it is.
pub(super) fn shown<T>(world: &World, name: &str, work: impl FnOnce(Option<&Progress>) -> T) -> T {
    if world.quiet || !std::io::stderr().is_terminal() {
        return work(None);
    }
    let (start, bar) = (Instant::now(), Arc::new(OnceLock::new()));
    let (shown, name) = (bar.clone(), name.to_string());
    let progress: Progress = Arc::new(move |share: f64| {
        if start.elapsed() > PATIENCE {
            let bar: &ProgressBar = shown.get_or_init(|| new_bar(&name));
            bar.set_position((share.clamp(0.0, 1.0) * STEPS as f64) as u64);
        }
    });
    let result = work(Some(&progress));
    if let Some(bar) = bar.get() {
        bar.finish_and_clear();
    }
    result
}

fn new_bar(name: &str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:40} {percent} % {eta}");
    let bar = ProgressBar::new(STEPS).with_message(name.to_string());
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Does the points of a sweep, showing how many are left and how long they will take. The work calls what it is given
/// once for each finished point.
pub(super) fn points<T>(
    world: &World,
    name: &str,
    all: u64,
    done: u64,
    work: impl FnOnce(&(dyn Fn() + Sync)) -> T,
) -> T {
    if world.quiet || !std::io::stderr().is_terminal() {
        return work(&|| ());
    }
    let style = ProgressStyle::with_template("{msg} {bar:40} {pos} of {len} points, {eta} left");
    let bar = ProgressBar::new(all).with_message(name.to_string());
    let bar = bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_position(done);
    // Points of an earlier part of the sweep say nothing about the speed of this one.
    bar.reset_eta();
    let result = work(&|| bar.inc(1));
    bar.finish_and_clear();
    result
}
