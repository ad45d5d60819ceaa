//! `cargo xtask package`: packs every crate that users need, and builds each from its package alone.

use crate::error::Result;
use crate::metadata::Metadata;
use crate::process::Program;

/// Packs and verifies. Nothing is published.
///
/// # Errors
/// Returns an error if a package lacks a file, a field or a feature that it needs to be built by others.
pub(crate) fn run() -> Result {
    let packages = Metadata::of_workspace()?.packages;
    let mut arguments = vec!["package", "--workspace", "--locked"];
    for package in packages.iter().filter(|package| !package.is_published()) {
        arguments.extend(["--exclude", &package.name]);
    }
    Program::cargo(arguments).run()
}
