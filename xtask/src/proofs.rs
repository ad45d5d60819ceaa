//! Commands that are programs of `proofs/`: built for speed, then started in the caller's folder with the caller's input.

use std::path::PathBuf;

use crate::error::Result;
use crate::process::Program;
use crate::workspace;

/// The commands that `proofs` knows.
pub(crate) const COMMANDS: &[&str] =
    &["answer", "codegen", "conformance", "disk", "e2e", "overspend", "reload", "soak", "storm"];

/// Builds the program and runs it with `arguments`, the first of which is the command.
///
/// # Errors
/// Returns an error if the program cannot be built or does not succeed.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let program = build()?;
    Program::new(&program.to_string_lossy(), arguments.iter().copied()).here().run_with_input()
}

fn build() -> Result<PathBuf> {
    Program::cargo(["build", "--quiet", "--profile", "fast", "--package", "proofs"]).run()?;
    Ok(workspace::target().join("fast").join(format!("proofs{}", std::env::consts::EXE_SUFFIX)))
}
