//! Where a feed is in the log, written down.

use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{Disk, DiskLock};
use serde::{Deserialize, Serialize};

use crate::read::{Committed, Positions};

/// More bytes than any place takes: a few dozen for each chain.
const LONGEST: u64 = 16 << 20;

/// The files of one feed: its place, its lock, and what was refused.
pub(super) struct Bookmark {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    name: String,
}

#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    positions: Positions,
}

/// A record that was refused, on a line of its own.
#[derive(Serialize)]
struct Refused<'a> {
    key: String,
    reason: &'a str,
}

impl Bookmark {
    pub(super) fn new(disk: Arc<dyn Disk>, folder: PathBuf, name: String) -> Self {
        Self { disk, folder, name }
    }

    /// Takes the feed for this process; `None` where another one has it.
    pub(super) fn lock(&self) -> io::Result<Option<DiskLock>> {
        let mut missing = Vec::new();
        for folder in self.folder.ancestors() {
            if folder.as_os_str().is_empty() || self.disk.entry(folder)?.is_some() {
                break;
            }
            missing.push(folder);
        }
        missing.iter().rev().try_for_each(|folder| self.disk.create_directory(folder))?;
        match self.disk.lock(&self.file("lock"), Duration::ZERO) {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.kind() == ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The place; the beginning where none was written. One that cannot be read is an error, and not the beginning:
    /// a person may know better than to send everything again.
    pub(super) fn read(&self) -> io::Result<Positions> {
        let Some(bytes) = self.disk.read(&self.file("position"), LONGEST)? else {
            return Ok(Positions::default());
        };
        let written: Written = serde_json::from_slice(&bytes).map_err(|error| {
            let file = self.file("position");
            let way_out = "remove it to send everything again";
            io::Error::other(format!("`{}` is no place in a log: {error}; {way_out}", file.display()))
        })?;
        Ok(written.positions)
    }

    /// Writes the place down, in place of the one before, at one moment.
    pub(super) fn write(&self, positions: &Positions) -> io::Result<()> {
        let written = Written { version: 1, positions: positions.clone() };
        let bytes = serde_json::to_vec(&written).map_err(io::Error::other)?;
        let (new, file) = (self.file("position.new"), self.file("position"));
        match self.disk.remove(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        self.disk.create(&new, &bytes)?;
        self.disk.rename(&new, &file)?;
        self.disk.sync_directory(&self.folder)
    }

    /// Writes down what was refused, and why. The record itself is in the log.
    pub(super) fn refuse(&self, record: &Committed, reason: &str) -> io::Result<()> {
        let refused = Refused { key: record.position().to_string(), reason };
        let mut line = serde_json::to_vec(&refused).map_err(io::Error::other)?;
        line.push(b'\n');
        self.disk.append(&self.file("refused"), &line)
    }

    fn file(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.name))
    }
}
