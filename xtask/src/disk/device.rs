//! Disks, and what goes wrong with them.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::mount::{self, Mount};
use crate::error::Result;

/// Where an ext4 with a journal of a mebibyte ends that writes about itself.
const OF_ITS_OWN: &str = "1152K";

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A tmpfs is full.
    FullMemory,
    /// An ext4 is full.
    FullDisk,
    /// An ext4 has room, and what is below it has none for what is in files: a write is taken, and its sync fails. What
    /// the file system says about itself can be written: without that, it promises nothing.
    FailedSync,
    /// What is below has no room for its journal either: it takes nothing any more.
    FailedJournal,
}

/// A disk; unmounted and gone when it is dropped.
#[derive(Debug)]
pub(super) struct Device {
    fault: Fault,
    /// Taken away while nothing is mounted. Unmounted before what is below it.
    disk: Option<Mount>,
    /// What the image is on.
    below: Option<Mount>,
    folder: TempDir,
}

impl Device {
    /// Makes and mounts it.
    ///
    /// # Errors
    /// It may not be mounted.
    pub(super) fn new(fault: Fault) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut device = Self { fault, disk: None, below: None, folder };
        match fault {
            Fault::FullMemory => {
                device.disk = Some(Mount::memory(&device.folder.path().join("disk"), "1m")?);
                return Ok(device);
            }
            Fault::FullDisk => mount::make(&device.image(), 8 << 20, &["-E", "lazy_itable_init=0"])?,
            Fault::FailedSync | Fault::FailedJournal => {
                // Not memory: a block that a tmpfs took before it was full may be lost when a later one is refused.
                let below = device.folder.path().join("image-below");
                mount::make(&below, 6 << 20, &["-J", "size=1"])?;
                device.below = Some(Mount::image(&device.folder.path().join("below"), &below)?);
                let begins = "lazy_itable_init=0,packed_meta_blocks=1";
                mount::make(&device.image(), 16 << 20, &["-J", "size=1", "-E", begins])?;
                if fault == Fault::FailedSync {
                    mount::back(&device.image(), OF_ITS_OWN)?;
                }
            }
        }
        device.mount()?;
        Ok(device)
    }

    /// Where the log is.
    pub(super) fn log(&self) -> PathBuf {
        self.folder.path().join("disk/log")
    }

    /// A folder on another disk, which does not fail.
    pub(super) fn elsewhere(&self) -> &Path {
        self.folder.path()
    }

    /// Leaves no room.
    ///
    /// # Errors
    /// Anything but that there is none.
    pub(super) fn fill(&self) -> Result {
        let mut file = File::options().append(true).create(true).open(self.ballast())?;
        // What is below an image keeps a little: a file system that has not a block left for itself loses what it took.
        let sizes: &[usize] = if self.below.is_some() { &[64 << 10] } else { &[64 << 10, 4 << 10, 512] };
        for &size in sizes {
            loop {
                match file.write_all(&vec![1; size]).and_then(|()| file.sync_all()) {
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    done => done?,
                }
            }
        }
        Ok(())
    }

    /// Makes room again.
    ///
    /// # Errors
    /// The ballast cannot be taken away.
    pub(super) fn make_room(&self) -> Result {
        Ok(fs::remove_file(self.ballast())?)
    }

    /// Unmounts it and mounts it again: what is there then is on the device. Memory has none.
    ///
    /// # Errors
    /// It cannot be mounted.
    pub(super) fn remount(&mut self) -> Result {
        if self.fault == Fault::FullMemory {
            return Ok(());
        }
        self.disk = None;
        self.mount()
    }

    /// Does what a person does with a disk that takes nothing any more.
    ///
    /// # Errors
    /// It cannot be repaired.
    pub(super) fn repair(&mut self) -> Result {
        self.disk = None;
        mount::repair(&self.image())?;
        self.mount()
    }

    fn mount(&mut self) -> Result {
        self.disk = Some(Mount::image(&self.folder.path().join("disk"), &self.image())?);
        Ok(())
    }

    fn image(&self) -> PathBuf {
        self.below.as_ref().map_or(self.folder.path(), Mount::place).join("image")
    }

    fn ballast(&self) -> PathBuf {
        let full = self.below.as_ref().or(self.disk.as_ref());
        full.map_or(self.folder.path(), Mount::place).join("ballast")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FullMemory => "a full tmpfs",
            Self::FullDisk => "a full ext4",
            Self::FailedSync => "a failed fsync",
            Self::FailedJournal => "a failed fsync and journal",
        })
    }
}
