//! Mounts that end, and the commands for that, which end too.

use std::fs;
use std::path::{Path, PathBuf};

use super::text;
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

    /// The ext4 in `image`, a file or a device. An error in it is answered, and nothing else comes of it.
    ///
    /// # Errors
    /// It may not be mounted.
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
            // Somebody is still there: out of sight now, and gone with them.
            drop(bounded(["umount", "--lazy", place]));
        }
    }
}

/// Makes an ext4 in `image`, a file or a device, all of it at once: none of it is left to be written later.
///
/// # Errors
/// It cannot be made.
pub(super) fn make(image: &Path, options: &[&str]) -> Result {
    let arguments = ["mkfs.ext4", "-q", "-F", "-m", "0", "-N", "512"];
    let at_once = ["-E", "lazy_itable_init=0,lazy_journal_init=0"];
    bounded(arguments.iter().chain(&at_once).chain(options).copied().chain([text(image)?]))
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

/// Runs a command that ends.
///
/// # Errors
/// It cannot be started, takes too long, or does not succeed.
pub(super) fn bounded<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result {
    let line: Vec<_> = arguments.into_iter().collect();
    let output = Program::new("timeout", [SECONDS].into_iter().chain(line.iter().copied())).answer(b"")?;
    if output.status.success() {
        return Ok(());
    }
    Err(Error::new(format!("`{}`: {}", line.join(" "), String::from_utf8_lossy(&output.stderr).trim())))
}
