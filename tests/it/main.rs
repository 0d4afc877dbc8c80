//! The integration tests: one module a topic.

mod bad_platform;
mod platform;
mod small;
