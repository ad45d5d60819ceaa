//! A disk in memory whose free space can be withdrawn: writes without memory for them fail, and earlier
//! data stays readable.
//!
//! Unlike a file system in a file on a full disk, it fails each write directly, and acknowledges nothing
//! before. So data that is lost on it was lost by the program that wrote it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Control files of the kernel for adding and removing disks.
const CONTROL: &str = "/sys/class/zram-control";

/// The disk; removed when dropped, which must happen after it is unmounted.
#[derive(Debug)]
pub(super) struct Zram {
    number: u32,
}

impl Zram {
    /// Adds a disk of `size`, in the kernel's notation. It uses memory as it is written to.
    ///
    /// # Errors
    /// Returns an error if the kernel has no zram, or access to it is denied.
    pub(super) fn new(size: &str) -> Result<Self> {
        let control = Path::new(CONTROL).join("hot_add");
        let number =
            fs::read_to_string(control).map_err(|error| Error::doing("no zram can be had", error))?;
        let number = number.trim().parse().map_err(|error| Error::doing("zram answers no number", error))?;
        let zram = Self { number };
        fs::write(zram.setting("disksize"), size)?;
        Ok(zram)
    }

    /// The path of the device.
    pub(super) fn device(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }

    /// Limits the memory of the disk to its current size, so that writes beyond it fail.
    ///
    /// # Errors
    /// Returns an error if the kernel rejects the limit.
    pub(super) fn fill(&self) -> Result {
        let used = fs::read_to_string(self.setting("mm_stat"))?;
        // The columns: written data, its compressed size, and the memory for it.
        let used = used
            .split_whitespace()
            .nth(2)
            .ok_or_else(|| Error::new("zram does not report its use of memory"))?;
        Ok(fs::write(self.setting("mem_limit"), used)?)
    }

    /// Removes the memory limit.
    ///
    /// # Errors
    /// Returns an error if the kernel rejects the limit.
    pub(super) fn make_room(&self) -> Result {
        Ok(fs::write(self.setting("mem_limit"), "0")?)
    }

    fn setting(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/sys/block/zram{}", self.number)).join(name)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        // The disk cannot be removed while it is mounted; then it stays until the machine is rebooted.
        drop(fs::write(self.setting("reset"), "1"));
        drop(fs::write(Path::new(CONTROL).join("hot_remove"), self.number.to_string()));
    }
}
