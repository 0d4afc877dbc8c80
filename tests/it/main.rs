//! All integration tests, one binary, a module a topic.

mod binding;
mod physics;
mod plans;
mod sharing;
