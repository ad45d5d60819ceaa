//! The permit of an answer that has begun and not ended.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::ModelError;
use crate::health::Permit;

/// The permit of a streamed answer, kept with it until its end shows the result. If it is dropped earlier,
/// the call does not count. Clones share one permit.
#[derive(Clone, Debug)]
pub(crate) struct Outstanding(Arc<Mutex<Option<(Permit, Duration)>>>);

impl Outstanding {
    /// Creates the handle for a call whose answer began after `took`. That time, not the length of the
    /// answer, is the speed of the model.
    pub(crate) fn new(permit: Permit, took: Duration) -> Self {
        Self(Arc::new(Mutex::new(Some((permit, took)))))
    }

    /// Reports that the answer is complete.
    pub(crate) fn ended(self) {
        if let Some((permit, took)) = self.take() {
            let now = permit.now();
            permit.succeeded(now, took);
        }
    }

    /// Reports that the answer broke off.
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
