//! Closing the resources of a set of hooks.

use std::fmt;

use crate::error::BoxError;
use crate::future::HookFuture;

/// A resource that a set of hooks keeps open until its host ends: a log, a store, work in the background.
///
/// It is added with [`HooksBuilder::add_close`](crate::HooksBuilder::add_close) and closed by
/// [`Hooks::close`](crate::Hooks::close).
///
/// ```
/// use hooks_core::{BoxError, Close, HookFuture, Hooks};
///
/// struct Log;
///
/// impl Close for Log {
///     fn name(&self) -> &str {
///         "log"
///     }
///
///     fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
///         HookFuture::now(Err("the disk is full".into()))
///     }
/// }
///
/// let mut builder = Hooks::builder();
/// builder.add_close(Log);
/// # futures_util::FutureExt::now_or_never(async {
/// let error = builder.build().close().await.expect_err("the log cannot be closed");
/// assert_eq!(error.to_string(), "not all hooks could be closed: log: the disk is full");
/// # }).expect("nothing waits");
/// ```
pub trait Close: Send + Sync {
    /// Name of the resource in errors.
    fn name(&self) -> &str;

    /// Finishes the work in progress and closes the resource. It may be called more than once.
    fn close(&self) -> HookFuture<'static, Result<(), BoxError>>;
}

/// The resources that could not be closed, each with its error. Unfinished work of these resources may be
/// lost.
#[derive(Debug, Default)]
pub struct CloseError {
    failed: Vec<(String, BoxError)>,
}

impl CloseError {
    /// The resources that could not be closed, by name, in the order in which they were tried.
    pub fn failed(&self) -> impl Iterator<Item = (&str, &BoxError)> {
        self.failed.iter().map(|(name, error)| (&**name, error))
    }

    pub(super) fn add(&mut self, name: &str, error: BoxError) {
        self.failed.push((name.to_owned(), error));
    }

    /// Returns `self` as an error if there is at least one failure.
    pub(super) fn or_ok(self) -> Result<(), Self> {
        if self.failed.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl fmt::Display for CloseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not all hooks could be closed")?;
        for (number, (name, error)) in self.failed.iter().enumerate() {
            write!(f, "{} {name}: {error}", if number == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

impl std::error::Error for CloseError {}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use futures_util::FutureExt as _;

    use super::*;
    use crate::Hooks;

    struct Logs(&'static str, Arc<Mutex<Vec<&'static str>>>);

    impl Close for Logs {
        fn name(&self) -> &str {
            self.0
        }

        fn close(&self) -> HookFuture<'static, Result<(), BoxError>> {
            self.1.lock().unwrap().push(self.0);
            HookFuture::now(if self.0 == "store" { Err("away".into()) } else { Ok(()) })
        }
    }

    #[test]
    fn all_are_closed_in_order_although_one_fails() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut builder = Hooks::builder();
        for name in ["scribe", "store", "audit"] {
            builder.add_close(Logs(name, Arc::clone(&seen)));
        }
        let hooks = builder.build().into_builder().build();
        let error = hooks.close().now_or_never().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "not all hooks could be closed: store: away");
        assert_eq!(*seen.lock().unwrap(), ["scribe", "store", "audit"]);
        assert!(Hooks::default().close().now_or_never().unwrap().is_ok());
    }
}
