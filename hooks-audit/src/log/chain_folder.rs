//! A folder with a chain of this process, opened on first use: the folder of the log, or that of its spill
//! log.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::{Clock, Tick};

use crate::append::{AppendSettings, Appender, Entry, OpenError, Recovered};

/// Time without further attempts after a folder could not be opened; an attempt takes a lock and reads.
const PAUSE: Duration = Duration::from_secs(1);

/// A folder, and the chain of this process in it.
pub(super) struct ChainFolder {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    settings: AppendSettings,
    clock: Arc<dyn Clock>,
    appender: Option<Appender>,
    /// Reason why the folder could not be opened, and the time of the next attempt.
    failure: Option<(String, Tick)>,
}

impl ChainFolder {
    pub(super) fn new(
        disk: Arc<dyn LogDisk>,
        folder: PathBuf,
        settings: AppendSettings,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { disk, folder, settings, clock, appender: None, failure: None }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a chain in the folder, as [`Appender::open`] does.
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

    /// The chain, if one is open.
    pub(super) fn opened(&mut self) -> Option<&mut Appender> {
        self.appender.as_mut()
    }

    /// The chain; opens one, unless that failed during the last pause.
    pub(super) fn appender(&mut self) -> io::Result<&mut Appender> {
        if self.appender.is_none() {
            if let Some((why, until)) = &self.failure
                && self.clock.tick() < *until
            {
                return Err(io::Error::other(why.clone()));
            }
            // The chain itself has a record of the state that the previous writer left.
            self.open().map_err(io::Error::other)?;
        }
        self.appender.as_mut().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Appends `entries` as one group; if `through`, syncs everything that was appended.
    pub(super) fn write(&mut self, entries: &mut [Entry], through: bool) -> io::Result<()> {
        let appender = self.appender()?;
        if !entries.is_empty() {
            appender.append(entries)?;
        }
        if through { appender.sync() } else { Ok(()) }
    }

    /// Whether all appended records are known to be synced.
    pub(super) fn is_through(&mut self) -> bool {
        self.opened().is_none_or(|appender| appender.durable().seq == appender.chain().seq)
    }

    /// Closes the chain, so that the next writer can continue it.
    pub(super) fn close(self) {
        // If closing fails, the next process that opens the chain recovers it.
        drop(self.appender.map(Appender::close));
    }
}
