//! Rates, by the generic cell rate algorithm.

use std::time::Duration;

use hooks_core::state::{Key, MAX_MICROS, StepResult, pace_in_micros};
use rusqlite::{OptionalExtension as _, params};

use super::Step;
use crate::sqlite::error::Fault;
use crate::sqlite::number::{self, Column as _};

impl Step<'_> {
    pub(super) fn pace(
        &self,
        key: &Key,
        cost: u32,
        interval: Duration,
        burst: u32,
    ) -> Result<StepResult, Fault> {
        let (added, ahead) = pace_in_micros(cost, interval, burst);
        let micros = self.now.0.saturating_mul(1_000).min(MAX_MICROS);
        let read = "SELECT full_at FROM rates WHERE key = ?1";
        let full = self.db.prepare_cached(read)?.query_row([key.as_str()], |row| row.get(0)).optional()?;
        let full = full.map_or(Ok(0), number::count)?.max(micros);
        let after = full.saturating_add(added);
        let wait = after.saturating_sub(ahead).saturating_sub(micros);
        if wait > 0 {
            return Ok(StepResult::Wait(Duration::from_micros(wait)));
        }
        let write = "INSERT OR REPLACE INTO rates (key, full_at) VALUES (?1, ?2)";
        let columns = params![key.as_str(), after.min(MAX_MICROS).column()];
        self.db.prepare_cached(write)?.execute(columns)?;
        Ok(StepResult::Done)
    }
}
