//! The workshop page: a local web server of one page on which people move sliders and see what changes, or the same page
//! as static files.
//!
//! Knows how a question from the page becomes a run, and what the page needs to draw it. Must not know a terminal.
//!
//! # What a request cannot do
//! - Name a file: it names a scenario that the library lists, a path, and values of sliders, each within its range.
//! - Run for long: a simulation stops after `point::MOST_MOMENTS` moments, when its time is over, or when nobody waits.
//! - Pile up: connections, requests that wait, runs side by side and remembered answers are all bounded.

mod answer;
mod ask;
mod assets;
mod curve;
mod desk;
mod drawing;
mod knobs;
mod memory;
mod point;
mod room;
mod server;
mod still;

pub use desk::{Desk, Lessons};
pub use server::{Doors, serve};
pub use still::pages;
