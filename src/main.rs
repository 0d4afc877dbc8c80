//! The binary: an exit code and nothing else.
fn main() {}
