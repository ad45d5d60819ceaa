//! Mounts with a limited lifetime, and the commands for them, with a time limit.

use std::fs;
use std::path::{Path, PathBuf};

use super::text;
use crate::error::{Error, Result};
use crate::process::Program;

/// Time limit of a command in seconds.
const SECONDS: &str = "30";

/// A mount point; unmounted when dropped.
#[derive(Debug)]
pub(super) struct Mount(PathBuf);

impl Mount {
    /// Mounts a tmpfs of `size`, in the notation of `mount`.
    ///
    /// # Errors
    /// Returns an error if it cannot be mounted.
    pub(super) fn memory(place: &Path, size: &str) -> Result<Self> {
        Self::new(place, &["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
    }

    /// Mounts the ext4 in `image`, a file or a device. Errors of the file system are returned and have no
    /// other effect.
    ///
    /// # Errors
    /// Returns an error if it cannot be mounted.
    pub(super) fn image(place: &Path, image: &Path) -> Result<Self> {
        let options = if image.is_file() { "loop,errors=continue" } else { "errors=continue" };
        Self::new(place, &["-t", "ext4", "-o", options, text(image)?])
    }

    fn new(place: &Path, arguments: &[&str]) -> Result<Self> {
        fs::create_dir_all(place)?;
        let arguments = ["mount"].iter().chain(arguments).copied().chain([text(place)?]);
        bounded(arguments)?;
        Ok(Self(place.to_owned()))
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let Ok(place) = text(&self.0) else { return };
        if bounded(["umount", place]).is_err() {
            // The mount point is still in use: it is detached now, and unmounted once it is unused.
            drop(bounded(["umount", "--lazy", place]));
        }
    }
}

/// Creates an ext4 in `image`, a file or a device, with all metadata written at once and not lazily.
///
/// # Errors
/// Returns an error if it cannot be created.
pub(super) fn make(image: &Path, options: &[&str]) -> Result {
    let arguments = ["mkfs.ext4", "-q", "-F", "-m", "0", "-N", "512"];
    let at_once = ["-E", "lazy_itable_init=0,lazy_journal_init=0"];
    bounded(arguments.iter().chain(&at_once).chain(options).copied().chain([text(image)?]))
}

/// Repairs the unmounted file system in `image`.
///
/// # Errors
/// Returns an error if it cannot be repaired.
pub(super) fn repair(image: &Path) -> Result {
    let image = text(image)?;
    // The first run repairs, and the second one checks that nothing is left to repair.
    drop(Program::new("timeout", [SECONDS, "e2fsck", "-f", "-y", image]).answer(b"")?);
    bounded(["e2fsck", "-f", "-n", image])
}

/// Runs a command with a time limit.
///
/// # Errors
/// Returns an error if the command cannot be started, takes too long, or fails.
pub(super) fn bounded<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result {
    let line: Vec<_> = arguments.into_iter().collect();
    let output = Program::new("timeout", [SECONDS].into_iter().chain(line.iter().copied())).answer(b"")?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}`: {}", line.join(" "), String::from_utf8_lossy(&output.stderr).trim())))
}
