//! What a feed reads from.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use super::origin::{Files, Origin};
use crate::read::{Committed, Positions, ReadError, Reader, Skipped};
use crate::record::Record;

/// Committed records from a position on.
pub trait Source: Send {
    /// Goes back, or forward, to behind `positions`.
    fn seek(&mut self, positions: Positions);

    /// The next records, `most` at most; empty where there is nothing new.
    ///
    /// # Errors
    /// The log cannot be read.
    fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError>;

    /// How `chain` begins, which tells it from those of other logs; `known` is what was found before, and is given back as
    /// long as it is the same chain. `None` where that has no records, or where logs are not told apart, unless it is said:
    /// then sinks that several logs are sent to take one's records for the other's.
    ///
    /// # Errors
    /// The log cannot be read.
    fn origin(&mut self, chain: &str, known: Option<&Origin>) -> Result<Option<Origin>, ReadError> {
        let _ = (chain, known);
        Ok(None)
    }

    /// Whether `chain` has come as far as record `seq`, or nobody can say. A place beyond the end is not believed.
    ///
    /// # Errors
    /// The log cannot be read.
    fn reaches(&mut self, chain: &str, seq: u64) -> Result<bool, ReadError> {
        let _ = (chain, seq);
        Ok(true)
    }

    /// Record `seq` of `chain`, by which a place behind it is known again in a log that was put back; `None` where it is
    /// gone or damaged, or nobody can say. It is asked once for each chain, when a feed begins.
    ///
    /// # Errors
    /// The log cannot be read.
    fn record(&mut self, chain: &str, seq: u64) -> Result<Option<Record>, ReadError> {
        let _ = (chain, seq);
        Ok(None)
    }

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

    fn origin(&mut self, chain: &str, known: Option<&Origin>) -> Result<Option<Origin>, ReadError> {
        Files::of(&*self.disk, &self.folder, chain)?.origin(known)
    }

    fn reaches(&mut self, chain: &str, seq: u64) -> Result<bool, ReadError> {
        Files::of(&*self.disk, &self.folder, chain)?.reach(seq)
    }

    fn record(&mut self, chain: &str, seq: u64) -> Result<Option<Record>, ReadError> {
        Files::of(&*self.disk, &self.folder, chain)?.record(seq)
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
