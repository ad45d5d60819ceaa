//! A folder in which the log has a chain, opened when it is needed: its own one, and the one beside.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::{Clock, Tick};

use crate::append::{Appender, Entry, OpenError, Recovered, Settings};

/// How long nothing is tried after a folder could not be opened: it takes a lock, and reading.
const PAUSE: Duration = Duration::from_secs(1);

/// A folder of the log, and the chain in it that is this process's.
pub(super) struct Place {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    settings: Settings,
    clock: Arc<dyn Clock>,
    appender: Option<Appender>,
    /// Why it could not be opened, and when that is tried again.
    failure: Option<(String, Tick)>,
}

impl Place {
    pub(super) fn new(
        disk: Arc<dyn LogDisk>,
        folder: PathBuf,
        settings: Settings,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { disk, folder, settings, clock, appender: None, failure: None }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a chain in it, as [`Appender::open`] does.
    pub(super) fn open(&mut self) -> Result<Recovered, OpenError> {
        let settings = self.settings.clone();
        match Appender::open(Arc::clone(&self.disk), &self.folder, settings, Arc::clone(&self.clock)) {
            Ok((appender, recovered)) => {
                (self.appender, self.failure) = (Some(appender), None);
                Ok(recovered)
            }
            Err(error) => {
                self.failure = Some((error.to_string(), self.clock.tick().after(PAUSE)));
                Err(error)
            }
        }
    }

    /// The chain, where one is open.
    pub(super) fn opened(&mut self) -> Option<&mut Appender> {
        self.appender.as_mut()
    }

    /// The chain; opens one, unless that failed a moment ago.
    pub(super) fn appender(&mut self) -> io::Result<&mut Appender> {
        if self.appender.is_none() {
            if let Some((why, until)) = &self.failure
                && self.clock.tick() < *until
            {
                return Err(io::Error::other(why.clone()));
            }
            // What a writer before left is on the record of the chain itself.
            self.open().map_err(io::Error::other)?;
        }
        self.appender.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Adds `entries` as one group, and has all that was added written `through`.
    pub(super) fn write(&mut self, entries: &mut [Entry], through: bool) -> io::Result<()> {
        let appender = self.appender()?;
        if !entries.is_empty() {
            appender.append(entries)?;
        }
        if through { appender.sync() } else { Ok(()) }
    }

    /// Whether all that was added is known to be on the device.
    pub(super) fn is_through(&mut self) -> bool {
        self.opened().is_none_or(|appender| appender.durable().seq == appender.chain().seq)
    }

    /// Hands the chain over to the next one.
    pub(super) fn close(self) {
        // Whoever opens the chain next finds out what was left undone.
        drop(self.appender.map(Appender::close));
    }
}
