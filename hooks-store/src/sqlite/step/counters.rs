//! The amounts charged, by counter and window.

use std::time::Duration;

use hooks_core::state::{Charged, Key, MAX_AMOUNT, OpId, StepResult, Window};
use hooks_core::time::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use super::{Step, below};
use crate::sqlite::error::Fault;
use crate::sqlite::number::{self, Column as _};

/// A counter in one window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counter {
    /// Amount that was used up.
    pub(super) spent: u64,
    /// Amount that open reservations hold.
    pub(super) held: u64,
}

impl Counter {
    /// Returns the amount charged in total.
    pub(super) fn used(self) -> u64 {
        self.spent.saturating_add(self.held).min(MAX_AMOUNT)
    }

    /// Adds to the amount used up.
    pub(super) fn spend(&mut self, amount: u64) {
        self.spent = self.spent.saturating_add(amount).min(MAX_AMOUNT);
    }

    /// Adds to the amount held.
    pub(super) fn hold(&mut self, amount: u64) {
        self.held = self.held.saturating_add(amount).min(MAX_AMOUNT);
    }
}

impl Step<'_> {
    pub(super) fn used(&self, key: &Key, window: Window) -> Result<StepResult, Fault> {
        let counter = self.counter(key, window, self.now)?;
        Ok(StepResult::Used { used: counter.used(), held: counter.held })
    }

    /// Sets the spent amount of a counter.
    pub(super) fn correct(
        &self,
        id: OpId,
        key: &Key,
        window: Window,
        spent: u64,
    ) -> Result<StepResult, Fault> {
        if self.enter_past(id)? {
            let spent = spent.min(MAX_AMOUNT);
            self.charge(key, window, self.now, |counter| counter.spent = spent)?;
        }
        Ok(StepResult::Done)
    }

    /// Returns the counters at or below a key with a charge in their current window.
    pub(super) fn counters_below(&self, folder: &Key) -> Result<StepResult, Fault> {
        let read = "SELECT key, span, number, spent, held FROM counters
            WHERE (key = ?1 OR (key >= ?2 AND key < ?3)) AND spent + held > 0
                AND (held > 0 OR forgotten IS NULL OR forgotten > ?4)";
        let mut statement = self.db.prepare_cached(read)?;
        let [folder, from, to] = below(folder);
        let mut rows = statement.query(params![folder, from, to, self.now.column()])?;
        let mut charged = Vec::new();
        while let Some(row) = rows.next()? {
            let window = span_of(&row.get::<_, String>(1)?)?;
            if number::count(row.get(2)?)? != window.number(self.now) {
                continue;
            }
            let counter = Counter { spent: number::count(row.get(3)?)?, held: number::count(row.get(4)?)? };
            let key = Key::from(row.get::<_, String>(0)?);
            charged.push(Charged { key, window, used: counter.used(), held: counter.held });
        }
        charged.sort_unstable();
        Ok(StepResult::Counters(charged))
    }

    /// Returns the counter in its window at `when`.
    pub(super) fn counter(&self, key: &Key, window: Window, when: Timestamp) -> Result<Counter, Fault> {
        let read = "SELECT spent, held FROM counters WHERE key = ?1 AND span = ?2 AND number = ?3
            AND (held > 0 OR forgotten IS NULL OR forgotten > ?4)";
        let (span, number) = (name_of(window), window.number(when).column());
        let mut statement = self.db.prepare_cached(read)?;
        let columns = params![key.as_str(), span, number, self.now.column()];
        let row = statement.query_row(columns, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((spent, held)) = row else { return Ok(Counter::default()) };
        Ok(Counter { spent: number::count(spent)?, held: number::count(held)? })
    }

    /// Changes the counter in its window at `when`; a missing one is created.
    pub(super) fn charge(
        &self,
        key: &Key,
        window: Window,
        when: Timestamp,
        with: impl FnOnce(&mut Counter),
    ) -> Result<(), Fault> {
        let mut counter = self.counter(key, window, when)?;
        with(&mut counter);
        let number = window.number(when);
        let forgotten = window.forgotten(number, self.now);
        let write = "INSERT OR REPLACE INTO counters (key, span, number, spent, held, touched, forgotten)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        self.db.prepare_cached(write)?.execute(params![
            key.as_str(),
            name_of(window),
            number.column(),
            counter.spent.column(),
            counter.held.column(),
            self.now.column(),
            forgotten.map(number::Column::column),
        ])?;
        Ok(())
    }
}

/// Formats a window as a part of the primary key.
fn name_of(window: Window) -> String {
    match window {
        Window::Always => "always".to_owned(),
        Window::Month => "month".to_owned(),
        Window::Idle(idle) => format!("idle {}", idle.as_nanos()),
        Window::Every(length) => format!("every {}", length.as_nanos()),
    }
}

fn span_of(name: &str) -> Result<Window, Fault> {
    let unreadable = || Fault::Row(format!("the window `{name}`"));
    let duration = |nanos: &str| -> Option<Duration> {
        let nanos: u128 = nanos.parse().ok()?;
        let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
        Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
    };
    match name.split_once(' ') {
        None if name == "always" => Ok(Window::Always),
        None if name == "month" => Ok(Window::Month),
        Some(("idle", nanos)) => duration(nanos).map(Window::Idle).ok_or_else(unreadable),
        Some(("every", nanos)) => duration(nanos).map(Window::Every).ok_or_else(unreadable),
        _ => Err(unreadable()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_read_as_it_is_written() {
        let odd = Duration::new(u64::MAX, 999_999_999);
        for window in [Window::Always, Window::Month, Window::DAY, Window::Idle(odd), Window::Every(odd)] {
            assert_eq!(span_of(&name_of(window)).unwrap(), window);
        }
        assert!(span_of("every x").is_err() && span_of("").is_err());
    }
}
