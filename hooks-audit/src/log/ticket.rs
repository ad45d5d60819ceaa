//! A ticket for a record that is being synced.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Reason why a record was not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unwritten {
    /// The queue is full.
    #[error("the audit log is behind: its queue of {0} records is full")]
    Full(usize),
    /// The disk refused the record.
    #[error("the audit log cannot be written: {0}")]
    Disk(Arc<str>),
    /// The log was closed.
    #[error("the audit log was closed")]
    Closed,
}

/// Ready when the record is synced, or could not be. Clones are for the same record.
#[derive(Clone, Default)]
#[must_use = "the record is not known to be written before it is ready"]
pub struct Ticket(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    settled: Condvar,
}

#[derive(Default)]
struct State {
    answer: Option<Result<(), Unwritten>>,
    waker: Option<Waker>,
    /// Whether a thread waits, which the operating system has to wake.
    is_blocking: bool,
}

impl Ticket {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Blocks this thread until the ticket is ready.
    ///
    /// # Errors
    /// Returns an error if the record was not written.
    pub fn wait(self) -> Result<(), Unwritten> {
        let mut state = self.state();
        state.is_blocking = true;
        let state = self.0.settled.wait_while(state, |state| state.answer.is_none());
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.answer.clone().unwrap_or(Err(Unwritten::Closed))
    }

    /// Sets the result; only the first call counts.
    pub(super) fn settle(&self, answer: Result<(), Unwritten>) {
        let mut state = self.state();
        state.answer.get_or_insert(answer);
        let (waker, is_blocking) = (state.waker.take(), state.is_blocking);
        drop(state);
        if is_blocking {
            self.0.settled.notify_all();
        }
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Future for Ticket {
    type Output = Result<(), Unwritten>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.state();
        match &state.answer {
            Some(answer) => Poll::Ready(answer.clone()),
            None => {
                state.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ticket").field(&self.state().answer).finish()
    }
}
