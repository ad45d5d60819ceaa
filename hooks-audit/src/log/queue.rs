//! What waits to be written: bounded, and cheap to add to.

use std::io;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::ticket::{Ticket, Unwritten};
use crate::append::{Appender, Entry};

/// How often the writer looks before it falls asleep: some ten microseconds, where nobody else wants the processor. That is
/// what it takes until one who was told is here again.
const LOOKS: u32 = 200;

/// What there is to do, in the log's thread.
pub(super) enum Work {
    /// Makes a record, which is put down.
    Put(Box<dyn FnOnce() -> Entry + Send>),
    /// Nothing: somebody waits for those before.
    Settle,
    /// Something with the files, behind those before; where there are none, with the reason.
    Do(Box<Deed>),
}

/// What is done with the files.
type Deed = dyn FnOnce(io::Result<&mut Appender>) + Send;

/// Something to do.
pub(super) struct Item {
    pub(super) work: Work,
    /// Who waits until it is written through.
    pub(super) ticket: Option<Ticket>,
}

/// What waits, and how the log is.
pub(super) struct Queue {
    most: usize,
    state: Mutex<State>,
    arrived: Condvar,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    items: Vec<Item>,
    /// What was refused since the last time that was written down.
    refused: Option<Refused>,
    /// Why what was tried last could not be written.
    failure: Option<Unwritten>,
    /// Why the last anchor could not be written.
    unanchored: Option<Arc<str>>,
    /// Why the files could not be kept as they are to be.
    unkept: Option<Arc<str>>,
    writer: Writer,
    is_closed: bool,
    /// How many records were handed over that are not known to be on the device.
    at_risk: u64,
    /// How it ended, once the writer has.
    end: Option<Result<(), Unwritten>>,
    /// Who waits for that, and whether anybody ever did.
    closing: Vec<Ticket>,
    is_awaited: bool,
}

/// What the writer does, which says who has to wake it.
#[derive(Clone, Copy, Default)]
enum Writer {
    /// It writes, and looks at the queue when it is done.
    #[default]
    Writes,
    /// It sleeps until something comes.
    Sleeps,
    /// It looks again by itself soon, so that only who waits wakes it.
    Naps,
    /// It waits for so many items.
    Gathers(usize),
}

/// What the writer takes.
pub(super) struct Taken {
    pub(super) items: Vec<Item>,
    pub(super) refused: Option<Refused>,
    pub(super) is_closed: bool,
}

/// Items that were not handed over.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) count: u64,
    /// Why the first was not.
    pub(super) why: Unwritten,
}

impl Queue {
    pub(super) fn new(most: usize) -> Self {
        Self { most, state: Mutex::default(), arrived: Condvar::new(), ended: Condvar::new() }
    }

    /// Adds an item. Wakes the writer where somebody waits for it, or it would sleep on.
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
            // Whoever comes next need not wake it again.
            state.writer = Writer::Writes;
        }
        drop(state);
        if wakes {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// Whether it can be hoped that what is added will be written.
    pub(super) fn check(&self) -> Result<(), Unwritten> {
        let state = self.state();
        match &state.failure {
            _ if state.is_closed => Err(Unwritten::Closed),
            Some(failure) => Err(failure.clone()),
            None if state.items.len() >= self.most => Err(Unwritten::Full(self.most)),
            None => Ok(()),
        }
    }

    /// Counts an item that was not handed over, because it would be of no use: `why`.
    pub(super) fn refuse(&self, why: Unwritten) {
        self.state().refuse(why);
    }

    /// Takes nothing more; how many records were handed over that are not known to be on the device.
    pub(super) fn close(&self) -> u64 {
        let mut state = self.state();
        state.is_closed = true;
        let at_risk = state.at_risk;
        drop(state);
        self.arrived.notify_one();
        at_risk
    }

    /// Ready when the writer has ended: with an error where something of what was handed over is not on the device.
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

    /// Says how the writer ended; the first word stands.
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

    /// Waits for that, no longer than `patience`; `None` where it takes longer.
    pub(super) fn wait_for_end(&self, patience: Duration) -> Option<Result<(), Unwritten>> {
        let waited = self.ended.wait_timeout_while(self.state(), patience, |state| state.end.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.end.clone()
    }

    /// Whether somebody asked how the writer ends.
    pub(super) fn is_awaited(&self) -> bool {
        self.state().is_awaited
    }

    /// All that was taken so far is on the device.
    pub(super) fn report_through(&self) {
        let mut state = self.state();
        let puts = state.items.iter().filter(|item| matches!(item.work, Work::Put(_)));
        state.at_risk = puts.count() as u64;
    }

    /// Says how the last attempt to write went.
    pub(super) fn report(&self, failure: Option<Unwritten>) {
        self.state().failure = failure;
    }

    /// Says how the last anchor went.
    pub(super) fn report_anchor(&self, failure: Option<Arc<str>>) {
        self.state().unanchored = failure;
    }

    /// Why the last anchor could not be written.
    pub(super) fn unanchored(&self) -> Option<Arc<str>> {
        self.state().unanchored.clone()
    }

    /// Says how it went last to keep the files.
    pub(super) fn report_kept(&self, failure: Option<Arc<str>>) {
        self.state().unkept = failure;
    }

    /// Why the files could not be kept.
    pub(super) fn unkept(&self) -> Option<Arc<str>> {
        self.state().unkept.clone()
    }

    /// Waits until something is to be done: for ever, or for `nap` in which only those who wait themselves wake the
    /// writer. Takes all there is, and leaves `items`, which is empty, for what comes.
    ///
    /// Who was waiting until the last group was written through is just being woken and may be here again in a moment. So
    /// the writer does not fall asleep at once, which whoever comes would have to pay for. And so that one of them is not a
    /// group alone, as many are waited for as were told, as long as that group took.
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
                // Woken for one who waits, or when the nap is over.
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

    /// Looks a few more times whether so many came, and lets others run in between.
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
