//! hopsim: a discrete-event simulator of storage data paths in GPU nodes.
#![warn(missing_docs)]

pub mod calibrate;
pub mod check;
pub mod checkpoint;
pub mod cli;
pub mod doctor;
pub mod error;
pub mod explain;
pub mod export;
pub mod format;
pub mod import;
pub mod lesson;
pub mod platform;
pub mod plot;
pub mod readable;
pub mod report;
pub mod statistics;
pub mod study;
pub mod table;
pub mod trace;
pub mod validate;
pub mod workshop;
