//! The engine for one process.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::machine::{Room, State};
use super::operation::{Answer, Op};
use super::{StateStore, StoreError};
use crate::future::HookFuture;
use crate::time::{Clock, Tick, Timestamp};

/// State in memory, behind one lock that is held for one step. It forgets everything with its process.
///
/// It is bounded: it keeps [`Memory::NAMES`] counters, values, sets and rates, as many open reservations, and the latest
/// [`Memory::REMEMBERED`] ids of what is over ([`State::remembering`]). At the bound it forgets what sessions named that
/// ended ([`StateStore::session_ended`]), then what was silent for longest, a quarter of all at once. Nothing is forgotten
/// that was silent for less than an hour, that is held, or that has no end: a session that may still be alive has no fresh
/// budget. Where nothing may be forgotten, an operation that names something new is [`StoreError::Full`].
///
/// Before that comes, with the `tracing` feature, a warning: each time it looked for names to forget and more than four
/// fifths of them had to stay.
pub struct Memory {
    kept: Mutex<Kept>,
    clock: Arc<dyn Clock>,
    /// When it was made: from there on its time is that of a clock that nobody sets, or else rates would stand still
    /// for as long as a calendar is set back.
    began: (Timestamp, Tick),
}

struct Kept {
    state: State,
    room: Room,
}

impl Memory {
    /// How many ids of what is over are remembered, some 5 MB of them: in one process a message that comes again
    /// comes soon.
    pub const REMEMBERED: usize = 65_536;

    /// How many counters, values, sets and rates are kept unless told, some 100 MB of them: those of more than twenty
    /// thousand sessions.
    pub const NAMES: usize = 262_144;

    /// An empty store. Its time begins as the calendar of `clock` has it, and goes on by the ticks of it.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::with_room(clock, Self::NAMES)
    }

    /// An empty store that keeps at most `names` counters, values, sets and rates, and as many open reservations.
    pub fn with_room(clock: Arc<dyn Clock>, names: usize) -> Self {
        let began = (clock.now(), clock.tick());
        let kept = Kept { state: State::remembering(Self::REMEMBERED), room: Room::of(names) };
        Self { kept: Mutex::new(kept), clock, began }
    }

    fn now(&self) -> Timestamp {
        let (began, first) = self.began;
        began.after(self.clock.tick().since(first))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A step does not panic; where one did, the state is what it was between two writes.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for Memory {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        let now = self.now();
        let mut kept = self.kept();
        let Kept { state, room } = &mut *kept;
        let answer = if state.has_room(&op, now, room) {
            Ok(state.step(&op, now))
        } else {
            Err(StoreError::Full { names: room.most() })
        };
        let (tight, most) = (room.take_tight(), room.most());
        // Whoever hears of it may ask this store.
        drop(kept);
        if let Some(names) = tight {
            warn(names, most);
        }
        HookFuture::now(answer)
    }

    fn session_ended(&self, tenant: Option<&str>, session: &str) {
        let now = self.now();
        self.kept().room.end(tenant, session, now);
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}

/// Tells an operator that there is little room left.
#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "told by the feature alone"))]
fn warn(names: usize, most: usize) {
    #[cfg(feature = "tracing")]
    tracing::warn!(
        names,
        most,
        "the state store in memory is nearly full: {names} of {most} counters are of sessions that may be alive; end \
         sessions that are over, give it more room (`store.names`), or keep state in a file"
    );
}

#[cfg(test)]
mod tests;
