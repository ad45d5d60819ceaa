//! `cargo xtask examples`: runs every example, because compiling it does not show that it works.

use crate::built::Built;
use crate::error::Result;
use crate::metadata::Metadata;
use crate::process::Program;

/// Runs each example of each crate, as the test command builds it.
///
/// # Errors
/// Returns an error if an example is not built, or fails.
pub(crate) fn run() -> Result {
    let built = Built::for_tests()?;
    let mut count = 0;
    for package in Metadata::of_workspace()?.packages {
        for target in package.targets.iter().filter(|target| target.kind.iter().any(|kind| kind == "example"))
        {
            println!("{}: {}", package.name, target.name);
            Program::new(built.example(&target.name)?, []).run()?;
            count += 1;
        }
    }
    println!("{count} examples ran");
    Ok(())
}
