//! All integration tests, one binary, a module a topic.

mod bad_input;
mod bad_platform;
mod binding;
mod calibration;
mod checkpoint;
mod cli;
mod clusters;
mod cost;
mod format;
mod laws;
mod layers;
mod loading;
mod mechanisms;
mod modes;
mod physics;
mod plans;
mod ring;
mod sameness;
mod sealing;
mod sharing;
mod shipped;
mod small;
mod source;
mod streams;
mod style;
mod validation;
