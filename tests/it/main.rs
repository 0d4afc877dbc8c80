//! All integration tests, one binary, a module a topic.

mod bad_input;
mod bad_platform;
mod binding;
mod cli;
mod laws;
mod loading;
mod physics;
mod plans;
mod sealing;
mod sharing;
mod shipped;
mod small;
mod sweeps;
