//! `cargo xtask bindings`: builds the packages for Node and Python, and tries them beside the frameworks that they adapt to.

use std::path::PathBuf;

use crate::built::Built;
use crate::error::{Error, Result};
use crate::process::Program;
use crate::{registries, workspace};

/// Node from npm, for machines with an older one.
const NODE: &str = "node@22.23.3";

/// Oldest major version of node that the package for it supports.
const OLDEST: u32 = 22;

/// Runs `bindings/check.sh` with the program that was built for tests.
///
/// # Errors
/// Returns an error if a package cannot be built or installed, or a test of it fails.
pub(crate) fn run() -> Result {
    registries::needed("bindings", || {
        let hooks = match std::env::var("HOOKS_PROGRAM") {
            Ok(hooks) => hooks,
            Err(_) => Built::for_tests()?.program("hooks")?.to_owned(),
        };
        let check = Program::new("bindings/check.sh", []).with_variable("HOOKS_BIN", &hooks);
        match newer_node()? {
            Some(folder) => check.with_variable("PATH", &in_front(folder)?).run(),
            None => check.run(),
        }
    })
}

/// Installs a newer node if that of this machine is too old, and returns its folder.
fn newer_node() -> Result<Option<PathBuf>> {
    if major(&Program::new("node", ["--version"]).output()?) >= Some(OLDEST) {
        return Ok(None);
    }
    let prefix = workspace::target().join("node22");
    std::fs::create_dir_all(&prefix)?;
    let install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
    let prefix_text = prefix.to_string_lossy();
    Program::new("npm", install.into_iter().chain([&*prefix_text, NODE])).run()?;
    let folder = prefix.join("node_modules/.bin");
    let version = Program::new(&folder.join("node").to_string_lossy(), ["--version"]).output()?;
    match major(&version) >= Some(OLDEST) {
        true => Ok(Some(folder)),
        false => Err(Error::new(format!("`{NODE}` is installed and prints the version `{version}`"))),
    }
}

/// The search path with this folder in front.
fn in_front(folder: PathBuf) -> Result<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&path));
    let joined = std::env::join_paths(folders).map_err(|cause| Error::doing("PATH", cause))?;
    Ok(joined.to_string_lossy().into_owned())
}

/// The major version of a line such as `v22.23.3`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(major("v22.23.3\n"), Some(22));
        assert!(major("v9.0.0") < Some(OLDEST));
        assert!(major("unknown") < Some(OLDEST));
    }
}
