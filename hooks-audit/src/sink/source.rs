//! Sources of feeds.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use super::origin::{Files, Origin};
use crate::read::{Committed, LogReader, Positions, ReadError, Skipped};
use crate::record::Record;

/// A source of committed records from a position on.
///
/// Customised: a feed from records in memory, such as those of a test.
///
/// ```
/// use std::sync::Arc;
/// use hooks_audit::sink::{Feed, FeedSettings, Sink, SinkError, Source};
/// use hooks_audit::{Committed, Kept, Positions, ReadError, Record};
/// use hooks_core::testing::{FakeDisk, VirtualTime};
/// use hooks_core::time::Timestamp;
/// use hooks_core::{Environment, HookFuture};
///
/// struct Listed(Vec<Committed>);
///
/// impl Source for Listed {
///     fn seek(&mut self, positions: Positions) {
///         for (chain, seq) in positions.iter() {
///             self.0.retain(|one| &*one.chain != chain || one.record.seq > seq);
///         }
///     }
///
///     fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError> {
///         Ok(self.0.drain(..most.min(self.0.len())).collect())
///     }
/// }
/// # struct Taken;
/// # impl Sink for Taken {
/// #     fn deliver<'a>(&'a self, _: &'a [Committed]) -> HookFuture<'a, Result<(), SinkError>> {
/// #         HookFuture::now(Ok(()))
/// #     }
/// # }
///
/// let record = |seq| {
///     let mut record = Record::new("stop", Timestamp(seq));
///     record.seq = seq;
///     Committed { chain: "w0".into(), log: "".into(), record, payload: Kept::Nothing }
/// };
/// let (source, disk) = (Listed(vec![record(1), record(2)]), Arc::new(FakeDisk::default()));
/// let (settings, time) = (FeedSettings::new("host").with_batch(1), VirtualTime::default());
/// let mut feed = Feed::new(source, Taken, disk, "/feeds", settings, &Environment::detached(), time.clone());
/// assert_eq!(time.block_on(feed.catch_up(1)), Some(true));
/// assert_eq!(feed.status().get().delivered, 2);
/// ```
pub trait Source: Send {
    /// Moves to behind `positions`, in either direction.
    fn seek(&mut self, positions: Positions);

    /// Returns the next records, at most `most`; empty if there are no new ones.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError>;

    /// Returns the beginning of `chain`, which distinguishes it from chains of other logs. `known` is the
    /// earlier result, and is returned if it still matches. `None` if the chain has no records, or the source
    /// does not distinguish logs, which is the default. In that case a sink that receives several logs
    /// confuses their records.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn origin(&mut self, chain: &str, known: Option<&Origin>) -> Result<Option<Origin>, ReadError> {
        let _ = (chain, known);
        Ok(None)
    }

    /// Whether `chain` has reached record `seq`; true if the source cannot determine it. A position beyond
    /// the end is refused.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn reaches(&mut self, chain: &str, seq: u64) -> Result<bool, ReadError> {
        let _ = (chain, seq);
        Ok(true)
    }

    /// Returns record `seq` of `chain`, to check a stored position in a log that may have been rolled back.
    /// `None` if the record is deleted or damaged, or the source cannot determine it. Called once for each
    /// chain, when a feed begins.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read.
    fn record(&mut self, chain: &str, seq: u64) -> Result<Option<Record>, ReadError> {
        let _ = (chain, seq);
        Ok(None)
    }

    /// Returns the files skipped since the last call; the default implementation returns an empty list.
    fn take_skipped(&mut self) -> Vec<Skipped> {
        Vec::new()
    }
}

/// All chains of a log.
pub struct LogSource {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    reader: LogReader,
}

impl LogSource {
    /// Reads the log in `folder` from its beginning.
    pub fn new(disk: Arc<dyn LogDisk>, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let reader = LogReader::new(Arc::clone(&disk), &folder, Positions::default());
        Self { disk, folder, reader }
    }
}

impl Source for LogSource {
    fn seek(&mut self, positions: Positions) {
        self.reader = LogReader::new(Arc::clone(&self.disk), &self.folder, positions);
    }

    fn next(&mut self, most: usize) -> Result<Vec<Committed>, ReadError> {
        self.reader.read(most)
    }

    fn origin(&mut self, chain: &str, known: Option<&Origin>) -> Result<Option<Origin>, ReadError> {
        Files::list(&*self.disk, &self.folder, chain)?.origin(known)
    }

    fn reaches(&mut self, chain: &str, seq: u64) -> Result<bool, ReadError> {
        Files::list(&*self.disk, &self.folder, chain)?.reach(seq)
    }

    fn record(&mut self, chain: &str, seq: u64) -> Result<Option<Record>, ReadError> {
        Files::list(&*self.disk, &self.folder, chain)?.record(seq)
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
