//! The engine for one process.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::machine::{Room, State};
use super::operation::{Op, StepResult};
use super::{StateStore, StoreError};
use crate::future::HookFuture;
use crate::time::{Clock, Tick, Timestamp};

/// State in memory, behind one lock that is held for one step. It is lost when the process ends.
///
/// The memory is bounded. It keeps at most [`Memory::NAMES`] counters, values, sets and rates, as many open
/// reservations, and the latest [`Memory::REMEMBERED`] ids of ended operations ([`State::remembering`]). At
/// the bound it drops a quarter of all names: first those of sessions that ended
/// ([`StateStore::session_ended`]), then those that were unused for longest.
///
/// Some names are never dropped: those used within the last hour, those with open reservations, and those
/// without an expiry. So a session that may still run does not get a fresh budget. If no name can be dropped,
/// an operation with a new name returns [`StoreError::Full`].
///
/// Before that comes, with the `tracing` feature, a warning: each time it looked for names to forget and more than four
/// fifths of them had to stay.
pub struct Memory {
    kept: Mutex<Kept>,
    clock: Arc<dyn Clock>,
    /// Time of creation. From then on, the store's time follows the ticks of the clock, which cannot be set.
    /// With calendar time, rates would stand still while a calendar is set back.
    began: (Timestamp, Tick),
}

struct Kept {
    state: State,
    room: Room,
}

impl Memory {
    /// Number of ended ids that are remembered; they use about 5 MB. Within one process, a repeated message
    /// comes soon.
    pub const REMEMBERED: usize = 65_536;

    /// Default number of counters, values, sets and rates that are kept; they use about 100 MB, and are enough for
    /// more than twenty thousand sessions.
    pub const NAMES: usize = 262_144;

    /// An empty store. Its time starts with the calendar of `clock` and follows the ticks of `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self::with_room(clock, Self::NAMES)
    }

    /// An empty store that keeps at most `names` counters, values, sets and rates, and as many open
    /// reservations.
    pub fn with_room(clock: Arc<dyn Clock>, names: usize) -> Self {
        let began = (clock.now(), clock.tick());
        let kept = Kept { state: State::remembering(Self::REMEMBERED), room: Room::with_limit(names) };
        Self { kept: Mutex::new(kept), clock, began }
    }

    fn now(&self) -> Timestamp {
        let (began, first) = self.began;
        began.after(self.clock.tick().since(first))
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A step does not panic. If one did, the state would be as it was between two writes.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateStore for Memory {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        let now = self.now();
        let mut kept = self.kept();
        let Kept { state, room } = &mut *kept;
        let answer = if state.has_room(&op, now, room) {
            Ok(state.step(&op, now))
        } else {
            Err(StoreError::Full { names: room.most() })
        };
        let (tight, most) = (room.take_tight(), room.most());
        // The subscriber that receives the warning may use this store.
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

/// Warns the operator that there is little room left.
#[cfg_attr(not(feature = "tracing"), expect(unused_variables, reason = "used with the feature only"))]
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
