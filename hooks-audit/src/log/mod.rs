//! The log of one process: hooks put records into a queue, and one thread writes them.
//!
//! The thread takes all records in the queue, appends them as one group, and syncs them once for all callers
//! that wait (group commit). It only pauses when there is nothing to do. The queue is bounded; a full queue
//! is an error. Refused or lost records are counted, and the count is the next record (`log.gap`); records in
//! a spill log are counted in the same way (`log.spilled`). Counts that cannot be recorded before the process
//! ends are stored by [`Gaps`] for the next process.
//!
//! | [`Durability`] | written | survives |
//! | --- | --- | --- |
//! | `Os` | within some milliseconds; callers do not wait | the end of the process once written, a power loss 50 ms later |
//! | `Disk` | when the ticket is ready | a power loss |
//!
//! Records are queued without waiting; `close` has all of them synced:
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::{Entry, Log, LogSettings, Positions, LogReader, Record};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! let disk = Arc::new(FakeDisk::default());
//! let clock = Arc::new(StoppedClock(Timestamp(9)));
//! let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
//! for event in ["session_start", "stop"] {
//!     // The closure runs in the thread of the log.
//!     log.put(move || Entry::from(Record::new(event, Timestamp(9))))?;
//! }
//! log.close().wait()?;
//! let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
//! assert_eq!(records.iter().map(|one| &*one.record.event).collect::<Vec<_>>(), ["session_start", "stop"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: records that cannot be written go to a second folder, best on another device.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_audit::{Entry, Log, LogSettings, Positions, LogReader, Record};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! // A file is in the place of the first folder.
//! let disk = Arc::new(FakeDisk::default().with_file("/log", ""));
//! let mut settings = LogSettings::new([7; 32]);
//! settings.spill = Some("/other/log".into());
//! let log = Log::open(disk.clone(), "/log", settings, Arc::new(StoppedClock(Timestamp(9))))?;
//! log.put_through(|| Entry::from(Record::new("stop", Timestamp(9))))?.wait()?;
//! log.close().wait()?;
//! let records = LogReader::new(disk, "/other/log", Positions::default()).read(10)?;
//! assert_eq!(records[0].record.event, "stop");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod beside;
mod chain_folder;
mod gaps;
mod queue;
mod settings;
mod ticket;
mod writer;

use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use hooks_core::fs::LogDisk;
use hooks_core::time::Clock;

use self::beside::Beside;
use self::chain_folder::ChainFolder;
pub use self::gaps::{Gaps, Missing};
use self::queue::{Item, Queue, Work};
pub use self::settings::{Durability, LogSettings};
pub use self::ticket::{Ticket, Unwritten};
use self::writer::{Parts, Writer};
use crate::append::{AppendSettings, Appender, Entry, OpenError, Recovered};
use crate::checkpoint::CheckpointWriter;
use crate::keep::{Holds, Keeper};
use crate::record::Record;

/// The log of one process. Clones share it.
///
/// [`Log::close`] syncs all records and closes the chain. A log that is dropped without that waits for at
/// most [`LogSettings::drop_wait`]; if records were not synced before the drop, a message on standard error
/// reports it.
#[derive(Clone)]
pub struct Log(Arc<Running>);

struct Running {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    recovered: Recovered,
    drop_wait: Duration,
}

impl Log {
    /// Opens the log in `folder`, as [`Appender::open`] does, and starts its thread. If it cannot be opened
    /// and there is a spill log, that one is written until the log can be opened.
    ///
    /// # Errors
    /// Returns an error if neither log can be opened, the key of the checkpoints cannot be used, or the
    /// thread cannot be started.
    pub fn open(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        settings: LogSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OpenError> {
        let folder = folder.into();
        let LogSettings { files, queue, sync_within, spill, gaps, checkpoints, keeping, drop_wait } =
            settings;
        let checkpoints =
            checkpoints.map(|checkpoints| CheckpointWriter::open(Arc::clone(&disk), checkpoints));
        let checkpoints = checkpoints.transpose().map_err(|error| OpenError::Key(error.into()))?;
        let place = |folder, files| ChainFolder::new(Arc::clone(&disk), folder, files, Arc::clone(&clock));
        let mut spill = spill.map(|spill| place(spill, files.clone()));
        let checkpointed = files.checkpointed || checkpoints.is_some();
        let mut home = place(folder.clone(), AppendSettings { checkpointed, ..files });
        let recovered = home.open().or_else(|error| instead(error, &folder, spill.as_mut()))?;
        let queue = Arc::new(Queue::new(queue));
        let beside = keeping.map(|keeping| {
            let keeper = Keeper::new(Arc::clone(&disk), &folder, Arc::clone(&clock), keeping);
            Beside::new(keeper, Arc::clone(&queue))
        });
        let writer = Writer::new(Parts {
            queue: Arc::clone(&queue),
            home,
            spill,
            beside,
            checkpoints,
            gaps: gaps.unwrap_or_default(),
            sync_within,
            clock,
        });
        let ends = Ends(Arc::clone(&queue));
        let work = move || ends.0.end(writer.run());
        let thread = std::thread::Builder::new().name("audit-log".to_owned()).spawn(work);
        match thread {
            Ok(thread) => {
                let thread = Some(thread);
                Ok(Self(Arc::new(Running { queue, thread, disk, folder, recovered, drop_wait })))
            }
            Err(source) => Err(OpenError::Disk { folder, source }),
        }
    }

    /// Queues the entry that `entry` makes in the log's thread, without waiting.
    ///
    /// # Errors
    /// Returns an error if the queue is full; the record is counted as missing.
    pub fn put(&self, entry: impl FnOnce() -> Entry + Send + 'static) -> Result<(), Unwritten> {
        self.0.queue.push(Item { work: Work::Put(Box::new(entry)), ticket: None })
    }

    /// Queues the entry that `entry` makes, to be synced as soon as possible. The ticket is ready then.
    ///
    /// # Errors
    /// Returns an error if the queue is full; the record is counted as missing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Entry, Log, LogSettings, Positions, LogReader, Record, Unwritten};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    ///
    /// let disk = Arc::new(FakeDisk::default());
    /// let clock = Arc::new(StoppedClock(Timestamp(1)));
    /// let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
    /// let entry = || Entry::from(Record::new("stop", Timestamp(1)));
    /// // A ticket is a future; a thread without a runtime calls `wait`.
    /// log.put_through(entry)?.wait()?;
    ///
    /// log.close().wait()?;
    /// assert_eq!(LogReader::new(disk, "/log", Positions::default()).read(10)?.len(), 1);
    /// assert_eq!(log.put_through(entry).err(), Some(Unwritten::Closed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put_through(&self, entry: impl FnOnce() -> Entry + Send + 'static) -> Result<Ticket, Unwritten> {
        let ticket = Ticket::new();
        self.0.queue.push(Item { work: Work::Put(Box::new(entry)), ticket: Some(ticket.clone()) })?;
        Ok(ticket)
    }

    /// Returns a ticket that is ready when all records queued before are synced. It fails if a record was
    /// lost since the last call of this method, even if there is room again.
    ///
    /// # Errors
    /// Returns an error if the queue is full; this is counted.
    pub fn settled(&self) -> Result<Ticket, Unwritten> {
        let ticket = Ticket::new();
        self.0.queue.push(Item { work: Work::Settle, ticket: Some(ticket.clone()) })?;
        Ok(ticket)
    }

    /// Closes the log: all queued records are synced, and the chain is closed. The ticket is ready when that
    /// is done; later records are refused. It needs no runtime, and may be called again and from several
    /// threads at once.
    pub fn close(&self) -> Ticket {
        self.0.queue.close();
        self.0.queue.closed()
    }

    /// Erases, in the chain of this log, the payloads of the records that `which` selects and no hold
    /// selects, as [`Appender::erase`] does; returns their number. Blocks until it is done; records queued
    /// meanwhile wait too.
    ///
    /// # Errors
    /// Returns an error if the disk fails, the holds cannot be read, or they are not those of the log.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::{Entry, Kept, Log, LogSettings, Payload, Positions, LogReader, Record, notes};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    ///
    /// let disk = Arc::new(FakeDisk::default());
    /// let clock = Arc::new(StoppedClock(Timestamp(9)));
    /// let log = Log::open(disk.clone(), "/log", LogSettings::new([7; 32]), clock)?;
    /// for session in ["s1", "s2"] {
    ///     let mut record = Record::new("user_prompt_submitted", Timestamp(9));
    ///     record.session = session.to_owned();
    ///     let mut payload = Payload::default();
    ///     payload.event = serde_json::json!({"prompt": "call me at 555-0100"});
    ///     log.put_through(move || Entry { record, payload: Some(payload) })?.wait()?;
    /// }
    /// assert_eq!(log.erase("requested by the user", |record| record.session == "s1")?, 1);
    /// log.close().wait()?;
    ///
    /// let records = LogReader::new(disk, "/log", Positions::default()).read(10)?;
    /// assert_eq!(records[2].record.event, notes::ERASED);
    /// assert_eq!(records[0].payload, Kept::Erased(3), "record 3 documents it");
    /// assert!(records[1].payload().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn erase(
        &self,
        why: impl Into<String>,
        which: impl Fn(&Record) -> bool + Send + 'static,
    ) -> io::Result<u64> {
        // The lock is held until it is done: no hold is added, and no file compressed or deleted meanwhile.
        let holds = Holds::take(Arc::clone(&self.0.disk), &self.0.folder)?;
        holds.check()?;
        let (why, (tell, told)) = (why.into(), mpsc::channel());
        let work = move |appender: io::Result<&mut Appender>| {
            let is_meant = |record: &Record| which(record) && holds.hold_on(record).is_none();
            // The caller waits for the result.
            drop(tell.send(appender.and_then(|appender| appender.erase(&why, &is_meant))));
        };
        let item = Item { work: Work::Do(Box::new(work)), ticket: Some(Ticket::new()) };
        self.0.queue.push(item).map_err(io::Error::other)?;
        told.recv().map_err(io::Error::other)?
    }

    /// Counts a record that was not queued because [`Log::check`] returned the error `why`.
    pub(crate) fn refuse(&self, why: Unwritten) {
        self.0.queue.refuse(why);
    }

    /// Checks whether the last records could be written, as far as is known.
    ///
    /// # Errors
    /// Returns the reason if the last write failed.
    pub fn check(&self) -> Result<(), Unwritten> {
        self.0.queue.check()
    }

    /// Reason why the last checkpoint could not be written, if checkpoints are enabled. The first failure is
    /// also recorded.
    pub fn unanchored(&self) -> Option<Arc<str>> {
        self.0.queue.unanchored()
    }

    /// Reason why the settings of [`LogSettings::keeping`] could not be applied the last time, if that
    /// failed.
    pub fn unkept(&self) -> Option<Arc<str>> {
        self.0.queue.unkept()
    }

    /// State in which the previous writer left this chain; `Nothing` if the folder could not be opened at
    /// first.
    pub fn recovered(&self) -> &Recovered {
        &self.0.recovered
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("recovered", &self.0.recovered).finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let at_risk = self.queue.close();
        let Some(thread) = self.thread.take() else { return };
        if thread.thread().id() == std::thread::current().id() {
            // Dropped in its own thread, by a queued function: the thread ends by itself.
            return;
        }
        let Some(end) = self.queue.wait_for_end(self.drop_wait) else {
            return say(&format!(
                "the audit log was dropped before it was closed, and {at_risk} records are not known to be written after \
                 {:?}; await `close` before the process ends",
                self.drop_wait
            ));
        };
        // The thread only panics if a queued function does; all waiting callers got an answer.
        drop(thread.join());
        match end {
            // A caller of `close` waits for the error and gets it.
            _ if self.queue.is_awaited() => {}
            Ok(()) if at_risk > 0 => say(&format!(
                "the audit log was dropped before it was closed: waited until {at_risk} records were written; await \
                 `close` before the process ends"
            )),
            Ok(()) => {}
            Err(error) => say(&format!("the audit log was dropped, and not all of it is written: {error}")),
        }
    }
}

/// Informs all callers that wait for the end of the writer, even if it panicked.
struct Ends(Arc<Queue>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end(Err(Unwritten::Closed));
    }
}

/// Writes a message to standard error, because a drop cannot return an error.
fn say(what: &str) {
    // If standard error is closed, the message is lost.
    let _said = writeln!(io::stderr(), "hooks: {what}");
}

/// Opens the `spill` log in place of the log in `folder`, which could not be opened because of `error`.
fn instead(error: OpenError, folder: &Path, spill: Option<&mut ChainFolder>) -> Result<Recovered, OpenError> {
    let Some(spill) = spill else { return Err(error) };
    match spill.open() {
        Ok(_) => Ok(Recovered::Nothing),
        Err(other) => {
            let why = if let OpenError::Disk { source, .. } = error {
                source.to_string()
            } else {
                error.to_string()
            };
            let source = io::Error::other(format!("{why}; and for its spill log, {other}"));
            Err(OpenError::Disk { folder: folder.to_path_buf(), source })
        }
    }
}

#[cfg(test)]
mod tests;
