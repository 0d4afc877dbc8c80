//! Tests of hopsim as a whole, one module a topic.

mod bad_input;
mod loading;
