//! Counts of what a session used, for `session_end`.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts of one session, shared by its drivers.
#[derive(Debug, Default)]
pub struct Tally {
    tokens: AtomicU64,
    tool_calls: AtomicU64,
    files: Mutex<Files>,
}

/// Files in order of the first write. The set makes the check for a known file fast, however many files there
/// are.
#[derive(Debug, Default)]
struct Files {
    in_order: Vec<String>,
    known: HashSet<String>,
}

impl Tally {
    /// Tokens used.
    pub fn tokens(&self) -> u64 {
        self.tokens.load(Ordering::Relaxed)
    }

    /// Tool calls that ran.
    pub fn tool_calls(&self) -> u64 {
        self.tool_calls.load(Ordering::Relaxed)
    }

    /// Files that were written, in order of the first write.
    pub fn files(&self) -> Vec<String> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).in_order.clone()
    }

    pub(super) fn add_tokens(&self, tokens: u64) {
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
    }

    pub(super) fn add_call(&self, files: &[String]) {
        self.tool_calls.fetch_add(1, Ordering::Relaxed);
        let mut all = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        for file in files {
            if all.known.insert(file.clone()) {
                all.in_order.push(file.clone());
            }
        }
    }
}
