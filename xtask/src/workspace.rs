//! Files and folders of the workspace.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The root of the workspace.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The folder that cargo builds into.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// Files that git tracks or would add, relative to the root.
///
/// # Errors
/// Returns an error if git is not installed, or if this is not a checkout.
pub fn files() -> Result<Vec<PathBuf>> {
    let listed =
        crate::process::Program::new("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
    let listed = listed.output()?;
    // A file that was removed but not yet staged is still listed.
    Ok(listed.lines().map(PathBuf::from).filter(|path| root().join(path).is_file()).collect())
}

/// The text of a file, named relative to the root.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn read(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    fs::read_to_string(root().join(path))
        .map_err(|cause| Error::doing(format!("`{}`", path.display()), cause))
}

/// Writes a file, named relative to the root, with the folders above it.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write(path: impl AsRef<Path>, text: &str) -> Result {
    let path = path.as_ref();
    let place = root().join(path);
    let written = place.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&place, text));
    written.map_err(|cause| Error::doing(format!("`{}`", path.display()), cause))
}
