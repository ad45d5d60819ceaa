//! One operation, inside a transaction that the caller begins and ends.
//!
//! This is [`State::step`](hooks_core::state::State::step) again, on rows, with the same division into files.
//! The test of all engines checks that both give the same answers.

mod counters;
mod holds;
mod past;
mod rates;
mod sets;
mod tidy;
mod values;

use std::collections::BTreeSet;
use std::time::Duration;

use hooks_core::state::{Key, LATEST, Op, REMEMBERED, StepResult};
use hooks_core::time::Timestamp;
use rusqlite::Connection;

use super::error::Fault;
use super::number::{self, Column as _};

pub(super) use self::tidy::tidy;

/// An open transaction and the current time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'c> {
    pub(super) db: &'c Connection,
    pub(super) now: Timestamp,
}

impl Step<'_> {
    /// Does `op`, after expiring all reservations whose holder is lost by now.
    pub(super) fn run(&self, op: &Op) -> Result<StepResult, Fault> {
        self.expire_lost()?;
        match op {
            Op::Reserve { id, scopes, amount, ttl } => self.reserve(*id, scopes, *amount, *ttl),
            Op::Lease { id, scopes, least, most, share, ttl } => {
                self.lease(*id, scopes, (*least, *most, *share), *ttl)
            }
            Op::Extend { id, to, ttl } => self.extend(*id, *to, *ttl),
            Op::Settle { id, actual } => self.settle(*id, *actual),
            Op::Release { id } => self.settle(*id, 0),
            Op::Used { key, window } => self.used(key, *window),
            Op::Correct { id, key, window, spent } => self.correct(*id, key, *window, *spent),
            Op::Pace { key, cost, interval, burst } => self.pace(key, *cost, *interval, *burst),
            Op::Put { key, value, ttl } => self.put(key, value, *ttl, None),
            Op::CompareAndSet { id, key, revision, value, ttl } => {
                self.compare_and_set(*id, key, *revision, value, *ttl)
            }
            Op::Get { key } => self.get(key),
            Op::Insert { id, set, name, note, ttl } => self.insert(*id, set, name, note, *ttl),
            Op::Update { id, set, note, ttl } => self.update(*id, set, note.as_ref(), *ttl),
            Op::Remove { id, set } => self.remove(*id, set),
            Op::Members { set } => {
                Ok(StepResult::Members { members: self.members(set)?.into(), now: self.now })
            }
            Op::Changes { below, after } => self.changes(below, *after),
            Op::Counters { below } => self.counters_below(below),
            Op::Now => Ok(StepResult::Now(self.now)),
            _ => Err(Fault::Unsupported),
        }
    }

    fn until(&self, ttl: Duration) -> Timestamp {
        self.now.after(ttl).min(LATEST)
    }

    /// Returns the time until which an operation that ends now is remembered, as a column.
    fn remembered(&self) -> i64 {
        self.now.after(REMEMBERED).column()
    }

    fn next_revision(&self) -> Result<u64, Fault> {
        let write = "UPDATE revisions SET latest = latest + 1 RETURNING latest";
        number::count(self.db.prepare_cached(write)?.query_row([], |row| row.get(0))?)
    }

    fn changes(&self, below: &Key, after: u64) -> Result<StepResult, Fault> {
        let mut keys = BTreeSet::new();
        self.changed_values(below, after, &mut keys)?;
        self.changed_sets(below, after, &mut keys)?;
        let latest = self.db.query_row("SELECT latest FROM revisions", [], |row| row.get(0))?;
        Ok(StepResult::Changes { keys: keys.into_iter().collect(), revision: number::count(latest)? })
    }
}

/// The bounds of a folder of keys for SQL: the key itself, or a key between the other two.
fn below(folder: &Key) -> [String; 3] {
    // In ASCII, the character after a slash is a zero.
    [folder.as_str().to_owned(), format!("{folder}/"), format!("{folder}0")]
}
