//! hopsim: a discrete-event simulator of storage data paths in GPU nodes.
#![feature(coroutines, coroutine_trait, stmt_expr_attributes)]
#![warn(missing_docs)]

pub mod error;
pub mod platform;
pub mod report;
pub mod sim;
pub mod spec;
pub mod study;
pub mod units;
