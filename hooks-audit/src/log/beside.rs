//! Keeps the files of the chain beside the writer, in a thread of its own: whoever puts something down waits for none of it.

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

/// How often it is looked at what has become too old; what is full is compressed at once.
const PAUSE: Duration = Duration::from_secs(3_600);

/// What keeps the files of a chain.
pub(super) struct Beside {
    keeper: Keeper,
    queue: Arc<Queue>,
    /// The file that was written when it was looked last.
    file: u64,
    /// When it is looked again.
    due: Tick,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    pub(super) fn new(keeper: Keeper, queue: Arc<Queue>) -> Self {
        Self { keeper, queue, file: 0, due: Tick::default(), stops: Arc::default(), thread: None }
    }

    /// Looks after the files of `chain` where another one was begun since, or it is time, and it is not being done.
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

    /// Ends behind the file that is at hand. The lock of the chain is given up after that.
    pub(super) fn stop(self) {
        self.stops.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread {
            // A panic would be one of the disk's; the files are as they may be at any moment.
            drop(thread.join());
        }
    }
}

/// Has the writer put a record down, through to the device.
fn note(queue: &Queue, record: Record) -> io::Result<()> {
    let ticket = Ticket::new();
    let work = Work::Put(Box::new(move || Entry::from(record)));
    let item = Item { work, ticket: Some(ticket.clone()) };
    queue.push(item).and_then(|()| ticket.wait()).map_err(io::Error::other)
}
