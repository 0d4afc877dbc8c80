//! All integration tests, one binary, a module a topic.

mod bad_input;
mod binding;
mod loading;
mod physics;
mod plans;
mod sharing;
