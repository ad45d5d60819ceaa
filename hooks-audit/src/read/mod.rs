//! Reads committed records from a position on, while others write.
//!
//! A [`LogReader`] only reads files: it takes no lock, so readers and writers never wait for each other. It
//! returns a record only if a later mark states that the record is synced; a power loss cannot remove such a
//! record. Each record is returned at least once: read, process, then store [`LogReader::positions`]. A reader
//! that starts from stored positions gets the later records again, and can recognize duplicates by
//! [`Committed::position`].
//!
//! A group is checked against its sum; the verifier checks that groups are in their place.
//!
//! A reader continues at a stored position:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::{Appender, Positions, LogReader, Record, AppendSettings};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! let disk = Arc::new(FakeDisk::default());
//! let clock = Arc::new(StoppedClock(Timestamp(1)));
//! let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
//! appender.append(&mut ["session_start", "stop"].map(|event| Record::new(event, Timestamp(1)).into()))?;
//! appender.close()?;
//!
//! let mut reader = LogReader::new(disk.clone(), "/log", Positions::default());
//! assert_eq!(reader.read(1)?[0].record.event, "session_start");
//! let stored = serde_json::to_string(reader.positions())?;
//! assert_eq!(stored, r#"{"w0":1}"#);
//!
//! let mut later = LogReader::new(disk, "/log", serde_json::from_str(&stored)?);
//! let rest = later.read(100)?;
//! assert_eq!((rest.len(), &*rest[0].record.event), (1, "stop"));
//! assert_eq!(rest[0].position().to_string(), "w0:2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;
mod position;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::fs::LogDisk;

use self::chain::ChainReader;
pub use self::position::{Position, Positions};
use crate::chain::Flaw;
use crate::record::{Payload, Record};
use crate::segment;

/// A record that is synced.
///
/// ```
/// use hooks_audit::{Committed, Kept, Record};
/// use hooks_core::time::Timestamp;
///
/// let mut record = Record::new("stop", Timestamp(1));
/// record.seq = 17;
/// let committed = |log: &str| -> Committed {
///     let record = record.clone();
///     Committed { chain: "w0".into(), log: log.into(), record, payload: Kept::Nothing }
/// };
/// // Receivers of several logs recognize duplicates by the key.
/// assert_eq!(committed("").key(), "w0:17");
/// assert_eq!(committed("4f1c").key(), "4f1c:w0:17");
/// assert_eq!(committed("4f1c").payload(), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Committed<P = Payload> {
    /// Name of its chain.
    pub chain: Arc<str>,
    /// Id that distinguishes the chain from chains of the same name in other logs; empty unless determined,
    /// as by a [`Feed`](crate::sink::Feed).
    pub log: Arc<str>,
    /// The record.
    pub record: Record,
    /// Payload of the record.
    pub payload: Kept<P>,
}

/// Reads the payload of a record from its JSON.
pub type ParsePayload<'p, P> = &'p dyn Fn(&Record, &[u8]) -> Option<P>;

/// Payload of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept<P = Payload> {
    /// The record never had a payload.
    Nothing,
    /// The payload.
    Payload(Box<P>),
    /// The payload was erased; the record with this number documents it.
    Erased(u64),
}

impl<P> Committed<P> {
    /// Key that is unique among the records of all logs: `log:chain:number`, or `chain:number` if the log is
    /// not determined. It never changes.
    pub fn key(&self) -> String {
        let position = self.position();
        if self.log.is_empty() { position.to_string() } else { format!("{}:{position}", self.log) }
    }

    /// Position in the log. It never changes.
    pub fn position(&self) -> Position {
        Position { chain: Arc::clone(&self.chain), seq: self.record.seq }
    }

    /// The payload, unless the record has no payload or it was erased.
    pub fn payload(&self) -> Option<&P> {
        match &self.payload {
            Kept::Payload(payload) => Some(payload),
            Kept::Nothing | Kept::Erased(_) => None,
        }
    }
}

/// A damaged file with missing records. The records behind it are read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// Name of the file.
    pub file: String,
    /// Number of the first missing record.
    pub from: u64,
    /// Number of the last record that may be missing, if the next file continues behind it. The true count is
    /// unknown, and none of these numbers is given again. `None` if there is no next file, or if it continues
    /// at `from`, as in older logs.
    pub to: Option<u64>,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, from, to } = self;
        match to {
            Some(to) => write!(f, "records {from} to {to} at most, which stood in `{file}`, are missing")?,
            None => write!(f, "the records in `{file}` from {from} on are missing")?,
        }
        f.write_str(": the file is damaged; run `hooks audit verify`")
    }
}

/// Bytes at the end of a file that hold no record that is known to be synced: a writer is at work, or was interrupted,
/// or the file was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Name of the file.
    pub file: String,
    /// Number of bytes.
    pub bytes: usize,
}

/// Reads all chains of a folder. Records are ordered by time, as far as that keeps the order within each
/// chain.
pub struct LogReader {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    positions: Positions,
    chains: BTreeMap<String, ChainReader>,
}

impl LogReader {
    /// Creates a reader of the log in `folder` that starts behind `positions`; the default is the beginning.
    /// The folder may not exist yet.
    pub fn new(disk: Arc<dyn LogDisk>, folder: impl Into<PathBuf>, positions: Positions) -> Self {
        Self { disk, folder: folder.into(), positions, chains: BTreeMap::new() }
    }

    /// Returns the records committed since the last call: at most `most`, and at least one if there is any.
    /// Lists the folder and reads the end of each chain; if the result is empty, call again after a pause.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged, and there is nothing else to return: records
    /// of the other chains come first. Calling again loses nothing.
    pub fn read(&mut self, most: usize) -> Result<Vec<Committed>, ReadError> {
        self.read_with(most, &|_, json| serde_json::from_slice(json).ok())
    }

    /// Returns the records as [`LogReader::read`] does, with payloads that `parse` reads from their JSON. A payload for
    /// which it returns `None` is damaged.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read or is damaged, and there is nothing else to return.
    pub fn read_with<P>(
        &mut self,
        most: usize,
        parse: ParsePayload<'_, P>,
    ) -> Result<Vec<Committed<P>>, ReadError> {
        let most = most.max(1);
        let segments =
            segment::list(&*self.disk, &self.folder).map_err(|source| ReadError::Folder { source })?;
        let (mut found, mut failed) = (Vec::new(), None);
        for of_chain in segments.chunk_by(|a, b| a.chain == b.chain) {
            let Some(first) = of_chain.first() else { continue };
            let after = self.positions.last_in(&first.chain);
            let reader =
                self.chains.entry(first.chain.clone()).or_insert_with(|| ChainReader::new(&first.chain));
            match reader.read(&*self.disk, &self.folder, of_chain, after, most, parse) {
                Ok(records) => found.push(records),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        let taken = in_order(found, most);
        if let (true, Some(error)) = (taken.is_empty(), failed) {
            return Err(error);
        }
        for committed in &taken {
            self.positions.advance(&committed.chain, committed.record.seq);
        }
        Ok(taken)
    }

    /// Returns the files with records that were skipped since the last call, each once.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_audit::{Appender, Positions, LogReader, Record, AppendSettings, notes};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    ///
    /// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
    /// let open = || Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock.clone());
    /// let (mut appender, _) = open()?;
    /// appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
    /// appender.settle()?;
    /// drop(appender);
    /// let file = Path::new("/log/w0.00000001.jsonl");
    /// let text = String::from_utf8(disk.files()[file].clone())?;
    /// disk.put(file, text.replace("stop", "stap"));
    ///
    /// // The next writer moves the damaged file aside, and its first record is an alarm.
    /// let (appender, _) = open()?;
    /// appender.close()?;
    /// let mut reader = LogReader::new(disk, "/log", Positions::default());
    /// assert_eq!(reader.read(10)?[0].record.event, notes::ALARM);
    /// let skipped = reader.take_skipped();
    /// assert_eq!((&*skipped[0].file, skipped[0].from), ("w0.00000001.damaged.jsonl", 1));
    /// assert!(skipped[0].to_string().ends_with("the file is damaged; run `hooks audit verify`"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take_skipped(&mut self) -> Vec<Skipped> {
        self.chains.values_mut().flat_map(ChainReader::take_skipped).collect()
    }

    /// The ends of the chains that were not returned, as of the last read; complete if that returned nothing.
    pub fn unfinished(&self) -> impl Iterator<Item = &Unfinished> {
        self.chains.values().filter_map(ChainReader::unfinished)
    }

    /// The position behind the last record that was returned.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }
}

impl fmt::Debug for LogReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogReader")
            .field("folder", &self.folder)
            .field("positions", &self.positions)
            .finish_non_exhaustive()
    }
}

/// Returns the first `most` records of all chains, the earliest first. Clocks may have been set back: within
/// a chain, a record counts as no earlier than the one before.
fn in_order<P>(mut chains: Vec<Vec<Committed<P>>>, most: usize) -> Vec<Committed<P>> {
    if let [records] = &mut *chains {
        records.truncate(most);
        return std::mem::take(records);
    }
    let mut all = Vec::new();
    for records in chains {
        let mut latest = 0;
        all.extend(records.into_iter().map(|committed| {
            latest = committed.record.at.0.max(latest);
            (latest, committed)
        }));
    }
    // The sort is stable, so that the order within each chain is kept.
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().take(most).map(|(_, committed)| committed).collect()
}

/// Reason why a log cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The folder cannot be listed.
    #[error("the folder of the log cannot be read: {source}")]
    Folder {
        /// Error of the disk.
        #[source]
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("`{file}` cannot be read: {source}")]
    File {
        /// Name of the file.
        file: String,
        /// Error of the disk.
        #[source]
        source: io::Error,
    },
    /// A file is damaged.
    #[error("`{file}` is damaged: {flaw}; run `hooks audit verify`")]
    Damaged {
        /// Name of the file.
        file: String,
        /// Offset and description of the damage.
        flaw: Flaw,
    },
}

#[cfg(test)]
mod tests;
