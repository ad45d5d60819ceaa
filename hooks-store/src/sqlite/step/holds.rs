//! Reservations: the amounts held in counters, and how they end.

use std::time::Duration;

use hooks_core::state::{MAX_AMOUNT, OpId, Scope, ScopeKind, StepResult};
use hooks_core::time::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use super::Step;
use crate::sqlite::error::Fault;
use crate::sqlite::number::{self, Column as _};

/// A reservation, as in its row.
#[derive(Debug)]
struct Held {
    scopes: Vec<Scope>,
    since: Timestamp,
    amount: u64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open = 0,
    Expired = 1,
    Ended = 2,
}

impl Phase {
    fn from_column(column: i64) -> Result<Self, Fault> {
        match column {
            0 => Ok(Self::Open),
            1 => Ok(Self::Expired),
            2 => Ok(Self::Ended),
            other => Err(Fault::Row(format!("a reservation in phase {other}"))),
        }
    }
}

impl Step<'_> {
    pub(super) fn reserve(
        &self,
        id: OpId,
        scopes: &[Scope],
        amount: u64,
        ttl: Duration,
    ) -> Result<StepResult, Fault> {
        if let Some(held) = self.held(id)? {
            return Ok(match held.phase {
                Phase::Open => StepResult::Done,
                Phase::Expired | Phase::Ended => StepResult::Ended { actual: held.amount },
            });
        }
        if let Some(refused) = self.refusal(self.now, scopes, |_| amount)? {
            return Ok(refused);
        }
        self.hold(id, scopes, amount, ttl)?;
        Ok(StepResult::Done)
    }

    pub(super) fn lease(
        &self,
        id: OpId,
        scopes: &[Scope],
        (least, most, share): (u64, u64, u32),
        ttl: Duration,
    ) -> Result<StepResult, Fault> {
        if let Some(held) = self.held(id)? {
            return Ok(match held.phase {
                Phase::Open => StepResult::Granted(held.amount),
                Phase::Expired | Phase::Ended => StepResult::Ended { actual: held.amount },
            });
        }
        if let Some(refused) = self.refusal(self.now, scopes, |_| least)? {
            return Ok(refused);
        }
        let mut left = MAX_AMOUNT;
        for scope in scopes {
            // A scope that is listed twice has half of the remaining amount for each.
            let times = scopes.iter().filter(|other| is_same(other, scope)).count();
            let times = u64::try_from(times).unwrap_or(u64::MAX).max(1);
            let used = self.counter(&scope.key, scope.window, self.now)?.used();
            left = left.min(scope.limit.min(MAX_AMOUNT).saturating_sub(used) / times);
        }
        let share = u128::from(left) * u128::from(share) / 1_000;
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        let granted = share.min(most).max(least).min(left);
        self.hold(id, scopes, granted, ttl)?;
        Ok(StepResult::Granted(granted))
    }

    pub(super) fn extend(&self, id: OpId, to: u64, ttl: Duration) -> Result<StepResult, Fault> {
        let Some(held) = self.held(id)?.filter(|held| held.phase != Phase::Ended) else {
            return Ok(StepResult::Unknown);
        };
        // An expired reservation is charged already, but its places were given back.
        let taken_back = held.phase == Phase::Expired;
        let (to, more) = (to.max(held.amount), to.saturating_sub(held.amount));
        let needs = |scope: &Scope| match scope.kind {
            ScopeKind::Places if taken_back => to,
            _ => more,
        };
        if let Some(refused) = self.refusal(held.since, &held.scopes, needs)? {
            return Ok(refused);
        }
        for scope in &held.scopes {
            self.charge(&scope.key, scope.window, held.since, |counter| {
                if taken_back && scope.kind == ScopeKind::Spent {
                    counter.spent = counter.spent.saturating_sub(held.amount);
                    counter.hold(to);
                } else {
                    counter.hold(needs(scope));
                }
            })?;
        }
        let write = "UPDATE holds SET amount = ?2, phase = ?3, due = ?4 WHERE id = ?1";
        let columns =
            params![id.column(), to.min(MAX_AMOUNT).column(), Phase::Open as i64, self.until(ttl).column()];
        self.db.prepare_cached(write)?.execute(columns)?;
        Ok(StepResult::Done)
    }

    /// Ends a reservation. The first end counts; a later one changes nothing, and its answer has the amount
    /// of the first.
    pub(super) fn settle(&self, id: OpId, actual: u64) -> Result<StepResult, Fault> {
        let Some(held) = self.held(id)? else { return Ok(StepResult::Unknown) };
        let actual = actual.min(MAX_AMOUNT);
        if held.phase == Phase::Ended {
            let is_same = held.amount == actual;
            return Ok(if is_same { StepResult::Done } else { StepResult::Ended { actual: held.amount } });
        }
        for scope in &held.scopes {
            self.charge(&scope.key, scope.window, held.since, |counter| {
                if held.phase == Phase::Open {
                    counter.held = counter.held.saturating_sub(held.amount);
                } else if scope.kind == ScopeKind::Spent {
                    counter.spent = counter.spent.saturating_sub(held.amount);
                }
                if scope.kind == ScopeKind::Spent {
                    counter.spend(actual);
                }
            })?;
        }
        // The scopes of an ended reservation are not needed any more.
        let write = "UPDATE holds SET amount = ?2, phase = ?3, due = ?4, scopes = '[]' WHERE id = ?1";
        let columns = params![id.column(), actual.column(), Phase::Ended as i64, self.remembered()];
        self.db.prepare_cached(write)?.execute(columns)?;
        Ok(StepResult::Done)
    }

    /// Expires all open reservations whose holders are lost by now.
    pub(super) fn expire_lost(&self) -> Result<(), Fault> {
        let read = "SELECT id FROM holds WHERE phase = 0 AND due <= ?1 ORDER BY due, id";
        let mut statement = self.db.prepare_cached(read)?;
        let ids = statement.query_map([self.now.column()], |row| row.get::<_, [u8; 16]>(0))?;
        let lost: Vec<_> = ids.collect::<Result<_, _>>()?;
        for id in lost.into_iter().map(number::id) {
            let Some(held) = self.held(id)? else { continue };
            for scope in &held.scopes {
                self.charge(&scope.key, scope.window, held.since, |counter| {
                    counter.held = counter.held.saturating_sub(held.amount);
                    if scope.kind == ScopeKind::Spent {
                        counter.spend(held.amount);
                    }
                })?;
            }
            let write = "UPDATE holds SET phase = ?2, due = ?3 WHERE id = ?1";
            let columns = params![id.column(), Phase::Expired as i64, self.remembered()];
            self.db.prepare_cached(write)?.execute(columns)?;
        }
        Ok(())
    }

    fn hold(&self, id: OpId, scopes: &[Scope], amount: u64, ttl: Duration) -> Result<(), Fault> {
        for scope in scopes {
            self.charge(&scope.key, scope.window, self.now, |counter| counter.hold(amount))?;
        }
        let text = serde_json::to_string(scopes).map_err(|error| Fault::Row(error.to_string()))?;
        // Replaces the row of a forgotten reservation with the same id that was not deleted yet.
        let write = "INSERT OR REPLACE INTO holds (id, scopes, since, amount, phase, due)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.db.prepare_cached(write)?.execute(params![
            id.column(),
            text,
            self.now.column(),
            amount.min(MAX_AMOUNT).column(),
            Phase::Open as i64,
            self.until(ttl).column(),
        ])?;
        Ok(())
    }

    fn held(&self, id: OpId) -> Result<Option<Held>, Fault> {
        let read = "SELECT scopes, since, amount, phase FROM holds WHERE id = ?1 AND (phase = 0 OR due > ?2)";
        let mut statement = self.db.prepare_cached(read)?;
        let row = statement.query_row(params![id.column(), self.now.column()], |row| {
            Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        });
        let Some((scopes, since, amount, phase)) = row.optional()? else { return Ok(None) };
        let scopes = serde_json::from_str(&scopes)
            .map_err(|error| Fault::Row(format!("the scopes `{scopes}`: {error}")))?;
        let (since, amount) = (number::time(since)?, number::count(amount)?);
        Ok(Some(Held { scopes, since, amount, phase: Phase::from_column(phase)? }))
    }

    /// Returns a refusal if the needs of `scopes` do not fit into the windows of `since`.
    fn refusal(
        &self,
        since: Timestamp,
        scopes: &[Scope],
        needs: impl Fn(&Scope) -> u64,
    ) -> Result<Option<StepResult>, Fault> {
        for (place, scope) in scopes.iter().enumerate() {
            let more = needs(scope);
            // A scope that needs nothing more is never refused, even if its counter is above the limit.
            if more == 0 {
                continue;
            }
            let before = scopes.iter().take(place).filter(|other| is_same(other, scope));
            let before = before.map(&needs).fold(0, u64::saturating_add);
            let used = self.counter(&scope.key, scope.window, since)?.used();
            if used.saturating_add(before).saturating_add(more) > scope.limit.min(MAX_AMOUNT) {
                return Ok(Some(StepResult::Refused { scope: place, used, limit: scope.limit }));
            }
        }
        Ok(None)
    }
}

/// Whether two scopes use the same counter.
fn is_same(one: &Scope, other: &Scope) -> bool {
    one.key == other.key && one.window == other.window
}
