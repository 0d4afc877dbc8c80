//! Builds hopsim again when a file is added to the folders that the binary carries.

fn main() {
    println!("cargo::rerun-if-changed=models");
    println!("cargo::rerun-if-changed=scenarios");
}
