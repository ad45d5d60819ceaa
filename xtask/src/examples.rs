//! `cargo xtask examples`: runs every example, because compiling it does not show that it works.

use crate::error::Result;
use crate::metadata::Metadata;
use crate::process::Program;

/// Runs each example of each crate, with the features it requires.
///
/// # Errors
/// Returns an error if an example fails.
pub(crate) fn run() -> Result {
    let mut count = 0;
    for package in Metadata::of_workspace()?.packages {
        for target in package.targets.iter().filter(|target| target.kind.iter().any(|kind| kind == "example"))
        {
            println!("{}: {}", package.name, target.name);
            let features = target.required_features.join(",");
            let mut arguments = vec!["run", "--quiet", "--package", &package.name, "--example", &target.name];
            if !features.is_empty() {
                arguments.extend(["--features", &features]);
            }
            Program::cargo(arguments).run()?;
            count += 1;
        }
    }
    println!("{count} examples ran");
    Ok(())
}
