//! hopsim: a discrete-event simulator of storage data paths in GPU nodes.
#![feature(coroutines, coroutine_trait, stmt_expr_attributes)]
#![warn(missing_docs)]

pub mod calibrate;
pub mod checkpoint;
pub mod cli;
pub mod error;
pub mod explain;
pub mod export;
pub mod import;
pub mod platform;
pub mod plot;
pub mod readable;
pub mod report;
pub mod sim;
pub mod spec;
pub mod statistics;
pub mod study;
pub mod table;
pub mod trace;
pub mod units;
pub mod validate;
