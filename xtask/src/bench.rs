//! `cargo xtask bench`: measures all cases, each against its bar; fails if one misses its bar.
//!
//! The figures are floors: the minimum over many interleaved batches, which a busy machine can still measure.
//! For distributions there are the criterion benches (`cargo bench`).

use crate::built::Built;
use crate::error::Result;
use crate::process::Program;

/// Measures the cases whose name contains `filter`.
///
/// # Errors
/// Returns an error if a bar is missed, or if the cases cannot be built or run.
pub(crate) fn run(filter: &str) -> Result {
    Program::cargo([
        "run",
        "--quiet",
        "--profile",
        "fast",
        "--package",
        "benches",
        "--bin",
        "floors",
        "--",
        filter,
    ])
    .run()
}

/// Measures the audit log. Builds its crate alone.
///
/// # Errors
/// Returns an error if a bar is missed, or if the bench cannot be built or run.
pub(crate) fn audit() -> Result {
    Program::cargo(["bench", "--quiet", "--package", "tower-hooks-audit", "--bench", "audit"]).run()
}

/// Measures the proxy for MCP servers, with the program built for speed.
///
/// # Errors
/// Returns an error if a bar is missed, or if the program or the bench cannot be built or run.
pub(crate) fn mcp() -> Result {
    let built = Built::hooks_for_speed()?;
    let fixed = ["bench", "--quiet", "--package", "tower-hooks-mcp", "--bench", "mcp", "--", "--hooks"];
    Program::cargo(fixed.into_iter().chain([built.program("hooks")?])).run()
}

/// Scrubs the files of folders, and prints what was found.
///
/// # Errors
/// Returns an error if the example cannot be built, or a folder cannot be read.
pub(crate) fn scrub_corpus(options: &[&str]) -> Result {
    let fixed = [
        "run",
        "--quiet",
        "--profile",
        "fast",
        "--package",
        "tower-hooks-redaction",
        "--example",
        "corpus",
        "--",
    ];
    Program::cargo(fixed.into_iter().chain(options.iter().copied())).run()
}
