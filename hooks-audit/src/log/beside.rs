//! Applies the retention settings to the files of the chain in a thread beside the writer; records never wait
//! for it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use hooks_core::time::Tick;

use super::queue::{Item, Queue, Work};
use super::ticket::Ticket;
use crate::append::Entry;
use crate::chain::Chain;
use crate::keep::{Keeper, Report};
use crate::record::Record;

/// Time between two checks for files that are too old; full files are compressed at once.
const PAUSE: Duration = Duration::from_secs(3_600);

/// Runs a keeper for the files of a chain.
pub(super) struct Beside {
    keeper: Keeper,
    queue: Arc<Queue>,
    /// Number of the file being written at the last check.
    file: u64,
    /// Time of the next check.
    due: Tick,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    pub(super) fn new(keeper: Keeper, queue: Arc<Queue>) -> Self {
        Self { keeper, queue, file: 0, due: Tick::default(), stops: Arc::default(), thread: None }
    }

    /// Starts the work on the files of `chain` if another file was begun since or the pause is over, unless
    /// it is still running.
    pub(super) fn start_if_due(&mut self, chain: &Chain, now: Tick) {
        let file = chain.segment;
        let is_due = file != self.file || now >= self.due;
        if !is_due || self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        (self.file, self.due) = (file, now.after(PAUSE));
        let (keeper, queue) = (self.keeper.clone(), Arc::clone(&self.queue));
        let (chain, stops) = (chain.name.clone(), Arc::clone(&self.stops));
        let work = move || {
            let goes_on = || !stops.load(Ordering::Relaxed);
            let mut note = |record| note(&queue, record);
            let done = keeper.chain(&chain, &mut note, &goes_on, &mut Report::default());
            queue.report_kept(done.err().map(|error| error.to_string().into()));
        };
        let thread = std::thread::Builder::new().name("audit-keep".to_owned()).spawn(work);
        match thread {
            Ok(thread) => self.thread = Some(thread),
            Err(error) => self.queue.report_kept(Some(error.to_string().into())),
        }
    }

    /// Stops after the current file. The lock of the chain is released after that.
    pub(super) fn stop(self) {
        self.stops.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread {
            // Only the disk can panic there; the files are in a valid state at any moment.
            drop(thread.join());
        }
    }
}

/// Has the writer append a record and sync it.
fn note(queue: &Queue, record: Record) -> io::Result<()> {
    let ticket = Ticket::new();
    let work = Work::Put(Box::new(move || Entry::from(record)));
    let item = Item { work, ticket: Some(ticket.clone()) };
    queue.push(item).and_then(|()| ticket.wait()).map_err(io::Error::other)
}
