//! Status of a feed, for monitoring.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::time::Timestamp;

use crate::read::Skipped;

/// Status of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedStatus {
    /// Records that the sink took since the feed began.
    pub delivered: u64,
    /// Records that the sink permanently refused since the feed began; they are listed in
    /// [`refused_in`](Self::refused_in).
    pub refused: u64,
    /// Path of the file that lists refused records; `None` if none was refused.
    pub refused_in: Option<PathBuf>,
    /// Reason of the last refusal.
    pub last_refusal: Option<String>,
    /// Failed attempts in a row; 0 after a success.
    pub failures: u32,
    /// Error of the last failure, also after later successes.
    pub last_error: Option<String>,
    /// Time of the last record that was taken; it shows how far the feed is behind.
    pub last_record: Option<Timestamp>,
    /// Files of the log with missing records, which no sink gets, in the order in which they were found.
    pub skipped: Vec<Skipped>,
    /// Whether another process feeds the sink, and this one waits for it to end.
    pub is_elsewhere: bool,
}

/// Handle to the status of a running feed.
#[derive(Clone, Debug, Default)]
pub struct StatusHandle(Arc<Mutex<FeedStatus>>);

impl StatusHandle {
    /// Present status.
    pub fn get(&self) -> FeedStatus {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut FeedStatus)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
