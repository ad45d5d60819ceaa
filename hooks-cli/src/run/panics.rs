//! Turns a panic into a failure with a reason, without its usual output.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The panics of this process that are not yet part of a reason or a note.
#[derive(Clone, Debug, Default)]
pub(super) struct Panics(Arc<Mutex<Vec<String>>>);

impl Panics {
    /// Collects every panic from now on. After a panic that cannot unwind, the process would abort, which
    /// most clients treat as an approval. In that case, `before_abort` is called with the first panic.
    pub(super) fn watch(&self, before_abort: impl Fn(String) + Send + Sync + 'static) {
        let panics = self.clone();
        panic::set_hook(Box::new(move |panic| {
            panics.lock().push(told(panic));
            if is_the_end(panic) {
                before_abort(panics.first().unwrap_or_default());
            }
        }));
    }

    /// Runs `work`; returns the reason if it panicked.
    pub(super) fn caught<T>(&self, work: impl FnOnce() -> T) -> Result<T, String> {
        panic::catch_unwind(AssertUnwindSafe(work))
            .map_err(|_| self.first().unwrap_or_else(|| reason("a panic")))
    }

    /// The reason of the first panic, which is then removed.
    pub(super) fn first(&self) -> Option<String> {
        let mut panics = self.lock();
        (!panics.is_empty()).then(|| reason(&panics.remove(0)))
    }

    /// Removes and returns all panics, to note them.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reason(panic: &str) -> String {
    format!("this is a bug in hooks, please report it: {panic}")
}

/// The message and the location of a panic.
fn told(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    format!("{} ({place})", text(panic).unwrap_or("no text"))
}

fn text<'a>(panic: &'a PanicHookInfo<'_>) -> Option<&'a str> {
    let payload = panic.payload();
    payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str))
}

/// Whether the process aborts after this panic: one in a drop during unwinding, or in a function that cannot
/// unwind. The standard library shows this only in the message (`PanicHookInfo::can_unwind` is not stable).
fn is_the_end(panic: &PanicHookInfo<'_>) -> bool {
    let text = text(panic).unwrap_or_default();
    text.starts_with("panic in a destructor during cleanup")
        || text.starts_with("panic in a function that cannot unwind")
}
