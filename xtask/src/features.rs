//! `cargo xtask features`: builds each feature alone, and none, so that no crate builds only because a
//! neighbour enables a feature.

use crate::error::Result;
use crate::metadata::Metadata;
use crate::process::Program;

/// Checks each library with no feature, then with each of its features alone.
///
/// # Errors
/// Returns an error if a crate does not build.
pub(crate) fn run() -> Result {
    let packages = Metadata::of_workspace()?.packages;
    for package in packages.iter().filter(|package| package.is_published()) {
        check(&package.name, None)?;
        for feature in package.features.keys().filter(|feature| *feature != "default") {
            check(&package.name, Some(feature))?;
        }
    }
    Ok(())
}

fn check(package: &str, feature: Option<&str>) -> Result {
    println!("{package}: {}", feature.unwrap_or("no feature"));
    // Clippy denies warnings in our crates alone; `RUSTFLAGS` would rebuild all dependencies.
    let mut arguments = vec!["clippy", "--quiet", "--package", package, "--no-default-features"];
    if let Some(feature) = feature {
        arguments.extend(["--features", feature]);
    }
    arguments.extend(["--", "-D", "warnings"]);
    Program::cargo(arguments).run()
}
