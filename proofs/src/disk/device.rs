//! Test disks and their faults.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::mount::{self, Mount};
use super::zram::Zram;
use crate::error::Result;

/// Size of the disks whose syncs fail.
const SIZE: &str = "16M";

/// Fault of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A tmpfs is full.
    FullMemory,
    /// An ext4 is full.
    FullDisk,
    /// An ext4 without a journal has room, but the device below rejects writes: a write succeeds, and its
    /// sync fails. The file system recovers once the device does.
    FailedSync,
    /// An ext4 with a journal on such a device. The journal cannot be written either, so the file system
    /// accepts no writes until it is repaired.
    FailedJournal,
}

/// A test disk; unmounted and removed when dropped.
#[derive(Debug)]
pub(super) struct Device {
    fault: Fault,
    /// `None` while nothing is mounted. Unmounted before the device is removed.
    disk: Option<Mount>,
    zram: Option<Zram>,
    folder: TempDir,
}

impl Device {
    /// Creates and mounts the disk.
    ///
    /// # Errors
    /// Returns an error if the disk cannot be mounted.
    pub(super) fn new(fault: Fault) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut device = Self { fault, disk: None, zram: None, folder };
        match fault {
            Fault::FullMemory => {
                device.disk = Some(Mount::memory(&device.folder.path().join("disk"), "1m")?);
                return Ok(device);
            }
            Fault::FullDisk => {
                File::create(device.image())?.set_len(8 << 20)?;
                mount::make(&device.image(), &[])?;
            }
            Fault::FailedSync | Fault::FailedJournal => {
                device.zram = Some(Zram::new(SIZE)?);
                let journal =
                    if fault == Fault::FailedSync { ["-O", "^has_journal"] } else { ["-J", "size=4"] };
                mount::make(&device.image(), &journal)?;
            }
        }
        device.mount()?;
        Ok(device)
    }

    /// The fault of the disk.
    pub(super) fn fault(&self) -> Fault {
        self.fault
    }

    /// The folder of the log.
    pub(super) fn log(&self) -> PathBuf {
        self.folder.path().join("disk/log")
    }

    /// A folder on another disk, which does not fail.
    pub(super) fn elsewhere(&self) -> &Path {
        self.folder.path()
    }

    /// Fills the disk.
    ///
    /// # Errors
    /// Returns any error other than a full disk.
    pub(super) fn fill(&self) -> Result {
        if let Some(zram) = &self.zram {
            return zram.fill();
        }
        let mut file = File::options().append(true).create(true).open(self.ballast())?;
        for size in [64 << 10, 4 << 10, 512] {
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
    /// Returns an error if the ballast cannot be removed.
    pub(super) fn make_room(&self) -> Result {
        match &self.zram {
            Some(zram) => zram.make_room(),
            None => Ok(fs::remove_file(self.ballast())?),
        }
    }

    /// Unmounts and mounts the disk again, so that reads come from the device. Does nothing for a tmpfs.
    ///
    /// # Errors
    /// Returns an error if the disk cannot be mounted.
    pub(super) fn remount(&mut self) -> Result {
        if self.fault == Fault::FullMemory {
            return Ok(());
        }
        self.disk = None;
        self.mount()
    }

    /// Repairs a disk that accepts no more writes, as an operator would: unmounts it, makes room, repairs it,
    /// and mounts it again. Data that was not synced before is lost.
    ///
    /// # Errors
    /// Returns an error if the disk cannot be repaired.
    pub(super) fn repair(&mut self) -> Result {
        self.disk = None;
        self.make_room()?;
        mount::repair(&self.image())?;
        self.mount()
    }

    fn mount(&mut self) -> Result {
        self.disk = Some(Mount::image(&self.folder.path().join("disk"), &self.image())?);
        Ok(())
    }

    fn image(&self) -> PathBuf {
        self.zram.as_ref().map_or_else(|| self.folder.path().join("image"), Zram::device)
    }

    fn ballast(&self) -> PathBuf {
        self.folder.path().join("disk/ballast")
    }
}

impl Fault {
    /// Whether syncs fail, although there is room.
    pub(super) fn fails_syncs(self) -> bool {
        matches!(self, Self::FailedSync | Self::FailedJournal)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FullMemory => "a full tmpfs",
            Self::FullDisk => "a full ext4",
            Self::FailedSync => "failed syncs",
            Self::FailedJournal => "failed syncs and a failed journal",
        })
    }
}
