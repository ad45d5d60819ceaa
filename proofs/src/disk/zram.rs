//! A disk in memory that can be told to take nothing more: a write it has no memory for fails, what it took stays readable.
//!
//! Unlike a file system in a file on a full one, it says so at each write, and nobody has promised anything before: what is
//! lost on it was lost by who writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// Where the kernel is asked for another one, and told to take one away.
const CONTROL: &str = "/sys/class/zram-control";

/// The disk; gone when it is dropped, which is after it was unmounted.
#[derive(Debug)]
pub(super) struct Zram {
    number: u32,
}

impl Zram {
    /// Another one, of `size` as the kernel reads sizes. It takes memory as it is written to.
    ///
    /// # Errors
    /// This kernel has none, or it may not be asked.
    pub(super) fn new(size: &str) -> Result<Self> {
        let control = Path::new(CONTROL).join("hot_add");
        let number =
            fs::read_to_string(control).map_err(|error| Error::doing("no zram can be had", error))?;
        let number = number.trim().parse().map_err(|error| Error::doing("zram answers no number", error))?;
        let zram = Self { number };
        fs::write(zram.setting("disksize"), size)?;
        Ok(zram)
    }

    /// Where it can be mounted from.
    pub(super) fn device(&self) -> PathBuf {
        PathBuf::from(format!("/dev/zram{}", self.number))
    }

    /// Gives it no more memory than it has: writes fail that do not fit into what is left of that.
    ///
    /// # Errors
    /// The kernel does not take that.
    pub(super) fn fill(&self) -> Result {
        let used = fs::read_to_string(self.setting("mm_stat"))?;
        // What was written to it, that compressed, and the memory for it.
        let used =
            used.split_whitespace().nth(2).ok_or_else(|| Error::new("zram does not say what it uses"))?;
        Ok(fs::write(self.setting("mem_limit"), used)?)
    }

    /// Gives it what memory it asks for.
    ///
    /// # Errors
    /// The kernel does not take that.
    pub(super) fn make_room(&self) -> Result {
        Ok(fs::write(self.setting("mem_limit"), "0")?)
    }

    fn setting(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/sys/block/zram{}", self.number)).join(name)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        // It cannot go while something is mounted from it; then it goes with the machine.
        drop(fs::write(self.setting("reset"), "1"));
        drop(fs::write(Path::new(CONTROL).join("hot_remove"), self.number.to_string()));
    }
}
