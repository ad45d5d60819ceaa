//! What is charged, by counter and window.

use std::collections::HashMap;
use std::time::Duration;

use super::super::key::Key;
use super::super::operation::Charged;
use super::super::scope::{MAX_AMOUNT, Window};
use super::due::{Due, Queue};
use crate::time::Timestamp;

/// All counters: a few windows each, the present one and those that are still settled.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters(HashMap<Key, Vec<Counter>>);

/// A counter in one window.
#[derive(Clone, Debug)]
pub(super) struct Counter {
    window: Window,
    number: u64,
    /// What was used up.
    pub(super) spent: u64,
    /// What open reservations hold.
    pub(super) held: u64,
    /// When it was charged last.
    touched: Timestamp,
}

impl Counter {
    fn new(window: Window, number: u64, now: Timestamp) -> Self {
        Self { window, number, spent: 0, held: 0, touched: now }
    }

    /// What is charged in all.
    pub(super) fn used(&self) -> u64 {
        self.spent.saturating_add(self.held).min(MAX_AMOUNT)
    }

    /// Adds to what is held.
    pub(super) fn hold(&mut self, amount: u64) {
        self.held = self.held.saturating_add(amount).min(MAX_AMOUNT);
    }

    /// Adds to what was used up. Beyond what can be counted it stays there, which is beyond every limit.
    pub(super) fn spend(&mut self, amount: u64) {
        self.spent = self.spent.saturating_add(amount).min(MAX_AMOUNT);
    }

    fn is(&self, window: Window, number: u64) -> bool {
        self.window == window && self.number == number
    }

    /// Whether it may be forgotten before its time: nothing is held of it, and its window is a session's, or past.
    fn may_go(&self, now: Timestamp) -> bool {
        let is_past = self.window.number(now) != self.number;
        self.held == 0 && (is_past || matches!(self.window, Window::Idle(_)))
    }

    /// Whether nobody will ask for it any more: it counts as nothing, whether it was dropped by then or not.
    fn is_over(&self, now: Timestamp) -> bool {
        let forgotten = self.window.forgotten(self.number, self.touched);
        self.held == 0 && forgotten.is_some_and(|when| when <= now)
    }
}

impl Counters {
    /// What is charged, and what of it is held.
    pub(super) fn get(&self, key: &Key, window: Window, number: u64, now: Timestamp) -> (u64, u64) {
        let counters = self.0.get(key).map(Vec::as_slice).unwrap_or_default();
        let counter = counters.iter().find(|counter| counter.is(window, number) && !counter.is_over(now));
        counter.map_or((0, 0), |counter| (counter.used(), counter.held))
    }

    /// Changes a counter, made where it is not there.
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

    /// The counters that may be forgotten before their time, each with when it was charged last.
    pub(super) fn idle(&self, now: Timestamp) -> impl Iterator<Item = (Timestamp, &Key)> {
        let counters = self.0.iter();
        let idle = counters.filter(move |(_, counters)| counters.iter().all(|counter| counter.may_go(now)));
        idle.filter_map(|(key, counters)| Some((counters.iter().map(|counter| counter.touched).max()?, key)))
    }

    pub(super) fn drop_all(&mut self, key: &Key) {
        self.0.remove(key);
    }

    /// The counters at or below a key that something is charged to in their present window.
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

    /// Drops windows of a counter that are over, or that nothing is charged to: made anew they are the same. When to look at it again, where any is left.
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

/// How often it is looked whether a counter is still needed. Nobody sees a difference; only memory does.
const LOOKED_AT: Duration = Duration::from_secs(60 * 60);
