//! What a reservation takes from: a counter, its window and its limit.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::key::Key;
use super::machine::REMEMBERED;
use crate::time::Timestamp;

/// The largest amount that is counted: what every engine holds exactly, also one whose numbers are doubles. Limits
/// above it are taken as it; amounts above it never fit.
pub const MAX_AMOUNT: u64 = (1 << 53) - 1;

/// A counter and what it may reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Which counter.
    pub key: Key,
    /// What it may reach: zero means none at all.
    pub limit: u64,
    /// When it begins anew.
    pub window: Window,
    /// What becomes of an amount when its reservation ends.
    pub kind: ScopeKind,
}

impl Scope {
    /// A counter of what is used up: money, tokens, questions.
    pub const fn spent(key: Key, limit: u64) -> Self {
        Self { key, limit, window: Window::Always, kind: ScopeKind::Spent }
    }

    /// A counter of places: what is taken comes back.
    pub const fn places(key: Key, limit: u64) -> Self {
        Self { key, limit, window: Window::Always, kind: ScopeKind::Places }
    }

    /// Begins anew with each `window`.
    #[must_use]
    pub const fn per(mut self, window: Window) -> Self {
        self.window = window;
        self
    }
}

/// What becomes of an amount when its reservation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeKind {
    /// What was really used stays charged. A reservation that expires is charged whole: its holder is lost, and what
    /// it did may have cost all of it.
    Spent,
    /// It is given back, also when the reservation expires: whoever is lost takes no place.
    Places,
}

/// When a counter begins anew. The window is part of the counter's name, so that a new one needs no reset, and what
/// was taken in the old one is settled there. Windows follow the store's time, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// Never.
    Always,
    /// Never, and nobody will ask for it any more once it was not charged for so long: a session's.
    Idle(Duration),
    /// Every so often, counted from 1970-01-01T00:00:00Z.
    Every(Duration),
    /// With the first of each month.
    Month,
}

impl Window {
    /// Every hour.
    pub const HOUR: Self = Self::Every(Duration::from_secs(60 * 60));
    /// A session's: for thirty days after it was charged last.
    pub const SESSION: Self = Self::Idle(Duration::from_secs(30 * 24 * 60 * 60));
    /// Every day.
    pub const DAY: Self = Self::Every(Duration::from_secs(24 * 60 * 60));

    /// The number of the window that `now` is in.
    pub fn number(self, now: Timestamp) -> u64 {
        match self {
            Self::Always | Self::Idle(_) => 0,
            Self::Every(length) => now.0 / millis(length),
            Self::Month => now.month(),
        }
    }

    /// When the window with that number is over; never, where there is none after it.
    pub fn end(self, number: u64) -> Option<Timestamp> {
        match self {
            Self::Always | Self::Idle(_) => None,
            Self::Every(length) => Some(Timestamp(number.saturating_add(1).saturating_mul(millis(length)))),
            Self::Month => Some(Timestamp::of_month(number.saturating_add(1))),
        }
    }

    /// From when on a counter in the window with that number counts as nothing, if nothing is held of it and it was
    /// charged last at `touched`: nobody will ask for it any more. Never, where absent.
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
