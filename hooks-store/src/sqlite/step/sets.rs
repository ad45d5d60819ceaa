//! Sets: members with a note, a time of entry and an expiry.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, Member, OpId, REMEMBERED, StepResult};
use rusqlite::params;

use super::{Step, below};
use crate::sqlite::error::Fault;
use crate::sqlite::number::{self, Column as _};

impl Step<'_> {
    /// Returns the members that are not forgotten, in order of entry.
    pub(super) fn members(&self, set: &Key) -> Result<Vec<Member>, Fault> {
        let read = "SELECT id, name, note, since, until FROM members
            WHERE in_set = ?1 AND (until IS NULL OR until > ?2) ORDER BY place";
        let mut statement = self.db.prepare_cached(read)?;
        let mut rows = statement.query(params![set.as_str(), self.forgotten_since()])?;
        let mut members = Vec::new();
        while let Some(row) = rows.next()? {
            members.push(Member {
                id: number::id(row.get(0)?),
                name: row.get::<_, String>(1)?.into(),
                note: row.get::<_, String>(2)?.into(),
                since: number::time(row.get(3)?)?,
                until: number::maybe_time(row.get(4)?)?,
            });
        }
        Ok(members)
    }

    pub(super) fn insert(
        &self,
        id: OpId,
        set: &Key,
        name: &Arc<str>,
        note: &Arc<str>,
        ttl: Option<Duration>,
    ) -> Result<StepResult, Fault> {
        if self.is_past(id)? {
            return Ok(StepResult::Ended { actual: 0 });
        }
        let members = self.members(set)?;
        if members.iter().any(|member| member.id == id) {
            return Ok(StepResult::Done);
        }
        let there = members.into_iter().find(|member| member.name == *name && !member.is_over(self.now));
        if let Some(there) = there {
            return Ok(StepResult::Present(there));
        }
        // Replaces an expired member of this name, and a forgotten entry with this id.
        let free = "DELETE FROM members WHERE in_set = ?1 AND (name = ?2 OR id = ?3)";
        self.db.prepare_cached(free)?.execute(params![set.as_str(), &**name, id.column()])?;
        let write = "INSERT INTO members (in_set, place, id, name, note, since, until)
            SELECT ?1, coalesce(max(place), 0) + 1, ?2, ?3, ?4, ?5, ?6 FROM members WHERE in_set = ?1";
        let until = ttl.map(|ttl| self.until(ttl).column());
        let columns = params![set.as_str(), id.column(), &**name, &**note, self.now.column(), until];
        self.db.prepare_cached(write)?.execute(columns)?;
        self.touch(set)
    }

    pub(super) fn update(
        &self,
        id: OpId,
        set: &Key,
        note: Option<&Arc<str>>,
        ttl: Option<Duration>,
    ) -> Result<StepResult, Fault> {
        let write = "UPDATE members SET until = ?3, note = coalesce(?4, note)
            WHERE in_set = ?1 AND id = ?2 AND (until IS NULL OR until > ?5)";
        let until = ttl.map(|ttl| self.until(ttl).column());
        let forgotten = self.forgotten_since();
        let columns = params![set.as_str(), id.column(), until, note.map(|note| &**note), forgotten];
        let changed = self.db.prepare_cached(write)?.execute(columns)?;
        if changed == 0 { Ok(StepResult::Unknown) } else { self.touch(set) }
    }

    pub(super) fn remove(&self, id: OpId, set: &Key) -> Result<StepResult, Fault> {
        if !self.enter_past(id)? {
            return Ok(StepResult::Done);
        }
        let write = "DELETE FROM members WHERE in_set = ?1 AND id = ?2 AND (until IS NULL OR until > ?3)";
        let columns = params![set.as_str(), id.column(), self.forgotten_since()];
        let removed = self.db.prepare_cached(write)?.execute(columns)?;
        if removed == 0 { Ok(StepResult::Done) } else { self.touch(set) }
    }

    pub(super) fn changed_sets(
        &self,
        folder: &Key,
        after: u64,
        keys: &mut BTreeSet<Key>,
    ) -> Result<(), Fault> {
        // A set that was empty for a day is over.
        let read = "SELECT key FROM sets WHERE (key = ?1 OR (key >= ?2 AND key < ?3)) AND revision > ?4
            AND (touched > ?5 OR EXISTS (SELECT 1 FROM members
                WHERE in_set = sets.key AND (until IS NULL OR until > ?5)))";
        let [folder, from, to] = below(folder);
        let mut statement = self.db.prepare_cached(read)?;
        let columns = params![folder, from, to, after.column(), self.forgotten_since()];
        for key in statement.query_map(columns, |row| row.get::<_, String>(0))? {
            keys.insert(Key::from(key?));
        }
        Ok(())
    }

    /// Records that a set was changed.
    fn touch(&self, set: &Key) -> Result<StepResult, Fault> {
        let write = "INSERT OR REPLACE INTO sets (key, revision, touched) VALUES (?1, ?2, ?3)";
        let columns = params![set.as_str(), self.next_revision()?.column(), self.now.column()];
        self.db.prepare_cached(write)?.execute(columns)?;
        Ok(StepResult::Done)
    }

    /// Time before which expired entries are forgotten by now; negative on the first day, so that no entry is
    /// forgotten.
    fn forgotten_since(&self) -> i64 {
        self.now.column().saturating_sub(DAY)
    }
}

/// [`REMEMBERED`](hooks_core::state::REMEMBERED), in milliseconds.
const DAY: i64 = REMEMBERED.as_secs().cast_signed() * 1_000;
