//! The log of one process: whoever has something to put down hands it over, and one thread writes for all.
//!
//! The thread takes all that has gathered, adds it as one group, and has it written through once for all who wait for
//! that (group commit): no time passes between, unless there is nothing to do. What is handed over is bounded; a full
//! queue is an error. What was refused or lost is counted, and the count is the next record (`log.gap`).
//!
//! | [`Durability`] | put down | survives |
//! | --- | --- | --- |
//! | `Os` | within some milliseconds; nobody waits for it | the process once it is in the file, a loss of power 50 ms later |
//! | `Disk` | when the ticket is ready | a loss of power |

mod queue;
mod settings;
mod ticket;
mod writer;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use hooks_core::fs::LogDisk;
use hooks_core::time::Clock;

use self::queue::{Item, Queue};
pub use self::settings::{Durability, LogSettings};
pub use self::ticket::{Ticket, Unwritten};
use self::writer::Writer;
use crate::append::{Appender, Entry, OpenError, Recovered};

/// The log of one process. Clones share it; when the last one is dropped, what was handed over is written through and
/// the chain is closed.
#[derive(Clone)]
pub struct Log(Arc<Running>);

struct Running {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
    recovered: Recovered,
}

impl Log {
    /// Opens the log in `folder`, as [`Appender::open`] does, and starts its thread.
    ///
    /// # Errors
    /// Where it cannot be opened, or no thread be started.
    pub fn open(
        disk: Arc<dyn LogDisk>,
        folder: impl Into<PathBuf>,
        settings: LogSettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, OpenError> {
        let folder = folder.into();
        let (appender, recovered) =
            Appender::open(Arc::clone(&disk), &folder, settings.files.clone(), Arc::clone(&clock))?;
        let queue = Arc::new(Queue::new(settings.queue));
        let writer = Writer::new(Arc::clone(&queue), appender, settings, disk, clock);
        let thread = std::thread::Builder::new().name("audit-log".to_owned()).spawn(move || writer.run());
        let thread = thread.map_err(|source| OpenError::Disk { folder, source })?;
        Ok(Self(Arc::new(Running { queue, thread: Some(thread), recovered })))
    }

    /// Hands over what `entry` makes, which runs in the log's thread. Nobody waits for it.
    ///
    /// # Errors
    /// Where the queue is full; that is counted.
    pub fn put(&self, entry: impl FnOnce() -> Entry + Send + 'static) -> Result<(), Unwritten> {
        self.0.queue.push(Item { make: Some(Box::new(entry)), ticket: None })
    }

    /// Hands over what `entry` makes, to be written through as soon as possible. The ticket is ready when it was.
    ///
    /// # Errors
    /// Where the queue is full; that is counted.
    pub fn put_through(&self, entry: impl FnOnce() -> Entry + Send + 'static) -> Result<Ticket, Unwritten> {
        let ticket = Ticket::new();
        self.0.queue.push(Item { make: Some(Box::new(entry)), ticket: Some(ticket.clone()) })?;
        Ok(ticket)
    }

    /// The promise that all that was handed over before is written through. It is broken where a record was lost since
    /// somebody asked for this last, also if there is room again.
    ///
    /// # Errors
    /// Where the queue is full; that is counted.
    pub fn settled(&self) -> Result<Ticket, Unwritten> {
        let ticket = Ticket::new();
        self.0.queue.push(Item { make: None, ticket: Some(ticket.clone()) })?;
        Ok(ticket)
    }

    /// Whether what was handed over last could be written, as far as is known.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), Unwritten> {
        self.0.queue.check()
    }

    /// Why the last anchor could not be written, where there is a place for them.
    pub fn unanchored(&self) -> Option<Arc<str>> {
        self.0.queue.unanchored()
    }

    /// What the writer of this chain before had left.
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
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was one of what it was handed; everyone who waited was told.
            drop(thread.join());
        }
    }
}

#[cfg(test)]
mod tests;
