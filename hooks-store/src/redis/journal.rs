//! Record of recent operations that the server acknowledged, for a server that loses its last writes.
//!
//! The journal has the open reservations, those that ended recently, and the members added to sets or removed
//! in that time. Sending them again is idempotent.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hooks_core::state::{Op, OpId, Scope, StepResult};
use hooks_core::time::{Tick, Timestamp};

/// Knowledge about one id.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// A reservation.
    Hold(Hold),
    /// A set member: the operation that added or removed it.
    Entry(Op),
}

/// A reservation.
#[derive(Clone, Debug)]
pub(super) struct Hold {
    /// Scopes and time of the reservation, by the store's clock; `None` if another client made it.
    pub(super) taken: Option<(Arc<[Scope]>, Timestamp)>,
    pub(super) amount: u64,
    pub(super) phase: Phase,
}

/// Phase of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The reservation is open; its holder counts as lost at this time of the store.
    Open(Timestamp),
    Ended,
}

/// Known operations, each with the time after which it is dropped.
#[derive(Debug)]
pub(super) struct Journal {
    remembered: Duration,
    pages: Mutex<Pages>,
}

#[derive(Debug, Default)]
struct Pages {
    known: HashMap<OpId, (Tick, Known)>,
    forgotten: BTreeSet<(Tick, OpId)>,
    /// Latest revision that was seen.
    revision: u64,
}

impl Journal {
    pub(super) fn new(remembered: Duration) -> Self {
        Self { remembered, pages: Mutex::default() }
    }

    /// Records the server's answer to `op`.
    pub(super) fn enter(&self, op: &Op, answer: &StepResult, store: Option<Timestamp>, now: Tick) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.forget(now);
        match (op, answer, store) {
            (Op::Reserve { id, scopes, amount, ttl }, StepResult::Done, Some(since)) => {
                pages.took(*id, scopes, *amount, since, (*ttl, self.remembered), now);
            }
            (Op::Lease { id, scopes, ttl, .. }, StepResult::Granted(granted), Some(since)) => {
                pages.took(*id, scopes, *granted, since, (*ttl, self.remembered), now);
            }
            (Op::Extend { id, to, ttl }, StepResult::Done, Some(since)) => {
                pages.extended(*id, *to, since, (*ttl, self.remembered), now);
            }
            (Op::Settle { id, actual }, StepResult::Done, _)
            // If another message ended it first, it ended with that amount.
            | (Op::Settle { id, .. } | Op::Release { id }, StepResult::Ended { actual }, _) => {
                pages.ended(*id, *actual, now.after(self.remembered));
            }
            (Op::Release { id }, StepResult::Done, _) => pages.ended(*id, 0, now.after(self.remembered)),
            (Op::Insert { id, .. } | Op::Remove { id, .. }, StepResult::Done, _) => {
                pages.enter(*id, Known::Entry(op.clone()), now.after(self.remembered));
            }
            (_, StepResult::Written(revision) | StepResult::Changes { revision, .. }, _) => {
                pages.revision = pages.revision.max(*revision);
            }
            _ => {}
        }
    }

    /// Returns everything that is known.
    pub(super) fn known(&self, now: Tick) -> Vec<(OpId, Known)> {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.forget(now);
        pages.known.iter().map(|(id, (_, known))| (*id, known.clone())).collect()
    }

    /// Returns the latest revision that was seen.
    pub(super) fn revision(&self) -> u64 {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner).revision
    }
}

impl Pages {
    /// Records a reservation that is new or was made before.
    fn took(
        &mut self,
        id: OpId,
        scopes: &Arc<[Scope]>,
        amount: u64,
        since: Timestamp,
        (ttl, remembered): (Duration, Duration),
        now: Tick,
    ) {
        // A known reservation was sent again: it stays as it is.
        if let Some((_, Known::Hold(Hold { taken: Some(_), .. }))) = self.known.get(&id) {
            return;
        }
        let phase = Phase::Open(since.after(ttl));
        let hold = Hold { taken: Some((Arc::clone(scopes), since)), amount, phase };
        self.enter(id, Known::Hold(hold), now.after(ttl).after(remembered));
    }

    fn extended(
        &mut self,
        id: OpId,
        to: u64,
        since: Timestamp,
        (ttl, remembered): (Duration, Duration),
        now: Tick,
    ) {
        let Some((_, Known::Hold(hold))) = self.known.get(&id) else { return };
        let phase = Phase::Open(since.after(ttl));
        let hold = Hold { amount: hold.amount.max(to), phase, ..hold.clone() };
        self.enter(id, Known::Hold(hold), now.after(ttl).after(remembered));
    }

    /// Records the end of a reservation; only the first end counts.
    fn ended(&mut self, id: OpId, actual: u64, forgotten: Tick) {
        let taken = match self.known.get(&id) {
            Some((_, Known::Hold(Hold { phase: Phase::Ended, .. }))) => return,
            Some((_, Known::Hold(hold))) => hold.taken.clone(),
            _ => None,
        };
        self.enter(id, Known::Hold(Hold { taken, amount: actual, phase: Phase::Ended }), forgotten);
    }

    fn enter(&mut self, id: OpId, known: Known, forgotten: Tick) {
        if let Some((before, _)) = self.known.insert(id, (forgotten, known)) {
            self.forgotten.remove(&(before, id));
        }
        self.forgotten.insert((forgotten, id));
    }

    fn forget(&mut self, now: Tick) {
        while let Some((when, id)) = self.forgotten.first().copied() {
            if when > now {
                break;
            }
            self.forgotten.pop_first();
            self.known.remove(&id);
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::state::Key;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn reserve(id: u128) -> Op {
        let scopes = [Scope::spent(Key::new(None, &["day"]), 10)].into();
        Op::Reserve { id: OpId(id), scopes, amount: 3, ttl: MINUTE }
    }

    fn phases(journal: &Journal, now: Tick) -> Vec<(u128, u64, Phase)> {
        let known = journal.known(now).into_iter().map(|(id, known)| match known {
            Known::Hold(hold) => (id.0, hold.amount, hold.phase),
            Known::Entry(op) => panic!("{op:?}"),
        });
        let mut known: Vec<_> = known.collect();
        known.sort_unstable_by_key(|(id, ..)| *id);
        known
    }

    #[test]
    fn what_is_open_is_known_and_what_has_ended_for_a_while() {
        let journal = Journal::new(MINUTE);
        let (start, since) = (Tick::default(), Some(Timestamp(5)));
        for id in [1, 2] {
            journal.enter(&reserve(id), &StepResult::Done, since, start);
        }
        journal.enter(&Op::Settle { id: OpId(1), actual: 2 }, &StepResult::Done, None, start);
        journal.enter(&Op::Settle { id: OpId(1), actual: 9 }, &StepResult::Done, None, start);
        journal.enter(&Op::Settle { id: OpId(3), actual: 4 }, &StepResult::Unknown, None, start);
        let open = (2, 3, Phase::Open(Timestamp(60_005)));
        assert_eq!(phases(&journal, start), [(1, 2, Phase::Ended), open]);
        assert_eq!(phases(&journal, start.after(MINUTE)), [open]);
        assert_eq!(phases(&journal, start.after(MINUTE * 2)), []);
    }

    #[test]
    fn what_is_extended_is_known_for_longer() {
        let journal = Journal::new(MINUTE);
        let (start, since) = (Tick::default(), Some(Timestamp(0)));
        journal.enter(&reserve(1), &StepResult::Done, since, start);
        let extend = Op::Extend { id: OpId(1), to: 7, ttl: MINUTE * 3 };
        journal.enter(&extend, &StepResult::Done, since, start);
        assert_eq!(phases(&journal, start.after(MINUTE * 3)), [(1, 7, Phase::Open(Timestamp(180_000)))]);
    }
}
