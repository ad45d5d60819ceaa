//! `cargo xtask ci`: everything that has to hold, step by step. The first step that fails fails the run.

use crate::error::Result;
use crate::process::Program;
use crate::steps::{self, Step};
use crate::{examples, instructions, proofs, tidy};

/// The cheap ones first. What repeats the work of compilers with other settings (`cargo xtask features`, `cargo xtask msrv`), and
/// the long forms are in [`nightly`](crate::nightly): with them a run would take longer than people wait for one.
const STEPS: &[Step] = &[
    ("format", format),
    ("tidy", tidy::run),
    ("clippy", clippy),
    ("test", test),
    ("faults", faults),
    ("docs", docs),
    ("codegen", || proofs::run(&["codegen", "--check"])),
    ("examples", examples::run),
    ("conformance", || proofs::run(&["conformance"])),
    ("storm", || proofs::run(&["storm", "--short"])),
    ("soak", || proofs::run(&["soak", "--short"])),
    ("e2e", || proofs::run(&["e2e", "--short"])),
    ("instructions", instructions::check),
];

/// Runs all steps.
///
/// # Errors
/// One failed; those after it did not run.
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

/// The command that the README names: unit, integration and doc tests.
fn test() -> Result {
    Program::cargo(["test", "--workspace"]).run()
}

/// The faults that need a program which fails on demand: panics, wherever they happen.
fn faults() -> Result {
    Program::cargo(["test", "-p", "tower-hooks-cli", "--features", "faults", "--test", "faults"]).run()
}

fn docs() -> Result {
    Program::cargo(["doc", "--quiet", "--workspace", "--no-deps", "--all-features"])
        .with_variable("RUSTDOCFLAGS", "-D warnings")
        .run()
}
