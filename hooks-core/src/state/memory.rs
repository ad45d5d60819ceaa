//! The engine for one process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::machine::State;
use super::operation::{Answer, Op};
use super::{StateStore, StoreError};
use crate::future::HookFuture;
use crate::time::{Clock, Tick, Timestamp};

/// State in memory, behind one lock that is held for one step. It forgets everything with its process.
///
/// It is bounded where its clients are: counters, values and sets are as many as they name, open reservations as many as
/// they hold. Of what is over it remembers the latest [`Memory::REMEMBERED`] ids ([`State::remembering`]).
pub struct Memory {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
    /// When it was made: from there on its time is that of a clock that nobody sets, or else rates would stand still
    /// for as long as a calendar is set back.
    began: (Timestamp, Tick),
}

impl Memory {
    /// How many ids of what is over are remembered, some 5 MB of them: in one process a message that comes again
    /// comes soon.
    pub const REMEMBERED: usize = 65_536;

    /// An empty store. Its time begins as the calendar of `clock` has it, and goes on by the ticks of it.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let began = (clock.now(), clock.tick());
        Self { state: Mutex::new(State::remembering(Self::REMEMBERED)), clock, began }
    }
}

impl StateStore for Memory {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        let (began, first) = self.began;
        let now = began.after(self.clock.tick().since(first));
        // A step does not panic; where one did, the state is what it was between two writes.
        let answer = self.state.lock().unwrap_or_else(PoisonError::into_inner).step(&op, now);
        HookFuture::now(Ok(answer))
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}
