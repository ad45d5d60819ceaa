//! `cargo xtask semver [BASELINE]`: checks that the public API is compatible with an earlier version.

use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::process::{Program, is_installed};

/// Compares every published library with its state at `baseline`, a commit or a tag; the latest tag `v*` by
/// default.
///
/// # Errors
/// Returns an error if the tool is not installed, if there is no baseline, or if a change breaks users
/// without a matching version.
pub(crate) fn run(baseline: Option<&str>) -> Result {
    if !is_installed("cargo-semver-checks") {
        return Err(Error::new(
            "`cargo-semver-checks` is not installed; run `cargo install cargo-semver-checks --locked`",
        ));
    }
    let latest = Program::new("git", ["tag", "--list", "v*", "--sort=-version:refname"]).output()?;
    let baseline = baseline.or_else(|| latest.lines().next()).ok_or_else(|| {
        Error::new("no tag `v*` to compare with; name a commit, as in `cargo xtask semver HEAD~1`")
    })?;
    for package in Metadata::of_workspace()?.packages.iter().filter(|package| package.is_published_library())
    {
        println!("\n{}, against {baseline}", package.name);
        Program::cargo(["semver-checks", "--package", &package.name, "--baseline-rev", baseline]).run()?;
    }
    Ok(())
}
