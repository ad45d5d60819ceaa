//! Commands that are programs of `proofs/`: built for speed, then started in the caller's folder with the caller's input.

use std::path::PathBuf;

use crate::built::Built;
use crate::error::Result;
use crate::process::Program;
use crate::workspace;

/// The commands that `proofs` knows.
pub(crate) const COMMANDS: &[&str] =
    &["answer", "codegen", "conformance", "disk", "e2e", "harm", "overspend", "reload", "soak", "storm"];

/// Builds the program and runs it with `arguments`, the first of which is the command.
///
/// # Errors
/// Returns an error if the program cannot be built or does not succeed.
pub(crate) fn run(arguments: &[&str]) -> Result {
    let program = build()?;
    Program::new(&program.to_string_lossy(), arguments.iter().copied()).here().run_with_input()
}

/// Runs the program as the test command has built it: without speed, and without building it again.
///
/// # Errors
/// Returns an error if the workspace does not build, or the program does not succeed.
pub(crate) fn check(arguments: &[&str]) -> Result {
    built_for_tests("proofs", arguments)?.run()
}

/// Runs the program as [`check`] does, and returns its output.
///
/// # Errors
/// Returns an error if [`check`] would; it holds the output.
pub(crate) fn check_quietly(arguments: &[&str]) -> Result<String> {
    built_for_tests("proofs", arguments)?.both_outputs()
}

/// Runs a command of this program as [`check_quietly`] runs those of `proofs`.
///
/// # Errors
/// Returns an error if the workspace does not build, or the command fails; it holds the output.
pub(crate) fn own_command_quietly(arguments: &[&str]) -> Result<String> {
    let own = std::env::current_exe()?;
    let own = Program::new(&own.to_string_lossy(), arguments.iter().copied());
    own.with_variable("HOOKS_PROGRAM", Built::for_tests()?.program("hooks")?).both_outputs()
}

/// A program of the workspace, as the test command has built it, which finds `hooks` by a variable.
fn built_for_tests(program: &str, arguments: &[&str]) -> Result<Program> {
    let built = Built::for_tests()?;
    let program = Program::new(built.program(program)?, arguments.iter().copied());
    Ok(program.with_variable("HOOKS_PROGRAM", built.program("hooks")?))
}

/// Runs the short storms. They take minutes if they are not built for speed.
///
/// # Errors
/// Returns an error if the program does not build, or a gate is missed.
pub(crate) fn storms() -> Result {
    Program::new(Built::for_speed()?.program("proofs")?, ["storm", "--short"]).run()
}

fn build() -> Result<PathBuf> {
    Program::cargo(["build", "--quiet", "--profile", "fast", "--package", "proofs"]).run()?;
    Ok(workspace::target().join("fast").join(format!("proofs{}", std::env::consts::EXE_SUFFIX)))
}
