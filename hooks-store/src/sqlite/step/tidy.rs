//! Deletes rows that no operation can refer to any more, some at a time. It affects only the size of the
//! file, never an answer.

use hooks_core::state::REMEMBERED;
use hooks_core::time::Timestamp;
use rusqlite::{Connection, params};

use super::holds::Phase;
use crate::sqlite::error::Fault;
use crate::sqlite::number::Column as _;

/// Number of reservations that are deleted at once, so that no caller waits for long.
const AT_ONCE: i64 = 2_000;

/// Deletes the rows that are forgotten by `now`; those of small tables once an hour only. `before` is the
/// time of the previous call.
pub(in crate::sqlite) fn tidy(db: &Connection, before: Timestamp, now: Timestamp) -> Result<(), Fault> {
    for phase in [Phase::Expired, Phase::Ended] {
        let forgotten = "DELETE FROM holds WHERE id IN
            (SELECT id FROM holds WHERE phase = ?1 AND due <= ?2 ORDER BY due LIMIT ?3)";
        db.prepare_cached(forgotten)?.execute(params![phase as i64, now.column(), AT_ONCE])?;
    }
    if before.0 / HOUR == now.0 / HOUR {
        return Ok(());
    }
    let micros = now.0.saturating_mul(1_000).column();
    let now = now.column();
    let a_day_ago = now.saturating_sub(REMEMBERED.as_millis().try_into().unwrap_or(i64::MAX));
    db.execute("DELETE FROM counters WHERE held = 0 AND (spent = 0 OR forgotten <= ?1)", [now])?;
    db.execute("DELETE FROM past WHERE forgotten <= ?1", [now])?;
    db.execute("DELETE FROM rates WHERE full_at <= ?1", [micros])?;
    db.execute("DELETE FROM things WHERE expires <= ?1", [now])?;
    db.execute("DELETE FROM members WHERE until <= ?1", [a_day_ago])?;
    let empty = "DELETE FROM sets WHERE touched <= ?1 AND NOT EXISTS
        (SELECT 1 FROM members WHERE in_set = sets.key)";
    db.execute(empty, [a_day_ago])?;
    Ok(())
}

/// Milliseconds of an hour.
const HOUR: u64 = 3_600_000;
