//! `cargo xtask ci`: all checks, step by step. The first step that fails ends the run.

use crate::error::Result;
use crate::process::Program;
use crate::steps::{self, Step};
use crate::{bindings, examples, instructions, neighbours, proofs, tidy};

/// Cheap steps first. Steps that compile again with other settings (`cargo xtask features`,
/// `cargo xtask msrv`) and the long forms are in [`nightly`](crate::nightly), because developers do not wait
/// that long for a run. Steps after `test` start what it has built.
const STEPS: &[Step] = &[
    ("format", format),
    ("tidy", tidy::run),
    ("neighbours", neighbours::count),
    ("clippy", clippy),
    ("test", test),
    ("docs", docs),
    ("codegen", || proofs::check(&["codegen", "--check"])),
    ("examples", examples::run),
    ("conformance", || proofs::check(&["conformance"])),
    ("storm", proofs::storms),
    ("soak", || proofs::check(&["soak", "--short"])),
    ("harm", || proofs::check(&["harm", "--short"])),
    ("e2e", || proofs::check(&["e2e", "--short"])),
    ("bindings", bindings::run),
    ("instructions", instructions::check),
];

/// Runs all steps.
///
/// # Errors
/// Returns an error if a step fails; the steps after it do not run.
pub(crate) fn run() -> Result {
    steps::run(STEPS)
}

fn format() -> Result {
    Program::cargo(["fmt", "--all", "--check"]).run()
}

fn clippy() -> Result {
    let arguments =
        ["clippy", "--quiet", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    Program::cargo(arguments).run()
}

/// The command in the README: unit, integration and doc tests.
fn test() -> Result {
    Program::cargo(["test", "--workspace"]).run()
}

fn docs() -> Result {
    Program::cargo(["doc", "--quiet", "--workspace", "--no-deps", "--all-features"])
        .with_variable("RUSTDOCFLAGS", "-D warnings")
        .run()
}
