//! The permit of an answer that has begun.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::ModelError;
use crate::health::Permit;

/// The permit of an answer that comes in pieces, kept with it: how it went is known at its end. Dropped before, it says
/// nothing of the model. Clones are one permit.
#[derive(Clone, Debug)]
pub(crate) struct Outstanding(Arc<Mutex<Option<(Permit, Duration)>>>);

impl Outstanding {
    /// The answer to what `permit` let through began after `took`: that, and not its length, is how fast the model is.
    pub(crate) fn new(permit: Permit, took: Duration) -> Self {
        Self(Arc::new(Mutex::new(Some((permit, took)))))
    }

    /// The answer came to its end.
    pub(crate) fn ended(self) {
        if let Some((permit, took)) = self.take() {
            let now = permit.now();
            permit.succeeded(now, took);
        }
    }

    /// It broke off.
    pub(crate) fn broke(self, error: &ModelError) {
        if let Some((permit, took)) = self.take() {
            let now = permit.now();
            permit.failed(error, now, took);
        }
    }

    fn take(&self) -> Option<(Permit, Duration)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
