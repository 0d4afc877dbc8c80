//! What the files mean: parts numbered, routes found, units checked, everything sealed before time starts.
//!
//! Knows hardware, topology, paths and their rules. Must not know that time will pass.

mod build;
mod library;
mod load;
mod plan;
mod seal;

pub use library::Library;
pub use load::{Edit, Loaded, load, load_text};
pub use plan::*;
pub use seal::{Assumed, seal};
