//! Mounts that end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process::Program;

/// How many seconds a command may take.
const SECONDS: &str = "30";

/// Something mounted, until it is dropped.
#[derive(Debug)]
pub(super) struct Mount(PathBuf);

impl Mount {
    /// Memory of `size`, as `mount` writes sizes.
    ///
    /// # Errors
    /// It may not be mounted.
    pub(super) fn memory(place: &Path, size: &str) -> Result<Self> {
        Self::new(place, &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
    }

    /// The file system in `image`. An error in it is answered, and nothing else comes of it.
    ///
    /// # Errors
    /// It may not be mounted.
    pub(super) fn image(place: &Path, image: &Path) -> Result<Self> {
        Self::new(place, &["-t", "ext4", "-o", "loop,errors=continue", text(image)?])
    }

    fn new(place: &Path, arguments: &[&str]) -> Result<Self> {
        fs::create_dir_all(place)?;
        let arguments = ["mount"].iter().chain(arguments).copied().chain([text(place)?]);
        bounded(arguments)?;
        Ok(Self(place.to_owned()))
    }

    /// Where it is.
    pub(super) fn place(&self) -> &Path {
        &self.0
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let Ok(place) = text(&self.0) else { return };
        if bounded(["umount", place]).is_err() {
            // Somebody is still there: out of sight now, and gone with them.
            drop(bounded(["umount", "--lazy", place]));
        }
    }
}

/// Makes a file system in a file of `size`, which takes room as it is written to.
///
/// # Errors
/// It cannot be made.
pub(super) fn make(image: &Path, size: u64, options: &[&str]) -> Result {
    fs::File::create(image)?.set_len(size)?;
    let arguments = ["mkfs.ext4", "-q", "-F", "-m", "0", "-N", "64"];
    bounded(arguments.iter().chain(options).copied().chain([text(image)?]))
}

/// Takes the room that the first `size` of `image` need.
///
/// # Errors
/// There is none.
pub(super) fn back(image: &Path, size: &str) -> Result {
    bounded(["fallocate", "--length", size, text(image)?])
}

/// Repairs the file system in `image`, which is not mounted.
///
/// # Errors
/// It cannot be repaired.
pub(super) fn repair(image: &Path) -> Result {
    let image = text(image)?;
    // Once it says what it repaired, and once that nothing is left to repair.
    drop(Program::new("timeout", [SECONDS, "e2fsck", "-f", "-y", image]).answer(b"")?);
    bounded(["e2fsck", "-f", "-n", image])
}

fn bounded<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result {
    let line: Vec<_> = arguments.into_iter().collect();
    let output = Program::new("timeout", [SECONDS].into_iter().chain(line.iter().copied())).answer(b"")?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}`: {}", line.join(" "), String::from_utf8_lossy(&output.stderr).trim())))
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| Error::new(format!("`{}` is no text", path.display())))
}
