//! All integration tests in one binary, a module a topic.

mod cli;
