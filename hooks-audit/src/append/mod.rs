//! Adds to one chain: the one who holds its lock writes, recovers what the one before left, and goes on in another file
//! when a write fails. All of it in the calling thread; [`Log`](crate::Log) puts a queue before it.
//!
//! What was added is in the file, and survives the process, when [`Appender::append`] returns; it survives a loss of power
//! when [`Appender::sync`] does. A file in which a write or a sync failed is left as it is: what is not known to have been
//! written through in it is committed again in the next one, whose header says so. A failed sync is never asked again.

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
pub use self::settings::{Recovered, Settings};
use crate::chain::{After, Chain, Digest, Lines, SALT};
use crate::mutant::{self, Mutant};
use crate::record::{Payload, Record};
use crate::verify;

/// How long nothing is tried after a file could not be begun.
const PAUSE: Duration = Duration::from_millis(50);
/// When so much is not known to have been written through, it is, so that what is kept to commit it again is bounded.
const MOST_UNSYNCED: usize = 4 << 20;

/// A record and what stands beside it.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The record; its number is given when it is added.
    pub record: Record,
    /// What may be erased of it.
    pub payload: Option<Payload>,
}

impl From<Record> for Entry {
    fn from(record: Record) -> Self {
        Self { record, payload: None }
    }
}

/// Adds to one chain. Dropped without [`Appender::close`], it leaves what a killed process leaves.
pub struct Appender {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    settings: Settings,
    /// The end of the file.
    chain: Chain,
    /// What is known to have been written through.
    durable: Chain,
    /// The records behind that.
    unsynced: Lines,
    /// The last mark that has records.
    last_records: u64,
    /// The last mark of which it is written down that it was written through.
    said: u64,
    /// What the last mark says of checkpoints.
    mentioned: Option<u64>,
    /// How many records the chain had when it was taken over, and their root.
    taken: (u64, Digest),
    state: State,
    _lock: DiskLock,
}

/// Where the next group goes.
enum State {
    /// To the end of this file.
    Writing(Open),
    /// To the next file, which has to be begun first, and not before the given moment.
    Between(After, Tick),
}

/// The file that is added to.
struct Open {
    file: Box<dyn LogFile>,
    length: u64,
    since: Timestamp,
}

impl Appender {
    /// Adds `entries` as one group. They are in the file when this returns.
    ///
    /// # Errors
    /// Where they could not be written; none of them counts then, and a later call may succeed.
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

    /// Has all that was added written through, in another file where that fails in this one.
    ///
    /// # Errors
    /// Where neither succeeds. What was added is kept, to be committed with what comes next.
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

    /// Writes down that all was written through, so that readers give it and the next writer goes on here.
    ///
    /// # Errors
    /// Those of [`Appender::sync`] and [`Appender::append`].
    pub fn settle(&mut self) -> io::Result<()> {
        // The mark alone, which says that all before it was, need not be.
        let mentions = self.mentioned < self.chain.checkpoint;
        if !self.unsynced.is_empty() || mentions || matches!(self.state, State::Between(..)) {
            self.sync()?;
        }
        let says = self.last_records > self.said || mentions;
        if says { self.write(&Lines::behind(self.chain.seq)) } else { Ok(()) }
    }

    /// Has the next mark say that a checkpoint over the first `size` records was made.
    pub(crate) fn mention(&mut self, size: u64) {
        for chain in [&mut self.chain, &mut self.durable] {
            chain.checkpoint = chain.checkpoint.max(Some(size));
        }
    }

    /// Has the next mark say that checkpoints are made of the chain, where they are.
    fn states_checkpoints(&mut self) {
        if self.settings.checkpointed {
            self.mention(0);
        }
    }

    /// Settles, and hands the file over: the next writer goes on in it without reading it.
    ///
    /// # Errors
    /// Those of [`Appender::settle`].
    pub fn close(mut self) -> io::Result<()> {
        self.settle()?;
        if let State::Writing(open) = &self.state
            && self.chain.seq == self.durable.seq
        {
            // Otherwise the next one reads it and begins another.
            let _handed_over = end::write(&*self.disk, &self.folder, &self.durable, open.length, open.since);
        }
        Ok(())
    }

    /// Ends the file and begins another one, as if it were full.
    ///
    /// # Errors
    /// Where the file cannot be written through or another one not be begun. The next call tries again.
    pub fn rotate(&mut self) -> io::Result<()> {
        self.sync()?;
        if let State::Writing(_) = &self.state {
            self.state = State::Between(After::Sealed, Tick::default());
        }
        self.begin_if_between()
    }

    /// The end of what was added.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The end of what is known to have been written through.
    pub fn durable(&self) -> &Chain {
        &self.durable
    }

    /// The root over the first `size` records of the chain, as [`verify::root_of`] says it. Where it
    /// was taken over with so many, nothing is read.
    ///
    /// # Errors
    /// Those of [`verify::root_of`].
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

    /// Adds a group of `lines` to the file.
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
        self.said = self.durable.commit;
        self.mentioned = next.checkpoint;
        self.chain = next;
        if !lines.is_empty() {
            self.last_records = self.chain.commit;
            self.unsynced.append(lines);
        }
        Ok(())
    }

    /// Begins the next file, unless one is being written, with what is not known to have been written through.
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
                self.said = self.durable.commit;
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

    /// What salts the payload of the record behind number `seq`: nobody can tell it who has not the secret.
    fn salt(&self, seq: u64) -> [u8; SALT] {
        let digest = Digest::of(&[&self.settings.secret, self.chain.name.as_bytes(), &seq.to_le_bytes()]);
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
