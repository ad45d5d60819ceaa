//! What a feed reads from.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use crate::read::{Committed, Positions, ReadError, Reader, Skipped};

/// Committed records from a position on.
pub trait Source: Send {
    /// Goes back, or forward, to behind `positions`.
    fn seek(&mut self, positions: Positions);

    /// The next records, `most` at most; empty where there is nothing new.
    ///
    /// # Errors
    /// The log cannot be read.
    fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError>;

    /// What was passed over since this was asked last; nothing, unless it is said.
    fn take_skipped(&mut self) -> Vec<Skipped> {
        Vec::new()
    }
}

/// All chains of a log.
pub struct LogSource {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    reader: Reader,
}

impl LogSource {
    /// The log in `folder`, from its beginning.
    pub fn new(disk: Arc<dyn LogDisk>, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let reader = Reader::new(Arc::clone(&disk), &folder, Positions::default());
        Self { disk, folder, reader }
    }
}

impl Source for LogSource {
    fn seek(&mut self, positions: Positions) {
        self.reader = Reader::new(Arc::clone(&self.disk), &self.folder, positions);
    }

    fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError> {
        self.reader.read(most)
    }

    fn take_skipped(&mut self) -> Vec<Skipped> {
        self.reader.take_skipped()
    }
}

impl fmt::Debug for LogSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogSource").field("reader", &self.reader).finish_non_exhaustive()
    }
}
