//! Values: texts, each with the revision of its last write.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::{Key, OpId, StepResult};
use rusqlite::{OptionalExtension as _, params};

use super::{Step, below};
use crate::sqlite::error::Fault;
use crate::sqlite::number::{self, Column as _};

impl Step<'_> {
    pub(super) fn get(&self, key: &Key) -> Result<StepResult, Fault> {
        let read = "SELECT value, revision FROM things WHERE key = ?1 AND (expires IS NULL OR expires > ?2)";
        let columns = params![key.as_str(), self.now.column()];
        let mut statement = self.db.prepare_cached(read)?;
        let row =
            statement.query_row(columns, |row| Ok((row.get::<_, String>(0)?, row.get(1)?))).optional()?;
        let value = row.map(|(value, revision)| Ok::<_, Fault>((value.into(), number::count(revision)?)));
        Ok(StepResult::Value(value.transpose()?))
    }

    pub(super) fn put(
        &self,
        key: &Key,
        value: &Arc<str>,
        ttl: Option<Duration>,
        writer: Option<OpId>,
    ) -> Result<StepResult, Fault> {
        let revision = self.next_revision()?;
        let write = "INSERT OR REPLACE INTO things (key, value, revision, writer, expires)
            VALUES (?1, ?2, ?3, ?4, ?5)";
        let expires = ttl.map(|ttl| self.until(ttl).column());
        let writer = writer.map(number::Column::column);
        let columns = params![key.as_str(), &**value, revision.column(), writer, expires];
        self.db.prepare_cached(write)?.execute(columns)?;
        Ok(StepResult::Written(revision))
    }

    pub(super) fn compare_and_set(
        &self,
        id: OpId,
        key: &Key,
        revision: u64,
        value: &Arc<str>,
        ttl: Option<Duration>,
    ) -> Result<StepResult, Fault> {
        let read = "SELECT revision, writer FROM things WHERE key = ?1 AND (expires IS NULL OR expires > ?2)";
        let columns = params![key.as_str(), self.now.column()];
        let mut statement = self.db.prepare_cached(read)?;
        let row = statement.query_row(columns, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (current, writer): (i64, Option<[u8; 16]>) = row.unwrap_or_default();
        match number::count(current)? {
            current if writer == Some(id.column()) => Ok(StepResult::Written(current)),
            current if current == revision => self.put(key, value, ttl, Some(id)),
            current => Ok(StepResult::Conflict(current)),
        }
    }

    pub(super) fn changed_values(
        &self,
        folder: &Key,
        after: u64,
        keys: &mut BTreeSet<Key>,
    ) -> Result<(), Fault> {
        let read = "SELECT key FROM things WHERE (key = ?1 OR (key >= ?2 AND key < ?3)) AND revision > ?4
            AND (expires IS NULL OR expires > ?5)";
        let [folder, from, to] = below(folder);
        let mut statement = self.db.prepare_cached(read)?;
        let columns = params![folder, from, to, after.column(), self.now.column()];
        for key in statement.query_map(columns, |row| row.get::<_, String>(0))? {
            keys.insert(Key::from(key?));
        }
        Ok(())
    }
}
