//! Ids of corrections and removed entries.

use hooks_core::state::OpId;
use rusqlite::params;

use super::Step;
use crate::sqlite::error::Fault;
use crate::sqlite::number::Column as _;

impl Step<'_> {
    /// Adds an id; returns false if it is known.
    pub(super) fn enter_past(&self, id: OpId) -> Result<bool, Fault> {
        let is_new = !self.is_past(id)?;
        if is_new {
            let write = "INSERT OR REPLACE INTO past (id, forgotten) VALUES (?1, ?2)";
            self.db.prepare_cached(write)?.execute(params![id.column(), self.remembered()])?;
        }
        Ok(is_new)
    }

    pub(super) fn is_past(&self, id: OpId) -> Result<bool, Fault> {
        let read = "SELECT 1 FROM past WHERE id = ?1 AND forgotten > ?2";
        Ok(self.db.prepare_cached(read)?.exists(params![id.column(), self.now.column()])?)
    }
}
