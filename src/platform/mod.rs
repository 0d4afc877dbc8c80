//! What the files mean: parts numbered, routes found, units checked, everything sealed before time starts.
//!
//! Knows hardware, topology, paths and their rules. Must not know that time will pass.

mod build;
mod canonical;
mod cut;
mod delay;
mod edit;
mod families;
mod hold;
mod library;
mod load;
mod merge;
mod misfit;
mod plan;
pub mod rules;
mod seal;
mod session;
mod tree;

pub use edit::Edit;
pub use families::{Folder, TextFile};
pub use library::{Entry, Library, read_file};
pub use load::{Loaded, load, load_text, whole};
pub use plan::*;
pub use seal::{Assumed, seal};
