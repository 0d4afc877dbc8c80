//! What the files mean: parts numbered, routes found, units checked, everything sealed before time starts.
//!
//! Knows hardware, topology, paths and their rules. Must not know that time will pass.

mod canonical;
mod compose;
mod edit;
mod families;
mod library;
mod load;
mod lower;
mod merge;
mod misfit;
pub mod rules;
mod seal;
mod segments;
mod tree;
mod underlay;
mod wires;

pub use compose::{Composed, Given, NOWHERE, Parts, compose, read_file_as, start_of};
pub use edit::Edit;
pub use families::{Folder, TextFile};
pub use library::{Entry, Library, read_file};
pub use load::{Loaded, edited_text, load, load_text, whole};
pub use seal::{Assumed, seal, seal_compact};
