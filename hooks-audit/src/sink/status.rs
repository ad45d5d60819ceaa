//! How a feed is doing, for those who watch.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::time::Timestamp;

use crate::read::Skipped;

/// How a feed is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FeedStatus {
    /// Records that the sink took since the feed began.
    pub delivered: u64,
    /// Records that it refused for good since then, which are named in [`refused_in`](Self::refused_in).
    pub refused: u64,
    /// The file that names what was refused, beside the place; `None` as long as nothing was.
    pub refused_in: Option<PathBuf>,
    /// Why the last one was refused.
    pub last_refusal: Option<String>,
    /// Attempts that failed in a row; 0 while all is well.
    pub failures: u32,
    /// What the last failure was, also where all is well again.
    pub last_error: Option<String>,
    /// When the last record that was taken had happened: how far behind the feed is.
    pub last_record: Option<Timestamp>,
    /// Files of the log of which records are missing, which no sink will get, in the order in which they were come by.
    pub skipped: Vec<Skipped>,
    /// Whether another process feeds the sink, and this one waits for it to end.
    pub is_elsewhere: bool,
}

/// Tells how a feed is doing while it runs.
#[derive(Clone, Debug, Default)]
pub struct StatusHandle(Arc<Mutex<FeedStatus>>);

impl StatusHandle {
    /// How it is doing.
    pub fn get(&self) -> FeedStatus {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut FeedStatus)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
