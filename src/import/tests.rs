//! Tests of the importers.
