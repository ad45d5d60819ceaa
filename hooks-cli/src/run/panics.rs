//! A panic is a failure with a reason, and writes nothing by itself.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, PoisonError};

/// Runs `work`; of a panic, what it said and where.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let told = Arc::new(Mutex::new(None));
    let heard = Arc::clone(&told);
    panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let payload = panic.payload();
        let text =
            payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        let text = text.unwrap_or("no text");
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{text} ({place})"));
    }));
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let told = told.lock().unwrap_or_else(PoisonError::into_inner).take();
        format!("this is a bug in hooks, please report it: {}", told.as_deref().unwrap_or("a panic"))
    })
}
