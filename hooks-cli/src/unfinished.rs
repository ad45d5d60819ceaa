//! Work that remains after an answer: the program ends only after it is done.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hooks::{Background, HookFuture};

/// Work that does not delay the answer to an event, kept until there is time for it.
#[derive(Clone, Default)]
pub(crate) struct Unfinished(Arc<Mutex<Vec<HookFuture<'static, ()>>>>);

impl Unfinished {
    /// Does all remaining work.
    pub(crate) async fn finish(&self) {
        while let Some(work) = self.next() {
            work.await;
        }
    }

    fn next(&self) -> Option<HookFuture<'static, ()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl Background for Unfinished {
    fn run(&self, work: HookFuture<'static, ()>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(work);
    }
}

impl fmt::Debug for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unfinished")
    }
}
