//! What is still to be done once an answer is there: the program ends after it, not before.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hooks::{Background, HookFuture};

/// Work that nobody waits for while an event is answered, kept until there is time.
#[derive(Clone, Default)]
pub(crate) struct Unfinished(Arc<Mutex<Vec<HookFuture<'static, ()>>>>);

impl Unfinished {
    /// Does all of it.
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
