//! Scopes: a reservation takes an amount from a counter, in a window, up to a limit.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::Key;
use super::machine::REMEMBERED;
use crate::time::Timestamp;

/// The largest amount. Every engine counts up to it exactly, including those with doubles as numbers. Limits
/// above it are treated as equal to it; amounts above it never fit.
pub const MAX_AMOUNT: u64 = (1 << 53) - 1;

/// A counter with its limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Key of the counter.
    pub key: Key,
    /// Largest amount; with zero, nothing can be reserved.
    pub limit: u64,
    /// Window after which the counter starts again.
    pub window: Window,
    /// Treatment of an amount when its reservation ends.
    pub kind: ScopeKind,
}

impl Scope {
    /// A counter of amounts that are used up: money, tokens, questions.
    pub const fn spent(key: Key, limit: u64) -> Self {
        Self { key, limit, window: Window::Always, kind: ScopeKind::Spent }
    }

    /// A counter of places, which are given back.
    pub const fn places(key: Key, limit: u64) -> Self {
        Self { key, limit, window: Window::Always, kind: ScopeKind::Places }
    }

    /// Sets the window.
    #[must_use]
    pub const fn per(mut self, window: Window) -> Self {
        self.window = window;
        self
    }
}

/// Treatment of an amount when its reservation ends.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use hooks_core::state::{StepResult, Key, Op, OpId, Scope, State, Window};
/// use hooks_core::time::Timestamp;
///
/// let (spent, places) = (Key::new(None, &["money"]), Key::new(None, &["children"]));
/// let scopes = Arc::from([Scope::spent(spent.clone(), 10), Scope::places(places.clone(), 10)]);
/// let mut state = State::default();
/// let ttl = Duration::from_secs(60);
/// state.step(&Op::Reserve { id: OpId(1), scopes, amount: 4, ttl }, Timestamp(0));
///
/// // The holder is lost: its money counts as spent, its places are free again.
/// let mut used = |key| state.step(&Op::Used { key, window: Window::Always }, Timestamp(61_000));
/// assert_eq!(used(spent), StepResult::Used { used: 4, held: 0 });
/// assert_eq!(used(places), StepResult::Used { used: 0, held: 0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeKind {
    /// The amount really used stays charged. A reservation that expires is charged in full: its holder is
    /// lost and may have used all of it.
    Spent,
    /// The amount is given back, also when the reservation expires: a lost holder takes no place.
    Places,
}

/// The window of a counter, after which it starts again. The window is part of the counter's name, so that a
/// new window needs no reset, and a reservation is settled in the window in which it was made. Windows follow
/// the store's time, in UTC.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::state::Window;
/// use hooks_core::time::Timestamp;
///
/// let time: Timestamp = "2026-11-22T23:59:59Z".parse()?;
/// let next = Window::DAY.end(Window::DAY.number(time)).expect("days end");
/// assert_eq!(next.to_string(), "2026-11-23T00:00:00.000Z");
/// assert_eq!(Window::Month.number(next), Window::Month.number(time));
/// assert_eq!(Window::Idle(Duration::from_secs(60)).end(0), None);
/// # Ok::<(), hooks_core::time::TimestampError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// The counter never starts again.
    Always,
    /// The counter never starts again, and is dropped if nothing is charged for this time. For the counters
    /// of a session.
    Idle(Duration),
    /// The counter starts again after each period of this length, counted from 1970-01-01T00:00:00Z.
    Every(Duration),
    /// The counter starts again on the first of each month.
    Month,
}

impl Window {
    /// Windows of one hour.
    pub const HOUR: Self = Self::Every(Duration::from_secs(60 * 60));
    /// The window of a session: its counters are dropped thirty days after the last charge.
    pub const SESSION: Self = Self::Idle(Duration::from_secs(30 * 24 * 60 * 60));
    /// Windows of one day.
    pub const DAY: Self = Self::Every(Duration::from_secs(24 * 60 * 60));

    /// Returns the number of the window that `now` is in.
    pub fn number(self, now: Timestamp) -> u64 {
        match self {
            Self::Always | Self::Idle(_) => 0,
            Self::Every(length) => now.0 / millis(length),
            Self::Month => now.month(),
        }
    }

    /// Returns the end of the window with that number; `None` if there is no later window.
    pub fn end(self, number: u64) -> Option<Timestamp> {
        match self {
            Self::Always | Self::Idle(_) => None,
            Self::Every(length) => Some(Timestamp(number.saturating_add(1).saturating_mul(millis(length)))),
            Self::Month => Some(Timestamp::of_month(number.saturating_add(1))),
        }
    }

    /// Returns the time from which a counter in the window with that number counts as zero, if it has no open
    /// reservations and was charged last at `touched`: it will not be used any more. `None` means never.
    pub fn forgotten(self, number: u64, touched: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Always => None,
            Self::Idle(idle) => Some(touched.after(idle)),
            Self::Every(_) | Self::Month => Some(self.end(number)?.max(touched).after(REMEMBERED)),
        }
    }
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX).max(1)
}
