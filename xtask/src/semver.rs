//! `cargo xtask semver [BASELINE]`: checks that the public API is compatible with an earlier version.

use crate::error::{Error, Result};
use crate::metadata::Metadata;
use crate::process::{Program, is_installed};

/// Compares every published library with its state at `baseline`, a commit or a tag. The default is the latest tag
/// `v*`, or before the first release the commit in `[workspace.metadata]` of `Cargo.toml`.
///
/// # Errors
/// Returns an error if the tool is not installed, if the baseline does not exist, or if a change breaks users
/// without a matching version.
pub(crate) fn run(baseline: Option<&str>) -> Result {
    if !is_installed("cargo-semver-checks") {
        return Err(Error::new(
            "`cargo-semver-checks` is not installed; run `cargo install cargo-semver-checks --locked`",
        ));
    }
    let workspace = Metadata::of_workspace()?;
    let tags = Program::new("git", ["tag", "--list", "v*", "--sort=-version:refname"]).output()?;
    let recorded = workspace.metadata.as_ref().and_then(|custom| custom.semver_baseline.as_deref());
    let baseline = choose(baseline, &tags, recorded)?;
    // Otherwise every package would fail with a message of its own.
    Program::new("git", ["cat-file", "-e", &format!("{baseline}^{{commit}}")]).run()?;
    // A crate that is younger than the baseline has nothing to be compared with.
    let tree = Program::new("git", ["ls-tree", "--name-only", baseline]).output()?;
    for package in workspace.packages.iter().filter(|package| package.is_published_library()) {
        if !is_in(package.folder(), &tree) {
            println!("\n{}: not in {baseline}", package.name);
            continue;
        }
        println!("\n{}, against {baseline}", package.name);
        Program::cargo(["semver-checks", "--package", &package.name, "--baseline-rev", baseline]).run()?;
    }
    Ok(())
}

/// The version to compare with: the one that is asked for, the latest tag, or the recorded commit.
fn choose<'a>(asked: Option<&'a str>, tags: &'a str, recorded: Option<&'a str>) -> Result<&'a str> {
    asked.or_else(|| tags.lines().next()).or(recorded).ok_or_else(|| {
        Error::new(
            "no tag `v*` and no `semver-baseline` in `[workspace.metadata]`; name a commit to compare with",
        )
    })
}

/// Whether a folder is a line of `tree`.
fn is_in(folder: &str, tree: &str) -> bool {
    tree.lines().any(|line| line == folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_replaces_the_recorded_commit_and_a_name_replaces_both() {
        assert_eq!(choose(None, "", Some("4f1c")).unwrap(), "4f1c");
        assert_eq!(choose(None, "v0.2.0\nv0.1.0\n", Some("4f1c")).unwrap(), "v0.2.0");
        assert_eq!(choose(Some("main"), "v0.2.0\n", Some("4f1c")).unwrap(), "main");
        assert!(choose(None, "", None).is_err());
    }

    #[test]
    fn the_recorded_commit_is_in_the_manifest_and_has_the_crates() {
        let workspace = Metadata::of_workspace().unwrap();
        let recorded = workspace.metadata.unwrap().semver_baseline.unwrap();
        assert!(recorded.len() == 40 && recorded.bytes().all(|byte| byte.is_ascii_hexdigit()), "{recorded}");
        assert!(workspace.packages.iter().any(|package| package.folder() == "hooks-core"));
        assert!(is_in("hooks", "benches\nhooks\n") && !is_in("hooks", "hooks-core\n"));
    }
}
