//! `cargo xtask ci`: all checks, step by step. The first step that fails ends the run.
//!
//! The last steps run in two lanes: steps that mostly wait, for other programs or for a registry, run beside the others.

use crate::built::Built;
use crate::error::Result;
use crate::process::Program;
use crate::steps::{self, QuietStep, Step};
use crate::{examples, instructions, neighbours, proofs, tidy};

/// Cheap steps first. Steps that compile again with other settings (`cargo xtask features`,
/// `cargo xtask msrv`) and the long forms are in [`nightly`](crate::nightly), because developers do not wait
/// that long for a run.
const FIRST: &[Step] = &[
    ("format", format),
    ("tidy", tidy::run),
    ("neighbours", neighbours::count),
    ("clippy", clippy),
    ("test", test),
];

/// Steps that start what `test` has built.
const REST: &[Step] = &[
    ("docs", docs),
    ("codegen", || proofs::check(&["codegen", "--check"])),
    ("examples", examples::run),
    ("conformance", || proofs::check(&["conformance"])),
    ("storm", proofs::storms),
    ("soak", || proofs::check(&["soak", "--short"])),
    ("harm", || proofs::check(&["harm", "--short"])),
    ("instructions", instructions::check),
];

/// Steps that run beside `REST`: processes that mostly wait.
const BESIDE: &[QuietStep] = &[
    ("e2e", || proofs::check_quietly(&["e2e", "--short"])),
    ("e2e mcp", || proofs::check_quietly(&["e2e", "mcp", "--short"])),
    ("e2e otlp", || proofs::check_quietly(&["e2e", "otlp", "--short"])),
    ("bindings", || proofs::own_command_quietly(&["bindings"])),
    ("neighbours, tests", neighbours::check_quietly),
];

/// Runs all steps.
///
/// # Errors
/// Returns an error if a step fails; the steps after it do not run.
pub(crate) fn run() -> Result {
    steps::run_beside(FIRST, REST, BESIDE)
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
    Program::cargo(["test", "--workspace"]).run()?;
    // The steps after it need the paths. Now, as `docs` locks the folder of the builds.
    Built::for_tests().map(drop)
}

fn docs() -> Result {
    Program::cargo(["doc", "--quiet", "--workspace", "--no-deps", "--all-features"])
        .with_variable("RUSTDOCFLAGS", "-D warnings")
        .run()
}
