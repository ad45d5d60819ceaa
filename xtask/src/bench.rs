//! `cargo xtask bench`: what everything costs, each against its bar; fails where one is missed.
//!
//! The figures are floors: the minimum over many interleaved batches, which is what a machine that is busy
//! with other things can still tell. For distributions there are the criterion benches (`cargo bench`).

use crate::error::Result;
use crate::process::Program;

/// Measures the cases whose name has `filter` in it.
///
/// # Errors
/// A bar is missed.
pub(crate) fn run(filter: &str) -> Result {
    Program::cargo(["run", "--quiet", "--release", "--package", "benches", "--bin", "floors", "--", filter])
        .run()
}

/// Measures the audit log. The crate alone, with what it needs.
///
/// # Errors
/// A bar is missed.
pub(crate) fn audit() -> Result {
    Program::cargo([
        "bench",
        "--quiet",
        "--package",
        "tower-hooks",
        "--no-default-features",
        "--features",
        "audit",
        "--bench",
        "audit",
    ])
    .run()
}
