//! The amounts charged, by counter and window.

use std::collections::HashMap;
use std::time::Duration;

use super::super::key::Key;
use super::super::operation::Charged;
use super::super::scope::{MAX_AMOUNT, Window};
use super::due::{Due, Queue};
use crate::time::Timestamp;

/// All counters. Each has a few windows: the current one and those with reservations that still have to be
/// settled.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters(HashMap<Key, Vec<Counter>>);

/// A counter in one window.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    window: Window,
    number: u64,
    /// Amount that was used up.
    pub(super) spent: u64,
    /// Amount that open reservations hold.
    pub(super) held: u64,
    /// Time of the last charge.
    touched: Timestamp,
}

impl Counter {
    fn new(window: Window, number: u64, now: Timestamp) -> Self {
        Self { window, number, spent: 0, held: 0, touched: now }
    }

    /// Returns the amount charged in total.
    pub(super) fn used(&self) -> u64 {
        self.spent.saturating_add(self.held).min(MAX_AMOUNT)
    }

    /// Adds to the amount held.
    pub(super) fn hold(&mut self, amount: u64) {
        self.held = self.held.saturating_add(amount).min(MAX_AMOUNT);
    }

    /// Adds to the amount used up. It stays at the largest amount, which no limit exceeds.
    pub(super) fn spend(&mut self, amount: u64) {
        self.spent = self.spent.saturating_add(amount).min(MAX_AMOUNT);
    }

    fn is(&self, window: Window, number: u64) -> bool {
        self.window == window && self.number == number
    }

    /// Whether the counter may be dropped early: it has no open reservations, and its window is that of a
    /// session or has passed.
    fn may_go(&self, now: Timestamp) -> bool {
        let is_past = self.window.number(now) != self.number;
        self.held == 0 && (is_past || matches!(self.window, Window::Idle(_)))
    }

    /// Whether the counter will not be used any more: it counts as zero, even if it was not dropped yet.
    fn is_over(&self, now: Timestamp) -> bool {
        let forgotten = self.window.forgotten(self.number, self.touched);
        self.held == 0 && forgotten.is_some_and(|when| when <= now)
    }
}

impl Counters {
    /// Returns the amount charged, and the part of it that is held.
    pub(super) fn get(&self, key: &Key, window: Window, number: u64, now: Timestamp) -> (u64, u64) {
        let counters = self.0.get(key).map(Vec::as_slice).unwrap_or_default();
        let counter = counters.iter().find(|counter| counter.is(window, number) && !counter.is_over(now));
        counter.map_or((0, 0), |counter| (counter.used(), counter.held))
    }

    /// Changes a counter; a missing one is created.
    pub(super) fn charge(
        &mut self,
        key: &Key,
        window: Window,
        number: u64,
        now: Timestamp,
        queue: &mut Queue,
        with: impl FnOnce(&mut Counter),
    ) {
        let Some(counters) = self.0.get_mut(key) else {
            let mut counter = Counter::new(window, number, now);
            with(&mut counter);
            queue.add(now.after(LOOKED_AT), Due::Counter(key.clone()));
            self.0.insert(key.clone(), vec![counter]);
            return;
        };
        match counters.iter_mut().find(|counter| counter.is(window, number)) {
            Some(counter) => {
                if counter.is_over(now) {
                    *counter = Counter::new(window, number, now);
                }
                with(counter);
                counter.touched = now;
            }
            None => {
                let mut counter = Counter::new(window, number, now);
                with(&mut counter);
                counters.push(counter);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    /// Returns the counters that may be dropped early, each with the time of its last charge.
    pub(super) fn idle(&self, now: Timestamp) -> impl Iterator<Item = (Timestamp, &Key)> {
        let counters = self.0.iter();
        let idle = counters.filter(move |(_, counters)| counters.iter().all(|counter| counter.may_go(now)));
        idle.filter_map(|(key, counters)| Some((counters.iter().map(|counter| counter.touched).max()?, key)))
    }

    pub(super) fn drop_all(&mut self, key: &Key) {
        self.0.remove(key);
    }

    /// Returns the counters at or below a key with a charge in their current window.
    pub(super) fn below(&self, below: &Key, now: Timestamp) -> Vec<Charged> {
        let counters = self.0.iter().filter(|(key, _)| key.is_below(below));
        let counters =
            counters.flat_map(|(key, counters)| counters.iter().map(move |counter| (key, counter)));
        let mut charged: Vec<_> = counters
            .filter(|(_, counter)| counter.window.number(now) == counter.number)
            .filter(|(_, counter)| counter.used() > 0 && !counter.is_over(now))
            .map(|(key, counter)| Charged {
                key: key.clone(),
                window: counter.window,
                used: counter.used(),
                held: counter.held,
            })
            .collect();
        charged.sort_unstable();
        charged
    }

    /// Drops the windows of a counter that are over or have no charge; if they are created again, they are
    /// the same. Returns the time of the next check, if a window is left.
    pub(super) fn forget(&mut self, key: &Key, now: Timestamp) -> Option<Timestamp> {
        let counters = self.0.get_mut(key)?;
        counters.retain(|counter| counter.used() > 0 && !counter.is_over(now));
        if counters.is_empty() {
            self.0.remove(key);
            return None;
        }
        Some(now.after(LOOKED_AT))
    }
}

/// Interval of the checks whether a counter is still needed. It affects only memory, never an answer.
const LOOKED_AT: Duration = Duration::from_secs(60 * 60);
