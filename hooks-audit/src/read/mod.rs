//! Reads what was committed, from a position on, while others write.
//!
//! A [`Reader`] looks at the files only: it holds no lock, so neither does it wait for writers nor they for it. It gives
//! a record once a mark behind it says that it had been written through to the device: what it gave, no loss of power
//! takes back. Each record comes at least once: read, do what is to be done, then keep [`Reader::positions`]; whoever
//! starts again from them gets what they had not kept, and tells duplicates by [`Committed::position`].
//!
//! What stands in a group is checked against its sum; that groups stand in their place is for the verifier.

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

/// A record that is there to stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Committed {
    /// Its chain.
    pub chain: Arc<str>,
    /// What was written down.
    pub record: Record,
    /// What stands beside it.
    pub payload: Kept,
}

/// What stands beside a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// It never had a payload.
    Nothing,
    /// Its payload.
    Payload(Box<Payload>),
    /// It was erased; the record of this number says so.
    Erased(u64),
}

impl Committed {
    /// Where it stands: the same for ever, so that a receiver can drop what it has already.
    pub fn position(&self) -> Position {
        Position { chain: Arc::clone(&self.chain), seq: self.record.seq }
    }

    /// Its payload, unless there is none or it was erased.
    pub fn payload(&self) -> Option<&Payload> {
        match &self.payload {
            Kept::Payload(payload) => Some(payload),
            Kept::Nothing | Kept::Erased(_) => None,
        }
    }
}

/// A file that is damaged, of which records are missing. What is behind it is read all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Skipped {
    /// The file.
    pub file: String,
    /// The number of the first record that is missing.
    pub from: u64,
    /// The last one that may be, where the next file goes on behind it: nobody knows how many there were, and none of
    /// these numbers is given again. Without it there is no next file, or it goes on at `from`, as it did in older logs.
    pub to: Option<u64>,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, from, to } = self;
        match to {
            Some(to) => write!(f, "records {from} to {to} at most, which stood in `{file}`, are missing")?,
            None => write!(f, "what stood in `{file}` from record {from} on is missing")?,
        }
        f.write_str(": the file is damaged; run `hooks audit verify`")
    }
}

/// Reads all chains of a folder, in the order of time as far as that does not change the order within a chain.
pub struct Reader {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    positions: Positions,
    chains: BTreeMap<String, ChainReader>,
}

impl Reader {
    /// Reads the log in `folder` behind `positions`; the default is from the beginning. The folder need not be there
    /// yet.
    pub fn new(disk: Arc<dyn LogDisk>, folder: impl Into<PathBuf>, positions: Positions) -> Self {
        Self { disk, folder: folder.into(), positions, chains: BTreeMap::new() }
    }

    /// What was committed since the last time, `most` records at most (and at least one where there is any); empty where
    /// there is nothing new. Looks into the folder and at the end of each chain; ask again after a pause.
    ///
    /// # Errors
    /// Where a file cannot be read or is damaged, once there is nothing else to give: what is wrong with one chain does
    /// not keep back the others. Nothing is lost by asking again.
    pub fn read(&mut self, most: usize) -> Result<Vec<Committed>, ReadError> {
        let most = most.max(1);
        let segments =
            segment::list(&*self.disk, &self.folder).map_err(|source| ReadError::Folder { source })?;
        let (mut found, mut failed) = (Vec::new(), None);
        for of_chain in segments.chunk_by(|a, b| a.chain == b.chain) {
            let Some(first) = of_chain.first() else { continue };
            let after = self.positions.of(&first.chain);
            let reader =
                self.chains.entry(first.chain.clone()).or_insert_with(|| ChainReader::new(&first.chain));
            match reader.read(&*self.disk, &self.folder, of_chain, after, most) {
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

    /// The files of which records were passed over since this was asked last: each once.
    pub fn take_skipped(&mut self) -> Vec<Skipped> {
        self.chains.values_mut().flat_map(ChainReader::take_skipped).collect()
    }

    /// Behind what was read so far.
    pub fn positions(&self) -> &Positions {
        &self.positions
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("folder", &self.folder)
            .field("positions", &self.positions)
            .finish_non_exhaustive()
    }
}

/// The first `most` of what all chains have, the earliest first. Clocks may have been set back: within a chain a record
/// is taken to be no earlier than the one before.
fn in_order(chains: Vec<Vec<Committed>>, most: usize) -> Vec<Committed> {
    let mut all = Vec::new();
    for records in chains {
        let mut latest = 0;
        all.extend(records.into_iter().map(|committed| {
            latest = committed.record.at.0.max(latest);
            (latest, committed)
        }));
    }
    // Stable, so that the order within each chain is kept.
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().take(most).map(|(_, committed)| committed).collect()
}

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The folder cannot be looked into.
    #[error("the folder of the log cannot be read: {source}")]
    Folder {
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("`{file}` cannot be read: {source}")]
    File {
        /// Which.
        file: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A file is not what was written.
    #[error("`{file}` is damaged: {flaw}; run `hooks audit verify`")]
    Damaged {
        /// Which.
        file: String,
        /// Where, and what is wrong.
        flaw: Flaw,
    },
}

#[cfg(test)]
mod tests;
