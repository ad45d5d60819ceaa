//! The queue of a log: bounded, and cheap to add to.

use std::io;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::ticket::{Ticket, Unwritten};
use crate::append::{Appender, Entry};

/// Number of times the writer looks at the queue before it sleeps: about ten microseconds if no other thread
/// needs the processor. A caller whose ticket was just settled needs about as long to queue its next record.
const LOOKS: u32 = 200;

/// Work for the log's thread.
pub(super) enum Work {
    /// Makes a record, which is written.
    Put(Box<dyn FnOnce() -> Entry + Send>),
    /// No work: a caller waits for the records before it.
    Settle,
    /// Work on the files, after the records before it; called with an error if no chain can be opened.
    Do(Box<Deed>),
}

/// Work on the files.
type Deed = dyn FnOnce(io::Result<&mut Appender>) + Send;

/// An entry of the queue.
pub(super) struct Item {
    pub(super) work: Work,
    /// Ticket of the caller that waits for the sync.
    pub(super) ticket: Option<Ticket>,
}

/// Waiting work, and the state of the log.
pub(super) struct Queue {
    most: usize,
    state: Mutex<State>,
    arrived: Condvar,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    items: Vec<Item>,
    /// Items refused since the last report in the log.
    refused: Option<Refused>,
    /// Reason why the last write failed.
    failure: Option<Unwritten>,
    /// Reason why the last checkpoint could not be written.
    unanchored: Option<Arc<str>>,
    /// Reason why the retention settings could not be applied.
    unkept: Option<Arc<str>>,
    writer: Writer,
    is_closed: bool,
    /// Number of queued records that are not known to be synced.
    at_risk: u64,
    /// Result of the writer, once it has ended.
    end: Option<Result<(), Unwritten>>,
    /// Tickets for the end of the writer, and whether any caller ever waited for it.
    closing: Vec<Ticket>,
    is_awaited: bool,
}

/// State of the writer, which decides who has to wake it.
#[derive(Clone, Copy, Default)]
enum Writer {
    /// Writes, and looks at the queue when it is done.
    #[default]
    Writes,
    /// Sleeps until an item is added.
    Sleeps,
    /// Wakes by itself soon, so that only an item with a ticket, or a half-full queue, wakes it earlier.
    Naps,
    /// Waits for this many items.
    Gathers(usize),
}

/// Content of the queue that the writer takes.
pub(super) struct Taken {
    pub(super) items: Vec<Item>,
    pub(super) refused: Option<Refused>,
    pub(super) is_closed: bool,
}

/// Count of refused items.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) count: u64,
    /// Reason why the first was refused.
    pub(super) why: Unwritten,
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        Self { most, state: Mutex::default(), arrived: Condvar::new(), ended: Condvar::new() }
    }

    /// Adds an item. Wakes the writer if a caller waits for the item, or if the writer would not wake by
    /// itself.
    pub(super) fn push(&self, item: Item) -> Result<(), Unwritten> {
        let mut state = self.state();
        if state.is_closed {
            return Err(Unwritten::Closed);
        }
        if state.items.len() >= self.most {
            let why = Unwritten::Full(self.most);
            state.refuse(why.clone());
            return Err(why);
        }
        let is_waited_for = item.ticket.is_some();
        state.at_risk += u64::from(matches!(item.work, Work::Put(_)));
        state.items.push(item);
        let wakes = match state.writer {
            Writer::Writes => false,
            Writer::Sleeps => true,
            Writer::Naps => is_waited_for || state.items.len() > self.most / 2,
            Writer::Gathers(count) => state.items.len() >= count,
        };
        if wakes {
            // Later callers need not wake it again.
            state.writer = Writer::Writes;
        }
        drop(state);
        if wakes {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Checks whether added items are expected to be written.
    pub(super) fn check(&self) -> Result<(), Unwritten> {
        let state = self.state();
        match &state.failure {
            _ if state.is_closed => Err(Unwritten::Closed),
            Some(failure) => Err(failure.clone()),
            None if state.items.len() >= self.most => Err(Unwritten::Full(self.most)),
            None => Ok(()),
        }
    }

    /// Counts an item that was not added because its write would fail with `why`.
    pub(super) fn refuse(&self, why: Unwritten) {
        self.state().refuse(why);
    }

    /// Closes the queue; returns the number of queued records that are not known to be synced.
    pub(super) fn close(&self) -> u64 {
        let mut state = self.state();
        state.is_closed = true;
        let at_risk = state.at_risk;
        drop(state);
        self.arrived.notify_one();
        at_risk
    }

    /// Returns a ticket for the end of the writer; it fails if a queued record is not synced.
    pub(super) fn closed(&self) -> Ticket {
        let ticket = Ticket::new();
        let mut state = self.state();
        state.is_awaited = true;
        match state.end.clone() {
            Some(end) => ticket.settle(end),
            None => state.closing.push(ticket.clone()),
        }
        ticket
    }

    /// Reports the result of the writer; only the first report counts.
    pub(super) fn end(&self, end: Result<(), Unwritten>) {
        let mut state = self.state();
        let end = state.end.get_or_insert(end).clone();
        if end.is_ok() {
            state.at_risk = 0;
        }
        let closing = mem::take(&mut state.closing);
        drop(state);
        self.ended.notify_all();
        closing.iter().for_each(|ticket| ticket.settle(end.clone()));
    }

    /// Waits for the end of the writer for at most `patience`; `None` if it takes longer.
    pub(super) fn wait_for_end(&self, patience: Duration) -> Option<Result<(), Unwritten>> {
        let waited = self.ended.wait_timeout_while(self.state(), patience, |state| state.end.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.end.clone()
    }

    /// Whether a caller waited for the end of the writer.
    pub(super) fn is_awaited(&self) -> bool {
        self.state().is_awaited
    }

    /// Reports that everything taken so far is synced.
    pub(super) fn report_through(&self) {
        let mut state = self.state();
        let puts = state.items.iter().filter(|item| matches!(item.work, Work::Put(_)));
        state.at_risk = puts.count() as u64;
    }

    /// Reports the result of the last write.
    pub(super) fn report(&self, failure: Option<Unwritten>) {
        self.state().failure = failure;
    }

    /// Reports the result of the last checkpoint.
    pub(super) fn report_anchor(&self, failure: Option<Arc<str>>) {
        self.state().unanchored = failure;
    }

    /// Reason why the last checkpoint could not be written.
    pub(super) fn unanchored(&self) -> Option<Arc<str>> {
        self.state().unanchored.clone()
    }

    /// Reports the result of the last run of the keeper.
    pub(super) fn report_kept(&self, failure: Option<Arc<str>>) {
        self.state().unkept = failure;
    }

    /// Reason why the retention settings could not be applied.
    pub(super) fn unkept(&self) -> Option<Arc<str>> {
        self.state().unkept.clone()
    }

    /// Waits for work and takes all of it; leaves `items`, which is empty, in its place. With `nap`, waits no
    /// longer than that, and only callers with a ticket wake the writer.
    ///
    /// Callers that waited for the last group are just waking up and may be back in a moment. So the writer
    /// does not sleep at once, because the next caller would have to wake it. And to avoid groups of one
    /// record, the writer waits for as many items as there were tickets in the last group, for as long as
    /// that group took.
    pub(super) fn take(&self, nap: Option<Duration>, gathers: (usize, Duration), items: Vec<Item>) -> Taken {
        let (expected, moment) = gathers;
        if expected > 0 {
            self.linger(expected);
        }
        let mut state = self.state();
        if state.items.is_empty() && !state.is_closed {
            state.writer = if nap.is_some() { Writer::Naps } else { Writer::Sleeps };
            let is_idle = |state: &mut State| state.items.is_empty() && !state.is_closed;
            state = match nap {
                // Woken by an item with a ticket, or at the end of the nap.
                Some(nap) => self.arrived.wait_timeout(state, nap).unwrap_or_else(PoisonError::into_inner).0,
                None => self.arrived.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner),
            };
        }
        if expected > 1 && !state.items.is_empty() && state.items.len() < expected && !state.is_closed {
            state.writer = Writer::Gathers(expected);
            let is_short = |state: &mut State| state.items.len() < expected && !state.is_closed;
            let gathered = self.arrived.wait_timeout_while(state, moment, is_short);
            state = gathered.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.writer = Writer::Writes;
        let items = mem::replace(&mut state.items, items);
        Taken { items, refused: state.refused.take(), is_closed: state.is_closed }
    }

    /// Looks at the queue several times until it has this many items, and lets other threads run in between.
    fn linger(&self, expected: usize) {
        for _ in 0..LOOKS {
            let state = self.state();
            if state.items.len() >= expected || state.is_closed {
                return;
            }
            drop(state);
            thread::yield_now();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn refuse(&mut self, why: Unwritten) {
        self.refused.get_or_insert(Refused { count: 0, why }).count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_is_counted_with_the_first_cause() {
        let queue = Queue::new(1);
        let item = || Item { work: Work::Settle, ticket: None };
        queue.push(item()).unwrap();
        queue.refuse(Unwritten::Disk("no room".into()));
        assert_eq!(queue.push(item()), Err(Unwritten::Full(1)));
        let refused = queue.take(None, (0, Duration::ZERO), Vec::new()).refused.unwrap();
        assert_eq!((refused.count, refused.why), (2, Unwritten::Disk("no room".into())));
        queue.push(item()).unwrap();
        assert!(queue.take(None, (0, Duration::ZERO), Vec::new()).refused.is_none(), "it is said once");
    }
}
