//! The log of one process: whoever has something to put down hands it over, and one thread writes for all.
//!
//! The thread takes all that has gathered, adds it as one group, and has it written through once for all who wait for
//! that (group commit): no time passes between, unless there is nothing to do. What is handed over is bounded; a full
//! queue is an error. What was refused or lost is counted, and the count is the next record (`log.gap`); so is what went to a
//! spill log (`log.spilled`). What the log cannot say before its process ends, [`Gaps`] keep for the next one.
//!
//! | [`Durability`] | put down | survives |
//! | --- | --- | --- |
//! | `Os` | within some milliseconds; nobody waits for it | the process once it is in the file, a loss of power 50 ms later |
//! | `Disk` | when the ticket is ready | a loss of power |

mod beside;
mod gaps;
mod place;
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
pub use self::gaps::{Gaps, Missing};
use self::place::Place;
use self::queue::{Item, Queue, Work};
pub use self::settings::{Durability, LogSettings};
pub use self::ticket::{Ticket, Unwritten};
use self::writer::{Parts, Writer};
use crate::append::{Appender, Entry, OpenError, Recovered, Settings};
use crate::checkpoint::CheckpointWriter;
use crate::keep::{Holds, Keeper};
use crate::record::Record;

/// The log of one process. Clones share it.
///
/// [`Log::close`] writes what was handed over through and closes the chain. A log that is dropped without that is waited for,
/// [`LogSettings::drop_wait`] at most; where records were not on the device yet, standard error says so.
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
    /// Opens the log in `folder`, as [`Appender::open`] does, and starts its thread. Where it cannot be opened and there is a
    /// spill log, that is written until it can.
    ///
    /// # Errors
    /// Where neither can be opened, the key of its checkpoints not be used, or no thread be started.
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
        let place = |folder, files| Place::new(Arc::clone(&disk), folder, files, Arc::clone(&clock));
        let mut spill = spill.map(|spill| place(spill, files.clone()));
        let checkpointed = files.checkpointed || checkpoints.is_some();
        let mut home = place(folder.clone(), Settings { checkpointed, ..files });
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

    /// Hands over what `entry` makes, which runs in the log's thread. Nobody waits for it.
    ///
    /// # Errors
    /// Where the queue is full; that is counted.
    pub fn put(&self, entry: impl FnOnce() -> Entry + Send + 'static) -> Result<(), Unwritten> {
        self.0.queue.push(Item { work: Work::Put(Box::new(entry)), ticket: None })
    }

    /// Hands over what `entry` makes, to be written through as soon as possible. The ticket is ready when it was.
    ///
    /// # Errors
    /// Where the queue is full; that is counted.
    pub fn put_through(&self, entry: impl FnOnce() -> Entry + Send + 'static) -> Result<Ticket, Unwritten> {
        let ticket = Ticket::new();
        self.0.queue.push(Item { work: Work::Put(Box::new(entry)), ticket: Some(ticket.clone()) })?;
        Ok(ticket)
    }

    /// The promise that all that was handed over before is written through. It is broken where a record was lost since
    /// somebody asked for this last, also if there is room again.
    ///
    /// # Errors
    /// Where the queue is full; that is counted.
    pub fn settled(&self) -> Result<Ticket, Unwritten> {
        let ticket = Ticket::new();
        self.0.queue.push(Item { work: Work::Settle, ticket: Some(ticket.clone()) })?;
        Ok(ticket)
    }

    /// Closes the log: what was handed over is written through, and the chain is closed. Ready when that is done; what is
    /// handed over later is refused. It needs no runtime, and may be called again and by several at once.
    pub fn close(&self) -> Ticket {
        self.0.queue.close();
        self.0.queue.closed()
    }

    /// Erases, in the chain of this log, the payloads of the records that `which` picks and no hold is about, as
    /// [`Appender::erase`] does; of how many. Waits for it; what others put down meanwhile waits too.
    ///
    /// # Errors
    /// Whatever the disk answers, and where the holds cannot be read or are not those of the record.
    pub fn erase(
        &self,
        why: impl Into<String>,
        which: impl Fn(&Record) -> bool + Send + 'static,
    ) -> io::Result<u64> {
        // Taken until it is done: nobody begins to hold, to compress or to delete meanwhile.
        let holds = Holds::take(Arc::clone(&self.0.disk), &self.0.folder)?;
        holds.check()?;
        let (why, (tell, told)) = (why.into(), mpsc::channel());
        let work = move |appender: io::Result<&mut Appender>| {
            let is_meant = |record: &Record| which(record) && holds.of(record).is_none();
            // Who asked is waiting.
            drop(tell.send(appender.and_then(|appender| appender.erase(&why, &is_meant))));
        };
        let item = Item { work: Work::Do(Box::new(work)), ticket: Some(Ticket::new()) };
        self.0.queue.push(item).map_err(io::Error::other)?;
        told.recv().map_err(io::Error::other)?
    }

    /// Counts a record that was not handed over, because [`Log::check`] said that it would be of no use, and `why`.
    pub(crate) fn refuse(&self, why: Unwritten) {
        self.0.queue.refuse(why);
    }

    /// Whether what was handed over last could be written, as far as is known.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), Unwritten> {
        self.0.queue.check()
    }

    /// Why the last checkpoint could not be written, where there is a place for them. That they began to fail is a record
    /// as well.
    pub fn unanchored(&self) -> Option<Arc<str>> {
        self.0.queue.unanchored()
    }

    /// Why the files could not be kept as [`LogSettings::keeping`] says, where that failed last.
    pub fn unkept(&self) -> Option<Arc<str>> {
        self.0.queue.unkept()
    }

    /// What the writer of this chain before had left; nothing where its folder could not be opened at first.
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
            // Dropped by what it was handed, it goes on by itself.
            return;
        }
        match self.queue.wait_for_end(self.drop_wait) {
            Some(end) => {
                // A panic of the thread was one of what it was handed; everyone who waited was told.
                drop(thread.join());
                match end {
                    Ok(()) if at_risk > 0 => say(&format!(
                        "the audit log was dropped before it was closed: waited until {at_risk} records were written; await \
                         `close` before the process ends"
                    )),
                    Ok(()) => {}
                    Err(error) => {
                        say(&format!("the audit log was dropped, and not all of it is written: {error}"))
                    }
                }
            }
            None => say(&format!(
                "the audit log was dropped before it was closed, and {at_risk} records are not known to be written after \
                 {:?}; await `close` before the process ends",
                self.drop_wait
            )),
        }
    }
}

/// Tells those who wait for the end of the writer that it came, also where it panicked.
struct Ends(Arc<Queue>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end(Err(Unwritten::Closed));
    }
}

/// Says what a drop cannot return, on standard error; nothing reads what it could return.
fn say(what: &str) {
    // Where standard error is closed, there is nowhere to say it.
    let _said = writeln!(io::stderr(), "hooks: {what}");
}

/// Opens the `spill` log in place of the one in `folder`, which gave `error`.
fn instead(error: OpenError, folder: &Path, spill: Option<&mut Place>) -> Result<Recovered, OpenError> {
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
