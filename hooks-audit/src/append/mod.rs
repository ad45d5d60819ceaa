//! Appends to one chain. The writer that holds its lock appends, recovers what the previous writer left, and
//! continues in another file if a write fails. All of it runs in the calling thread; [`Log`](crate::Log) adds
//! a queue.
//!
//! When [`Appender::append`] returns, the records are in the file and survive the end of the process. When
//! [`Appender::sync`] returns, they survive a power loss. A file in which a write or a sync failed is left as
//! it is: its records that are not known to be synced are committed again in the next file, and the header of
//! that file states so. A failed sync is never repeated on the same file.
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
//! appender.append(&mut [Record::new("stop", Timestamp(1)).into()])?;
//! // The record is in the file, but a power loss could remove it: readers do not return it yet.
//! let mut reader = LogReader::new(disk, "/log", Positions::default());
//! assert!(reader.read(10)?.is_empty());
//! appender.settle()?;
//! assert_eq!(reader.read(10)?.len(), 1);
//! appender.close()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod end;
mod files;
mod maintain;
mod settings;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk, LogFile};
use hooks_core::time::{Clock, Tick, Timestamp};

pub use self::files::OpenError;
pub(crate) use self::files::make_folder;
pub use self::settings::{AppendSettings, Recovered};
use crate::chain::{After, Chain, Digest, Lines, SALT};
use crate::mutant::{self, Mutant};
use crate::record::{Payload, Record};
use crate::verify;

/// Time without further attempts after a file could not be begun.
const PAUSE: Duration = Duration::from_millis(50);
/// Bytes of unsynced records that trigger a sync. This bounds the records kept in memory to be committed
/// again.
const MOST_UNSYNCED: usize = 4 << 20;

/// A record with its payload.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The record; it gets its number when it is appended.
    pub record: Record,
    /// The part of the record that may be erased.
    pub payload: Option<Payload>,
}

impl From<Record> for Entry {
    fn from(record: Record) -> Self {
        Self { record, payload: None }
    }
}

/// Appends to one chain. Dropped without [`Appender::close`], it leaves the same state as a killed process.
pub struct Appender {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    settings: AppendSettings,
    /// The end of the file.
    chain: Chain,
    /// The chain up to the last mark known to be synced.
    durable: Chain,
    /// The records behind `durable`.
    unsynced: Lines,
    /// Number of the last mark that has records.
    last_records: u64,
    /// The last mark that a later mark states to be synced.
    marked: u64,
    /// Checkpoint size that the last mark states.
    mentioned: Option<u64>,
    /// Number of records when the chain was taken over, and the root of its tree then.
    taken: (u64, Digest),
    state: State,
    _lock: DiskLock,
}

/// Destination of the next group.
enum State {
    /// The end of this file.
    Writing(Open),
    /// The next file, which has to be begun first, and not before the given tick.
    Between(After, Tick),
}

/// The file being written.
struct Open {
    file: Box<dyn LogFile>,
    length: u64,
    since: Timestamp,
}

impl Appender {
    /// Appends `entries` as one group. They are in the file when this returns.
    ///
    /// # Errors
    /// Returns an error if the entries could not be written. None of them counts then, and a later call may
    /// succeed.
    pub fn append(&mut self, entries: &mut [Entry]) -> io::Result<()> {
        self.rotate_if_due()?;
        self.begin_if_between()?;
        let mut lines = Lines::behind(self.chain.seq);
        for (entry, seq) in entries.iter_mut().zip(self.chain.seq..) {
            lines.push(&mut entry.record, entry.payload.as_ref(), &self.salt(seq))?;
        }
        self.write(&lines)?;
        if self.unsynced.bytes().len() > MOST_UNSYNCED { self.sync() } else { Ok(()) }
    }

    /// Syncs everything that was appended. If the sync fails, the records are written to another file.
    ///
    /// # Errors
    /// Returns an error if neither succeeds. The records are kept, to be committed with the next ones.
    pub fn sync(&mut self) -> io::Result<()> {
        if let State::Writing(open) = &mut self.state {
            if self.durable.commit == self.chain.commit {
                return Ok(());
            }
            let synced = open.file.sync();
            if synced.is_ok() || mutant::is(Mutant::RetriesSync) && open.file.sync().is_ok() {
                self.durable.clone_from(&self.chain);
                self.unsynced.clear(self.chain.seq);
                return Ok(());
            }
            self.state = State::Between(After::Failed, Tick::default());
        }
        self.begin_if_between()
    }

    /// Writes a mark stating that everything is synced, so that readers return it and the next writer
    /// continues here.
    ///
    /// # Errors
    /// Returns the errors of [`Appender::sync`] and [`Appender::append`].
    pub fn settle(&mut self) -> io::Result<()> {
        // A mark that only states the sync of the marks before it need not be synced itself.
        let mentions = self.mentioned < self.chain.checkpoint;
        if !self.unsynced.is_empty() || mentions || matches!(self.state, State::Between(..)) {
            self.sync()?;
        }
        let says = self.last_records > self.marked || mentions;
        if says { self.write(&Lines::behind(self.chain.seq)) } else { Ok(()) }
    }

    /// Makes the next mark state that a checkpoint over the first `size` records exists.
    pub(crate) fn mention(&mut self, size: u64) {
        for chain in [&mut self.chain, &mut self.durable] {
            chain.checkpoint = chain.checkpoint.max(Some(size));
        }
    }

    /// Makes the next mark state that checkpoints are made of the chain, if the settings enable them.
    fn states_checkpoints(&mut self) {
        if self.settings.checkpointed {
            self.mention(0);
        }
    }

    /// Settles, and hands the file over: the next writer continues in it without reading it.
    ///
    /// # Errors
    /// Returns the errors of [`Appender::settle`].
    pub fn close(mut self) -> io::Result<()> {
        self.settle()?;
        if let State::Writing(open) = &self.state
            && self.chain.seq == self.durable.seq
        {
            // If this fails, the next writer reads the file and begins another one.
            let _handed_over = end::write(&*self.disk, &self.folder, &self.durable, open.length, open.since);
        }
        Ok(())
    }

    /// Ends the file and begins another one, as if it were full.
    ///
    /// # Errors
    /// Returns an error if the file cannot be synced or another one cannot be begun. The next call tries
    /// again.
    pub fn rotate(&mut self) -> io::Result<()> {
        self.sync()?;
        if let State::Writing(_) = &self.state {
            self.state = State::Between(After::Sealed, Tick::default());
        }
        self.begin_if_between()
    }

    /// The end of the chain, including unsynced records.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The end of the chain that is known to be synced.
    pub fn durable(&self) -> &Chain {
        &self.durable
    }

    /// Returns the root over the first `size` records of the chain, as [`verify::root_of`] does. If the chain
    /// had exactly `size` records when it was taken over, nothing is read.
    ///
    /// # Errors
    /// Returns the errors of [`verify::root_of`].
    pub fn root_of(&self, size: u64) -> io::Result<Option<Digest>> {
        let (taken, root) = self.taken;
        if taken == size {
            return Ok(Some(root));
        }
        verify::root_of(&*self.disk, &self.folder, &self.chain.name, size)
    }

    fn rotate_if_due(&mut self) -> io::Result<()> {
        let State::Writing(open) = &self.state else { return Ok(()) };
        let is_full = open.length >= self.settings.file_bytes;
        let is_old = self.clock.now().since(open.since) >= self.settings.file_age;
        if is_full || is_old { self.rotate() } else { Ok(()) }
    }

    /// Writes `lines` to the file as one group.
    fn write(&mut self, lines: &Lines) -> io::Result<()> {
        let State::Writing(open) = &mut self.state else {
            return Err(io::Error::other("no file of the log can be begun"));
        };
        let mut next = self.chain.clone();
        let mut bytes = Vec::new();
        next.commit(lines, self.durable.commit, self.clock.now(), &mut bytes);
        if let Err(error) = open.file.append(&bytes) {
            if !mutant::is(Mutant::GoesOnBehindGarbage) {
                self.state = State::Between(After::Failed, Tick::default());
            }
            return Err(error);
        }
        open.length += bytes.len() as u64;
        self.marked = self.durable.commit;
        self.mentioned = next.checkpoint;
        self.chain = next;
        if !lines.is_empty() {
            self.last_records = self.chain.commit;
            self.unsynced.append(lines);
        }
        Ok(())
    }

    /// Begins the next file, unless one is being written. Its first group holds the records that are not
    /// known to be synced.
    fn begin_if_between(&mut self) -> io::Result<()> {
        let State::Between(after, not_before) = self.state else { return Ok(()) };
        let now = self.clock.tick();
        if now < not_before {
            return Err(io::Error::other("no file of the log could be begun a moment ago"));
        }
        let mut chain = self.durable.clone();
        chain.segment = self.chain.segment;
        match files::begin(&*self.disk, &self.folder, &mut chain, after, &self.unsynced, self.clock.now()) {
            Ok(open) => {
                self.marked = self.durable.commit;
                self.mentioned = chain.checkpoint;
                if !self.unsynced.is_empty() {
                    self.last_records = chain.commit;
                }
                self.durable.clone_from(&chain);
                self.chain = chain;
                self.unsynced.clear(self.chain.seq);
                self.state = State::Writing(open);
                Ok(())
            }
            Err(error) => {
                self.state = State::Between(after, now.after(PAUSE));
                Err(error)
            }
        }
    }

    /// Salt of the payload of the record behind number `seq`; it cannot be derived without the secret.
    fn salt(&self, seq: u64) -> [u8; SALT] {
        let digest = Digest::hash(&[&self.settings.secret, self.chain.name.as_bytes(), &seq.to_le_bytes()]);
        digest.0.first_chunk().copied().unwrap_or_default()
    }
}

impl fmt::Debug for Appender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Appender")
            .field("folder", &self.folder)
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
