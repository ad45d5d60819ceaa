//! Time at which a limit starts anew, as a configuration option.

use hooks_core::Reason;
use hooks_core::state::Window;
use serde::{Deserialize, Serialize};

/// Time at which a counter starts anew. Windows follow the store's time, in UTC.
///
/// ```
/// use hooks_budgets::LimitWindow;
///
/// assert_eq!(serde_json::from_str::<LimitWindow>("\"month\"")?, LimitWindow::Month);
/// let error = serde_json::from_str::<LimitWindow>("\"week\"").expect_err("there are no weeks");
/// assert!(error.to_string().contains("expected one of `session`, `hour`, `day`, `month`, `always`"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LimitWindow {
    /// With each session.
    Session,
    /// With each hour.
    Hour,
    /// With each day.
    Day,
    /// With the first of each month.
    Month,
    /// Never.
    Always,
}

impl LimitWindow {
    /// Returns the window of the counter; a counter per session has the session in its name.
    pub(crate) const fn window(self) -> Window {
        match self {
            Self::Session => Window::SESSION,
            Self::Hour => Window::HOUR,
            Self::Day => Window::DAY,
            Self::Month => Window::Month,
            Self::Always => Window::Always,
        }
    }

    /// Returns words for the current window, to append to a count.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Session => " in this session",
            Self::Hour => " in this hour",
            Self::Day => " on this day",
            Self::Month => " in this month",
            Self::Always => " for good",
        }
    }

    /// Adds the advice to wait for the next window, if there is one.
    pub(crate) fn advise(self, reason: Reason) -> Reason {
        match self {
            Self::Session => reason.instead("begin another session"),
            Self::Hour => reason.instead("wait for the next hour"),
            Self::Day => reason.instead("wait for the next day"),
            Self::Month => reason.instead("wait for the next month"),
            Self::Always => reason,
        }
    }
}
